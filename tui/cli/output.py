"""The only writer to standard output: data."""

import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from sessions import files
from sessions.errors import EnvironmentProblem
from sessions.ingest import display

_NARROWEST = 40
_USUAL = 120
"""Columns that are drawn at least, and where neither a terminal nor COLUMNS says how many."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: its heading, whether its figures stand on the right, and the style of its plain cells."""

    heading: str
    right: bool = False
    style: str = ""


Cell = Text | str
"""A cell of a table; a ``str`` is harmless already and drawn in the style of its column: cheap in long tables."""


def emit_json(value: Any) -> None:
    """Write one JSON document and nothing else."""
    try:
        text = orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()
    except TypeError:  # a lone surrogate, as in a path that is no UTF-8, or a number beyond 64 bits
        text = json.dumps(value, ensure_ascii=False, indent=2)
    emit_text(text + "\n")


def emit_json_line(value: Any) -> None:
    """Write one JSON document on one line, at once: the reader may wait for it."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def emit_text(text: str) -> None:
    """Write text that a renderer has made safe already, as UTF-8 whatever the locale says."""
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))
    sys.stdout.buffer.flush()


def emit(renderable: Tree | Text | Table, *, hang: int | None = None) -> None:
    """Draw something for a person: coloured on a terminal, plain elsewhere and under NO_COLOR.

    What a line of text has no room for goes on in column `hang`; by default, of an indented line, two further right.
    """
    target = console()
    target.print(_hung(renderable, target, hang) if isinstance(renderable, Text) else renderable)


def _hung(text: Text, target: Console, hang: int | None) -> Text:
    if all(cell_len(line) <= target.width for line in text.plain.split("\n")):
        return text
    drawn = (row for line in text.split("\n", allow_blank=True) for row in _rows(line, target, hang))
    return Text("\n").join(drawn)


def _rows(line: Text, target: Console, hang: int | None) -> Iterator[Text]:
    start = len(line.plain) - len(line.plain.lstrip(" "))
    rest = min(hang if hang is not None else start and start + 2, target.width // 2)
    if line.cell_len <= target.width or rest < start:
        yield line
        return
    first, *more = line[start:].wrap(target, target.width - max(rest, start))
    yield Text.assemble(" " * start, first)
    yield from (Text.assemble(" " * rest, row) for row in more)


def console() -> Console:
    """A console on standard output that takes no text for markup, emoji codes or links."""
    width = None if sys.stdout.isatty() else _columns()
    return _Console(file=sys.stdout, markup=False, emoji=False, highlight=False, soft_wrap=False, width=width)


def _columns() -> int:
    given = os.environ.get("COLUMNS", "")
    return max(_NARROWEST, int(given)) if re.fullmatch("[0-9]{1,4}", given) else _USUAL


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Leave it to the caller that nobody reads any more: rich would end the program with 1, "the answer is no"."""
        raise BrokenPipeError


def words(text: str, style: str = "", *, indent: int = 0) -> Text:
    """Text from a log on one safe line, which begins in column `indent`."""
    return Text(" " * indent + display.line(text), style=style)


def emit_table(columns: Sequence[Column], rows: Iterable[Sequence[Cell]]) -> None:
    """Write rows in aligned columns; on a terminal the last one is cut at the edge, elsewhere nothing is.

    Drawn by hand: rich's own table takes half a second for a thousand rows.
    """
    heading = [Text(column.heading, style="bold") for column in columns]
    lines: list[Sequence[Cell]] = [heading, *rows]
    widths = [max(cell_len(_words(line[place])) for line in lines) for place in range(len(columns))]
    if not sys.stdout.isatty():
        emit_text("".join(_plain(line, widths, columns) for line in lines))
        return
    target = console()
    for line in lines:
        drawn = Text("  ").join(_cell(*each) for each in zip(line, widths, columns, strict=True))
        drawn.rstrip()
        drawn.truncate(target.width, overflow="ellipsis")
        target.print(drawn, soft_wrap=True)


def _words(cell: Cell) -> str:
    return cell if isinstance(cell, str) else cell.plain


def _plain(line: Sequence[Cell], widths: Sequence[int], columns: Sequence[Column]) -> str:
    cells = (_pad(_words(cell), width, column) for cell, width, column in zip(line, widths, columns, strict=True))
    return "  ".join(cells).rstrip() + "\n"


def _cell(cell: Cell, width: int, column: Column) -> Text:
    text = Text(cell, style=column.style) if isinstance(cell, str) else cell
    gap = " " * (width - cell_len(text.plain))
    return Text.assemble(gap, text) if column.right else Text.assemble(text, gap)


def _pad(text: str, width: int, column: Column) -> str:
    gap = " " * (width - cell_len(text))
    return gap + text if column.right else text + gap


def write_file(path: Path, text: str) -> None:
    """Write a file whole or not at all; a device or a pipe is written to, and a link leads to what is replaced.

    Raises EnvironmentProblem naming the file and the reason.
    """
    place = Path(os.path.realpath(path))
    try:
        if place.exists() and not place.is_file() and not place.is_dir():
            place.write_text(text, encoding="utf-8", errors="backslashreplace")
        else:
            files.replace(place, text, errors="backslashreplace")
    except OSError as error:
        raise EnvironmentProblem(
            f"Cannot write {path}: {error.strerror}.", hint="Choose another file with --output."
        ) from error
