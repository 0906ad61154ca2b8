"""Rows of `steps`."""

from typing import Any

from sessions.models.command import Command
from sessions.models.session import Step
from sessions.store.rows import StepLine
from sessions.store.tables.blobs import Output
from sessions.store.tables.packing import pack_models, pack_span, unpack, unpack_span

COLUMNS = (
    "session, ordinal, message, kind, tool, call_id, status, exit_code, exit_source, started, duration, truncated, "
    "continues, child, abandoned, cwd, span, result_span, output_size, blob, command, commands, output"
)
LINE_COLUMNS = (
    "ordinal, message, kind, tool, command, output_size, status, exit_code, started, duration, truncated, continues, "
    "child, abandoned"
)
BLOB, COMMAND, OUTPUT = 19, 20, 22
"""Places of these columns in a row."""

_LISTS = ("argv", "jumps", "redirects", "within")

Row = tuple[Any, ...]


def to_row(session: str, step: Step, output: Output) -> Row:
    """Return the row of a step, its output as `blobs.divide` divided it."""
    return (
        session,
        step.ordinal,
        step.message,
        step.kind,
        step.tool,
        step.call_id,
        step.status,
        step.exit_code,
        step.exit_source,
        step.started,
        None if step.duration is None else float(step.duration),
        int(step.truncated),
        step.continues,
        step.child,
        int(step.abandoned),
        step.cwd,
        pack_span(step.span),
        pack_span(step.result_span),
        output.size,
        output.blob,
        step.command,
        pack_models(step.commands) if step.commands else "[]",
        output.inline,
    )


def from_row(row: Row, output: str) -> Step:
    """Return the step of a row, with its whole `output`, not validated again."""
    fields = dict(zip(_NAMES, row, strict=True))
    for name in ("session", "output_size", "blob"):
        del fields[name]
    fields["truncated"] = bool(fields["truncated"])
    fields["abandoned"] = bool(fields["abandoned"])
    fields["span"] = unpack_span(fields["span"])
    fields["result_span"] = unpack_span(fields["result_span"])
    fields["commands"] = tuple(_command(each) for each in unpack(fields["commands"]))
    fields["output"] = output
    return Step.model_construct(**fields)


def line_from_row(row: Row) -> StepLine:
    """Return the line of a row with LINE_COLUMNS."""
    fields = dict(zip(_LINE_NAMES, row, strict=True))
    fields["truncated"] = bool(fields["truncated"])
    fields["abandoned"] = bool(fields["abandoned"])
    return StepLine(**fields)


def _command(fields: dict[str, Any]) -> Command:
    for name in _LISTS:
        if name in fields:
            fields[name] = tuple(fields[name])
    return Command.model_construct(**fields)


_NAMES = tuple(name.strip() for name in COLUMNS.split(","))
_LINE_NAMES = tuple(name.strip() for name in LINE_COLUMNS.split(","))
