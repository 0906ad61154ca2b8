"""Many pairs of lines compared at once: lines of one form are rows of a table, and its columns are compared whole.

This only ever says that all of the pairs agree, by the same rules as the look at single lines in
`replay.output.lines`; where one does not, nothing is kept and the single lines are looked at.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import compress, starmap

from replay.output.context import Policy
from replay.output.forms import Form, Span, form_of
from replay.output.masks import Mask, covered
from replay.output.relations import BINDING, relation
from replay.output.rows.agreement import Agreement
from replay.output.rows.grid import Grid, Places
from replay.output.rows.outlines import Rows, outlines_of


@dataclass(frozen=True, slots=True)
class _Column:
    """A piece that may differ, and in which of its places it can."""

    kind: str
    policy: Policy
    here: Span
    there: Span
    places: Places | None


@dataclass(frozen=True, slots=True)
class _Pairing:
    """How the rows of two outlines are compared; places are those where lines of these outlines can differ at all.

    None stands for the places of parts that are never the same.
    """

    untimed: Places | None
    """What two lines must have in common to differ in masked times only; None where they never do."""
    fits: bool
    """Whether both have the same kinds of pieces."""
    solid: Places | None
    """What must be equal, and with padding allowed to differ: `fixed`."""
    fixed: Places | None
    loose: tuple[_Column, ...]
    """The pieces whose texts decide."""
    kinds: tuple[tuple[str, Places | None], ...]
    """The pieces that may differ, by kind."""


def agree(rows: Rows, masks: tuple[Sequence[Mask], Sequence[Mask]], found: Agreement, *, listing: bool) -> bool:
    """Tell whether all pairs of differing lines agree; `found` says what that takes, and is void if they do not."""
    timed = tuple(masks[0]), tuple(masks[1])
    return all(_group_agrees(_pairing(outlines, timed, listing), grid, found) for outlines, grid in _groups(rows))


def _groups(rows: Rows) -> Iterator[tuple[tuple[str, str], Grid]]:
    """Yield the lines, or only their heads where whole lines are of many forms, by the outlines of both."""
    outlines = outlines_of(rows)
    places: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for place, pair in enumerate(zip(*outlines, strict=True)):
        places[pair].append(place)
    for pair, chosen in places.items():
        yield pair, Grid(*(_taken(side, chosen, len(head)) for side, head in zip(rows, pair, strict=True)))


def _taken(lines: Sequence[str], places: Sequence[int], length: int) -> Sequence[str]:
    """Return the heads of chosen lines, all of one length."""
    chosen = lines if len(places) == len(lines) else map(lines.__getitem__, places)
    return [line[:length] for line in chosen]


@lru_cache(maxsize=4096)
def _pairing(
    outlines: tuple[str, str],
    masks: tuple[tuple[Mask, ...], tuple[Mask, ...]],
    listing: bool,  # noqa: FBT001 - a key of the cache
) -> _Pairing:
    left, right = (form_of(outlined, listing=listing) for outlined in outlines)
    fits = left.signature == right.signature and left.kinds == right.kinds and _policies(left) == _policies(right)
    return _Pairing(
        untimed=_untimed(outlines, masks),
        fits=fits,
        solid=_varying(left.merged, right.merged, outlines),
        fixed=_varying(left.firm, right.firm, outlines),
        loose=tuple(_loose(left, right, outlines)) if fits else (),
        kinds=tuple((kind, _varying(left.lively[kind], right.lively[kind], outlines)) for kind in sorted(left.kinds))
        if fits
        else (),
    )


def _policies(form: Form) -> Sequence[Policy]:
    return [piece.policy for piece in form.loose]


def _varying(here: Sequence[Span], there: Sequence[Span], outlines: tuple[str, str]) -> Places | None:
    """Return where parts of two lines can differ; None where they are never the same."""
    left, right = outlines
    if [left[a:b] for a, b in here] != [right[a:b] for a, b in there]:
        return None
    pairs = zip(_within(here), _within(there), strict=True)
    return [(place, other) for place, other in pairs if left[place] == "0"]


def _within(spans: Sequence[Span]) -> Iterator[int]:
    return (place for span in spans for place in range(*span))


def _untimed(outlines: tuple[str, str], masks: tuple[Sequence[Mask], Sequence[Mask]]) -> Places | None:
    (text, spans), (other, more) = covered(outlines[0], masks[0]), covered(outlines[1], masks[1])
    if text != other or not spans:
        return None
    return _varying(_between(spans, outlines[0]), _between(more, outlines[1]), outlines)


def _between(spans: Sequence[Span], text: str) -> Sequence[Span]:
    """Return what lies between spans."""
    edges = [0, *(edge for span in spans for edge in span), len(text)]
    return list(zip(edges[::2], edges[1::2], strict=True))


def _loose(left: Form, right: Form, outlines: tuple[str, str]) -> Iterator[_Column]:
    for a, b in zip(left.loose, right.loose, strict=True):
        here, there = (a.start, a.end), (b.start, b.end)
        yield _Column(a.kind, a.policy, here, there, _varying([here], [there], outlines))


def _group_agrees(pairing: _Pairing, grid: Grid, found: Agreement) -> bool:
    grid = _otherwise_apart(pairing, grid, found)
    if not len(grid):
        return True
    firm = pairing.fixed if found.padded else pairing.solid
    if not (pairing.fits and _agrees(grid, firm)):
        return False
    if not all(_column_agrees(column, grid, found) for column in pairing.loose):
        return False
    for kind, places in pairing.kinds:
        if kind not in found.known and not _agrees(grid, places):
            found.kinds.setdefault(kind)
    return True


def _agrees(grid: Grid, places: Places | None) -> bool:
    return places is not None and grid.agrees(places)


def _otherwise_apart(pairing: _Pairing, grid: Grid, found: Agreement) -> Grid:
    """Return the rows that differ in more than masked times."""
    if pairing.untimed is None:
        return grid
    apart = grid.apart(pairing.untimed)
    if all(apart):
        return grid
    found.kinds.setdefault("time")
    return Grid([*compress(grid.recorded, apart)], [*compress(grid.new, apart)])


def _column_agrees(column: _Column, grid: Grid, found: Agreement) -> bool:
    binding = column.policy in BINDING
    if not binding and _agrees(grid, column.places):
        return True
    if grid.uniform(column.here, column.there):
        grid = Grid(grid.recorded[:1], grid.new[:1])
    pairs = dict.fromkeys(zip(*grid.texts(column.here, column.there), strict=True))
    differing = [pair for pair in pairs if pair[0] != pair[1]]
    return all(starmap(relation(column.policy), differing)) and (not binding or found.bind(column.kind, pairs))
