"""Many pairs of lines compared at once: lines of one form are rows of a table, and its columns are compared whole.

This only ever says that all of the pairs agree, by the same rules as the look at single lines in
`replay.output.lines`; where one does not, nothing is kept and the single lines are looked at.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from operator import itemgetter
from typing import Any

from replay.output.context import Policy
from replay.output.forms import LETTERS, Form, Getter, all_heads, form_of, getter, outline, zeros
from replay.output.masks import Mask, covered
from replay.output.relations import BINDING, relation

_ADDRESS = re.compile(r"(0x[0-9a-fA-F]+)")
_HEX = bytes.maketrans(b"abcdefABCDEF", b"000000000000")
_LONG_SIGNS = ("-0000-0000-0000-", "0" * 32)
"""What any identifier or digest has in it, every hexadecimal digit a ``0``."""

Rows = tuple[Sequence[str], Sequence[str]]
"""Recorded lines and, one for one, the new ones."""


Bindings = dict[str, dict[str, str]]
"""What stands for what, by the kind of the piece."""


@dataclass(slots=True)
class Agreement:
    """What pairs of lines that agree need to be the case, beside what was known before them."""

    there: Bindings
    """What was known before to stand for a recorded value."""
    back: Bindings
    """The same from new to recorded."""
    known: frozenset[str]
    """Kinds of which it is known already that they differ in an allowed way."""
    padded: bool
    """Whether the padding of columns was seen to differ."""
    bound: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    """What these lines say stands for what."""
    kinds: dict[str, None] = field(default_factory=dict)
    """Kinds of pieces that differ in an allowed way, which were not known to."""

    def bind(self, kind: str, pairs: Mapping[tuple[str, str], None]) -> bool:
        """Have recorded values stand for new ones; False if one stands for two."""
        there = {recorded: new for recorded, new in pairs}  # noqa: C416 - the pairs are keys
        back = {new: recorded for recorded, new in pairs}
        before = [(self.there.get(kind, {}), self.back.get(kind, {}))]
        before += [(known, {b: a for a, b in known.items()}) for other, known in self.bound if other == kind]
        self.bound.append((kind, there))
        return len(there) == len(pairs) == len(back) and all(
            all(there[value] == left[value] for value in left.keys() & there.keys())
            and all(back[value] == right[value] for value in right.keys() & back.keys())
            for left, right in before
        )


@dataclass(frozen=True, slots=True)
class _Column:
    kind: str
    policy: Policy
    left: Getter
    right: Getter


@dataclass(frozen=True, slots=True)
class _Pairing:
    """How the rows of two outlines are compared."""

    untimed: tuple[Getter, Getter] | None
    """Return what two lines must have in common to differ in masked times only; None where they never do."""
    fits: bool
    """Whether both have the same kinds of pieces."""
    solid: tuple[Getter, Getter]
    """Return what must be equal, and with padding allowed to differ: `fixed`."""
    fixed: tuple[Getter, Getter]
    loose: tuple[_Column, ...]
    kinds: tuple[_Column, ...]
    """The pieces that may differ, by kind."""


def agree(rows: Rows, masks: tuple[Sequence[Mask], Sequence[Mask]], found: Agreement, *, listing: bool) -> bool:
    """Tell whether all pairs of differing lines agree; `found` says what that takes, and is void if they do not."""
    return all(
        _group_agrees(_pairing(*outlines, tuple(masks[0]), tuple(masks[1]), listing), group, found)
        for outlines, group in _groups(rows)
    )


def _groups(rows: Rows) -> Iterator[tuple[tuple[str, str], Rows]]:
    """Yield the heads of the lines, by the outlines of both."""
    pairs = all_heads(*rows)
    left, right = zip(*pairs, strict=True)
    places: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for place, outlines in enumerate(zip(_outlines(left), _outlines(right), strict=True)):
        places[outlines].append(place)
    for outlines, chosen in places.items():
        take = itemgetter(*chosen) if len(chosen) > 1 else itemgetter(slice(chosen[0], chosen[0] + 1))
        yield outlines, (take(left), take(right))


def _outlines(lines: Sequence[str]) -> list[str]:
    """Return the outlines of all lines, the letters of long hexadecimal numbers zeros too."""
    outlined = outline("\n".join(lines))
    rough = outlined.encode("utf-8", "surrogatepass").translate(_HEX)
    if any(sign.encode() in rough for sign in _LONG_SIGNS):
        outlined = zeros(outlined)
    elif "0x" in outlined:
        parts = _ADDRESS.split(outlined)
        parts[1::2] = "\n".join(parts[1::2]).translate(LETTERS).split("\n")
        outlined = "".join(parts)
    return outlined.split("\n")


@lru_cache(maxsize=4096)
def _pairing(
    outlined: str,
    other: str,
    masks: tuple[Mask, ...],
    other_masks: tuple[Mask, ...],
    listing: bool,  # noqa: FBT001 - a key of the cache
) -> _Pairing:
    left, right = form_of(outlined, listing=listing), form_of(other, listing=listing)
    same = outlined == other
    policies = zip(left.loose, right.loose, strict=False)
    fits = left.signature == right.signature and all(a.policy == b.policy for a, b in policies)
    return _Pairing(
        untimed=_untimed((outlined, other), (masks, other_masks)),
        fits=fits,
        solid=(left.digits, left.digits) if same else (left.solid, right.solid),
        fixed=(left.digits, left.digits) if same else (left.fixed, right.fixed),
        loose=tuple(_loose(left, right)) if fits else (),
        kinds=tuple(_Column(kind, "any", left.of_kind[kind], right.of_kind[kind]) for kind in sorted(left.kinds))
        if fits
        else (),
    )


def _untimed(outlines: tuple[str, str], masks: tuple[Sequence[Mask], Sequence[Mask]]) -> tuple[Getter, Getter] | None:
    (text, spans), (other, more) = covered(outlines[0], masks[0]), covered(outlines[1], masks[1])
    if text != other or not spans:
        return None
    return getter(_between(spans, outlines[0])), getter(_between(more, outlines[1]))


def _between(spans: Sequence[tuple[int, int]], text: str) -> list[tuple[int, int]]:
    """Return what lies between spans and could differ: it has a digit."""
    edges = [0, *(edge for span in spans for edge in span), len(text)]
    return [(a, b) for a, b in zip(edges[::2], edges[1::2], strict=True) if "0" in text[a:b]]


def _loose(left: Form, right: Form) -> Iterator[_Column]:
    for a, b in zip(left.loose, right.loose, strict=True):
        yield _Column(a.kind, a.policy, getter([(a.start, a.end)]), getter([(b.start, b.end)]))


def _group_agrees(pairing: _Pairing, rows: Rows, found: Agreement) -> bool:
    rows = _otherwise_apart(pairing, rows, found)
    if not rows[0]:
        return True
    if not pairing.fits:
        return False
    left, right = _texts(pairing.fixed if found.padded else pairing.solid, rows)
    if left != right or not all(_column_agrees(column, rows, found) for column in pairing.loose):
        return False
    for column in pairing.kinds:
        if column.kind in found.known:
            continue
        left, right = _texts((column.left, column.right), rows)
        if left != right:
            found.kinds.setdefault(column.kind)
    return True


def _otherwise_apart(pairing: _Pairing, rows: Rows, found: Agreement) -> Rows:
    """Return the rows that differ in more than masked times."""
    if pairing.untimed is None:
        return rows
    others = _others(*_texts(pairing.untimed, rows), rows)
    if len(others[0]) < len(rows[0]):
        found.kinds.setdefault("time")
    return others


def _texts(getters: tuple[Getter, Getter], rows: Rows) -> tuple[list[Any], list[Any]]:
    return list(map(getters[0], rows[0])), list(map(getters[1], rows[1]))


def _others(left: Sequence[object], right: Sequence[object], rows: Rows) -> Rows:
    """Return the rows of which the texts differ."""
    if left == right:
        return [], []
    kept = [place for place, (a, b) in enumerate(zip(left, right, strict=True)) if a != b]
    return [rows[0][place] for place in kept], [rows[1][place] for place in kept]


def _column_agrees(column: _Column, rows: Rows, found: Agreement) -> bool:
    left, right = _texts((column.left, column.right), rows)
    binding = column.policy in BINDING
    if left == right and not binding:
        return True
    related = relation(column.policy)
    pairs = dict.fromkeys(zip(left, right, strict=True))
    return all(a == b or related(a, b) for a, b in pairs) and (not binding or found.bind(column.kind, pairs))
