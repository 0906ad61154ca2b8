"""``necropsy replay``: the plan, the person's consent, the runs, and what each verdict is worth on the target."""

import argparse
import asyncio
import sys
from collections.abc import Sequence
from contextlib import aclosing
from pathlib import Path

from rich.text import Text

from probes.host import targets
from probes.host.connection import connect
from probes.host.layers import Layer, hold
from probes.host.targets import Target
from replay.conduct import conduct
from replay.fleet import Member, conduct_all, expand, hosts_for
from replay.plan import Selection, build_plan, parse_hosts
from replay.progress import Began, Done, Progress, Sending
from sessions.errors import BadInput, UsageProblem
from sessions.models.hypothesis import Tree
from sessions.models.replay import HypothesisStanding, Plan
from sessions.reports import junit
from sessions.reports.fleet import matrix
from sessions.store.reader import Reader
from sessions.store.rows import RunRow
from tui.cli import arguments, diagnostics, output
from tui.cli.replaying import asking, planned, results

OVERTURNED, UNDETERMINED = 1, 6
"""Exit codes with --exit-code, beside 0 for upheld."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Say which arguments the command takes."""
    arguments.add_session(parser)
    parser.add_argument(
        "--on",
        required=True,
        action="append",
        metavar="TARGET",
        help="a host of ~/.ssh/config or of the targets file, `local` (this machine) or `sandbox` (here, in a cage); "
        "again for more, or a range: gpu[1-8]",
    )
    parser.add_argument("--steps", metavar="STEPS", help="only these: 3,7-9")
    parser.add_argument("--hypothesis", metavar="H", help="only the evidence of this hypothesis")
    parser.add_argument(
        "--map", action="append", default=[], metavar="RECORDED=TARGET", help="a recorded host stands for a target"
    )
    parser.add_argument(
        "--path",
        action="append",
        default=[],
        metavar="RECORDED=THERE",
        help="a recorded path prefix and its place there",
    )
    parser.add_argument("--targets", type=Path, metavar="FILE", help="the targets file (default: targets.toml)")
    parser.add_argument("--dry-run", action="store_true", help="stop at the plan")
    parser.add_argument("--full", action="store_true", help="print every line of what the plan sends and runs")
    parser.add_argument("--yes", action="store_true", help="run the plan without asking")
    asking.add(parser)
    parser.add_argument(
        "--exit-code", action="store_true", help="exit with 1 if a verdict is overturned, 6 if that cannot be told"
    )
    parser.add_argument("--junit", type=Path, metavar="FILE", help="also write what came of it as JUnit XML")
    arguments.add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Plan, ask, run, and say what came of it."""
    store = arguments.store_path(args)
    found = [_target(args, name) for name in expand(args.on)]
    with Reader.open(store) as reader:
        members: Sequence[Member] = [
            Member(target, _plan(args, reader, target), frozenset(args.without)) for target in found
        ]
    if not args.json and (args.dry_run or diagnostics.interactive()):
        for member in members:
            planned.draw(member.plan, member.target, full=args.full)
    if args.dry_run:
        if args.json:
            plans = [member.plan.model_dump(mode="json") for member in members]
            output.emit_json(plans[0] if len(plans) == 1 else plans)
        return 0
    if diagnostics.interactive() and not args.json and any(step.decision != "refuse" for step in members[0].plan.steps):
        _print_layers(members[0].target)
    granted = asking.consented(args, members)
    if granted is None or not _agreed(args, granted):
        diagnostics.say("Nothing was run.")
        return 0
    numbers = asyncio.run(_carry_out(store, granted) if len(granted) == 1 else _carry_out_all(store, granted))
    with Reader.open(store) as reader:
        runs = [row for row in reader.runs(members[0].plan.session) if row.number in numbers]
        diagnostics.say(f"journal head {reader.journal_head()}")
        if args.junit:
            _write_junit(args.junit, runs, reader)
    _report(runs, as_json=args.json)
    return _code([worth for done in runs for worth in done.worths]) if args.exit_code else 0


def _target(args: argparse.Namespace, name: str) -> Target:
    target = targets.load(args.targets).named(name)
    extra = [pair.partition("=") for pair in args.path]
    if any(not (equals and recorded.startswith("/") and there.startswith("/")) for recorded, equals, there in extra):
        raise UsageProblem("--path takes two absolute paths.", hint="For example: --path /root/ml-env=/opt/venv.")
    rules = tuple((recorded, there) for recorded, _, there in extra)
    return target.model_copy(update={"paths": (*rules, *target.paths)})


def _plan(args: argparse.Namespace, reader: Reader, target: Target) -> Plan:
    chosen = Selection(_chosen(args, reader))
    given = parse_hosts(args.map).given
    named = set(expand(args.on))
    foreign = sorted(name for name in given.values() if not set(expand([name])) & named)
    if foreign:
        raise UsageProblem(
            f"--map names {foreign[0]}, which is no target of --on.", hint=f"--on names {', '.join(args.on)}."
        )
    hosts = hosts_for(target.name, given)
    allowed = {name: name in args.allow for name in ("code", "writes")}
    return build_plan(reader, args.session, target, chosen, hosts, **allowed)


def _chosen(args: argparse.Namespace, reader: Reader) -> frozenset[int] | None:
    """Return the steps that are named, and those that are evidence of the hypothesis that is; None if neither is."""
    if not (args.steps or args.hypothesis):
        return None
    named = arguments.numbers(args.steps) if args.steps else ()
    tree = reader.tree(reader.resolve(args.session).id) if args.hypothesis else Tree()
    evidence = arguments.hypothesis(tree, args.hypothesis).evidence if args.hypothesis else ()
    return frozenset(named) | {piece.step for piece in evidence}


def _print_layers(target: Target) -> None:
    """Connect, try the layers, and say which are in force: before anybody is asked for consent."""

    async def look() -> tuple[Layer, ...]:
        async with connect(target) as executor:
            return (await hold(executor, target)).layers

    output.emit(Text(f"Layers on {target.name}", style="bold"))
    for layer in asyncio.run(look()):
        output.emit(results.layer_line(layer))


def _agreed(args: argparse.Namespace, members: Sequence[Member]) -> bool:
    sending = sum(step.sending for member in members for step in member.plan.steps)
    where = members[0].plan.target if len(members) == 1 else f"{len(members)} targets"
    if not sending:
        diagnostics.say("No step of this plan runs: the reasons stand beside each.")
        return bool(args.yes)
    if args.yes:
        return True
    if not diagnostics.interactive():
        raise UsageProblem(
            f"Running {sending} step{'s'[: sending != 1]} on {where} needs a yes.", hint="Add --yes or --dry-run."
        )
    return diagnostics.confirm(f"Run {sending} step{'s'[: sending != 1]} on {where}?")


async def _carry_out(store: Path, members: Sequence[Member]) -> frozenset[int]:
    numbers: set[int] = set()
    async with aclosing(conduct(store, members[0].target, members[0].plan, members[0].without)) as events:
        async for event in events:
            numbers |= _say(event, "")
    return frozenset(numbers)


async def _carry_out_all(store: Path, members: Sequence[Member]) -> frozenset[int]:
    numbers: set[int] = set()
    async with aclosing(conduct_all(store, members)) as events:
        async for told in events:
            numbers |= _say(told.event, f"{told.target}: ")
    return frozenset(numbers)


def _say(event: Progress, where: str) -> set[int]:
    """Tell what happens while a person watches, and return the number of a run that began."""
    watched = sys.stderr.isatty()
    match event:
        case Sending() if watched:
            diagnostics.say(f"{where}step {event.step} …")
        case Done() if watched:
            diagnostics.say(f"{where}{results.step_line(event.result)}")
        case Began():
            return {event.run}
        case _:
            pass
    return set()


def _report(runs: Sequence[RunRow], *, as_json: bool) -> None:
    side_by_side = matrix(runs)
    if as_json:
        described = [results.describe(done) for done in runs]
        found = side_by_side.describe() if side_by_side else None
        output.emit_json(described[0] if len(runs) == 1 else {"runs": described, "fleet": found})
    elif side_by_side:
        results.draw_matrix(side_by_side)
    else:
        for done in runs:
            results.draw_run(done)


def _write_junit(path: Path, runs: Sequence[RunRow], reader: Reader) -> None:
    statements = {each.id: each.statement for each in reader.tree(runs[0].session).hypotheses}
    try:
        path.write_text(junit.render(runs, statements), "utf-8")
    except OSError as error:
        raise BadInput(f"Cannot write {path}: {error.strerror}.") from error


def _code(worths: Sequence[HypothesisStanding]) -> int:
    found = {worth.worth for worth in worths}
    if "overturned" in found:
        return OVERTURNED
    return 0 if found == {"upheld"} else UNDETERMINED
