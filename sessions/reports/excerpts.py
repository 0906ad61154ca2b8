"""The lines of an output that a report shows: those around the quotes, with the quotes marked."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sessions.ingest.display import clean, frames, safe

CONTEXT = 3
"""Lines shown before and after a quote."""

UNQUOTED = 12
"""Lines shown of an output without a quote."""

LONGEST = 600
"""Characters shown of a line, about its quote where it has one."""


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a line; `marked` pieces are quoted by evidence."""

    text: str
    marked: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """A line of an output, or (`number` 0) a gap of `skipped` lines."""

    number: int
    parts: tuple[Part, ...] = ()
    skipped: int = 0

    @property
    def text(self) -> str:
        """The line as plain text."""
        return "".join(part.text for part in self.parts)


def excerpt(output: str, quotes: Iterable[str]) -> tuple[Row, ...]:
    """Return the lines of `output` around `quotes`, numbered from 1, safe to be drawn; the first few without quotes."""
    rows = frames(clean(output)).rstrip("\n").split("\n")
    wanted = [quote for quote in map(_one_line, quotes) if quote]
    hits = [place for place, row in enumerate(rows) if any(quote in row for quote in wanted)]
    if not hits:
        shown: Sequence[int] = range(min(UNQUOTED, len(rows)))
    else:
        shown = sorted(
            {near for hit in hits for near in range(hit - CONTEXT, hit + CONTEXT + 1) if 0 <= near < len(rows)}
        )
    return _with_gaps(rows, shown, wanted) if output.strip() else ()


def mark(text: str, quotes: Iterable[str]) -> tuple[Part, ...]:
    """Return `text` in pieces, those that stand in `quotes` marked; a long line is cut about the first of them."""
    wanted = sorted({quote for quote in map(_one_line, quotes) if quote and quote in text}, key=len, reverse=True)
    if not wanted:
        return (Part(safe(_cut(text, 0))),)
    text = _cut(text, text.find(wanted[0]))
    pieces = re.split("(" + "|".join(map(re.escape, wanted)) + ")", text)
    return tuple(Part(safe(piece), marked=bool(place % 2)) for place, piece in enumerate(pieces) if piece)


def _one_line(quote: str) -> str:
    return clean(quote).strip().split("\n", 1)[0]


def _with_gaps(rows: list[str], shown: Sequence[int], wanted: list[str]) -> tuple[Row, ...]:
    result: list[Row] = []
    before = -1
    for place in shown:
        if place > before + 1:
            result.append(Row(0, skipped=place - before - 1))
        result.append(Row(place + 1, mark(rows[place], wanted)))
        before = place
    if before + 1 < len(rows):
        result.append(Row(0, skipped=len(rows) - before - 1))
    return tuple(result)


def _cut(text: str, about: int) -> str:
    if len(text) <= LONGEST:
        return text
    start = max(0, min(about - LONGEST // 4, len(text) - LONGEST))
    end = start + LONGEST
    return ("…" if start else "") + text[start:end] + ("…" if end < len(text) else "")
