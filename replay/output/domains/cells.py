"""An output as named values, so that what a program says is compared and not how it lays it out."""

from collections.abc import Callable, Iterator, Mapping
from typing import Literal, NamedTuple

from replay.output.relations import says_same, size
from sessions.models.replay import TokenDifference

How = Literal["exact", "canonical", "any", "same", "near", "text"]
"""``near``: within `Cell.slack`. ``text``: as a line of generic output. The rest: as the tokens of a line."""


class Cell(NamedTuple):
    """One value: the line it stands in (from 1), what it is, its text, and how it may differ."""

    line: int
    kind: str
    text: str
    how: How = "exact"
    slack: float = 0.0
    """By how much a number may differ, in the unit of its text or in bytes."""


Table = Mapping[str, Cell]
"""Values by names that stay the same whatever the order and the layout."""
Parser = Callable[[str], Table | None]
"""Reads an output; None where it is not what was expected: then it is compared as any text."""
TextDifference = Callable[[str, str, int], list[TokenDifference]]


class Tables:
    """Compares two readings of one program's output."""

    def __init__(self, text_difference: TextDifference) -> None:
        """Compare free text by `text_difference`."""
        self._text_difference = text_difference
        self._there: dict[str, str] = {}
        self.rules: dict[str, None] = {}
        """The rules that were needed."""
        self.drifted = False

    def differences(self, recorded: Table, new: Table) -> Iterator[TokenDifference]:
        """Yield the values that differ, are gone, or came."""
        yield from self._only(recorded, new, came=False)
        for name, cell in recorded.items():
            other = new.get(name)
            if other is not None and (cell.text != other.text or cell.how == "same"):
                yield from self._differing(name, cell, other)
        yield from self._only(new, recorded, came=True)

    def _only(self, table: Table, other: Table, *, came: bool) -> Iterator[TokenDifference]:
        """Yield what only one reading has: of a whole row, the value that names it."""
        row = ""
        for name, cell in table.items():
            if name in other or (row and name.startswith(f"{row} ")):
                continue
            row = name
            yield _difference(cell, name, "" if came else cell.text, cell.text if came else "")

    def _differing(self, name: str, cell: Cell, other: Cell) -> Iterator[TokenDifference]:
        if cell.how == "text":
            found = self._text_difference(cell.text, other.text, cell.line)
            yield from (each.model_copy(update={"where": name}) for each in found)
        elif cell.how == "near" and _near(cell, other):
            self.drifted = True
            self.rules.setdefault(f"{cell.kind} within {cell.slack:g}")
        elif self._says_same(cell, other):
            if cell.text != other.text:
                self.rules.setdefault(f"{cell.kind} may differ")
        else:
            yield _difference(cell, name, cell.text, other.text)

    def _says_same(self, cell: Cell, other: Cell) -> bool:
        if cell.how == "any":
            return bool(cell.text) == bool(other.text)
        if cell.how == "same":
            return self._there.setdefault(cell.text, other.text) == other.text
        return cell.how == "canonical" and says_same("canonical", cell.text, other.text)


def _near(cell: Cell, other: Cell) -> bool:
    return abs(quantity(cell.text) - quantity(other.text)) <= cell.slack


def quantity(text: str) -> float:
    """Return a number, a percentage, or a size in bytes; not a number where there is none."""
    bare = text.strip().rstrip("%")
    try:
        return float(bare.replace(",", ""))
    except ValueError:
        return size(short(bare))


def short(text: str) -> str:
    """Return ``4.7G`` of ``df -h`` as ``4.7 GiB``."""
    number, letter = text[:-1].strip(), text[-1:].upper()
    return f"{number} {letter}iB" if letter and letter in "KMGTPE" and number.replace(".", "", 1).isdigit() else text


def _difference(cell: Cell, name: str, recorded: str, new: str) -> TokenDifference:
    return TokenDifference(line=cell.line, kind=cell.kind, recorded=recorded[:500], new=new[:500], where=name)
