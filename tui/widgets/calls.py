"""The list of a plan: every step with what becomes of it, and behind them what the runs do to the evidence."""

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message

from tui.widgets.ink import fit
from tui.widgets.roster import Roster

Line = tuple[Content, Content]
"""What becomes of a step, and the step itself."""

ROOM = 26
"""Cells for what becomes of a step."""


class Calls(Roster):
    """Lines that change while steps run; space asks for consent to the one under the cursor."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("space", "consent", "Consent")]

    class ConsentTurned(Message):
        """A person gave consent to the step under the cursor, or took it back."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name of it
        super().__init__(id=id)
        self._lines: Sequence[Line] = ()

    @property
    def count(self) -> int:
        """Number of lines."""
        return len(self._lines)

    def fill(self, lines: Sequence[Line]) -> None:
        """Take other lines; the cursor stays where it is."""
        self.filled = True
        self._lines = lines
        self.relay()

    def draw(self, index: int, line: int, width: int) -> Content:
        """Return one line."""
        del line
        what, step = self._lines[index]
        return fit(Content(" ") + fit(what, min(ROOM, width // 2)) + step, width)

    def action_consent(self) -> None:
        """Ask for consent, or take it back."""
        self.post_message(self.ConsentTurned())
