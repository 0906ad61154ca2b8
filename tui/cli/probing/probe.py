"""``necropsy probe``: the diagnostics there are, what each does, and running one on a host."""

import argparse
import asyncio
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from functools import partial
from pathlib import Path
from typing import Any

from rich.text import Text

from probes import catalogue, findings, fleet, runner
from probes.host import targets
from probes.host.connection import connect
from probes.host.targets import LOCAL, Target
from replay.fleet import expand
from sessions.errors import BadInput, UsageProblem
from sessions.models.probe import Probe, ProbeReport
from sessions.store.reader import Reader
from sessions.store.writer import Writer
from tui.cli import arguments, diagnostics, output

Given = Mapping[str, str]
Asked = tuple[str, str] | None

FOUND, UNDETERMINED = 1, 6
"""Exit codes: the fault is there; the host or the model did not let it be told."""

_ANSWERS = {"confirmed": "bold red", "refuted": "green", "inconclusive": "yellow"}
_STATUSES = {"ok": "green", "degraded": "yellow", "blocked": "yellow", "failed": "red"}


def configure(parser: argparse.ArgumentParser) -> None:
    """Say which arguments the command takes."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="list | show | suggest | run")
    listing = actions.add_parser("list", help="the probes there are")
    arguments.add_json(listing)
    show = actions.add_parser("show", help="what a probe needs, takes and settles")
    show.add_argument("name", metavar="NAME")
    arguments.add_json(show)
    suggesting = actions.add_parser("suggest", help="the probes that would settle a session's hypotheses")
    arguments.add_session(suggesting)
    arguments.add_json(suggesting)
    running = actions.add_parser("run", help="run a probe on one host or on several")
    running.add_argument("name", metavar="NAME")
    running.add_argument(
        "--on", action="append", metavar="TARGET", help="a host, or several: gpu[1-8] (default: `local`, this machine)"
    )
    running.add_argument("--targets", type=Path, metavar="FILE", help="the targets file (default: targets.toml)")
    running.add_argument("--model", metavar="PATH", help="the model there (a GGUF file, or the first of its parts)")
    running.add_argument("--server", metavar="URL", help="the server there, as seen from the host")
    running.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="another argument of the probe"
    )
    running.add_argument("--python", default="python3", metavar="PATH", help="the interpreter there")
    running.add_argument("--for", dest="asked_for", metavar="SESSION:H", help="the hypothesis that it is to settle")
    arguments.add_json(running)


def run(args: argparse.Namespace) -> int:
    """List, show or run."""
    if args.action == "list":
        return _list(as_json=args.json)
    if args.action == "suggest":
        return _suggest(args)
    probe = catalogue.named(args.name)
    if args.action == "show":
        return _show(probe, as_json=args.json)
    known = targets.load(args.targets)
    chosen = [known.named(name) for name in expand(args.on or [LOCAL])]
    given, asked = _given(args, probe), _asked_for(args)
    if len(chosen) == 1:
        return _on_one(args, chosen[0], probe, given, asked)
    return asyncio.run(_on_several(args, chosen, probe, given, asked))


def draw(report: ProbeReport, on: Sequence[str] = ()) -> None:
    """Draw a probe's report: what it says of each hypothesis, and the figures under it; `on`: all hosts that say so."""
    document = report.document
    status = (document.status, _STATUSES[document.status])
    places = ", ".join(on) or report.target
    output.emit(Text.assemble((report.probe, "bold"), f" on {places}: ", status, f" in {report.duration:.1f} s"))
    if document.detail:
        output.emit(output.words(document.detail, indent=2))
    for finding in document.findings:
        output.emit(
            Text.assemble("  ", (f"{finding.answer:<13}", _ANSWERS[finding.answer]), output.words(finding.statement))
        )
        output.emit(Text(" " * 15).append_text(output.words(finding.why, "dim")))
    for one in document.measurements:
        output.emit(Text("  ").append_text(output.words(f"{one.name}: {one.value} {one.unit}".rstrip())))
    for control in document.controls:
        style = "" if control.passed else "bold red"
        passed = "passed" if control.passed else "FAILED"
        output.emit(Text("  ").append_text(output.words(f"{control.kind} control {control.name}: {passed}", style)))
    for path in document.never_run:
        output.emit(output.words(f"never run anywhere yet: {path}", "dim", indent=2))


def code(report: ProbeReport) -> int:
    """Return 1 if a probe found its fault, 6 if it could not tell, else 0."""
    answers = {finding.answer for finding in report.document.findings}
    if "confirmed" in answers:
        return FOUND
    return 0 if answers == {"refuted"} and report.document.status in {"ok", "degraded"} else UNDETERMINED


def _asked_for(args: argparse.Namespace) -> Asked:
    """The session and the key of the hypothesis that --for names."""
    if args.asked_for is None:
        return None
    session, colon, name = args.asked_for.rpartition(":")
    if not colon:
        raise UsageProblem(f"{args.asked_for!r} names no hypothesis.", hint="Write SESSION:H3.")
    with Reader.open(arguments.store_path(args)) as reader:
        row = reader.resolve(session)
        return row.id, arguments.hypothesis(reader.tree(row.id), name).key


