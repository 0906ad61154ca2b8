"""``necropsy steps``: what was run, in order, or one step whole."""

import argparse

from rich.text import Text

from sessions import times
from sessions.ingest import display
from sessions.models.session import Step
from sessions.store.reader import Reader
from sessions.store.rows import StepLine
from tui.cli import arguments, output


def configure(parser: argparse.ArgumentParser) -> None:
    """Say which arguments the command takes."""
    arguments.add_session(parser)
    parser.add_argument("--only", metavar="STEPS", help="only these, each whole with its output: 3,7-9")
    parser.add_argument("--hypothesis", metavar="H", help="only the steps that are evidence for or against H")
    arguments.add_json(parser)


def run(args: argparse.Namespace) -> int:
    """List a session's steps, or print some of them whole."""
    with Reader.open(arguments.store_path(args)) as reader:
        session = reader.resolve(args.session)
        chosen = _chosen(args, reader, session.id)
        if chosen is not None:
            _print_whole([reader.step(session.id, number) for number in chosen], as_json=args.json)
            return 0
        lines = reader.step_lines(session.id)
    if args.json:
        output.emit_json([_describe(line) for line in lines])
    else:
        output.emit_table(_COLUMNS, map(_row, lines))
    return 0


def _chosen(args: argparse.Namespace, reader: Reader, session: str) -> tuple[int, ...] | None:
    if args.only:
        return arguments.numbers(args.only)
    if args.hypothesis:
        node = arguments.hypothesis(reader.tree(session), args.hypothesis)
        return tuple(sorted({evidence.step for evidence in node.evidence}))
    return None


def _print_whole(steps: list[Step], *, as_json: bool) -> None:
    if as_json:
        output.emit_json([step.model_dump(mode="json") for step in steps])
        return
    for step in steps:
        output.emit(Text.assemble((f"step {step.ordinal}", "bold"), f"  {_facts(step)}"))
        output.emit_text(f"$ {display.safe(step.command)}\n{display.safe(step.output).rstrip()}\n\n")


def _facts(step: Step) -> str:
    hosts = sorted({command.host for command in step.commands if command.host})
    facts = [
        step.tool,
        f"on {', '.join(hosts)}" if hosts else "",
        f"exit {step.exit_code}" if step.exit_code is not None else step.status,
        f"{step.duration:.1f} s" if step.duration is not None else "",
        times.local(step.started),
        "output cut by the agent's program" if step.truncated else "",
    ]
    return display.line(" · ".join(fact for fact in facts if fact))


def _describe(line: StepLine) -> dict[str, object]:
    return {
        "ordinal": line.ordinal,
        "message": line.message,
        "kind": line.kind,
        "tool": line.tool,
        "command": line.command,
        "output_size": line.output_size,
        "status": line.status,
        "exit_code": line.exit_code,
        "started": line.started,
        "duration": line.duration,
        "truncated": line.truncated,
        "continues": line.continues,
        "child": line.child,
    }


_COLUMNS = (
    output.Column("step", right=True),
    output.Column("kind"),
    output.Column("exit", right=True),
    output.Column("seconds", right=True),
    output.Column("bytes", right=True),
    output.Column("command"),
)


def _row(line: StepLine) -> tuple[Text, ...]:
    code = "" if line.exit_code is None else str(line.exit_code)
    return (
        Text(str(line.ordinal)),
        output.words(line.kind),
        Text(code, style="red" if line.exit_code else ""),
        Text("" if line.duration is None else f"{line.duration:.1f}"),
        Text(str(line.output_size)),
        output.words(line.command),
    )
