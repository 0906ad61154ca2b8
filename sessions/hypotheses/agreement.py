"""Two trees of one session held against each other: what both found, and where they part."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sessions.hypotheses.model.merge import alike
from sessions.models.hypothesis import Hypothesis, Tree

_NEAR = 3
"""Messages between two statements of one hypothesis."""

_ALIKE = 0.2
_ALIKE_ALONE = 0.6
_SHARED = 0.3


@dataclass(frozen=True, slots=True)
class Agreement:
    """Pairs that are one hypothesis, and what only one tree has; roots are left out."""

    pairs: tuple[tuple[Hypothesis, Hypothesis], ...]
    left: tuple[Hypothesis, ...]
    right: tuple[Hypothesis, ...]

    @property
    def agreeing(self) -> int:
        """Pairs with the same verdict."""
        return sum(one.verdict == other.verdict for one, other in self.pairs)

    @property
    def parting(self) -> tuple[tuple[Hypothesis, Hypothesis], ...]:
        """Pairs with different verdicts."""
        return tuple(pair for pair in self.pairs if pair[0].verdict != pair[1].verdict)


def compare(left: Tree, right: Tree) -> Agreement:
    """Return how two trees of one session agree: the likest hypotheses are paired first, each once.

    Two are one where their keys are, where they are stated near each other in like words or share a step of evidence
    and words, or where they say nearly the same.
    """
    ours = [h for h in left.hypotheses if not h.root]
    theirs = [h for h in right.hypotheses if not h.root]
    graded = [(_likeness(one, other), n, m) for n, one in enumerate(ours) for m, other in enumerate(theirs)]
    pairs: dict[int, int] = {}
    for likeness, n, m in sorted(graded, key=lambda each: (-each[0], each[1], each[2])):
        if likeness > 0 and n not in pairs and m not in pairs.values():
            pairs[n] = m
    return Agreement(
        tuple((ours[n], theirs[m]) for n, m in sorted(pairs.items())),
        _rest(ours, set(pairs)),
        _rest(theirs, set(pairs.values())),
    )


def _rest(nodes: Sequence[Hypothesis], taken: Collection[int]) -> tuple[Hypothesis, ...]:
    return tuple(node for number, node in enumerate(nodes) if number not in taken)


def _likeness(one: Hypothesis, other: Hypothesis) -> float:
    """Return how surely two are one hypothesis; 0 where they are not."""
    if one.key == other.key:
        return 2.0
    words = alike(one.statement, other.statement)
    near = one.stated_in is not None and other.stated_in is not None and abs(one.stated_in - other.stated_in) <= _NEAR
    shared = bool({e.step for e in one.evidence} & {e.step for e in other.evidence})
    grade = words + _SHARED * near + _SHARED * shared
    return grade if words >= _ALIKE_ALONE or (words >= _ALIKE and (near or shared)) else 0.0
