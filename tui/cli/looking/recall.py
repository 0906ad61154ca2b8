"""``necropsy recall``: what was suspected before on the same thing, in any session, and how it ended."""

import argparse
from collections.abc import Iterator
from pathlib import Path

from rich.text import Text

from sessions import times
from sessions.ingest import display
from sessions.models.hypothesis import MARKS, Evidence, Hypothesis
from sessions.store.reader import Reader
from sessions.store.rows import Recollection
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
    parser.add_argument("--limit", type=int, default=20, metavar="N", help="at most N hypotheses (default: 20)")
    arguments.add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Print the hypotheses that were found, best first; exit with 1 if there is none."""
    found = recall(arguments.store_path(args), " ".join(args.words), args.limit)
    if args.json:
        output.emit_json([describe(each) for each in found])
    elif found:
        for each in found:
            output.emit(Text("\n").join(_lines(each)))
    else:
        diagnostics.say("Nothing like it was suspected before.")
    return 0 if found else 1


def recall(store: Path, words: str, limit: int) -> tuple[Recollection, ...]:
    """Return what the store recalls; one of an older layout is brought up to date first."""
    with Reader.open(store) as reader:
        if reader.recalls:
            return reader.recall(words, limit)
    from sessions.store.writer import Writer  # noqa: PLC0415 - only an older store needs it

    Writer.open(store).close()
    with Reader.open(store) as reader:
        return reader.recall(words, limit)


def describe(found: Recollection) -> dict[str, object]:
    """Return a hypothesis as JSON has it: where it stands, how it ended, and the lines that say so."""
    one = found.hypothesis
    return {
        "session": found.session,
        "title": found.title,
        "time": found.time,
        "hypothesis": one.id,
        "statement": one.statement,
        "verdict": one.verdict,
        "support": one.support,
        "source": one.source,
        "stated_in": one.stated_in,
        "decided_in": one.decided_in,
        "evidence": [piece.model_dump(mode="json", warnings=False) for piece in _deciding_first(one)],
        "cost": one.cost.model_dump(warnings=False),
    }


def _deciding_first(one: Hypothesis) -> list[Evidence]:
    return sorted(one.evidence, key=lambda piece: not piece.deciding)


def _lines(found: Recollection) -> Iterator[Text]:
    one = found.hypothesis
    style = show.STYLES[one.verdict]
    yield Text.assemble((f"{MARKS[one.verdict]} ", style), (display.line(one.statement), "bold"))
    where = f"{found.session[:16]} {one.id} · {times.local(found.time)} · {found.title}"
    yield Text.assemble("  ", (f"{one.verdict}, {one.support}", style), f"  {display.line(where)}")
    if quote := show.deciding_quote(one):
        yield Text(f"  {quote}", style="dim")
