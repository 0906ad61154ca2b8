"""Arguments that several subcommands share, and what they resolve to."""

import argparse
import re
from dataclasses import fields
from math import inf
from pathlib import Path

from sessions.errors import UnknownHypothesis, UsageProblem
from sessions.hypotheses.spending import Prices
from sessions.models.hypothesis import Hypothesis, Tree
from sessions.store.location import default_store

_RANGE = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")

_MOST = 1_000_000
"""Numbers that a range may name: more steps than any session has."""


def store_path(arguments: argparse.Namespace) -> Path:
    """The database that the command line names, or the default one."""
    chosen: Path | None = arguments.store
    return chosen if chosen is not None else default_store()


def add_session(parser: argparse.ArgumentParser) -> None:
    """Add the positional SESSION."""
    parser.add_argument("session", metavar="SESSION", help="a session's id, a unique beginning of it, or `latest`")


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add --json."""
    parser.add_argument("--json", action="store_true", help="print one JSON document and nothing else")


def add_price(parser: argparse.ArgumentParser) -> None:
    """Add --price."""
    help_ = "US dollars for a million tokens: of question, answer, cached and newly cached; where the log has no price"
    parser.add_argument("--price", metavar="IN,OUT,READ,WRITE", help=help_)


def prices(text: str | None) -> Prices | None:
    """Return the prices that ``3,15,0.3,3.75`` gives. Raises UsageProblem for anything else."""
    if text is None:
        return None
    try:
        figures = [float(part) for part in text.split(",")]
    except ValueError:
        figures = []
    if len(figures) != len(fields(Prices)) or not all(0 <= figure < inf for figure in figures):
        raise UsageProblem(f"{text!r} gives no prices.", hint="Write four numbers: --price 3,15,0.3,3.75.")
    return Prices(*figures)


def natural(text: str) -> int:
    """Return the number that `text` writes in up to nine digits, as argparse's ``type``. Raises ValueError."""
    if re.fullmatch("[0-9]{1,9}", text) is None:
        raise ValueError(text)
    return int(text)


natural.__name__ = "number"  # argparse puts it into its message


def numbers(text: str) -> tuple[int, ...]:
    """Return the numbers that ``3,7-9`` names, in rising order.

    Raises UsageProblem for anything else.
    """
    found: set[int] = set()
    for part in text.split(","):
        match = _RANGE.fullmatch(part.strip())
        if match is None:
            raise UsageProblem(f"{text!r} names no steps.", hint="Write numbers and ranges: 3,7-9.")
        first, last = int(match[1]), int(match[2] or match[1])
        if not first <= last < first + _MOST:
            raise UsageProblem(f"{part.strip()} is no range of steps.", hint="Write the lower number first: 3,7-9.")
        found.update(range(first, last + 1))
    return tuple(sorted(found))


def hypothesis(tree: Tree, name: str) -> Hypothesis:
    """Return the hypothesis or candidate called `name` (``H3``).

    Raises UnknownHypothesis.
    """
    for node in (*tree.hypotheses, *tree.candidates):
        if node.id.lower() == name.lower():
            return node
    known = ", ".join(node.id for node in tree.hypotheses)
    raise UnknownHypothesis(f"The session has no hypothesis {name}.", hint=f"It has {known or 'none'}.")
