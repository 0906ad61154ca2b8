"""Finding recorded lines of a file that stand elsewhere in it now."""

import re
from collections.abc import Iterator

from sessions.models.replay import Compared

_NUMBERED = re.compile(r"(?:([^:\n]*[^:\d\n][^:\n]*):)?(\d+)([:-])(.*)", re.DOTALL)
_TELLING = re.compile(r"\w.*\w.*\w.*\w", re.DOTALL)


def block(recorded: str, whole: str, first: int) -> Compared | None:
    """Return where the recorded lines, which began at line `first`, stand in a whole file now; None: nowhere.

    Of several places the nearest counts. Lines of a few characters could stand anywhere and are not looked for.
    """
    wanted = [line.rstrip() for line in recorded.split("\n")]
    if not _TELLING.search(recorded):
        return None
    lines = [line.rstrip() for line in whole.split("\n")]
    places = list(_places(wanted, lines))
    if not places:
        return None
    nearest = min(places, key=lambda place: abs(place + 1 - first))
    return _moved(nearest + 1 - first)


def renumbered(recorded: str, new: str) -> Compared | None:
    """Return the same lines of ``grep -n`` with other numbers as moved; None if a text differs."""
    left, right = _numbered(recorded), _numbered(new)
    if left is None or right is None or [text for _, text in left] != [text for _, text in right]:
        return None
    return _moved(right[0][0] - left[0][0])


def _moved(by: int) -> Compared:
    where = f"{abs(by)} lines {'further down' if by > 0 else 'further up'}" if by else "at the same line"
    return Compared(comparison="moved", rules=("the block was found by its content",), detail=where)


def _places(wanted: list[str], lines: list[str]) -> Iterator[int]:
    """Yield every index at which `wanted` stands in `lines`; the longest wanted line is looked for first."""
    anchor = max(range(len(wanted)), key=lambda place: len(wanted[place]))
    for place, line in enumerate(lines):
        start = place - anchor
        if line == wanted[anchor] and start >= 0 and lines[start : start + len(wanted)] == wanted:
            yield start


def _numbered(text: str) -> list[tuple[int, tuple[str, str]]] | None:
    found = []
    for line in text.split("\n"):
        if line == "--":
            continue
        match = _NUMBERED.fullmatch(line)
        if match is None:
            return None
        found.append((int(match[2]), (match[1] or "", match[4])))
    return found
