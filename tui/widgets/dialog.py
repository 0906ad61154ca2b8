"""What dialogs are made of."""

from typing import ClassVar

from textual.containers import Container, Horizontal
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Button, RadioButton, Static

from tui.widgets import ink


class Dialog(Container):
    """The box of a dialog, with its name on the border."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {*ink.CLASSES}

    def __init__(self, title: str, *children: Widget, classes: str = "") -> None:
        super().__init__(*children, classes=f"dialog {classes}")
        self.border_title = title


class Radio(RadioButton):
    """One of several choices; the sign before it shows by its form which one is made, not by its colour alone."""

    def render(self) -> Content:
        """Return the sign and the name."""
        sign = Content("(●)" if self.value else "( )").stylize(self.get_visual_style("toggle--button"))
        return sign + self.label.pad(1, 1).stylize_before(self.get_visual_style("toggle--label"))


def label(text: str, *, first: bool = False) -> Static:
    """Return the label above a field."""
    return Static(Content(text), classes="label first" if first else "label")


def hint(text: str) -> Static:
    """Return a line that says what the keys do."""
    return Static(Content(text), classes="hint")


def buttons(yes: str) -> Horizontal:
    """Return the two buttons at the end: `yes`, and one that leaves all as it is."""
    return Horizontal(Button("Cancel", id="no"), Button(Content(yes), id="yes"), classes="buttons")
