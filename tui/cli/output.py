"""The only writer to standard output: data."""

import json
import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text
from rich.tree import Tree

from sessions.errors import EnvironmentProblem
from sessions.ingest import display


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: its heading, and whether its figures stand on the right."""

    heading: str
    right: bool = False


def emit_json(value: Any) -> None:
    """Write one JSON document and nothing else."""
    emit_text(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def emit_json_line(value: Any) -> None:
    """Write one JSON document on one line, at once: the reader may wait for it."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def emit_text(text: str) -> None:
    """Write text that a renderer has made safe already, as UTF-8 whatever the locale says."""
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))
    sys.stdout.buffer.flush()


def emit(renderable: Tree | Text) -> None:
    """Draw something for a person: coloured on a terminal, plain elsewhere and under NO_COLOR."""
    console().print(renderable)


def console() -> Console:
    """A console on standard output that takes no text for markup, emoji codes or links."""
    width = None if sys.stdout.isatty() else int(os.environ.get("COLUMNS", "120"))
    return Console(file=sys.stdout, markup=False, emoji=False, highlight=False, soft_wrap=False, width=width)


def words(text: str, style: str = "") -> Text:
    """Text from a log on one safe line."""
    return Text(display.line(text), style=style)


def emit_table(columns: Sequence[Column], rows: Iterable[Sequence[Text]]) -> None:
    """Write rows in aligned columns; on a terminal the last one is cut at the edge, elsewhere nothing is.

    Drawn by hand: rich's own table takes half a second for a thousand rows.
    """
    lines = [[Text(column.heading, style="bold") for column in columns], *rows]
    widths = [max(cell_len(line[place].plain) for line in lines) for place in range(len(columns))]
    target = console()
    room = target.width if sys.stdout.isatty() else None
    for line in lines:
        drawn = Text("  ").join(
            _pad(cell, width, column) for cell, width, column in zip(line, widths, columns, strict=True)
        )
        drawn.rstrip()
        if room is not None:
            drawn.truncate(room, overflow="ellipsis")
        target.print(drawn, soft_wrap=True)


def _pad(cell: Text, width: int, column: Column) -> Text:
    gap = " " * (width - cell_len(cell.plain))
    return Text.assemble(gap, cell) if column.right else Text.assemble(cell, gap)


def write_file(path: Path, text: str) -> None:
    """Write a file whole or not at all.

    Raises EnvironmentProblem naming the file and the reason.
    """
    partial = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        partial.write_text(text, encoding="utf-8", errors="backslashreplace")
        partial.replace(path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise EnvironmentProblem(
            f"Cannot write {path}: {error.strerror}.", hint="Choose another file with --output."
        ) from error
