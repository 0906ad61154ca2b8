"""Which lines of two texts belong together, in time that grows with their length and no faster."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import compress, count
from operator import ne

_MOST_COMPARED = 1_000_000
"""Pairs of lines that are held against each other in one alignment, anchors aside."""

Stretch = tuple[int, int, int, int]
"""Lines ``a`` to ``b`` of one text belong to lines ``c`` to ``d`` of the other."""
Level = tuple[Sequence[Hashable], Sequence[Hashable]]
"""What stands for each line of the two texts, more or less strictly."""


class Alignment:
    """Aligns two texts by anchors: lines that both have exactly once (patience), first as they are, then by keys.

    What lies between two anchors is aligned by itself, or, once enough lines were held against each other, in place.
    """

    def __init__(self, *levels: Level) -> None:
        """Align by each of `levels` in turn, the strictest first."""
        self._levels = levels
        self._left = _MOST_COMPARED

    def stretches(self) -> Iterator[Stretch]:
        """Yield the stretches that belong together, in order; together they cover both texts."""
        left, right = self._levels[0]
        yield from self._between((0, len(left), 0, len(right)), 0)

    def _between(self, whole: Stretch, level: int) -> Iterator[Stretch]:
        a, b, c, d = whole
        if a == b or c == d:
            yield whole
            return
        left, right = self._levels[level]
        begin = _alike(left[a:b], right[c:d])
        end = _alike(left[a + begin : b][::-1], right[c + begin : d][::-1])
        yield a, a + begin, c, c + begin
        middle = (a + begin, b - end, c + begin, d - end)
        yield from self._parted(middle, level)
        yield b - end, b, d - end, d

    def _parted(self, whole: Stretch, level: int) -> Iterator[Stretch]:
        a, b, c, d = whole
        left, right = self._levels[level]
        for x, y in _anchors(left[a:b], right[c:d]):
            stop, there = whole[0] + x, whole[2] + y
            yield from self._deeper((a, stop, c, there), level)
            yield stop, stop + 1, there, there + 1
            a, c = stop + 1, there + 1
        yield from self._deeper((a, b, c, d), level)

    def _deeper(self, gap: Stretch, level: int) -> Iterator[Stretch]:
        a, b, c, d = gap
        if level + 1 < len(self._levels):
            yield from self._between(gap, level + 1)
            return
        self._left -= (b - a) * (d - c)
        if self._left < 0 or a == b or c == d:
            self._left += (b - a) * (d - c)
            yield gap
            return
        left, right = self._levels[level]
        matcher = SequenceMatcher(None, left[a:b], right[c:d], autojunk=False)
        yield from ((a + e, a + f, c + g, c + h) for _, e, f, g, h in matcher.get_opcodes())


def _alike(left: Sequence[Hashable], right: Sequence[Hashable]) -> int:
    """Return how many lines two texts begin with alike."""
    return next(compress(count(), map(ne, left, right)), min(len(left), len(right)))


def _anchors(left: Sequence[Hashable], right: Sequence[Hashable]) -> list[tuple[int, int]]:
    """Return the longest rising run of pairs of lines that each text has exactly once."""
    once = {line for line, count in Counter(left).items() if count == 1}
    there = {line: place for place, line in enumerate(right) if line in once}
    counts = Counter(line for line in right if line in there)
    pairs = [(n, there[line]) for n, line in enumerate(left) if line in there and counts[line] == 1]
    tails: list[int] = []
    ends: list[int] = []
    previous: list[int] = []
    for n, (_, place) in enumerate(pairs):
        at = bisect_left(tails, place)
        previous.append(ends[at - 1] if at else -1)
        tails[at : at + 1] = [place]
        ends[at : at + 1] = [n]
    chosen = []
    n = ends[-1] if ends else -1
    while n >= 0:
        chosen.append(pairs[n])
        n = previous[n]
    return chosen[::-1]
