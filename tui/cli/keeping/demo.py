"""``necropsy demo``: the bundled session, from its log to its post-mortem."""

import argparse
import sys
from importlib import resources
from pathlib import Path

from sessions.ingest.pipeline import ingest
from sessions.ingest.sniff import recognise
from sessions.store.location import demo_store
from sessions.store.reader import Reader
from sessions.store.writer import Writer
from tui.cli import diagnostics, output
from tui.cli.looking import app, show
from tui.reporting import render

EXAMPLE = "glm5-blackwell.json"


def configure(parser: argparse.ArgumentParser) -> None:
    """Say which arguments the command takes."""
    parser.add_argument("--print", action="store_true", help="print the tree and write the HTML report, open no app")
    parser.add_argument("--output", type=Path, metavar="FILE", help="where the HTML report goes")


def run(args: argparse.Namespace) -> int:
    """Ingest the bundled session; open it in the app, or print its tree where there is no terminal."""
    store = args.store or demo_store()
    session = ingest_example(store)
    if sys.stdin.isatty() and sys.stdout.isatty() and not args.print:
        return app.open_app(store, session)
    with Reader.open(store) as reader:
        show.draw(reader.resolve(session), reader.tree(session))
    page = args.output or store.with_name("glm5-blackwell.html")
    output.write_file(page, render(store, session, "html"))
    diagnostics.say(f"The HTML report: {page.resolve()}")
    diagnostics.say(f"The store: {store.resolve()} ({sys.argv[0]} --store {store} opens the app on it)")
    return 0


def ingest_example(store: Path) -> str:
    """Read the bundled session into a store and return its id."""
    with (
        resources.as_file(resources.files("sessions.examples") / EXAMPLE) as path,
        Writer.open(store) as writer,
    ):
        results = list(ingest(recognise(path), writer))
    return results[0].sessions[0]
