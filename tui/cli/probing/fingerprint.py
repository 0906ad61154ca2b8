"""``necropsy fingerprint``: what machine is this; or, with two files, what differs between two."""

import argparse
import asyncio
import json
from pathlib import Path

from rich.text import Text

from probes import fingerprint
from probes.fingerprint import Difference, Fingerprint
from probes.host import targets
from probes.host.connection import connect
from probes.host.targets import Target
from sessions.errors import BadInput
from tui.cli import arguments, diagnostics, output

_STYLES = {"red": "bold red", "amber": "yellow", "grey": "dim"}


def configure(parser: argparse.ArgumentParser) -> None:
    """Say which arguments the command takes."""
    parser.add_argument("target", metavar="TARGET", help="a host, or `local` for this machine")
    parser.add_argument("--targets", type=Path, metavar="FILE", help="the targets file (default: targets.toml)")
    parser.add_argument("--deep", action="store_true", help="also ask torch, and hash every installed package's files")
    parser.add_argument("--python", default="python3", metavar="PATH", help="the interpreter there")
    parser.add_argument("--site", metavar="PATH", help="the site-packages of another environment there")
    parser.add_argument("--against", type=Path, metavar="FILE", help="an earlier fingerprint (--json) to compare with")
    arguments.add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Print the fingerprint, or how it differs from an earlier one (then exit with 1 if what matters differs)."""
    before = _read(args.against) if args.against else None
    taken = asyncio.run(_take(targets.load(args.targets).named(args.target), args))
    if before is None:
        _print(taken, as_json=args.json)
        return 0
    differences = fingerprint.diff(before.record, taken.record)
    if args.json:
        output.emit_json([difference.model_dump(mode="json") for difference in differences])
    else:
        _print_differences(differences)
    return 1 if any(difference.severity == "red" for difference in differences) else 0


async def _take(target: Target, args: argparse.Namespace) -> Fingerprint:
    async with connect(target) as executor:
        diagnostics.say(f"looking at {target.name} …")
        return await fingerprint.take(executor, python=args.python, site=args.site, deep=args.deep)


def _read(path: Path) -> Fingerprint:
    try:
        return Fingerprint.model_validate(json.loads(path.read_text("utf-8")))
    except OSError as error:
        raise BadInput(f"Cannot read {path}: {error.strerror}.") from error
    except ValueError as error:
        raise BadInput(
            f"{path} is no fingerprint.", hint="Make one with: necropsy fingerprint TARGET --json > FILE."
        ) from error


def _print(taken: Fingerprint, *, as_json: bool) -> None:
    if as_json:
        output.emit_json(taken.model_dump(mode="json"))
        return
    rows = ((output.words(field, "bold"), output.words(value)) for field, value in sorted(taken.record.items()))
    output.emit_table((output.Column("field"), output.Column("value")), rows)


def _print_differences(differences: tuple[Difference, ...]) -> None:
    columns = (output.Column("field"), output.Column("before"), output.Column("now"))
    rows = (
        (
            output.words(one.field, _STYLES[one.severity]),
            output.words("—" if one.before is None else one.before),
            output.words("—" if one.after is None else one.after),
        )
        for one in differences
    )
    if differences:
        output.emit_table(columns, rows)
    else:
        output.emit(Text("No difference.", style="green"))
