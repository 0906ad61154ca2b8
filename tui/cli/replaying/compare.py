"""``necropsy compare``: a recorded output and a new one, token by token."""

import argparse
import shlex
from pathlib import Path

from rich.text import Text

from replay.output.compare import SAME, compare
from sessions.errors import BadInput
from sessions.ingest import display
from sessions.models.replay import Compared
from tui.cli import arguments, output


def configure(parser: argparse.ArgumentParser) -> None:
    """Say which arguments the command takes."""
    parser.add_argument("recorded", type=Path, metavar="RECORDED", help="file with the recorded output")
    parser.add_argument("new", type=Path, metavar="NEW", help="file with the new output")
    parser.add_argument("--command", dest="compared", metavar="C", help="the command that printed both")
    arguments.add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Compare; exit with 1 if the outputs differ in what they say, 6 if that cannot be told."""
    argv = _words(args.compared)
    compared = compare(_read(args.recorded), _read(args.new), argv=argv)
    if args.json:
        output.emit_json(compared.model_dump(mode="json", include={"comparison", "rules", "tokens"}))
    else:
        _print(compared)
    if compared.comparison in SAME:
        return 0
    return 6 if compared.comparison in {"not-comparable", "recording-truncated"} else 1


def _words(command: str | None) -> tuple[str, ...] | None:
    if not command:
        return None
    try:
        return tuple(shlex.split(command))
    except ValueError as error:
        raise BadInput(f"The command cannot be split into words: {error}.") from error


def _read(path: Path) -> str:
    try:
        return display.clean(path.read_bytes().decode("utf-8", "replace"))
    except OSError as error:
        raise BadInput(f"Cannot read {path}: {error.strerror}.") from error


def _print(compared: Compared) -> None:
    output.emit(Text(compared.comparison, style="green" if compared.comparison in SAME else "red"))
    for rule in compared.rules:
        output.emit(Text.assemble("  after ", output.words(rule)))
    for token in compared.tokens:
        output.emit(
            Text.assemble(
                f"  line {token.line}  ",
                output.words(f"{token.where}  " if token.where else ""),
                f"{token.kind}  ",
                (display.line(token.recorded), "red"),
                " → ",
                (display.line(token.new), "green"),
            )
        )