def _store(args: argparse.Namespace, report: ProbeReport, asked: Asked) -> None:
    session, key = asked or (None, None)
    with Writer.open(arguments.store_path(args)) as writer:
        number = writer.save_probe(report, session, key)
    diagnostics.say(f"Kept as probe {number}" + (f" for {args.asked_for}." if asked else "."))


def _on_one(args: argparse.Namespace, target: Target, probe: Probe, given: Given, asked: Asked) -> int:
    report = asyncio.run(_run(target, probe, given, args.python))
    _store(args, report, asked)
    if args.json:
        output.emit_json(report.model_dump(mode="json"))
    else:
        draw(report)
    return code(report)


async def _on_several(
    args: argparse.Namespace, chosen: Sequence[Target], probe: Probe, given: Given, asked: Asked
) -> int:
    """Keep every report as it comes, and print them when all are there: those of hosts that say the same as one."""
    by_name = {target.name: target for target in chosen}
    run = partial(_run_named, by_name, probe, given, args.python)
    reports: dict[str, ProbeReport] = {}
    async with aclosing(fleet.everywhere(list(by_name), probe, run)) as coming:
        async for report in coming:
            _store(args, report, asked)
            reports[report.target] = report
    ordered = [reports[name] for name in by_name]
    if args.json:
        output.emit_json([report.model_dump(mode="json") for report in ordered])
    else:
        for folded in fleet.fold(ordered):
            draw(folded.report, folded.targets)
    codes = {code(report) for report in ordered}
    return FOUND if FOUND in codes else max(codes)


async def _run_named(by_name: Mapping[str, Target], probe: Probe, given: Given, python: str, name: str) -> ProbeReport:
    return await _run(by_name[name], probe, given, python)


async def _run(target: Target, probe: Probe, given: Given, python: str) -> ProbeReport:
    async with connect(target) as executor:
        diagnostics.say(f"{probe.name} on {target.name} …")
        way = runner.Way(python, heard=lambda line: diagnostics.say(f"{target.name}: {line}"))
        return await runner.run(executor, probe, given, way)


def _given(args: argparse.Namespace, probe: Probe) -> dict[str, str]:
    given = {name: value for name in ("model", "server") if (value := getattr(args, name)) is not None}
    for pair in args.set:
        name, equals, value = pair.partition("=")
        if not (name and equals):
            raise UsageProblem(f"{pair!r} sets nothing.", hint="Write --set NAME=VALUE.")
        given[name] = value
    foreign = set(given) - {argument.name for argument in probe.arguments}
    if foreign:
        raise BadInput(
            f"{probe.name} takes no {', '.join(sorted(foreign))}.", hint=f"See necropsy probe show {probe.name}."
        )
    return given


def _list(*, as_json: bool) -> int:
    probes = catalogue.probes()
    if as_json:
        output.emit_json([_describe(probe) for probe in probes])
        return 0
    columns = (output.Column("probe"), output.Column("needs"), output.Column("what it tells"))
    rows = (
        (output.words(probe.name, "bold"), output.words(", ".join(probe.needs)), output.words(probe.summary))
        for probe in probes
    )
    output.emit_table(columns, rows)
    return 0


def _show(probe: Probe, *, as_json: bool) -> int:
    if as_json:
        output.emit_json(_describe(probe))
        return 0
    output.emit(Text.assemble((probe.name, "bold"), "  ", output.words(probe.summary)))
    output.emit(output.words(f"needs {', '.join(probe.needs) or 'only python3'}"))
    for argument in probe.arguments:
        default = "" if argument.default is None else f", default {argument.default}"
        output.emit(output.words(f"{argument.name} ({argument.kind}{default}): {argument.help}", indent=2))
    for suspicion in probe.hypotheses:
        output.emit(output.words(f"settles: {suspicion.statement}", indent=2))
    for path in probe.never_run:
        output.emit(output.words(f"never run anywhere yet: {path}", "dim", indent=2))
    return 0


def _suggest(args: argparse.Namespace) -> int:
    with Reader.open(arguments.store_path(args)) as reader:
        session = reader.resolve(args.session)
        suggested = findings.suggest_for(reader.tree(session.id), catalogue.probes(), context=session.title)
    if args.json:
        output.emit_json(
            [
                {"hypothesis": node.id, "probe": one.probe.name, "settles": one.suspicion.statement, "terms": one.terms}
                for node, offered in suggested
                for one in offered
            ]
        )
        return 0
    for node, offered in suggested:
        output.emit(Text.assemble((f"{node.id} ", "bold"), output.words(node.statement)))
        for one in offered:
            output.emit(
                Text.assemble("   ", (one.probe.name, "bold"), "  ", output.words(one.suspicion.statement, "dim"))
            )
        if not offered:
            output.emit(Text("   no probe knows this", style="dim"))
    return 0


def _describe(probe: Probe) -> dict[str, Any]:
    return probe.model_dump(mode="json", exclude={"source"})
