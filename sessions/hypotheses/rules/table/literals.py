"""The words that a text must contain for a pattern to match: tried first, they spare most searches.

The idea is that of RE2's `FilteredRE2` and of Russ Cox, "Regular Expression Matching with a Trigram Index" (2012). What
a pattern is made of is read from the tree that `re` itself parses it into, a private module of the standard library:
there is no public one, and a pattern that it reads otherwise than we think would fail the test over all rows.
"""

from collections.abc import Sequence
from re import _constants as kinds  # type: ignore[attr-defined]  # private: see above
from re import _parser as parser  # type: ignore[attr-defined]  # private: see above
from typing import Any, TypeAlias

Texts: TypeAlias = frozenset[str]
"""Texts of which each match contains one."""

MOST = 32
"""How many spellings of one stretch are told apart."""

WORTH = 256
"""More texts than this are slower to try than the pattern."""

_EMPTY: Texts = frozenset({""})


def literals(pattern: str) -> tuple[str, ...]:
    """Return texts one of which stands in whatever `pattern` matches; none if it has no such texts."""
    return tuple(sorted(_best(_needs(parser.parse(pattern)))))


def _needs(nodes: Sequence[Any]) -> list[Texts]:
    """Return, for each stretch of a pattern that has a fixed set of spellings, that set."""
    found, stretch = [], _EMPTY
    for kind, value in nodes:
        exact = _spellings(kind, value)
        if exact is not None and (joined := _joined(stretch, exact)) is not None:
            stretch = joined
            continue
        found += [stretch, _best(_inside(kind, value))]
        stretch = exact or _EMPTY
    return [*found, stretch]


def _spellings(kind: Any, value: Any) -> Texts | None:
    """Return all texts that a node matches, or nothing if they cannot be counted."""
    if kind is kinds.LITERAL:
        return frozenset({chr(value)})
    if kind in {kinds.AT, kinds.ASSERT, kinds.ASSERT_NOT}:
        return _EMPTY
    if kind is kinds.SUBPATTERN:
        return _whole(value[-1])
    if kind is kinds.BRANCH:
        return _union(_whole(each) for each in value[1])
    if kind is kinds.MAX_REPEAT and value[:2] == (0, 1):
        return _union([_EMPTY, _whole(value[2])])
    return None


def _whole(nodes: Sequence[Any]) -> Texts | None:
    texts: Texts | None = _EMPTY
    for kind, value in nodes:
        exact = _spellings(kind, value)
        texts = None if exact is None or texts is None else _joined(texts, exact)
        if texts is None:
            return None
    return texts


def _joined(texts: Texts, more: Texts) -> Texts | None:
    """Return each text followed by each of the others, None if that is too many to tell apart."""
    return frozenset(a + b for a in texts for b in more) if len(texts) * len(more) <= MOST else None


def _inside(kind: Any, value: Any) -> list[Texts]:
    """Return what the parts of a node with uncounted spellings need."""
    if kind is kinds.SUBPATTERN:
        return _needs(value[-1])
    if kind is kinds.BRANCH:
        each = [_best(_needs(branch)) for branch in value[1]]
        return [_union(each) or frozenset()] if all(each) else []
    if kind is kinds.MAX_REPEAT and value[0]:
        return _needs(value[2])
    return []


def _union(sets: Any) -> Texts | None:
    found = list(sets)
    if any(each is None for each in found):
        return None
    union = frozenset().union(*found)
    return union if len(union) <= WORTH else None


def _best(needs: list[Texts]) -> Texts:
    """Return the set whose shortest text is longest: the rarest in a text, as far as one can tell."""
    useful = [_bare(each) for each in needs if each and "" not in each]
    return max(useful, key=lambda each: (min(map(len, each)), -len(each)), default=frozenset())


def _bare(texts: Texts) -> Texts:
    """Return the texts that contain none of the others: who finds them needs no others."""
    return frozenset(text for text in texts if not any(other in text for other in texts - {text}))
