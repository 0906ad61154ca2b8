"""The first screen: all sessions, newest first."""

import asyncio
from pathlib import Path
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.widgets import Footer, Input, Static

from sessions.errors import NecropsyError
from sessions.store.reader import Reader
from sessions.store.rows import SessionRow
from tui.screens.notice import NoticeScreen
from tui.screens.replaying.targets import TargetsScreen
from tui.screens.session import SessionScreen
from tui.widgets import figures
from tui.widgets.banner import Banner
from tui.widgets.ink import CLASSES, ink
from tui.widgets.sessions import SessionList, headings


class Headings(Static):
    """The names of the columns, as wide as the list below."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {*CLASSES}

    def on_resize(self) -> None:
        """Lay out for the new width."""
        self.update(headings(self.size.width))


class SessionsScreen(Screen[None]):
    """The list, and a line to narrow it down."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "filter", "Filter", key_display="/"),
        Binding("ctrl+r", "reload", "Reload", show=False),
        Binding("escape", "clear", "Clear the filter", show=False),
        Binding("t", "targets", "Targets"),
        Binding("q", "app.quit", "Quit"),
    ]

    def __init__(self, store: Path) -> None:
        super().__init__()
        self._store = store

    def compose(self) -> ComposeResult:
        """Lay out the screen."""
        yield Banner()
        yield Headings(id="headings")
        yield SessionList(id="sessions")
        yield Input(placeholder="words of the title, the agent, the model or the folder", id="filter", compact=True)
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Fill the list."""
        self.query_one(SessionList).focus()

    def on_screen_resume(self) -> None:
        """Show what changed while another screen was on top."""
        self.action_reload()

    @work(exclusive=True)
    async def action_reload(self) -> None:
        """Read the sessions from the store again."""
        try:
            rows = await asyncio.to_thread(_read, self._store)
        except NecropsyError as error:
            self._refuse(error)
        else:
            self._fill(rows)

    def action_open(self) -> None:
        """Open the session under the cursor."""
        if row := self.query_one(SessionList).current:
            self.app.push_screen(SessionScreen(self._store, row.id))

    def action_targets(self) -> None:
        """Show the hosts on which evidence can be run again."""
        self.app.push_screen(TargetsScreen())

    def action_filter(self) -> None:
        """Open the line for the words of the filter."""
        line = self.query_one(Input)
        line.add_class("-open")
        line.focus()

    def action_clear(self) -> None:
        """Show all sessions again."""
        line = self.query_one(Input)
        line.value = ""
        line.remove_class("-open")
        self.query_one(SessionList).focus()

    @on(SessionList.Chosen)
    def _open(self) -> None:
        self.action_open()

    @on(Input.Changed)
    def _narrow(self, event: Input.Changed) -> None:
        self.query_one(SessionList).narrow(event.value)

    @on(Input.Submitted)
    def _leave_filter(self) -> None:
        self.query_one(SessionList).focus()

    def _fill(self, rows: tuple[SessionRow, ...]) -> None:
        if not rows:
            self.app.push_screen(NoticeScreen.for_empty(self._store))
            return
        causes = sum(row.causes for row in rows)
        ends = sum(row.dead_ends for row in rows)
        words = (figures.several(len(rows), "session"), figures.several(causes, "cause"))
        self.query_one(Banner).say(ink(" · ".join((*words, figures.several(ends, "dead end"))), "muted"))
        self.query_one(SessionList).fill(rows)

    def _refuse(self, error: NecropsyError) -> None:
        missing = not self._store.exists()
        self.app.push_screen(NoticeScreen.for_empty(self._store) if missing else NoticeScreen.for_error(error))


def _read(store: Path) -> tuple[SessionRow, ...]:
    with Reader.open(store) as reader:
        return reader.sessions()
