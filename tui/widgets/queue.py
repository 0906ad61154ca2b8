"""The hypotheses that wait for a person, one line each."""

from collections.abc import Sequence
from typing import ClassVar

from textual.content import Content

from sessions.hypotheses.review import Item
from tui.widgets.ink import fit, ink, inline, mark
from tui.widgets.roster import Roster


class Queue(Roster):
    """A list of what waits; what is decided goes out of it, and the cursor stands on the next."""

    EMPTY: ClassVar[str] = "Everything is settled."

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name of it
        super().__init__(id=id)
        self._items: list[Item] = []

    @property
    def count(self) -> int:
        """Number of hypotheses that wait."""
        return len(self._items)

    @property
    def current(self) -> Item | None:
        """The one under the cursor."""
        return self._items[self.cursor] if self._items else None

    def fill(self, items: Sequence[Item], at: str | None = None) -> None:
        """Take these; the cursor goes to the key `at`, or stays on what it stood on, or where it stood."""
        wanted = at or (self.current.hypothesis.key if self.current else None)
        self._items = list(items)
        self.filled = True
        place = next((n for n, item in enumerate(self._items) if item.hypothesis.key == wanted), self.cursor)
        self.relay(place)

    def take_out(self, key: str) -> None:
        """Leave one out: it is decided."""
        self._items = [item for item in self._items if item.hypothesis.key != key]
        self.relay(self.cursor)

    def draw(self, index: int, line: int, width: int) -> Content:
        """Return the line of one: the proposed mark, the id, the statement."""
        del line
        item = self._items[index]
        one = item.hypothesis
        name = ink(f" {one.id:<4} ", "faint" if item.candidate else "muted")
        return fit(Content(" ") + mark(one) + name + inline(one.statement, "muted" if item.candidate else ""), width)
