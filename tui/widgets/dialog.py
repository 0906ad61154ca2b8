"""What dialogs are made of."""

from typing import ClassVar

from textual.containers import Container, Horizontal
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Button, Static

from tui.widgets import ink


class Dialog(Container):
    """The box of a dialog, with its name on the border."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {*ink.CLASSES}

    def __init__(self, title: str, *children: Widget, classes: str = "") -> None:
        super().__init__(*children, classes=f"dialog {classes}")
        self.border_title = title


def label(text: str, *, first: bool = False) -> Static:
    """Return the label above a field."""
    return Static(Content(text), classes="label first" if first else "label")


def hint(text: str) -> Static:
    """Return a line that says what the keys do."""
    return Static(Content(text), classes="hint")


def buttons(yes: str) -> Horizontal:
    """Return the two buttons at the end: `yes`, and one that leaves all as it is."""
    return Horizontal(Button("Cancel", id="no"), Button(Content(yes), id="yes"), classes="buttons")
