"""A screen for when there is nothing to show: it says why, and what to do."""

from pathlib import Path
from typing import ClassVar, Self

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Footer, Static

from sessions.errors import NecropsyError
from tui.widgets import ink
from tui.widgets.ink import ink as inked


class NoticeScreen(Screen[None]):
    """A few lines in the middle; leaving it leaves the app, for there is nothing behind it."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {*ink.CLASSES}
    BINDINGS: ClassVar[list[BindingType]] = [Binding("q,escape,enter", "app.quit", "Quit")]

    def __init__(self, *lines: Content) -> None:
        super().__init__()
        self._texts = lines

    @classmethod
    def for_empty(cls, store: Path) -> Self:
        """Return the screen for a store without sessions."""
        return cls(
            inked("necropsy", "root"),
            inked("There are no sessions yet.", "strong"),
            inked("necropsy ingest", "accent")
            + inked("          finds the logs of the agents on this machine", "muted"),
            inked("necropsy ingest PATH", "accent") + inked("     takes a log, or a folder of logs", "muted"),
            inked("necropsy demo", "accent") + inked("            opens the bundled session", "muted"),
            inked(f"The store is {store}.", "faint"),
        )

    @classmethod
    def for_error(cls, error: NecropsyError) -> Self:
        """Return the screen for a store that cannot be read."""
        return cls(inked(error.title, "bad"), inked(error.message, "strong"), inked(error.hint, "muted"))

    def compose(self) -> ComposeResult:
        """Lay out the screen."""
        yield Static(Content("\n\n").join(line for line in self._texts if line), id="notice")
        yield Footer(show_command_palette=False)
