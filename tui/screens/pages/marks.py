"""Where quotes stand in a text."""

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate

from sessions.ingest import display

Stretch = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Marked:
    """A harmless text in lines, and the stretches of each (by its number from 0) that a quote covers."""

    lines: tuple[str, ...]
    marks: dict[int, list[Stretch]]

    def around(self, context: int) -> tuple[int, "Marked"]:
        """Return the first marked line with `context` lines before and behind it, and the number of the first."""
        if not self.marks:
            return 0, Marked(self.lines[: 2 * context + 1], {})
        center = min(self.marks)
        start, end = max(center - context, 0), center + context + 1
        inside = {number - start: stretches for number, stretches in self.marks.items() if start <= number < end}
        return start, Marked(self.lines[start:end], inside)


def locate(text: str, quotes: Iterable[str], words: Iterable[str] = ()) -> Marked:
    """Return `text`, made harmless, with every quote and word marked where it first stands, words in any case.

    Progress lines are shown as they ended, unless a quote stands in a frame that was painted over.
    """
    wanted = [quote for quote in (display.safe(quote).strip() for quote in quotes) if quote]
    whole = display.safe(text)
    ended = display.frames(whole)
    shown = ended if all(quote in ended for quote in wanted if quote in whole) else whole
    lines = tuple(shown.split("\n")) if shown else ()
    if len(lines) > 1 and not lines[-1]:
        lines = lines[:-1]
    starts = list(accumulate((len(line) + 1 for line in lines), initial=0))
    marks: dict[int, list[Stretch]] = {}
    for quote in wanted:
        at = shown.find(quote)
        if at >= 0:
            _mark(lines, starts, (at, at + len(quote)), marks)
    for word in words:
        if found := re.search(re.escape(display.safe(word)), shown, re.IGNORECASE):
            _mark(lines, starts, found.span(), marks)
    return Marked(lines, {number: sorted(marks[number]) for number in sorted(marks)})


def _mark(lines: tuple[str, ...], starts: list[int], stretch: Stretch, marks: dict[int, list[Stretch]]) -> None:
    low, high = stretch
    number = bisect_right(starts, low) - 1
    while number < len(lines) and starts[number] < high:
        begin = max(low - starts[number], 0)
        marks.setdefault(number, []).append((begin, min(high - starts[number], len(lines[number]))))
        number += 1
