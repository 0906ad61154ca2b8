"""Which recorded line is held against which new one, block by block."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, compress

from replay.output.align import Stretch

MISSING = -1
"""The place of a line that only the other text has."""
_BLOCK = 1024
"""Lines that are looked at together, as long as they agree."""


@dataclass(frozen=True, slots=True)
class Places:
    """Some pairs of lines: the numbers of the recorded ones, from 1, their places, and those of the new ones."""

    numbers: Sequence[int]
    here: Sequence[int]
    there: Sequence[int]

    def __len__(self) -> int:
        """Return the number of pairs."""
        return len(self.numbers)

    def __iter__(self) -> Iterator[tuple[int, int, int]]:
        """Yield number and places of every pair."""
        return zip(self.numbers, self.here, self.there, strict=True)

    def part(self, start: int, end: int) -> "Places":
        """Return a run of the pairs."""
        return Places(self.numbers[start:end], self.here[start:end], self.there[start:end])

    def chosen(self, wanted: Sequence[bool]) -> "Places":
        """Return the pairs that are wanted."""
        numbers, here, there = ([*compress(each, wanted)] for each in (self.numbers, self.here, self.there))
        return Places(numbers, here, there)

    def parted(self) -> "tuple[Places, Places]":
        """Return the pairs of two lines, and those of which one is missing."""
        if MISSING not in self.here and MISSING not in self.there:
            return self, self.part(0, 0)
        single = [MISSING in pair for pair in zip(self.here, self.there, strict=True)]
        return self.chosen([not each for each in single]), self.chosen(single)


def blocks(stretches: Iterable[Stretch]) -> Iterator[Places]:
    """Yield the pairs of lines of stretches that belong together; where one is longer, the other has none."""
    gathered: list[Places] = []
    room = _BLOCK
    for run in _runs(stretches):
        start = 0
        while start < len(run):
            gathered.append(run.part(start, start + room))
            start += len(gathered[-1])
            room -= len(gathered[-1])
            if not room:
                yield _joined(gathered)
                gathered, room = [], _BLOCK
    if gathered:
        yield _joined(gathered)


def _runs(stretches: Iterable[Stretch]) -> Iterator[Places]:
    """Yield runs of pairs of two lines, and of lines whose pair is missing."""
    for a, b, c, d in stretches:
        both = min(b - a, d - c)
        yield Places(range(a + 1, a + both + 1), range(a, a + both), range(c, c + both))
        missing = (MISSING,) * (max(b - a, d - c) - both)
        numbers = range(a + both + 1, a + both + 1 + len(missing))
        yield Places(numbers, range(a + both, b) or missing, range(c + both, d) or missing)


def _joined(runs: Sequence[Places]) -> Places:
    if len(runs) == 1:
        return runs[0]
    numbers, here, there = (
        [*chain.from_iterable(side)]
        for side in ((run.numbers for run in runs), (run.here for run in runs), (run.there for run in runs))
    )
    return Places(numbers, here, there)
