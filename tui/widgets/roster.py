"""A list that draws only the rows on the screen, however many it has."""

from bisect import bisect_right
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.style import Style
from textual.widget import Widget

from tui.widgets import ink


class Roster(ScrollView, can_focus=True):
    """A virtual list with a cursor. A subclass says how many items there are and draws one line of one item.

    Items are one line high unless the subclass keeps `_tops` (the first line of each item, and the number of all
    lines behind them).
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {*ink.CLASSES, "roster--cursor", "roster--cursor-blurred"}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Up", show=False),
        Binding("down,j", "move(1)", "Down", show=False),
        Binding("pageup,ctrl+b", "page(-1)", "Page up", show=False),
        Binding("pagedown,ctrl+f,space", "page(1)", "Page down", show=False),
        Binding("home,g", "jump(0)", "First", show=False),
        Binding("end,G", "jump(-1)", "Last", show=False),
        Binding("enter", "choose", "Open", key_display="⏎"),
    ]
    EMPTY: ClassVar[str] = ""
    """What stands there when there are no items, once the list is `filled`: before that nobody knows."""

    cursor: reactive[int] = reactive(0, repaint=False)

    @dataclass
    class Moved(Message):
        """The cursor stands on another item."""

        roster: "Roster"
        index: int

        @property
        def control(self) -> Widget:
            """The list, for selectors."""
            return self.roster

    @dataclass
    class Chosen(Message):
        """An item was opened, by Enter or a click on it."""

        roster: "Roster"
        index: int

        @property
        def control(self) -> Widget:
            """The list, for selectors."""
            return self.roster

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name of it
        super().__init__(id=id)
        self._tops: list[int] | None = None
        self.filled = False

    @property
    def count(self) -> int:
        """Number of items."""
        raise NotImplementedError

    def draw(self, index: int, line: int, width: int) -> Content:
        """Return line `line` (from 0) of item `index` for a list `width` cells wide."""
        raise NotImplementedError

    def lay_out(self, width: int) -> None:
        """Prepare for a new width or new items; one that has items of several lines sets `_tops` here."""

    @property
    def lines(self) -> int:
        """Number of lines of all items."""
        return self.count if self._tops is None else self._tops[-1]

    def relay(self, cursor: int | None = None) -> None:
        """Take note of changed items, and put the cursor on `cursor`, or as near as may be to where it was."""
        self.lay_out(self.scrollable_content_region.width)
        self.virtual_size = Size(self.scrollable_content_region.width, max(self.lines, 1))
        wanted = min(self.cursor if cursor is None else cursor, self.count - 1)
        self.set_reactive(Roster.cursor, max(wanted, 0))
        self.reveal()
        self.refresh()

    def on_resize(self, _event: events.Resize) -> None:
        """Lay out for the new width."""
        self.relay()

    def validate_cursor(self, value: int) -> int:
        """Keep the cursor on an item."""
        return max(0, min(value, self.count - 1))

    def watch_cursor(self, _old: int, new: int) -> None:
        """Show where the cursor is, and tell."""
        self.reveal()
        self.refresh()
        if self.count:
            self.post_message(self.Moved(self, new))

    def on_focus(self) -> None:
        """Draw the cursor as active."""
        self.refresh()

    def on_blur(self) -> None:
        """Draw the cursor as at rest."""
        self.refresh()

    def reveal(self) -> None:
        """Scroll so that all lines of the item under the cursor are seen."""
        if not self.count or not self.size.height:
            return
        top, bottom = self._span(self.cursor)
        self.scroll_to_region(Region(0, top, 1, bottom - top), animate=False, force=True)

    def render_line(self, y: int) -> Strip:
        """Draw one line of the screen."""
        width = self.scrollable_content_region.width
        row = y + self.scroll_offset.y
        if row >= self.lines or not self.count:
            text = ink.ink(self.EMPTY if row == 0 and self.filled else "", "muted")
            return ink.paint(self, text, width, self.visual_style)
        index = self._item_at(row)
        style = self.visual_style
        if index == self.cursor:
            name = "roster--cursor" if self.has_focus else "roster--cursor-blurred"
            reverse = self.get_component_styles(name).text_style.reverse  # which get_visual_style loses
            style = self.get_visual_style(name) + Style(reverse=reverse)
        return ink.paint(self, self.draw(index, row - self._span(index)[0], width), width, style)

    def action_move(self, by: int) -> None:
        """Move the cursor by so many items."""
        self.cursor += by

    def action_page(self, by: int) -> None:
        """Move the cursor by so many screens."""
        if self.count:
            row = self._span(self.cursor)[0] + by * max(self.size.height - 1, 1)
            self.cursor = self._item_at(max(0, min(row, self.lines - 1)))

    def action_jump(self, to: int) -> None:
        """Move the cursor to the first (0) or last (-1) item."""
        self.cursor = to if to >= 0 else self.count - 1

    def action_choose(self) -> None:
        """Open the item under the cursor."""
        if self.count:
            self.post_message(self.Chosen(self, self.cursor))

    def on_click(self, event: events.Click) -> None:
        """Put the cursor under the pointer; a click on where it already is opens."""
        offset = event.get_content_offset(self)
        row = self.lines if offset is None else offset.y + self.scroll_offset.y
        if not self.count or row >= self.lines:
            return
        index = self._item_at(row)
        if index == self.cursor:
            self.action_choose()
        self.cursor = index

    def _item_at(self, row: int) -> int:
        return row if self._tops is None else bisect_right(self._tops, row, hi=len(self._tops) - 1) - 1

    def _span(self, index: int) -> tuple[int, int]:
        return (index, index + 1) if self._tops is None else (self._tops[index], self._tops[index + 1])
