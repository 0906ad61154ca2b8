"""What pairs of lines that agree need to be the case."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from operator import eq
from typing import NamedTuple


class Bound(NamedTuple):
    """What stands for what: new values by recorded ones, and the other way round."""

    there: dict[str, str]
    back: dict[str, str]

    def allows(self, other: "Bound") -> bool:
        """Tell whether nothing in `other` goes against it."""
        return _consistent(self.there, other.there) and _consistent(self.back, other.back)

    def take(self, other: "Bound") -> None:
        """Add what `other` says."""
        self.there.update(other.there)
        self.back.update(other.back)


Bindings = dict[str, Bound]
"""What stands for what, by the kind of the piece."""


@dataclass(slots=True)
class Agreement:
    """What pairs of lines that agree need to be the case, beside what was known before them."""

    before: Bindings
    """What was known before to stand for what."""
    known: frozenset[str]
    """Kinds of which it is known already that they differ in an allowed way."""
    padded: bool
    """Whether the padding of columns was seen to differ."""
    bound: Bindings = field(default_factory=dict)
    """What these lines say stands for what."""
    kinds: dict[str, None] = field(default_factory=dict)
    """Kinds of pieces that differ in an allowed way, which were not known to."""

    def bind(self, kind: str, pairs: Collection[tuple[str, str]]) -> bool:
        """Have recorded values stand for new ones, each pair given once; False if one stands for two."""
        more = Bound({a: b for a, b in pairs}, {b: a for a, b in pairs})  # noqa: C416 - dict() would copy a mapping
        if not len(more.there) == len(pairs) == len(more.back):
            return False
        if not all(known[kind].allows(more) for known in (self.before, self.bound) if kind in known):
            return False
        self.bound.setdefault(kind, Bound({}, {})).take(more)
        return True


def _consistent(known: Mapping[str, str], more: Mapping[str, str]) -> bool:
    shared = known.keys() & more.keys()
    return all(map(eq, map(known.__getitem__, shared), map(more.__getitem__, shared)))
