"""The line at the top of a screen."""

from typing import ClassVar

from textual.content import Content
from textual.widgets import Static

from tui.widgets import ink


class Banner(Static):
    """The name of the program, and what the screen shows."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {*ink.CLASSES}

    def __init__(self, *parts: Content) -> None:
        super().__init__(wording(*parts), id="banner")

    def say(self, *parts: Content) -> None:
        """Show other parts behind the name."""
        self.update(wording(*parts))


def wording(*parts: Content) -> Content:
    """Return the banner's line: the name and the parts that are not empty."""
    return Content("   ").join([ink.ink("necropsy", "root"), *(part for part in parts if part)])
