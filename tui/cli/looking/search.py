"""``necropsy search``: find words in everything that was said, run and answered."""

import argparse

from rich.text import Text

from sessions.store.reader import Reader
from sessions.store.rows import Hit
from tui.cli import arguments, diagnostics, output


def configure(parser: argparse.ArgumentParser) -> None:
    """Say which arguments the command takes."""
    parser.add_argument("words", nargs="+", metavar="WORDS", help='words that must all occur; "quoted" ones in a row')
    parser.add_argument("--session", metavar="SESSION", help="only in this session")
    parser.add_argument(
        "--limit", type=arguments.natural, default=50, metavar="N", help="at most N places (default: 50)"
    )
    arguments.add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Print the places that were found, best first; exit with 1 if there is none."""
    with Reader.open(arguments.store_path(args)) as reader:
        session = reader.resolve(args.session).id if args.session else None
        hits = reader.search(" ".join(args.words), session=session, limit=args.limit)
    if args.json:
        output.emit_json([_describe(hit) for hit in hits])
    elif hits:
        output.emit_table(_COLUMNS, map(_row, hits))
    else:
        diagnostics.say("Nothing found.")
    return 0 if hits else 1


def _describe(hit: Hit) -> dict[str, object]:
    return {
        "session": hit.session,
        "title": hit.title,
        "kind": hit.kind,
        "ordinal": hit.ordinal,
        "snippet": hit.snippet,
    }


_COLUMNS = (output.Column("session"), output.Column("place"), output.Column("text"))


def _row(hit: Hit) -> tuple[Text, ...]:
    return output.words(hit.session[:16], "bold"), Text(_place(hit)), output.words(hit.snippet)


def _place(hit: Hit) -> str:
    return f"message {hit.ordinal}" if hit.kind == "message" else f"step {hit.ordinal} {hit.kind}"
