"""Where the post-mortem goes, and in which form."""

import re
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen
from textual.widgets import Button, Input, RadioSet, Static

from sessions.store.rows import SessionRow
from tui.messages import ExportAsked
from tui.widgets.dialog import Dialog, Radio, buttons, hint, label
from tui.widgets.ink import ink

FORMS = {"md": "Markdown", "html": "HTML, one file", "json": "JSON"}
_LONGEST = 60
"""Characters that a file name takes from a title, cut between words."""


class ExportScreen(ModalScreen[ExportAsked | None]):
    """A form and a path; the answer is what to write."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss", "Cancel")]

    def __init__(self, row: SessionRow) -> None:
        super().__init__()
        self._row = row
        self._warned: Path | None = None

    def compose(self) -> ComposeResult:
        """Lay out the dialog."""
        radios = [Radio(name, value=form == "md", id=form) for form, name in FORMS.items()]
        yield Dialog(
            "Write the post-mortem",
            label("form", first=True),
            RadioSet(*radios, compact=True),
            label("file"),
            Input(str(Path.cwd() / f"{stem(self._row.title or self._row.id)}.md"), id="path"),
            hint(""),
            buttons("Write"),
        )

    def on_mount(self) -> None:
        """Begin with the form."""
        self.query_one(RadioSet).focus()

    @on(RadioSet.Changed)
    def _rename(self, event: RadioSet.Changed) -> None:
        line = self.query_one(Input)
        path = Path(line.value)
        if path.suffix.removeprefix(".") in FORMS:
            line.value = str(path.with_suffix(f".{event.pressed.id}"))

    @on(Input.Submitted)
    @on(Button.Pressed, "#yes")
    def _write(self) -> None:
        pressed = self.query_one(RadioSet).pressed_button
        form = (pressed.id if pressed else None) or "md"
        path = Path(self.query_one(Input).value).expanduser()
        if path.exists() and path != self._warned:
            self._warned = path
            self.query_one(".hint", Static).update(ink("It is there already; write again to replace it.", "doubtful"))
            return
        self.dismiss(ExportAsked(self._row.id, form, path))

    @on(Button.Pressed, "#no")
    def _cancel(self) -> None:
        self.dismiss(None)


def stem(title: str) -> str:
    """Return a file name made of the title; nothing of a title but letters, digits and dashes gets into it."""
    words = re.findall(r"[A-Za-z0-9]+", title)
    whole = "-".join(words).lower()
    cut = whole if len(whole) <= _LONGEST else whole[: _LONGEST + 1].rpartition("-")[0] or whole[:_LONGEST]
    return cut or "post-mortem"
