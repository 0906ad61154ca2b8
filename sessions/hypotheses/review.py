"""What waits for a person: the nodes of a tree that nobody settled, then the candidates, each with what is proposed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from sessions.models.hypothesis import Hypothesis, Tree
from sessions.models.session import Step

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
    return bool(one.history) and one.history[-1].source.startswith("person:")


def queue(tree: Tree) -> tuple[Item, ...]:
    """Return what waits: unsettled nodes in the order of the tree, then candidates by rank."""
    nodes = (Item(one, candidate=False) for one in tree.hypotheses if not one.root and not is_settled(one))
    return (*nodes, *(Item(one, candidate=True) for one in tree.candidates))


def progress(tree: Tree) -> tuple[int, int]:
    """Return how many hypotheses of the tree are settled, and how many there are."""
    nodes = [one for one in tree.hypotheses if not one.root]
    return sum(map(is_settled, nodes)), len(nodes)


def accept(one: Hypothesis) -> tuple[Change, ...]:
    """Return what makes the proposed verdict a person's own; a candidate becomes a node."""
    return decide(one, one.verdict)


def decide(one: Hypothesis, verdict: str) -> tuple[Change, ...]:
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


def nearby(one: Hypothesis, steps: Sequence[Step]) -> tuple[Step, ...]:
    """Return the steps to be seen with it: its evidence, else those around where it was stated or decided."""
    cited = {piece.step for piece in one.evidence}
    if cited:
        return tuple(step for step in steps if step.ordinal in cited)
    return tuple(_beside(one, steps))


def _beside(one: Hypothesis, steps: Sequence[Step]) -> Iterator[Step]:
    if one.stated_in is None:
        return
    stated = one.stated_in
    before = [step for step in steps if step.message is not None and step.message < stated]
    behind = [step for step in steps if step.message is not None and step.message >= stated]
    yield from before[-BESIDE:]
    yield from behind[:BESIDE]


def _support(one: Hypothesis, verdict: str) -> str:
    """Grounded where a piece of the evidence speaks for the new verdict; else claimed."""
    stance = {"confirmed": "supports", "refuted": "refutes"}.get(verdict)
    return "grounded" if any(piece.stance == stance for piece in one.evidence) else "claimed"
