"""Searching one session: words in, places out."""

import asyncio
from collections.abc import Sequence
from typing import ClassVar, Literal

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from sessions.errors import NecropsyError
from sessions.store.rows import Hit
from tui.screens.opened import HITS, Opened
from tui.widgets import figures
from tui.widgets.blocks import Place
from tui.widgets.dialog import Dialog, hint
from tui.widgets.ink import fit, ink, inline
from tui.widgets.roster import Roster

PAUSE = 0.15
"""Seconds without a key after which what was typed is looked for."""


class Hits(Roster):
    """The places that a search found."""

    def __init__(self) -> None:
        super().__init__()
        self.hits: Sequence[Hit] = ()

    @property
    def count(self) -> int:
        """Number of places."""
        return len(self.hits)

    def fill(self, hits: Sequence[Hit]) -> None:
        """Take other places."""
        self.hits = hits
        self.relay(0)

    def draw(self, index: int, line: int, width: int) -> Content:
        """Return the line of one place."""
        del line
        hit = self.hits[index]
        where = "message" if hit.kind == "message" else "step"
        head = [fit(ink(f"{where} {hit.ordinal}", "accent"), 13), fit(ink(hit.kind, "faint"), 9)]
        return fit(Content("").join([*head, inline(hit.snippet)]), width)


class SearchScreen(ModalScreen[Place | None]):
    """A line for the words, and under it where they stand; the answer is the place that was chosen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "Close"),
        Binding("down", "app.focus_next", show=False),
    ]

    def __init__(self, opened: Opened, words: str = "") -> None:
        super().__init__()
        self._opened = opened
        self._first = words

    def compose(self) -> ComposeResult:
        """Lay out the dialog."""
        line = Input(self._first, placeholder="words in messages, commands and outputs")
        yield Dialog("Search", line, hint(""), Hits(), classes="-tall")

    def on_mount(self) -> None:
        """Begin with the line."""
        self.query_one(Input).focus()

    @on(Input.Changed)
    def _look(self, event: Input.Changed) -> None:
        self._find(event.value)

    @on(Input.Submitted)
    def _to_hits(self) -> None:
        if self.query_one(Hits).count:
            self.query_one(Hits).focus()

    @on(Roster.Chosen)
    def _choose(self, event: Roster.Chosen) -> None:
        hit = self.query_one(Hits).hits[event.index]
        kind: Literal["message", "step"] = "message" if hit.kind == "message" else "step"
        self.dismiss(Place(kind, str(hit.ordinal), tuple(self.query_one(Input).value.split())))

    @work(exclusive=True)
    async def _find(self, words: str) -> None:
        await asyncio.sleep(PAUSE)
        try:
            hits = await asyncio.to_thread(self._opened.search, words) if words.strip() else ()
        except NecropsyError as error:
            self._say(error.message)
        else:
            self.query_one(Hits).fill(hits)
            self._say(_count(len(hits)) if words.strip() else "")

    def _say(self, text: str) -> None:
        self.query_one(".hint", Static).update(ink(text))


def _count(found: int) -> str:
    return f"the best {found} places" if found == HITS else figures.several(found, "place")
