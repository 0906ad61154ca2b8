"""Whether a new output says what the recorded one said: exactly, by typed tokens, in another order or place."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import compress, islice
from operator import ne, not_
from typing import cast

from replay.output import moved
from replay.output.align import Alignment, Stretch
from replay.output.domains.cells import Tables
from replay.output.domains.choice import readable, reader
from replay.output.kinds import Kind, kind_of
from replay.output.lines import Lines, difference
from replay.output.masks import Masked
from replay.output.relations import DRIFTING
from replay.output.rows.outlines import Rows
from replay.output.rows.places import Places, blocks
from replay.output.terminal import DRAWING, plain, settle
from replay.rewrite import PathRules
from sessions.models.replay import Compared, TokenDifference

SAME = frozenset({"identical", "equivalent", "reordered", "drift", "moved"})
"""The comparisons under which a recorded output still says what it said."""
MOST_TOKENS = 200
"""Differing tokens that are kept."""
_WORDS = re.compile(r"\w+")

_FEW = 24
"""Lines that are looked at one by one."""


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What counts beside the texts."""

    exit_codes: tuple[int | None, int | None] = (None, None)
    """Recorded and new; None where not known."""
    reconstructed: bool = False
    """The recording itself says that it is none."""
    whole: str | None = None
    """The whole file on the target of which a part was printed."""
    paths: PathRules = field(default_factory=PathRules)


def compare(
    recorded: str,
    new: str,
    *,
    argv: Sequence[str] | None = None,
    truncated: bool = False,
    circumstances: Circumstances | None = None,
) -> Compared:
    """Return how `new` compares to `recorded`, which rules that took, and the tokens that differ.

    `argv` is the call that printed both; `truncated` says that the recording was cut. Texts are those of
    `sessions.ingest.display.clean`.
    """
    about = circumstances or Circumstances()
    if about.reconstructed:
        return Compared(comparison="not-comparable", detail="the recording is a reconstruction")
    compared = _texts(recorded, new, argv, about)
    if truncated and compared.comparison != "identical":
        detail = "the recording was cut, and the rest differs" if compared.tokens else "the recording was cut"
        return compared.model_copy(update={"comparison": "recording-truncated", "detail": detail})
    before, after = about.exit_codes
    if before is not None and after is not None and before != after and compared.comparison != "moved":
        detail = f"exit status {before} became {after}"
        return compared.model_copy(update={"comparison": "exit-status-changed", "detail": detail})
    return compared


def _texts(recorded: str, new: str, argv: Sequence[str] | None, about: Circumstances) -> Compared:
    if recorded.rstrip("\n") == new.rstrip("\n"):
        return Compared(comparison="identical")
    kind = kind_of(argv)
    left, right, rules = _settled(recorded, new, kind)
    if left == right:
        return Compared(comparison="equivalent", rules=rules)
    lines = Lines(kind, about.paths.map_text if kind.source else about.paths.map)
    compared = (_read(about.paths.map_text(left), right, argv, lines) if argv else None) or _as_text(
        left, right, lines, about
    )
    return compared.model_copy(update={"rules": (*rules, *compared.rules)})


def _settled(recorded: str, new: str, kind: Kind) -> tuple[str, str, tuple[str, ...]]:
    (left, rules), (right, more) = settle(recorded), settle(new)
    rules = tuple(dict.fromkeys((*rules, *more)))
    if kind.source or left == right or (plain(left), plain(right)) == (left, right):
        return left, right, rules
    return plain(left), plain(right), (*rules, DRAWING)


def _as_text(left: str, right: str, lines: Lines, about: Circumstances) -> Compared:
    tokens = list(islice(_differences(left.split("\n"), right.split("\n"), lines), MOST_TOKENS))
    if tokens:
        elsewhere = _elsewhere(left, right, lines.kind, about) or _reordered(left, right, lines)
        return elsewhere or Compared(comparison="changed", rules=tuple(lines.rules), tokens=tuple(tokens))
    drifted = not DRIFTING.isdisjoint(lines.rules)
    return Compared(comparison="drift" if drifted else "equivalent", rules=tuple(lines.rules))


def _read(left: str, right: str, argv: Sequence[str], lines: Lines) -> Compared | None:
    """Compare what a known program says, whatever its layout; None where that is not known."""
    parse = reader(argv)
    if parse is None or not (readable(left) and readable(right)):
        return None
    before, after = parse(left), parse(right)
    if before is None or after is None:
        return None
    tables = Tables(lines.differences)
    tokens = tuple(islice(tables.differences(before, after), MOST_TOKENS))
    rules = (*tables.rules, *lines.rules)
    if tokens:
        return Compared(comparison="changed", rules=rules, tokens=tokens)
    rules = rules or ("order and layout of what this program prints",)
    drifted = tables.drifted or not DRIFTING.isdisjoint(rules)
    return Compared(comparison="drift" if drifted else "equivalent", rules=rules)


