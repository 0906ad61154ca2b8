"""``necropsy gold export``: a settled tree as an annotation that any engine can be held against."""

import argparse
import json
from pathlib import Path

from sessions.hypotheses.gold import Settled, export
from sessions.hypotheses.review import is_settled
from sessions.store.reader import Reader
from tui.cli import arguments, diagnostics, output


def configure(parser: argparse.ArgumentParser) -> None:
    """Say which arguments the command takes."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    one = actions.add_parser("export", help="write the tree of a session as an annotation")
    arguments.add_session(one)
    one.add_argument("--output", type=Path, metavar="FILE", help="write there instead of to standard output")
    one.add_argument("--log", metavar="PATH", help="what it says of where the log lies (default: the log's file name)")


def run(args: argparse.Namespace) -> int:
    """Write the annotation; say how much of it no person has settled."""
    with Reader.open(arguments.store_path(args)) as reader:
        row = reader.resolve(args.session)
        tree = reader.tree(row.id)
        log = args.log or Path(row.source).name
        settled = Settled(log, row.format, reader.messages(row.id), reader.steps(row.id), tree)
    text = json.dumps(export(settled), ensure_ascii=False, indent=1) + "\n"
    if args.output:
        output.write_file(args.output, text)
        diagnostics.say(f"Wrote {args.output}.")
    else:
        output.emit_text(text)
    left = [node.id for node in tree.hypotheses if not node.root and not is_settled(node)]
    if left:
        diagnostics.say(f"No person has settled {', '.join(left)}: `necropsy review {row.id}`.")
    return 0
