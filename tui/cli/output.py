"""The only writer to standard output: data."""

import json
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from sessions.errors import EnvironmentProblem
from sessions.ingest import display

Columns = list[tuple[str, dict[str, Any]]]
"""A heading and rich's options for each column of a table."""


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


def emit(renderable: Table | Tree | Text) -> None:
    """Draw something for a person: coloured on a terminal, plain elsewhere and under NO_COLOR."""
    console().print(renderable)


def console() -> Console:
    """A console on standard output that takes no text for markup, emoji codes or links."""
    width = None if sys.stdout.isatty() else int(os.environ.get("COLUMNS", "120"))
    return Console(file=sys.stdout, markup=False, emoji=False, highlight=False, soft_wrap=False, width=width)


def words(text: str, style: str = "") -> Text:
    """Text from a log on one safe line."""
    return Text(display.line(text), style=style)


def table(columns: Columns, rows: Iterable[Sequence[Text | str]]) -> Table:
    """A plain table."""
    drawn = Table(box=None, pad_edge=False, header_style="bold", show_edge=False)
    for heading, options in columns:
        drawn.add_column(heading, **options)
    for row in rows:
        drawn.add_row(*row)
    return drawn


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
