"""``necropsy policy``: what a command could do, and whether a replay would run it. Runs nothing."""

import argparse
import json
import secrets
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from rich.text import Text

from replay.policy.coverage import Coverage, cover
from replay.policy.judge import judge
from replay.policy.judgement import Judgement
from replay.policy.lines import second
from replay.policy.programs.git import folded
from sessions.errors import BadInput, PolicyRefusal
from sessions.ingest.events import Count
from sessions.ingest.pipeline import read
from sessions.ingest.redact import Redactor
from sessions.ingest.sniff import recognise
from sessions.models.replay import Decision
from sessions.models.session import Step
from sessions.store.reader import Reader
from tui.cli import arguments, diagnostics, output


def configure(parser: argparse.ArgumentParser) -> None:
    """Say which arguments the command takes."""
    parser.add_argument(
        "commands",
        nargs="*",
        metavar="COMMAND",
        help='a command line each; without any, JSON lines {"command": …} from standard input',
    )
    parser.add_argument(
        "--session",
        action="append",
        default=[],
        metavar="SESSION",
        help="count over the shell steps of a stored session",
    )
    parser.add_argument(
        "--log", action="append", default=[], type=Path, metavar="PATH", help="count over a log or a folder of logs"
    )
    parser.add_argument("--summary", action="store_true", help="count over the commands given; do not print each")
    arguments.add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Judge each command in order; exit with 5 if one that was named on the command line would be refused."""
    if second.program() is None:
        diagnostics.say("The second parser, shfmt, is not installed, so nothing would run: pip install shfmt-py.")
    if args.session or args.log:
        _print_coverage(cover(_steps(args)), as_json=args.json)
        return 0
    judgements = map(judge, args.commands or _from_stdin(sys.stdin))
    if args.summary:
        _print_coverage(cover(judgements), as_json=args.json)
        return 0
    refused = False
    for judgement in judgements:
        refused = refused or judgement.decision == "refuse"
        if args.json or not args.commands:
            output.emit_json_line(describe(judgement))
        else:
            _print(judgement)
    return PolicyRefusal.exit_code if refused and args.commands else 0


def describe(judgement: Judgement) -> dict[str, object]:
    """Return the judgement of one command as the JSON surface has it."""
    return {
        "command": judgement.command,
        "effect": judgement.effect,
        "decision": judgement.decision,
        "reasons": list(judgement.reasons),
        "sent": judgement.sent,
    }


def _steps(args: argparse.Namespace) -> Iterator[Judgement]:
    """Judge the shell steps of stored sessions and of logs."""
    if args.session:
        with Reader.open(arguments.store_path(args)) as reader:
            for name in args.session:
                yield from _judged(reader.steps(reader.resolve(name).id))
    redactor, seen = Redactor(secrets.token_bytes(32)), set()
    for path in args.log:
        for source in recognise(path):
            for session in read(source, redactor, Count()):
                if session.id not in seen:
                    seen.add(session.id)
                    yield from _judged(session.steps)


def _judged(steps: Iterable[Step]) -> Iterator[Judgement]:
    return (judge(step.command, step.cwd) for step in steps if step.kind == "shell")


def _print_coverage(coverage: Coverage, *, as_json: bool) -> None:
    total = coverage.total()
    if as_json:
        rows = [{"family": name, **_figures(counts)} for name, counts in coverage.rows()]
        output.emit_json({**_figures(total), "families": rows})
        return
    names = ("commands", "run", "ask", "refuse", "run %", "run or ask %")
    lines = ([Text(name), *map(Text, _cells(counts))] for name, counts in [*coverage.rows(), ("all", total)])
    output.emit_table([output.Column("family"), *(output.Column(name, right=True) for name in names)], lines)


def _cells(counts: Counter[Decision]) -> tuple[str, ...]:
    count, run, ask, refuse = counts.total(), counts["run"], counts["ask"], counts["refuse"]
    shares = [f"{100 * part / count:.1f}" if count else "-" for part in (run, run + ask)]
    return str(count), str(run), str(ask), str(refuse), *shares


def _figures(counts: Counter[Decision]) -> dict[str, object]:
    return {"commands": counts.total(), "run": counts["run"], "ask": counts["ask"], "refuse": counts["refuse"]}


def _from_stdin(lines: Iterable[str]) -> Iterable[str]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            command = json.loads(line)["command"]
        except (ValueError, KeyError, TypeError) as error:
            raise BadInput(f'Line {number} of standard input is no {{"command": …}}.', hint=str(error)) from error
        if not isinstance(command, str):
            raise BadInput(f"Line {number} of standard input: the command is no text.")
        yield command


def _print(judgement: Judgement) -> None:
    style = {"run": "green", "ask": "yellow", "refuse": "red"}[judgement.decision]
    output.emit(
        Text.assemble((f"{judgement.decision:<7}", style), f"{judgement.effect:<15}", output.words(judgement.command))
    )
    for reason in judgement.reasons:
        output.emit(Text.assemble("       ", output.words(reason, "dim")))
    if judgement.sent:
        output.emit(Text.assemble("       sends ", output.words(folded(judgement.sent), "bold")))
