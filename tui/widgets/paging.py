"""Rows fetched a page at a time, and only so many pages kept."""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

T = TypeVar("T")

PAGE = 256
KEPT = 16


class Pages(Generic[T]):
    """A long sequence of which a bounded part is in memory: `fetch(start, limit)` gets what is looked at."""

    def __init__(self, count: int, fetch: Callable[[int, int], Sequence[T]]) -> None:
        self._count = count
        self._fetch = fetch
        self._pages: OrderedDict[int, Sequence[T]] = OrderedDict()

    def __len__(self) -> int:
        return self._count

    def at(self, index: int) -> T | None:
        """Return the row at `index`; None where the store has lost it since it was counted."""
        number, place = divmod(index, PAGE)
        if number not in self._pages:
            self._pages[number] = self._fetch(number * PAGE, PAGE)
            if len(self._pages) > KEPT:
                self._pages.popitem(last=False)
        self._pages.move_to_end(number)
        page = self._pages[number]
        return page[place] if place < len(page) else None
