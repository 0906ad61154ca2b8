"""The list of sessions."""

from collections.abc import Sequence
from typing import ClassVar

from textual.content import Content

from sessions import times
from sessions.store.rows import SessionRow
from tui.widgets.ink import fit, ink, inline, right
from tui.widgets.roster import Roster

NARROW = 100
"""Cells of width below which the list leaves out what it can."""


class SessionList(Roster):
    """Sessions, newest first, a line each: when, who, what, how long, and how the suspicions ended."""

    EMPTY: ClassVar[str] = "  No session has these words."

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name of it
        super().__init__(id=id)
        self._all: Sequence[SessionRow] = ()
        self._shown: Sequence[SessionRow] = ()
        self._words = ""

    @property
    def count(self) -> int:
        """Number of sessions that the filter lets through."""
        return len(self._shown)

    @property
    def current(self) -> SessionRow | None:
        """The session under the cursor."""
        return self._shown[self.cursor] if self.count else None

    def fill(self, rows: Sequence[SessionRow]) -> None:
        """Take these sessions, newest first; one without a time comes last."""
        self.filled = True
        before = self.current.id if self.current else None
        self._all = sorted(rows, key=lambda row: row.started or "", reverse=True)
        self.narrow(self._words)
        place = next((index for index, row in enumerate(self._shown) if row.id == before), 0)
        self.relay(place)

    def narrow(self, words: str) -> None:
        """Show only the sessions in whose title, agent, model, folder or id every one of `words` stands."""
        self._words = words
        wanted = words.casefold().split()
        self._shown = [row for row in self._all if _has(row, wanted)] if wanted else self._all
        self.relay(0)

    def draw(self, index: int, line: int, width: int) -> Content:
        """Return the line of one session."""
        del line
        return columns(
            width,
            when=ink(times.local(self._shown[index].started) or "-", "muted"),
            who=inline(self._shown[index].agent, "muted"),
            what=_what(self._shown[index]),
            figures=_figures(self._shown[index]),
        )


def columns(width: int, *, when: Content, who: Content, what: Content, figures: Sequence[Content]) -> Content:
    """Return the columns of one line in `width` cells; the heading uses it too, so that they stand above each other."""
    left = [fit(when, 16), fit(who, 11)] if width >= NARROW else [fit(when, 16)]
    tail = [right(figure, cells) for figure, cells in zip(figures, (7, 7, 6, 8), strict=True)]
    if width < NARROW:
        tail = tail[:1] + tail[2:]
    used = sum(part.cell_length for part in (*left, *tail)) + 2 * len(left) + 5
    return Content("  ").join([Content(""), *left, fit(what, max(width - used, 8)), Content("").join(tail)])


def headings(width: int) -> Content:
    """Return the heading of the columns."""
    names = ("steps", "hyp.", "✓", "✗ ⊘")
    return columns(
        width,
        when=ink("started", "heading"),
        who=ink("agent", "heading"),
        what=ink("session", "heading"),
        figures=[ink(name, "heading") for name in names],
    )


def _what(row: SessionRow) -> Content:
    title = inline(row.title or row.id)
    notes = [word for word, holds in (("sub-agent", row.parent), ("live", row.live)) if holds]
    notes += ["reconstruction"] if row.reconstructed else []
    return title + ink("".join(f"  {note}" for note in notes), "faint")


def _figures(row: SessionRow) -> list[Content]:
    return [
        ink(f"{row.steps:,}", "muted"),
        ink(f"{row.hypotheses:,}" if row.hypotheses else "·", "" if row.hypotheses else "faint"),
        ink(f"{row.causes:,}" if row.causes else "·", "confirmed" if row.causes else "faint"),
        ink(f"{row.dead_ends:,}" if row.dead_ends else "·", "refuted" if row.dead_ends else "faint"),
    ]


def _has(row: SessionRow, wanted: Sequence[str]) -> bool:
    text = " ".join((row.title, row.agent, row.model or "", row.cwd or "", row.id)).casefold()
    return all(word in text for word in wanted)
