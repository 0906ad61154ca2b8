"""From what was recorded to what is sent: paths by the person's rules, and nothing else.

A rule applies to the words that a program takes for paths, and to whole path tokens of an output; never to the text
of a command line.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from probes.host.script import emit
from replay.policy.judge import judge
from replay.policy.judgement import Judgement, Role
from sessions.models.command import Pipe, Stage
from sessions.models.replay import EFFECTS

_PATHS = re.compile(r"(?<![\w.])/[\w.+@%:~=-]+(?:/[\w.+@%:~=-]+)*/?")


@dataclass(frozen=True, slots=True)
class PathRules:
    """Ordered prefixes, recorded to target's; the longest that matches whole components wins."""

    rules: tuple[tuple[str, str], ...] = ()

    def map(self, path: str) -> str:
        """Return the target's path for a recorded one; unchanged if no rule names it."""
        best = max((rule for rule in self.rules if _under(path, rule[0])), key=lambda rule: len(rule[0]), default=None)
        if best is None:
            return path
        rest = path[len(best[0].rstrip("/")) :]
        return best[1].rstrip("/") + rest or "/"

    def map_text(self, text: str) -> str:
        """Return a text with every path in it mapped."""
        return _PATHS.sub(lambda found: self.map(found[0]), text) if self.rules else text


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A judged command with its paths mapped."""

    pipes: tuple[Pipe, ...]
    sent: str
    mapped: tuple[tuple[str, str], ...]
    problem: str = ""
    """Why it must not be sent after all."""


def rewrite(judgement: Judgement, rules: PathRules, cwd: str | None = None) -> Rewritten:
    """Map the path words of a judged command, and judge the result again: a rule must not lead to a secret."""
    mapped: dict[str, str] = {}

    def translate(word: str, role: Role) -> str:
        if role not in {"path", "place"}:
            return word
        target = rules.map(word)
        if target != word:
            mapped[word] = target
        return target

    pipes = tuple(
        Pipe(
            stages=tuple(
                _stage(stage, [translate(word, role) for word, role in zip(stage.words, roles, strict=True)], rules)
                for stage, roles in zip(pipe.stages, stages, strict=True)
            ),
            after=pipe.after,
        )
        for pipe, stages in zip(judgement.pipes, judgement.roles, strict=True)
    )
    sent = emit(pipes)
    again = judge(sent, cwd)
    higher = again.decision == "refuse" or EFFECTS.index(again.effect) > EFFECTS.index(judgement.effect)
    problem = f"after mapping its paths: {'; '.join(again.reasons)}" if higher else ""
    if not problem and again.sent != sent:
        problem = "its canonical form is not stable"
    return Rewritten(pipes, sent, tuple(mapped.items()), problem)


def _stage(stage: Stage, words: Sequence[str], rules: PathRules) -> Stage:
    stdin = rules.map(stage.stdin) if stage.stdin is not None else None
    return stage.model_copy(update={"words": tuple(words), "stdin": stdin})


def _under(path: str, prefix: str) -> bool:
    bare = prefix.rstrip("/")
    return path == bare or path.startswith(bare + "/")
