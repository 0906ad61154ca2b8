"""``necropsy recall``: what was suspected before on the same thing, in any session, and how it ended."""

import argparse
from collections.abc import Iterator

from rich.text import Text

from sessions import times
from sessions.ingest import display
from sessions.models.hypothesis import MARKS
from sessions.store.rows import Recollection
from tui import answers
from tui.cli import arguments, diagnostics, output
from tui.cli.looking import show


def configure(parser: argparse.ArgumentParser) -> None:
    """Say which arguments the command takes."""
    parser.add_argument(
        "words",
        nargs="+",
        metavar="WORDS",
        help='what it was about; at least half of the words must occur; "quoted" ones in a row',
    )
    parser.add_argument(
        "--limit", type=arguments.natural, default=20, metavar="N", help="at most N hypotheses (default: 20)"
    )
    arguments.add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Print the hypotheses that were found, best first; exit with 1 if there is none."""
    found = answers.recall(arguments.store_path(args), " ".join(args.words), args.limit, writes=True)
    if args.json:
        output.emit_json([answers.describe(each) for each in found])
    elif found:
        for each in found:
            output.emit(Text("\n").join(_lines(each)))
    else:
        diagnostics.say("Nothing like it was suspected before.")
    return 0 if found else 1


def _lines(found: Recollection) -> Iterator[Text]:
    one = found.hypothesis
    style = show.STYLES[one.verdict]
    yield Text.assemble((f"{MARKS[one.verdict]} ", style), (display.line(one.statement), "bold"))
    where = f"{found.session[:16]} {one.id} · {times.local(found.time)} · {found.title}"
    yield Text.assemble("  ", (f"{one.verdict}, {one.support}", style), f"  {display.line(where)}")
    if quote := show.deciding_quote(one):
        yield Text(f"  {quote}", style="dim")
