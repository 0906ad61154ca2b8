"""``necropsy replay``: the plan, the person's consent, the runs, and what each verdict is worth on the target."""

import argparse
import asyncio
from collections.abc import Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any

from rich.text import Text

from probes.host import targets
from probes.host.targets import Target
from replay.conduct import conduct
from replay.plan import Selection, build_plan, parse_hosts
from replay.progress import Began, Done, Ended, Sending
from sessions.errors import BadInput, UsageProblem
from sessions.models.replay import HypothesisStanding, Plan, PlannedStep, RunStep
from sessions.reports import junit
from sessions.store.reader import Reader
from sessions.store.rows import RunRow
from tui.cli import arguments, diagnostics, output

OVERTURNED, UNDETERMINED = 1, 6
"""Exit codes with --exit-code, beside 0 for upheld."""

_DECISIONS = {"run": "green", "ask": "yellow", "refuse": "red"}
_WORTHS = {"upheld": "green", "overturned": "bold red", "undetermined": "yellow"}


def configure(parser: argparse.ArgumentParser) -> None:
    """Say which arguments the command takes."""
    arguments.add_session(parser)
    parser.add_argument("--on", required=True, metavar="TARGET", help="a host of ~/.ssh/config or of the targets file")
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
    parser.add_argument("--yes", action="store_true", help="run the plan without asking")
    parser.add_argument(
        "--exit-code", action="store_true", help="exit with 1 if a verdict is overturned, 6 if that cannot be told"
    )
    parser.add_argument("--junit", type=Path, metavar="FILE", help="also write what came of it as JUnit XML")
    arguments.add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Plan, ask, run, and say what came of it."""
    store = arguments.store_path(args)
    target = _target(args)
    with Reader.open(store) as reader:
        plan = _plan(args, reader, target)
    if not args.json:
        _print_plan(plan, target)
    if args.dry_run:
        if args.json:
            output.emit_json(plan.model_dump(mode="json"))
        return 0
    if not _agreed(args, plan):
        diagnostics.say("Nothing was run.")
        return 0
    number = asyncio.run(_carry_out(store, target, plan))
    with Reader.open(store) as reader:
        done = next(row for row in reader.runs(plan.session) if row.number == number)
        if args.junit:
            _write_junit(args.junit, done, reader)
    _report(done, as_json=args.json)
    return _code(done.worths) if args.exit_code else 0


def _target(args: argparse.Namespace) -> Target:
    target = targets.load(args.targets).named(args.on)
    extra = [pair.partition("=") for pair in args.path]
    if any(not (equals and recorded.startswith("/") and there.startswith("/")) for recorded, equals, there in extra):
        raise UsageProblem("--path takes two absolute paths.", hint="For example: --path /root/ml-env=/opt/venv.")
    rules = tuple((recorded, there) for recorded, _, there in extra)
    return target.model_copy(update={"paths": (*rules, *target.paths)})


def _plan(args: argparse.Namespace, reader: Reader, target: Target) -> Plan:
    chosen = Selection(
        steps=frozenset(arguments.numbers(args.steps)) if args.steps else None, hypothesis=args.hypothesis
    )
    return build_plan(reader, args.session, target, chosen, parse_hosts(args.map))


def _print_plan(plan: Plan, target: Target) -> None:
    where = f"{target.host or target.name}" + (f" as {target.user}" if target.user else "")
    output.emit(Text.assemble(("Plan", "bold"), f" for {plan.target} ({where})"))
    for step in plan.steps:
        output.emit(_planned(step))


def _planned(step: PlannedStep) -> Text:
    drawn = Text.assemble(
        (f"{step.step:>5} ", "bold"), (f"{step.decision:<7}", _DECISIONS[step.decision]), f"{step.effect:<15}"
    )
    drawn.append_text(output.words(step.sent if step.sent is not None else step.command))
    for reason in step.reasons:
        drawn.append("\n" + " " * 13).append_text(output.words(reason, "dim"))
    for recorded, there in step.mapped_paths:
        drawn.append("\n" + " " * 13).append_text(output.words(f"{recorded} is {there} there", "dim"))
    return drawn


def _agreed(args: argparse.Namespace, plan: Plan) -> bool:
    sending = sum(step.decision == "run" for step in plan.steps)
    if not sending:
        diagnostics.say("No step of this plan can run: the reasons stand beside each.")
        return bool(args.yes)
    if args.yes:
        return True
    if not diagnostics.interactive():
        raise UsageProblem(f"Running {sending} steps on {plan.target} needs a yes.", hint="Add --yes or --dry-run.")
    return diagnostics.confirm(f"Run these {sending} steps on {plan.target}?")


async def _carry_out(store: Path, target: Target, plan: Plan) -> int:
    number = 0
    async with aclosing(conduct(store, target, plan)) as events:
        async for event in events:
            match event:
                case Began():
                    number = event.run
                case Sending():
                    diagnostics.say(f"step {event.step} …")
                case Done():
                    diagnostics.say(_line(event.result))
                case Ended():
                    pass
    return number


def _line(step: RunStep) -> str:
    compared = f", {step.comparison}" if step.comparison else ""
    return f"step {step.step}: {step.outcome}{compared}" + (f" ({step.detail})" if step.detail else "")


def _report(done: RunRow, *, as_json: bool) -> None:
    if as_json:
        output.emit_json(_describe(done))
        return
    output.emit(Text(f"Run {done.number} on {done.target}", style="bold"))
    for step in done.steps:
        output.emit(output.words(f"  {_line(step)}"))
        for token in step.tokens[:3]:
            output.emit(output.words(f"      line {token.line}: {token.recorded} → {token.new} ({token.kind})", "dim"))
    for standing in done.standings:
        output.emit(output.words(f"  {standing.hypothesis} step {standing.step}: {standing.standing} {standing.why}"))
    for worth in done.worths:
        output.emit(
            Text.assemble(
                (f"  {worth.hypothesis} ", "bold"), (worth.worth, _WORTHS[worth.worth]), " ", output.words(worth.why)
            )
        )


def _write_junit(path: Path, done: RunRow, reader: Reader) -> None:
    statements = {each.id: each.statement for each in reader.tree(done.session).hypotheses}
    try:
        path.write_text(junit.render([done], statements), "utf-8")
    except OSError as error:
        raise BadInput(f"Cannot write {path}: {error.strerror}.") from error


def _describe(done: RunRow) -> dict[str, Any]:
    return {
        "run": done.number,
        "session": done.session,
        "target": done.target,
        "started": done.started,
        "finished": done.finished,
        "steps": [step.model_dump(mode="json") for step in done.steps],
        "standings": [standing.model_dump(mode="json") for standing in done.standings],
        "worths": [worth.model_dump(mode="json") for worth in done.worths],
    }


def _code(worths: Sequence[HypothesisStanding]) -> int:
    found = {worth.worth for worth in worths}
    if "overturned" in found:
        return OVERTURNED
    return 0 if found == {"upheld"} else UNDETERMINED
