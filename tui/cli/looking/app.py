"""``necropsy app``, and ``necropsy`` alone: the full-screen app."""

import argparse
import sys
from pathlib import Path

from sessions.errors import UsageProblem
from sessions.store.reader import Reader
from tui.cli import arguments


def configure(parser: argparse.ArgumentParser) -> None:
    """Say which arguments the command takes."""
    parser.add_argument("session", nargs="?", metavar="SESSION", help="open this session instead of the list")


def run(args: argparse.Namespace) -> int:
    """Open the app on the store."""
    store = arguments.store_path(args)
    session = None
    if args.session:
        with Reader.open(store) as reader:
            session = reader.resolve(args.session).id
    return open_app(store, session)


def open_app(store: Path, session: str | None) -> int:
    """Run the app until the person leaves it.

    Raises UsageProblem where there is no terminal.
    """
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageProblem(
            "The app needs a terminal.", hint="Use `necropsy list`, `show` and `report`; `necropsy --help` names them."
        )
    from tui.app import NecropsyApp  # noqa: PLC0415 - Textual is loaded only for the app

    app = NecropsyApp(store, session)
    app.run()
    return app.return_code or 0
