"""Pairs of lines as a grid: where all lines have one outline, one character of all of them is one slice."""

from collections.abc import Sequence
from functools import cached_property

from replay.output.forms import Span, getter

Places = Sequence[tuple[int, int]]
"""Places in a recorded line, and where the same stands in the new one."""


class Grid:
    """Recorded lines of one outline and, one for one, the new ones, of another or the same outline."""

    def __init__(self, recorded: Sequence[str], new: Sequence[str]) -> None:
        """Take the two sides; all lines of a side are of one length."""
        self.recorded, self.new = recorded, new

    def __len__(self) -> int:
        """Return the number of pairs."""
        return len(self.recorded)

    @cached_property
    def _sides(self) -> tuple[tuple[bytes, int], tuple[bytes, int]]:
        """Both sides as bytes, one for a character: what is not ASCII is the same in all lines of one outline."""
        left, right = ("\n".join(side).encode("ascii", "replace") for side in (self.recorded, self.new))
        return (left, len(self.recorded[0]) + 1), (right, len(self.new[0]) + 1)

    def agrees(self, places: Places) -> bool:
        """Tell whether every pair has the same at all of these places."""
        (left, width), (right, other) = self._sides
        return all(left[here::width] == right[there::other] for here, there in places)

    def apart(self, places: Places) -> bytes:
        """Return one byte for each pair: zero where it has the same at all of these places."""
        (left, width), (right, other) = self._sides
        found = 0
        for here, there in places:
            column, beside = left[here::width], right[there::other]
            if column != beside:
                found |= int.from_bytes(column, "big") ^ int.from_bytes(beside, "big")
        return found.to_bytes(len(self), "big")

    def texts(self, here: Span, there: Span) -> tuple[Sequence[str], Sequence[str]]:
        """Return a part of every recorded and of every new line."""
        take, other = getter([here]), getter([there])
        return [take(line) for line in self.recorded], [other(line) for line in self.new]

    def uniform(self, here: Span, there: Span) -> bool:
        """Tell whether all pairs have the same part: the first pair speaks for all."""
        (left, width), (right, other) = self._sides
        return all(_one(left[place::width]) for place in range(*here)) and all(
            _one(right[place::other]) for place in range(*there)
        )


def _one(column: bytes) -> bool:
    return column.count(column[:1]) == len(column)
