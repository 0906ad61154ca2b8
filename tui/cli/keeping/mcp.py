"""``necropsy mcp``: serve the store to agents over the Model Context Protocol."""

import argparse
import importlib.util

from sessions.errors import EnvironmentProblem
from sessions.store.reader import Reader
from tui.cli import arguments, diagnostics


def configure(parser: argparse.ArgumentParser) -> None:
    """Say which arguments the command takes."""
    parser.add_argument(
        "--allow-writes",
        action="store_true",
        help="also offer `ingest`, which reads logs of this machine into the store",
    )


def run(args: argparse.Namespace) -> int:
    """Serve on standard input and output until the client closes them.

    Raises EnvironmentProblem where the SDK is not installed.
    """
    store = arguments.store_path(args)
    if importlib.util.find_spec("mcp") is None:
        raise EnvironmentProblem(
            "The Model Context Protocol needs the package mcp.", hint="pipx inject necropsy 'mcp>=2.3,<3'"
        )
    if not args.allow_writes:
        Reader.open(store).close()
    from tui.mcp import build  # noqa: PLC0415 - only this command loads the SDK

    diagnostics.say(f"Serving {store} on standard input and output; Ctrl-C ends it.")
    build(store, writes=args.allow_writes).run("stdio")
    return 0
