"""A plan as the command line prints it: each step with what would be sent, or why nothing is; long texts are folded."""

from collections.abc import Iterator, Sequence

from rich.text import Text

from probes.host.targets import Target
from sessions.ingest import display
from sessions.models.replay import Plan, PlannedStep
from tui.cli import output

MOST = 6
"""Lines of one text that are printed before the rest is folded."""
_DECISIONS = {"run": "green", "ask": "yellow", "refuse": "red"}
_INDENT = " " * 13


def draw(plan: Plan, target: Target, *, full: bool) -> None:
    """Print a plan; `full`: with every line of what it sends and runs."""
    where = f"{target.host or target.name}" + (f" as {target.user}" if target.user else "")
    output.emit(Text.assemble(("Plan", "bold"), f" for {plan.target} ({where})"))
    for recorded in sorted({step.recorded_host for step in plan.steps if step.recorded_host and step.sent is not None}):
        output.emit(output.words(f"{recorded} in the log is {plan.target} here", indent=2))
    for step in plan.steps:
        output.emit(_drawn(step, full=full), hang=len(_INDENT) + 2)


def _drawn(step: PlannedStep, *, full: bool) -> Text:
    drawn = Text.assemble(
        (f"{step.step:>5} ", "bold"), (f"{step.decision:<7}", _DECISIONS[step.decision]), f"{step.effect:<15}"
    )
    first, *rest = fold((step.sent if step.sent is not None else step.command).split("\n"), full=full)
    drawn.append(display.safe(first))
    for line in rest:
        drawn.append("\n" + _INDENT + "  " + display.safe(line))
    for line in (*_starting(step), *step.reasons, *scratch_lines(step, full=full), *_mapped(step)):
        drawn.append("\n" + _INDENT).append(display.safe(line.replace("\n", "⏎")), "dim")
    return drawn


def _starting(step: PlannedStep) -> Iterator[str]:
    if step.sent is not None and step.cwd is not None:
        yield f"in {step.cwd}"


def fold(lines: Sequence[str], *, full: bool) -> Sequence[str]:
    """Return the lines of a text, unless `full` only the first of many and how many more there are."""
    if full or len(lines) <= MOST + 1:
        return lines
    return [*lines[:MOST], f"… {len(lines) - MOST} more lines; --full shows them"]


def scratch_lines(step: PlannedStep, *, full: bool = True) -> Iterator[str]:
    """Yield what a person must see of a step before it runs in a scratch folder: its code, the files there."""
    if step.scratch is None:
        return
    for file in step.scratch.files:
        origins = ", ".join(map(str, file.origins))
        yield f"{file.place} is {file.path} of step {origins}, sha256 {file.digest[:12]}"
    for name, value in step.scratch.env:
        yield f"with {name}={value}"
    for path, place in step.scratch.written:
        yield f"writes {place}, which is {path} in the log"
    if step.scratch.after:
        yield f"after step {', '.join(map(str, step.scratch.after))}, which writes what it reads"
    if step.scratch.script:
        yield "the code:"
        yield from (f"  | {line}" for line in fold(step.scratch.script.split("\n"), full=full))


def _mapped(step: PlannedStep) -> Iterator[str]:
    if step.scratch is None or not step.scratch.written:  # else it is told above
        yield from (f"{recorded} is {there} there" for recorded, there in step.mapped_paths)
