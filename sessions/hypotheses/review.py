"""What waits for a person: the nodes of a tree that nobody settled, then the candidates, each with what is proposed."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from sessions.models.hypothesis import PERSON, Hypothesis, Tree, Verdict

BESIDE = 2
"""Steps shown before and behind the place of a hypothesis that has no evidence."""


@dataclass(frozen=True, slots=True)
class Item:
    """One that waits, with the verdict that is proposed for it."""

    hypothesis: Hypothesis
    candidate: bool


@dataclass(frozen=True, slots=True)
class Change:
    """One correction as the store takes it: `key` is empty for a hypothesis that is added."""

    key: str
    action: str
    value: Mapping[str, object] = field(default_factory=dict)


def is_settled(one: Hypothesis) -> bool:
    """Return whether the verdict that stands is a person's own."""
    return bool(one.history) and one.history[-1].source.startswith(PERSON)


def queue(tree: Tree, also: Collection[str] = ()) -> tuple[Item, ...]:
    """Return what waits: unsettled nodes, and those with a key in `also`, in the order of the tree; then candidates."""
    nodes = (one for one in tree.hypotheses if not one.root and (one.key in also or not is_settled(one)))
    ranked = sorted(tree.candidates, key=lambda one: -one.score)
    return (*(Item(one, candidate=False) for one in nodes), *(Item(one, candidate=True) for one in ranked))


def progress(tree: Tree) -> tuple[int, int]:
    """Return how many hypotheses of the tree are settled, and how many there are."""
    nodes = [one for one in tree.hypotheses if not one.root]
    return sum(map(is_settled, nodes)), len(nodes)


def accept(one: Hypothesis) -> tuple[Change, ...]:
    """Return what makes the proposed verdict a person's own; a candidate becomes a node."""
    return decide(one, one.verdict)


def decide(one: Hypothesis, verdict: Verdict) -> tuple[Change, ...]:
    """Return what sets a verdict; where it is the proposed one its support and place stay."""
    if verdict == one.verdict:
        return (Change(one.key, "verdict", {"verdict": verdict, "support": one.support, "message": one.decided_in}),)
    return (Change(one.key, "verdict", {"verdict": verdict, "support": _support(one, verdict)}),)


def reject(one: Hypothesis) -> tuple[Change, ...]:
    """Return what takes it out: it is no hypothesis."""
    return (Change(one.key, "remove"),)


def hang(one: Hypothesis, parent: str | None) -> tuple[Change, ...]:
    """Return what hangs it under another one (id or key); None: under the symptom."""
    return (Change(one.key, "parent", {"parent": parent}),)


def merge(one: Hypothesis, into: str) -> tuple[Change, ...]:
    """Return what makes it one with another (id or key), which stays."""
    return (Change(one.key, "merge", {"into": into}),)


def restate(one: Hypothesis, statement: str) -> tuple[Change, ...]:
    """Return what states it in other words."""
    return (Change(one.key, "statement", {"statement": statement}),)


def split(one: Hypothesis, first: str, second: str) -> tuple[Change, ...]:
    """Return what makes two of it: one keeps its evidence and gets the first statement, a new open one the second."""
    added = {"statement": second, "verdict": "open", "parent": one.parent, "stated_in": one.stated_in}
    return (*restate(one, first), Change("", "add", added))


def halves(statement: str) -> tuple[str, str]:
    """Return the two statements that a split proposes: the sides of the first "or" or "and", else twice the whole."""
    for word in (" or ", " and ", "; "):
        first, found, second = statement.partition(word)
        if found and first.strip() and second.strip():
            return first.strip(" ,"), second.strip(" ,")
    return statement, statement


class Placed(Protocol):
    """A step, or the line of one: where it stands."""

    @property
    def ordinal(self) -> int:
        """Its number."""

    @property
    def message(self) -> int | None:
        """Ordinal of the last message before it."""


def nearby(one: Hypothesis, steps: Sequence[Placed]) -> tuple[int, ...]:
    """Return the steps to be seen with it: its evidence, what decided first; else those around its statement."""
    cited = sorted(one.evidence, key=lambda piece: not piece.deciding)
    known = {step.ordinal for step in steps}
    found = tuple(dict.fromkeys(piece.step for piece in cited if piece.step in known))
    return found or tuple(_beside(one, steps))


def _beside(one: Hypothesis, steps: Sequence[Placed]) -> Iterator[int]:
    if one.stated_in is None:
        return
    placed = [(step.ordinal, step.message) for step in steps if step.message is not None]
    yield from [ordinal for ordinal, message in placed if message < one.stated_in][-BESIDE:]
    yield from [ordinal for ordinal, message in placed if message >= one.stated_in][:BESIDE]


def _support(one: Hypothesis, verdict: Verdict) -> str:
    """Grounded where a piece of the evidence speaks for the new verdict; else claimed."""
    stance = {"confirmed": "supports", "refuted": "refutes"}.get(verdict)
    return "grounded" if any(piece.stance == stance for piece in one.evidence) else "claimed"
