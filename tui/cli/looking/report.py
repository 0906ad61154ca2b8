"""``necropsy report``: the post-mortem as a document."""

import argparse
from pathlib import Path

from tui.cli import arguments, diagnostics, output
from tui.reporting import render

FORMATS = ("md", "html", "json")


def configure(parser: argparse.ArgumentParser) -> None:
    """Say which arguments the command takes."""
    arguments.add_session(parser)
    parser.add_argument("--format", choices=FORMATS, default="md", help="md (default), html (one file) or json")
    arguments.add_price(parser)
    parser.add_argument("--output", type=Path, metavar="FILE", help="write there instead of to standard output")


def run(args: argparse.Namespace) -> int:
    """Render a session's report to a file or to standard output."""
    text = render(arguments.store_path(args), args.session, args.format, arguments.prices(args.price))
    if args.output:
        output.write_file(args.output, text)
        diagnostics.say(f"Wrote {args.output}.")
    else:
        output.emit_text(text)
    return 0
