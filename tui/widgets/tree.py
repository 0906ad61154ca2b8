"""The hypothesis tree: every node with its mark, its whole statement, and what it cost."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import ClassVar

from textual.content import Content

from sessions.models.hypothesis import DEAD_ENDS, Cost, Hypothesis, Tree
from tui.widgets import figures
from tui.widgets.ink import fit, ink, inline, mark
from tui.widgets.roster import Roster

CLAIMS = {("claimed", "confirmed"), ("claimed", "refuted")}
"""Verdicts that only the agent's words carry; one that was never reached needs no support."""


@dataclass(frozen=True, slots=True)
class Node:
    """One hypothesis in the tree: `first` and `rest` are the branches drawn before its first and other lines."""

    hypothesis: Hypothesis
    first: str
    rest: str
    candidate: bool = False


class HypothesisTree(Roster):
    """The tree, and on demand the ranked candidates under it. Statements are wrapped, not cut."""

    EMPTY: ClassVar[str] = " No hypothesis was found in this session."

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name of it
        super().__init__(id=id)
        self._rows: Sequence[Node] = ()
        self._drawn: list[list[Content]] = []
        self._worths: Mapping[str, str] = {}

    @property
    def count(self) -> int:
        """Number of hypotheses shown."""
        return len(self._rows)

    @property
    def current(self) -> Node | None:
        """The node under the cursor."""
        return self._rows[self.cursor] if self.count else None

    def fill(self, tree: Tree, *, candidates: bool = False, worths: Mapping[str, str] | None = None) -> None:
        """Take a tree. `worths` says of a hypothesis what its verdict was worth in the latest replay."""
        self.filled = True
        before = self.current.hypothesis.key if self.current else None
        self._worths = worths or {}
        self._rows = tuple(branches(tree.hypotheses))
        if candidates:
            self._rows += tuple(Node(one, "· ", "    ", candidate=True) for one in tree.candidates)
        place = next((index for index, node in enumerate(self._rows) if node.hypothesis.key == before), 0)
        self.relay(place)

    def go_to(self, hypothesis: str) -> None:
        """Put the cursor on the hypothesis with this id."""
        for index, node in enumerate(self._rows):
            if node.hypothesis.id == hypothesis:
                self.cursor = index

    def lay_out(self, width: int) -> None:
        """Wrap every statement to the width."""
        self._drawn = [self._wrapped(node, max(width - 1, 12)) for node in self._rows]
        self._tops = list(accumulate((len(lines) for lines in self._drawn), initial=0))

    def draw(self, index: int, line: int, width: int) -> Content:
        """Return one line of one node."""
        return fit(self._drawn[index][line], width)

    def _wrapped(self, node: Node, width: int) -> list[Content]:
        lead = len(node.first) + 3
        room = max(width - lead, 12)
        lines = [one.rstrip() for one in statement(node).wrap(room)]
        remarks = self._remarks(node)
        if remarks and lines[-1].cell_length + 2 + remarks.cell_length <= room:
            lines[-1] += Content("  ") + remarks
        elif remarks:
            lines.append(remarks)
        first = ink(f" {node.first}", "faint") + mark(node.hypothesis) + Content(" ")
        rest = ink(f" {node.rest}", "faint")
        return [first + lines[0], *(rest + one for one in lines[1:])]

    def _remarks(self, node: Node) -> Content:
        hypothesis = node.hypothesis
        if hypothesis.root:
            return Content("")
        words = [ink("candidate", "faint")] if node.candidate else []
        if hypothesis.support == "contradicted" or (hypothesis.support, hypothesis.verdict) in CLAIMS:
            words.append(ink(hypothesis.support, hypothesis.support))
        if hypothesis.verdict in DEAD_ENDS and (spent := cost(hypothesis.cost)):
            words.append(ink(spent, "muted"))
        if worth := self._worths.get(hypothesis.id):
            words.append(ink(f"replayed: {worth}", {"upheld": "good", "overturned": "bad"}.get(worth, "doubtful")))
        return Content("  ").join(words)


def statement(node: Node) -> Content:
    """Return a statement in the ink of its rank: the symptom and causes stand out, dead ends stand back."""
    hypothesis = node.hypothesis
    if hypothesis.root or hypothesis.verdict == "confirmed":
        return inline(hypothesis.statement, "strong")
    return inline(hypothesis.statement)


def cost(spent: Cost) -> str:
    """Return what was spent, without spaces that a line break could use: ``3 steps · 4m10s``."""
    words = [figures.several(spent.steps, "step")] if spent.steps else []
    words += [figures.duration(spent.seconds)] if spent.seconds else []
    words += [f"{figures.short(spent.tokens)} tokens".replace(" ", "\u00a0")] if spent.tokens else []
    return " · ".join(words)


def branches(hypotheses: Sequence[Hypothesis]) -> Iterator[Node]:
    """Yield the nodes in drawing order, the root first; one whose parent is missing hangs on the root."""
    known = {one.id for one in hypotheses}
    children: dict[str | None, list[Hypothesis]] = {}
    roots = [one for one in hypotheses if one.root] or [one for one in hypotheses if one.parent not in known]
    top = {one.id for one in roots}
    for one in hypotheses:
        if one.id not in top:
            children.setdefault(one.parent if one.parent in known else roots[0].id, []).append(one)
    for one in roots:
        yield Node(one, "", _under(one, children))
        yield from _below(one.id, children, "", {one.id})


def _below(parent: str, children: Mapping[str | None, list[Hypothesis]], lead: str, seen: set[str]) -> Iterator[Node]:
    these = [one for one in children.get(parent, ()) if one.id not in seen]
    for place, one in enumerate(these):
        last = place == len(these) - 1
        rest = lead + ("   " if last else "│  ")
        yield Node(one, lead + ("└─ " if last else "├─ "), rest + _under(one, children))
        seen.add(one.id)
        yield from _below(one.id, children, rest, seen)


def _under(one: Hypothesis, children: Mapping[str | None, list[Hypothesis]]) -> str:
    """Return what stands under the mark of a node: the beginning of the branch to its children."""
    return "│ " if children.get(one.id) else "  "
