"""What a document is made of: prose that is wrapped, and listings of which only the lines on the screen are drawn."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal, Protocol

from rich.cells import cell_len, get_character_cell_size
from textual.content import Content

from tui.widgets.ink import ink

LONGEST_LINE = 10_000
"""Characters that are shown of one line of a listing."""

LEAD = 200
"""Characters shown before a mark that stands beyond the longest line."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a click or a hit leads: to a step or message by ordinal, to a hypothesis or another session by id."""

    kind: Literal["step", "message", "hypothesis", "session"]
    name: str
    words: tuple[str, ...] = ()
    """What was looked for, where a search led there."""


class Block(Protocol):
    """A part of a document that knows its height at a width."""

    target: Place | None

    def height(self, width: int) -> int:
        """Return the number of lines at this width."""
        ...

    def line(self, index: int, width: int) -> Content:
        """Return one line."""
        ...

    def marked(self, width: int) -> Sequence[int]:
        """Return the lines on which a mark begins."""
        ...


class Prose:
    """A paragraph, wrapped; its other lines stand `hang` cells to the right of its first."""

    def __init__(self, content: Content, *, indent: int = 0, hang: int = 0, target: Place | None = None) -> None:
        self.target = target
        self._content = content
        self._indent = indent
        self._hang = hang
        self._wrapped: tuple[int, list[Content]] = (-1, [])

    def height(self, width: int) -> int:
        """Return the number of lines at this width."""
        return len(self._lines(width))

    def line(self, index: int, width: int) -> Content:
        """Return one line."""
        return self._lines(width)[index]

    def marked(self, width: int) -> Sequence[int]:
        """Return no line: prose has no marks to jump to."""
        del width
        return ()

    def _lines(self, width: int) -> list[Content]:
        if self._wrapped[0] != width:
            lines = self._wrap(max(width - self._indent, 8)) or [Content("")]
            leads = [" " * self._indent, " " * (self._indent + self._hang)]
            self._wrapped = (width, [Content(leads[place > 0]) + one for place, one in enumerate(lines)])
        return self._wrapped[1]

    def _wrap(self, room: int) -> list[Content]:
        lines = self._content.wrap(room)
        if not self._hang or len(lines) < 2:  # noqa: PLR2004 - nothing hangs below a single line
            return lines
        begin = len(lines[0].plain)
        begin += len(self._content.plain[begin:]) - len(self._content.plain[begin:].lstrip())
        return [lines[0], *self._content[begin:].wrap(max(room - self._hang, 8))]


class Listing:
    """Lines as they are, numbered, too long ones folded, with marked stretches. Cheap at 100,000 lines.

    `marks` are stretches (start, end) per line, from 0; `first` is the number of the first line. The lines must be
    harmless already.
    """

    def __init__(
        self,
        lines: Sequence[str],
        *,
        marks: Mapping[int, Sequence[tuple[int, int]]] | None = None,
        first: int = 1,
        target: Place | None = None,
    ) -> None:
        self.target = target
        clipped = [_clip(line, (marks or {}).get(number, ())) for number, line in enumerate(lines)]
        self._lines = [line for line, _ in clipped]
        self._marks = {number: stretches for number, (_, stretches) in enumerate(clipped) if stretches}
        self._first = first
        self._gutter = len(str(first + max(len(lines) - 1, 0))) + 2
        self._folds: tuple[int, list[int]] = (-1, [0])

    def height(self, width: int) -> int:
        """Return the number of lines at this width, folds included."""
        return self._tops(width)[-1]

    def line(self, index: int, width: int) -> Content:
        """Return one line on the screen: the number, and a line of the listing or a fold of it."""
        tops = self._tops(width)
        number = bisect_right(tops, index, hi=len(tops) - 1) - 1
        text = self._lines[number]
        places = [*cuts(text, self._room(width)), len(text)]
        fold = index - tops[number]
        start, end = places[fold], places[fold + 1]
        gutter = f"{self._first + number:>{self._gutter - 1}} " if fold == 0 else " " * self._gutter
        body = Content.styled(text[start:end], ".ink--code")
        for low, high in self._marks.get(number, ()):
            if low < end and high > start:
                body = body.stylize(".ink--quote", max(low - start, 0), min(high, end) - start)
        return ink(gutter, "gutter") + body

    def marked(self, width: int) -> Sequence[int]:
        """Return the lines on the screen on which a marked stretch begins."""
        tops, room = self._tops(width), self._room(width)
        return [
            tops[number] + bisect_right(cuts(self._lines[number], room), low) - 1
            for number, stretches in sorted(self._marks.items())
            for low, _ in stretches
        ]

    def _room(self, width: int) -> int:
        return max(width - self._gutter, 8)

    def _tops(self, width: int) -> list[int]:
        if self._folds[0] != width:
            room = self._room(width)
            heights = (1 if line.isascii() and len(line) <= room else len(cuts(line, room)) for line in self._lines)
            self._folds = (width, list(accumulate(heights, initial=0)))
        return self._folds[1]


def rule(title: Content) -> Prose:
    """Return the heading of a part of a document."""
    return Prose(title)


def blank() -> Prose:
    """Return an empty line."""
    return Prose(Content(""))


def cuts(text: str, room: int) -> Sequence[int]:
    """Return where each fold of `text` starts, so that none is wider than `room` cells."""
    if len(text) == cell_len(text):
        return range(0, max(len(text), 1), room)
    places, used = [0], 0
    for place, character in enumerate(text):
        cells = get_character_cell_size(character)
        if used + cells > room:
            places.append(place)
            used = 0
        used += cells
    return places


def _clip(line: str, marks: Sequence[tuple[int, int]]) -> tuple[str, Sequence[tuple[int, int]]]:
    if len(line) <= LONGEST_LINE:
        return line, marks
    start = 0 if not marks or marks[0][1] < LONGEST_LINE else max(marks[0][0] - LEAD, 0)
    shown = line[start : start + LONGEST_LINE]
    before = f"[{start:,} characters] … " if start else ""
    behind = len(line) - start - len(shown)
    shift = len(before) - start
    moved = [(low + shift, high + shift) for low, high in marks if low >= start]
    return before + shown + (f" … [{behind:,} more characters]" if behind else ""), moved
