"""``necropsy journal verify``: whether the journal of replays is as it was written."""

import argparse
import dataclasses
import re

from sessions.store.reader import Reader
from sessions.store.tables.journal import Checked
from tui.cli import arguments, output

BROKEN = 1
"""Exit code where something is wrong with it."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Say which arguments the command takes."""
    parser.add_argument(
        "what", metavar="verify", choices=("verify",), help="recompute the chain, hold the runs against it"
    )
    parser.add_argument(
        "--head",
        action="append",
        type=_head,
        default=[],
        metavar="COUNT:MAC",
        help="a head that you kept, beside those in the file beside the store",
    )
    arguments.add_json(parser)


def _head(text: str) -> str:
    if re.fullmatch(r"\d{1,15}:[0-9a-f]{64}", text) is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no head of a journal: a count, a colon and 64 hex digits")
    return text


def run(args: argparse.Namespace) -> int:
    """Check the journal and say what is wrong with it."""
    with Reader.open(arguments.store_path(args)) as reader:
        checked = reader.check_journal(args.head)
    if args.json:
        output.emit_json({**dataclasses.asdict(checked), "whole": not checked.problems})
    else:
        _print(checked)
    return BROKEN if checked.problems else 0


def _print(checked: Checked) -> None:
    for problem in checked.problems:
        output.emit(output.words(problem, "red"))
    for run, step in checked.unknown:
        output.emit(output.words(f"run {run}, step {step}: it was sent, and what came of it is not known", "yellow"))
    state = "broken" if checked.problems else "whole"
    output.emit(output.words(f"{checked.entries} entries, {state}; held against {checked.anchors} kept heads"))
    output.emit(output.words(f"head {checked.head}"))
