"""``necropsy closure``: the files that a step needs and its session wrote, rebuilt or named. Runs nothing."""

import argparse
from typing import Any

from rich.text import Text

from replay.scratch.closure import Closure, Files, Rebuilt, Unbuilt
from sessions.errors import BadInput
from sessions.ingest import display
from sessions.store.reader import Reader
from tui.cli import arguments, output

NOT_REBUILT = 1
"""Exit code where something that the step needs cannot be rebuilt."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Say which arguments the command takes."""
    arguments.add_session(parser)
    parser.add_argument("step", type=arguments.natural, metavar="STEP", help="the number of a step")
    parser.add_argument("--content", action="store_true", help="also print what each file holds")
    arguments.add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Print the closure of a step; exit with 1 if part of it cannot be rebuilt."""
    with Reader.open(arguments.store_path(args)) as reader:
        steps = reader.steps(reader.resolve(args.session).id)
    step = next((step for step in steps if step.ordinal == args.step), None)
    if step is None:
        raise BadInput(f"The session has no step {args.step}.", hint="See `necropsy steps`.")
    found = Files(steps).closure(step)
    if args.json:
        output.emit_json([*(_built(file) for file in found.files), *(_unbuilt(file) for file in found.absent)])
    else:
        _print(found, content=args.content)
    return NOT_REBUILT if found.absent else 0


def _built(file: Rebuilt) -> dict[str, Any]:
    told = {"digest": file.digest, "size": len(file.content.encode()), "content": file.content}
    return {**_place(file), "rebuilt": True, **told}


def _unbuilt(file: Unbuilt) -> dict[str, Any]:
    return {**_place(file), "rebuilt": False, "reason": file.reason}


def _place(file: Rebuilt | Unbuilt) -> dict[str, Any]:
    place = file.place
    return {"path": place.path, "host": place.host, "container": place.container, "origins": list(file.origins)}


def _print(found: Closure, *, content: bool) -> None:
    if not found.files and not found.absent:
        output.emit(Text("It needs nothing that the session wrote."))
    for file in found.files:
        size = f"{len(file.content.encode()):,} bytes"
        output.emit(Text.assemble(("rebuilt      ", "green"), _named(file), f"  {size}  sha256 {file.digest[:12]}"))
        if content:
            output.emit_text("".join(f"    {line}\n" for line in display.safe(file.content).split("\n")))
    for lost in found.absent:
        output.emit(Text.assemble(("not rebuilt  ", "yellow"), _named(lost), "  ", output.words(lost.reason, "dim")))


def _named(file: Rebuilt | Unbuilt) -> Text:
    where = "".join(f"{part}:" for part in (file.place.host, file.place.container) if part)
    steps = ", ".join(map(str, file.origins))
    origins = f"  from step{'s'[: len(file.origins) != 1]} {steps}" if steps else ""
    return output.words(f"{where}{file.place.path}{origins}")
