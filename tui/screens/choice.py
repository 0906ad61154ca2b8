"""Choosing one of a few things."""

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen

from tui.widgets.dialog import Dialog
from tui.widgets.ink import fit
from tui.widgets.roster import Roster

Choice = tuple[Content, str]


class Choices(Roster):
    """A short list of wordings."""

    def __init__(self, choices: Sequence[Choice]) -> None:
        super().__init__()
        self.choices = choices

    @property
    def count(self) -> int:
        """Number of choices."""
        return len(self.choices)

    def draw(self, index: int, line: int, width: int) -> Content:
        """Return the line of one choice."""
        del line
        return fit(Content(" ") + self.choices[index][0], width)


class ChoiceScreen(ModalScreen[str | None]):
    """A question and its possible answers; the answer is the name of the one that was chosen."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q", "dismiss", "Cancel")]

    def __init__(self, question: str, choices: Sequence[Choice]) -> None:
        super().__init__()
        self._question = question
        self._choices = choices

    def compose(self) -> ComposeResult:
        """Lay out the dialog."""
        yield Dialog(self._question, Choices(self._choices))

    def on_mount(self) -> None:
        """Begin with the first."""
        self.query_one(Choices).focus()

    @on(Roster.Chosen)
    def _choose(self, event: Roster.Chosen) -> None:
        self.dismiss(self._choices[event.index][1])
