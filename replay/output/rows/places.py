"""Which recorded line is held against which new one, block by block."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, compress, islice, repeat

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
    known = [(a, b, c, d, max(b - a, d - c)) for a, b, c, d in stretches]
    numbers = chain.from_iterable(range(a + 1, a + 1 + length) for a, _, _, _, length in known)
    here = chain.from_iterable(_filled(a, b, length) for a, b, _, _, length in known)
    there = chain.from_iterable(_filled(c, d, length) for _, _, c, d, length in known)
    while block := [*islice(numbers, _BLOCK)]:
        yield Places(block, [*islice(here, _BLOCK)], [*islice(there, _BLOCK)])


def _filled(start: int, end: int, length: int) -> Iterable[int]:
    whole = range(start, end)
    return whole if len(whole) == length else chain(whole, repeat(MISSING, length - len(whole)))
