"""The bundled session, read as every log is read, and ways to change it."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

import sessions.examples
from sessions.formats import opencode
from sessions.hypotheses.rules.engine import analyze
from sessions.ingest.builder import build
from sessions.ingest.events import Count
from sessions.models.hypothesis import Hypothesis, Tree
from sessions.models.session import Message, Step

BUNDLED = Path(sessions.examples.__file__).parent / "glm5-blackwell.json"


@dataclass(frozen=True)
class Log:
    """Messages and steps, and what the rules make of them."""

    messages: tuple[Message, ...]
    steps: tuple[Step, ...]

    def tree(self) -> Tree:
        return analyze(self.messages, self.steps)

    def blank(self, ordinals: Iterable[int]) -> "Log":
        gone = set(ordinals)
        return Log(
            self.messages, tuple(s.model_copy(update={"output": ""}) if s.ordinal in gone else s for s in self.steps)
        )

    def change(self, texts: Mapping[str, str]) -> "Log":
        def swap(text: str) -> str:
            for old, new in texts.items():
                text = text.replace(old, new)
            return text

        return Log(
            tuple(m.model_copy(update={"text": swap(m.text)}) for m in self.messages),
            tuple(s.model_copy(update={"command": swap(s.command), "output": swap(s.output)}) for s in self.steps),
        )

    def insert(self, after: int, command: str, output: str, *, saying: str = "") -> "Log":
        """Return the log with one more step after the step `after`; with `saying`, a message before that step."""
        place = self.steps[after].message
        assert place is not None
        shift = 1 if saying else 0
        messages = [*self.messages[: place + 1]]
        if saying:
            messages.append(Message(ordinal=place + 1, role="agent", text=saying))
        messages += [m.model_copy(update={"ordinal": m.ordinal + shift}) for m in self.messages[place + 1 :]]
        new = Step(ordinal=after + 1, message=place + shift, kind="shell", tool="bash", command=command, output=output)
        later = [
            s.model_copy(update={"ordinal": s.ordinal + 1, "message": (s.message or 0) + shift})
            for s in self.steps[after + 1 :]
        ]
        return Log(tuple(messages), (*self.steps[: after + 1], new, *later))


@pytest.fixture(scope="session")
def bundled() -> Log:
    """The bundled session."""
    count = Count()
    (source,) = opencode.sources(BUNDLED)
    (session,) = build(opencode.read(source, count), source, count)
    return Log(session.messages, session.steps)


@pytest.fixture(scope="session")
def find() -> Callable[[Tree, str], Hypothesis]:
    """Return the one hypothesis whose statement holds all the given words."""

    def find(tree: Tree, words: str) -> Hypothesis:
        wanted = words.lower().split()
        found = [h for h in tree.hypotheses if not h.root and all(w in h.statement.lower() for w in wanted)]
        assert len(found) == 1, (words, [h.statement for h in tree.hypotheses])
        return found[0]

    return find
