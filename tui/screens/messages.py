"""The messages around something, in a dialog."""

import asyncio
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen

from sessions.errors import NecropsyError
from tui.screens.opened import Opened
from tui.screens.pages.talk import AROUND, Window
from tui.widgets.dialog import Dialog, hint
from tui.widgets.document import Document


class MessagesScreen(ModalScreen[None]):
    """What user and agent said around one message; `[` and `]` go further back and on."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,m,enter", "dismiss", "Close"),
        Binding("left_square_bracket", "go(-1)", "Earlier"),
        Binding("right_square_bracket", "go(1)", "Later"),
    ]

    def __init__(self, opened: Opened, around: int) -> None:
        super().__init__()
        self._opened = opened
        self._around = around

    def compose(self) -> ComposeResult:
        """Lay out the dialog."""
        yield Dialog("Messages", Document(), hint("[ earlier   ] later   Esc close"), classes="-whole")

    def on_mount(self) -> None:
        """Read the messages."""
        self.query_one(Document).focus()
        self._read()

    def action_go(self, by: int) -> None:
        """Show the messages before (-1) or after (1) these."""
        self._around = max(0, self._around + by * AROUND)
        self._read()

    @work(exclusive=True)
    async def _read(self) -> None:
        try:
            window = await asyncio.to_thread(self._opened.page_of_messages, self._around)
        except NecropsyError as error:
            self.notify(error.message, severity="error", markup=False)
        else:
            self._show(window)

    def _show(self, window: Window) -> None:
        self._around = window.ordinal
        self.query_one(Dialog).border_title = f"Messages around {window.ordinal} of {window.count}"
        self.query_one(Document).show(window.blocks, at=window.at)
