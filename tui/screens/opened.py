"""One session as the screens read it. Everything but `steps` is called from workers, with a connection of its own."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from sessions.errors import StoreProblem
from sessions.hypotheses.review import Item, nearby
from sessions.models.hypothesis import Evidence, Hypothesis, Tree
from sessions.store.reader import Reader
from sessions.store.rows import Hit, RunRow, SessionRow, StepLine
from tui.screens.pages import hypothesis, step, talk, waiting
from tui.widgets.blocks import Block
from tui.widgets.paging import Pages

AROUND = 8
"""Steps that are shown with one that waits."""

HITS = 200
"""Places that a search shows."""


@dataclass(frozen=True, slots=True)
class Page:
    """What the detail shows: of `subject` (``H3``, ``step 12``)."""

    subject: str
    blocks: Sequence[Block]
    at_mark: bool = False


@dataclass(frozen=True, slots=True)
class Opened:
    """A session's row, tree and runs, and its steps a page at a time."""

    store: Path
    row: SessionRow
    tree: Tree
    runs: Sequence[RunRow]
    steps: Pages[StepLine]

    @classmethod
    def read(cls, store: Path, session: str) -> Self:
        """Read a session. Raises StoreProblem and UnknownSession."""
        with Reader.open(store) as reader:
            row = reader.resolve(session)
            tree, runs = reader.tree(row.id), reader.runs(row.id)

        def fetch(start: int, limit: int) -> Sequence[StepLine]:
            try:
                with Reader.open(store) as reader:
                    return reader.step_lines(row.id, start, limit)
            except StoreProblem:  # the list says in these rows that they cannot be read
                return ()

        return cls(store, row, tree, runs, Pages(row.steps, fetch))

    @property
    def answer(self) -> Hypothesis | None:
        """What a person wants to see first: the confirmed cause, else the symptom."""
        causes = [one for one in self.tree.hypotheses if one.verdict == "confirmed" and not one.root]
        return next(iter(causes or self.tree.hypotheses), None)

    def worths(self) -> dict[str, str]:
        """Return what each verdict was worth in the latest run that says something of it."""
        return {one.hypothesis: one.worth for run in self.runs for one in run.worths}

    def page_of_hypothesis(self, one: Hypothesis, settling: Sequence[str] = ()) -> Page:
        """Return the page of a hypothesis, which the probes `settling` would settle."""
        with Reader.open(self.store) as reader:
            known = {piece.step for piece in one.evidence if 0 <= piece.step < self.row.steps}
            steps = {ordinal: reader.step(self.row.id, ordinal) for ordinal in known}
            before = reader.tested_before(self.row.id, one)
            probes = [row for row in reader.probes(self.row.id) if row.hypothesis == one.id]
        note = self.tree.note if one.root else ""
        view = hypothesis.View(one, steps, self.runs, before, probes, settling, note)
        return Page(one.id, hypothesis.compose(view))

    def page_of_item(self, item: Item) -> Page:
        """Return the page of one that waits for a person: what is proposed, where it was said, the steps around it."""
        with Reader.open(self.store) as reader:
            near = nearby(item.hypothesis, reader.step_lines(self.row.id))
            steps = {ordinal: reader.step(self.row.id, ordinal) for ordinal in near[:AROUND]}
            said = reader.messages(self.row.id)
            before = reader.tested_before(self.row.id, item.hypothesis)
        view = hypothesis.View(item.hypothesis, steps, self.runs, before)
        return Page(item.hypothesis.id, waiting.compose(waiting.View(item, view, said)))

    def page_of_step(self, ordinal: int, chosen: Hypothesis | None, words: Sequence[str] = ()) -> Page:
        """Return the page of a step, seen from the chosen hypothesis, or with the words of a search marked."""
        with Reader.open(self.store) as reader:
            whole = reader.step(self.row.id, ordinal)
        view = step.View(whole, self.bearing(ordinal, chosen), self.runs, words)
        return Page(f"step {ordinal}", step.compose(view), at_mark=True)

    def page_of_messages(self, around: int) -> talk.Window:
        """Return the messages around one."""
        with Reader.open(self.store) as reader:
            return talk.window(reader.messages(self.row.id), around)

    def evidence_hosts(self) -> list[str]:
        """Return the hosts on which evidence was gathered."""
        return self.hosts(sorted({piece.step for one in self.tree.hypotheses for piece in one.evidence}))

    def hosts(self, steps: Sequence[int]) -> list[str]:
        """Return the hosts that the log names for these steps."""
        with Reader.open(self.store) as reader:
            commands = [command for ordinal in steps for command in reader.step(self.row.id, ordinal).commands]
        return sorted({command.host for command in commands if command.host})

    def output(self, ordinal: int) -> str:
        """Return the recorded output of a step."""
        with Reader.open(self.store) as reader:
            return reader.step(self.row.id, ordinal).output

    def search(self, words: str) -> Sequence[Hit]:
        """Return the places that hold all words, best first."""
        with Reader.open(self.store) as reader:
            return reader.search(words, self.row.id, HITS)

    def bearing(self, ordinal: int, chosen: Hypothesis | None) -> Sequence[tuple[Hypothesis, Evidence]]:
        """Return the hypotheses for which a step is evidence; the chosen one alone where it is one of them."""
        pairs = [
            (one, piece) for one in self.tree.hypotheses for piece in one.evidence if piece.step == ordinal
        ]  # fmt: skip
        mine = [(chosen, piece) for piece in chosen.evidence if piece.step == ordinal] if chosen else []
        return mine or pairs
