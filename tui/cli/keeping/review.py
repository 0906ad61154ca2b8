"""``necropsy review``: settle what the analysis proposes, one key each."""

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rich.text import Text

from sessions.errors import NecropsyError, UsageProblem
from sessions.hypotheses import review
from sessions.hypotheses.review import Change, Item
from sessions.models.hypothesis import Hypothesis, Tree, Verdict
from sessions.models.session import Message
from sessions.store.reader import Reader
from sessions.store.rows import StepLine
from tui.cli import arguments, diagnostics, output
from tui.cli.keeping import card, edit
from tui.cli.keeping.keys import ask, read_key

VERDICTS: Mapping[str, Verdict] = {"c": "confirmed", "r": "refuted", "b": "abandoned", "o": "open"}

HELP = (
    "a accept · x reject · c confirmed, r refuted, b abandoned, o open · p parent · m merge · s split · e edit · "
    "j jump to · n next · u undo · q quit"
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Say which arguments the command takes."""
    arguments.add_session(parser)
    parser.add_argument("--author", default=None, metavar="NAME", help="who decides (default: your login name)")
    parser.add_argument("--json", action="store_true", help="print what waits as one JSON document and nothing else")


def run(args: argparse.Namespace) -> int:
    """Show one hypothesis after the other and do what the keys say; where there is no terminal, what is piped in."""
    store = arguments.store_path(args)
    with Reader.open(store) as reader:
        session = reader.resolve(args.session).id
        tree = reader.tree(session)
        if args.json:
            output.emit_json([_describe(item) for item in review.queue(tree)])
            return 0
        lines, messages = reader.step_lines(session), reader.messages(session)
    talk = Review(store, session, args.author or edit.login(), messages, lines)
    talk.hold()
    settled, count = talk.standing()
    diagnostics.say(f"{settled} of {count} hypotheses are settled.")
    return 0


def _describe(item: Item) -> dict[str, object]:
    return {**item.hypothesis.model_dump(mode="json", warnings=False), "candidate": item.candidate}


@dataclass
class Review:
    """One sitting: what was passed over, what was just added, and how many corrections each decision made."""

    store: Path
    session: str
    author: str
    messages: Sequence[Message]
    lines: Sequence[StepLine]
    passed: set[str] = field(default_factory=set)
    fresh: set[str] = field(default_factory=set)
    made: list[int] = field(default_factory=list)
    wanted: str | None = None

    def hold(self) -> None:
        """Show what waits until nothing does, or the person leaves."""
        diagnostics.say(HELP)
        while (item := self._next()) is not None:
            self._show(item)
            while (key := read_key()) is not None and key != "q":
                try:
                    if self._act(key, item.hypothesis):
                        break
                except NecropsyError as error:
                    diagnostics.report(error)
            else:
                return

    def standing(self) -> tuple[int, int]:
        """Return how many hypotheses are settled, and how many there are."""
        return review.progress(self._tree())

    def _tree(self) -> Tree:
        with Reader.open(self.store) as reader:
            return reader.tree(self.session)

    def _next(self) -> Item | None:
        items = review.queue(self._tree(), self.fresh)
        wanted, self.wanted = self.wanted, None
        jumped = next((item for item in items if item.hypothesis.key == wanted), None)
        return jumped or next((item for item in items if item.hypothesis.key not in self.passed), None)

    def _show(self, item: Item) -> None:
        with Reader.open(self.store) as reader:
            output.emit(Text("\n") + card.draw(reader, self.session, item, self.messages, self.lines))

    def _act(self, key: str, one: Hypothesis) -> bool:
        """Do what a key says; return whether the next one is to be shown."""
        if key in VERDICTS:
            return self._store(one, review.decide(one, VERDICTS[key]))
        act = self._acts().get(key)
        if act is None:
            diagnostics.say(HELP)
            return False
        return act(one)

    def _acts(self) -> Mapping[str, Callable[[Hypothesis], bool]]:
        return {
            "a": lambda one: self._store(one, review.accept(one)),
            "x": lambda one: self._store(one, review.reject(one)),
            "p": lambda one: self._store(one, review.hang(one, self._other("Under which one (H0: the symptom)?").key)),
            "m": lambda one: self._store(one, review.merge(one, self._other("Into which one?").key)),
            "s": self._split,
            "e": lambda one: self._store(one, review.restate(one, ask("In other words", one.statement))),
            "j": self._jump,
            "n": self._pass,
            "u": self._undo,
        }

    def _other(self, question: str) -> Hypothesis:
        return arguments.hypothesis(self._tree(), ask(question, ""))

    def _split(self, one: Hypothesis) -> bool:
        first, second = review.halves(one.statement)
        return self._store(one, review.split(one, ask("The first", first), ask("The second", second)))

    def _jump(self, _one: Hypothesis) -> bool:
        self.wanted = self._other("To which one?").key
        if all(item.hypothesis.key != self.wanted for item in review.queue(self._tree(), self.fresh)):
            self.fresh.add(self.wanted)
        return True

    def _pass(self, one: Hypothesis) -> bool:
        self.passed.add(one.key)
        return True

    def _store(self, one: Hypothesis, changes: Sequence[Change]) -> bool:
        from sessions.store.writer import Writer  # noqa: PLC0415 - `--json` writes nothing

        with Writer.open(self.store) as writer:
            keys = [writer.edit(self.session, each.key, each.action, each.value, self.author) for each in changes]
        self.made.append(len(changes))
        self.fresh.update(key for key, each in zip(keys, changes, strict=True) if each.action == "add")
        if any(each.action == "verdict" for each in changes):
            self.fresh.discard(one.key)
        self.wanted = one.key if changes[0].action in _STAYS else None
        return True

    def _undo(self, _one: Hypothesis) -> bool:
        from sessions.store.writer import Writer  # noqa: PLC0415 - as above

        with Writer.open(self.store) as writer:
            undone = [writer.undo(self.session, self.author) for _ in range(self.made.pop() if self.made else 1)]
        last = undone[-1]
        if last is None:
            raise UsageProblem("There is nothing of yours to take back.")
        diagnostics.say(f"Took back: {last.action}.")
        self.wanted = last.key
        self.passed.discard(last.key)
        self.fresh.add(last.key)
        return True


_STAYS = frozenset({"statement", "parent"})
"""Corrections after which the same hypothesis still waits for its verdict."""