def _differences(left: Sequence[str], right: Sequence[str], lines: Lines) -> Iterator[TokenDifference]:
    """Yield what differs, in the order of the recording."""
    size = len(left)
    stretches = [(0, size, 0, size)] if size == len(right) else _aligned(left, right, lines)
    sides = _Sides(left, right, lines)
    alike: list[int] = []
    for places in blocks(stretches):
        differ = [*map(ne, *sides.texts(places))]
        if not all(differ):
            alike += compress(places.here, map(not_, differ))
        yield from sides.differences(places if all(differ) else places.chosen(differ))
    yield from _confirmed(left, alike, lines)


class _Sides:
    """The lines of two texts, of which many are looked at together while they agree."""

    def __init__(self, left: Sequence[str], right: Sequence[str], lines: Lines) -> None:
        self._left, self._right, self._lines = (*left, None), (*right, None), lines
        self._masked = (Masked(left), Masked(right))

    def texts(self, places: Places) -> tuple[Sequence[str | None], Sequence[str | None]]:
        """Return the lines at some places, None for one that is missing."""
        return _texts_at(self._left, places.here), _texts_at(self._right, places.there)

    def differences(self, places: Places) -> Iterator[TokenDifference]:
        """Yield what differs in some lines that are not the same as they stand."""
        if len(places) > _FEW:
            both, single = places.parted()
            if not self._agree(both):
                middle = len(places) // 2
                yield from self.differences(places.part(0, middle))
                yield from self.differences(places.part(middle, len(places)))
                return
            places = single
        for place in places:
            yield from self._one(*place)

    def _agree(self, places: Places) -> bool:
        rows = cast("Rows", self.texts(places))
        return self._lines.agree(rows, (self._masked[0].masks, self._masked[1].masks))

    def _one(self, number: int, here: int, there: int) -> Sequence[TokenDifference]:
        recorded, new = self._left[here], self._right[there]
        if recorded is None or new is None:
            return [difference(number, "line", recorded or "", new or "")]
        if not self._lines.masking:
            return self._lines.told((recorded, new), (recorded, new), number)
        return self._lines.told((self._masked[0][here], self._masked[1][there]), (recorded, new), number)


def _texts_at(lines: Sequence[str | None], places: Sequence[int]) -> Sequence[str | None]:
    if isinstance(places, range):
        return lines[places.start : places.stop]
    return [*map(lines.__getitem__, places)]


def _confirmed(left: Sequence[str], alike: Sequence[int], lines: Lines) -> Iterator[TokenDifference]:
    """Yield where a value that was replaced in some lines stands as it was in lines that both texts have."""
    replaced = {word for value in lines.replaced for word in _WORDS.findall(value)} if alike else set()
    for place in alike if replaced else ():
        if not replaced.isdisjoint(_WORDS.findall(left[place])):
            yield from lines.confirm(left[place], place + 1)


def _aligned(left: Sequence[str], right: Sequence[str], lines: Lines) -> Iterator[Stretch]:
    levels = [(left, right), (lines.keys(left), lines.keys(right))]
    if len(set(left).intersection(right)) * 3 < min(len(left), len(right)):
        del levels[0]  # few lines are the same as they stand: those that are say little about where they belong
    return Alignment(*levels).stretches()


def _elsewhere(left: str, right: str, kind: Kind, about: Circumstances) -> Compared | None:
    if kind.numbered:
        return moved.renumbered(left, right)
    if about.whole is not None and kind.first is not None:
        return moved.block(about.paths.map_text(left), about.whole, kind.first)
    return None


def _reordered(left: str, right: str, lines: Lines) -> Compared | None:
    if not lines.kind.unordered:
        return None
    there: dict[object, list[str]] = {}
    for line in right.split("\n"):
        there.setdefault(lines.key(line), []).append(line)
    again = lines.again()
    for line in left.split("\n"):
        candidates = there.get(lines.key(line))
        if not candidates or again.differences(line, candidates.pop(0), 1):
            return None
    if any(there.values()):
        return None
    rules = ("the order of this program's lines means nothing", *again.rules)
    return Compared(comparison="reordered", rules=rules)
