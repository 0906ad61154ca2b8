"""A text of any length, scrolled: only the lines on the screen are drawn."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget

from tui.widgets import ink
from tui.widgets.blocks import Block, Place


class Document(ScrollView, can_focus=True):
    """Blocks under each other. `n` and `N` go from mark to mark; a click on a block follows its target."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {*ink.CLASSES}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("k", "scroll_up", "Up", show=False),
        Binding("j", "scroll_down", "Down", show=False),
        Binding("space", "page_down", "Page down", show=False),
        Binding("g", "scroll_home", "Top", show=False),
        Binding("G", "scroll_end", "Bottom", show=False),
        Binding("n", "mark(1)", "Next quote", show=False),
        Binding("N", "mark(-1)", "Previous quote", show=False),
    ]

    @dataclass
    class Followed(Message):
        """A block with a target was clicked."""

        document: "Document"
        place: Place

        @property
        def control(self) -> Widget:
            """The document, for selectors."""
            return self.document

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name of it
        super().__init__(id=id)
        self._blocks: Sequence[Block] = ()
        self._tops: list[int] = [0]
        self._width = 1

    @property
    def text(self) -> str:
        """All lines as drawn at the present width, without their inks."""
        width = self._width
        lines = (block.line(index, width).plain for block in self._blocks for index in range(block.height(width)))
        return "\n".join(lines)

    def show(self, blocks: Sequence[Block], *, at_mark: bool = False, at: int = 0) -> None:
        """Take other blocks; start at block `at`, or with `at_mark` so that the first marked line is in sight."""
        self._blocks = blocks
        self._lay_out()
        self.scroll_to(0, self._tops[at], animate=False, force=True)
        if at_mark and (rows := self._marked()):
            self._center(rows[0])
        self.refresh()

    def refill(self, blocks: Sequence[Block]) -> None:
        """Take other blocks that say more of the same, and stay where the reader is."""
        self._blocks = blocks
        self._lay_out()

    def on_resize(self, _event: events.Resize) -> None:
        """Lay out for the new width."""
        self._lay_out()

    def render_line(self, y: int) -> Strip:
        """Draw one line of the screen."""
        row = y + self.scroll_offset.y
        content = Content("")
        if row < self._tops[-1]:
            number = self._block_at(row)
            content = self._blocks[number].line(row - self._tops[number], self._width)
        return ink.paint(self, content, self.scrollable_content_region.width, self.visual_style)

    def action_mark(self, by: int) -> None:
        """Go to the next (1) or previous (-1) marked line."""
        middle = self.scroll_offset.y + self.size.height // 2
        rows = self._marked()
        later = [row for row in rows if row > middle]
        earlier = [row for row in rows if row < middle]
        if by > 0 and later:
            self._center(later[0])
        elif by < 0 and earlier:
            self._center(earlier[-1])

    def on_click(self, event: events.Click) -> None:
        """Follow the target of the block under the pointer."""
        offset = event.get_content_offset(self)
        row = self._tops[-1] if offset is None else offset.y + self.scroll_offset.y
        if row < self._tops[-1] and (place := self._blocks[self._block_at(row)].target):
            self.post_message(self.Followed(self, place))

    def _lay_out(self) -> None:
        self._width = width = max(self.scrollable_content_region.width - 1, 8)
        self._tops = list(accumulate((block.height(width) for block in self._blocks), initial=0))
        self.virtual_size = Size(self.scrollable_content_region.width, max(self._tops[-1], 1))
        self.refresh()

    def _block_at(self, row: int) -> int:
        return bisect_right(self._tops, row, hi=len(self._tops) - 1) - 1

    def _marked(self) -> list[int]:
        width = self._width
        return [top + row for top, block in zip(self._tops, self._blocks, strict=False) for row in block.marked(width)]

    def _center(self, row: int) -> None:
        self.scroll_to(0, max(row - self.size.height // 3, 0), animate=False, force=True)
