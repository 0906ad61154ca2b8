"""``necropsy forget``: remove a session with all that hangs on it."""

import argparse

from sessions.errors import UsageProblem
from sessions.ingest import display
from sessions.store.reader import Reader
from tui.cli import arguments, diagnostics


def configure(parser: argparse.ArgumentParser) -> None:
    """Say which arguments the command takes."""
    arguments.add_session(parser)
    parser.add_argument("--yes", action="store_true", help="do not ask")


def run(args: argparse.Namespace) -> int:
    """Remove one session after asking; the log it came from is not touched."""
    from sessions.store.writer import Writer  # noqa: PLC0415 - only commands that write load the writer

    store = arguments.store_path(args)
    with Reader.open(store) as reader:
        session = reader.resolve(args.session)
    what = f"{session.id} “{display.line(session.title)}” with {session.steps} steps, its tree, edits and replays"
    if not args.yes:
        if not diagnostics.interactive():
            raise UsageProblem(f"Forgetting {what} needs a yes.", hint="Add --yes.")
        if not diagnostics.confirm(f"Forget {what}?"):
            diagnostics.say("Nothing was removed.")
            return 0
    with Writer.open(store) as writer:
        writer.forget(session.id)
    diagnostics.say(f"Forgot {session.id}.")
    return 0
