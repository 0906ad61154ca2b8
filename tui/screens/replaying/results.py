"""What came of replays, whenever they were run: the last one, or several targets beside each other."""

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen

from sessions.store.rows import RunRow
from tui.screens.pages import results
from tui.widgets.dialog import Dialog
from tui.widgets.document import Document


class ResultsScreen(ModalScreen[None]):
    """Evidence by targets."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,h,enter", "dismiss", "Close")]

    def __init__(self, runs: Sequence[RunRow]) -> None:
        super().__init__()
        self._runs = runs

    def compose(self) -> ComposeResult:
        """Lay out the dialog."""
        yield Dialog("What runs say", Document(), classes="-whole")

    def on_mount(self) -> None:
        """Fill the page."""
        page = self.query_one(Document)
        page.show(results.compose(self._runs))
        page.focus()
