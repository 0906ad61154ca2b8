"""``necropsy report``: the post-mortem as a document."""

import argparse
from pathlib import Path

from sessions.store.reader import Reader
from tui.cli import arguments, diagnostics, output

FORMATS = ("md", "html", "json")


def configure(parser: argparse.ArgumentParser) -> None:
    """Say which arguments the command takes."""
    arguments.add_session(parser)
    parser.add_argument("--format", choices=FORMATS, default="md", help="md (default), html (one file) or json")
    parser.add_argument("--output", type=Path, metavar="FILE", help="write there instead of to standard output")


def run(args: argparse.Namespace) -> int:
    """Render a session's report to a file or to standard output."""
    text = render(arguments.store_path(args), args.session, args.format)
    if args.output:
        output.write_file(args.output, text)
        diagnostics.say(f"Wrote {args.output}.")
    else:
        output.emit_text(text)
    return 0


def render(store: Path, session: str, form: str) -> str:
    """Return the report of a session in one of `FORMATS`."""
    from sessions.reports.collect import collect  # noqa: PLC0415 - templates are loaded only for a report
    from sessions.reports.render import RENDERERS  # noqa: PLC0415 - as above

    with Reader.open(store) as reader:
        return RENDERERS[form](collect(reader, reader.resolve(session).id))
