"""``necropsy policy``: what a command could do, and whether a replay would run it. Runs nothing."""

import argparse
import json
import sys
from collections.abc import Iterable

from rich.text import Text

from replay.policy.judge import judge
from sessions.errors import BadInput, PolicyRefusal
from tui.cli import arguments, output


def configure(parser: argparse.ArgumentParser) -> None:
    """Say which arguments the command takes."""
    parser.add_argument(
        "commands",
        nargs="*",
        metavar="COMMAND",
        help='a command line each; without any, JSON lines {"command": …} from standard input',
    )
    arguments.add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Judge each command in order; exit with 5 if one that was named on the command line would be refused."""
    refused = False
    for command in args.commands or _from_stdin(sys.stdin):
        verdict = describe(command)
        refused = refused or verdict["decision"] == "refuse"
        if args.json or not args.commands:
            output.emit_json_line(verdict)
        else:
            _print(verdict)
    return PolicyRefusal.exit_code if refused and args.commands else 0


def describe(command: str) -> dict[str, object]:
    """Return the judgement of one command as the JSON surface has it."""
    judgement = judge(command)
    return {
        "command": command,
        "effect": judgement.effect,
        "decision": judgement.decision,
        "reasons": list(judgement.reasons),
        "sent": judgement.sent,
    }


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


def _print(verdict: dict[str, object]) -> None:
    style = {"run": "green", "ask": "yellow", "refuse": "red"}[str(verdict["decision"])]
    output.emit(
        Text.assemble(
            (f"{verdict['decision']:<7}", style), f"{verdict['effect']:<15}", output.words(str(verdict["command"]))
        )
    )
    for reason in verdict["reasons"] if isinstance(verdict["reasons"], list) else ():
        output.emit(Text.assemble("       ", output.words(str(reason), "dim")))
    if verdict["sent"]:
        output.emit(Text.assemble("       sends ", output.words(str(verdict["sent"]), "bold")))
