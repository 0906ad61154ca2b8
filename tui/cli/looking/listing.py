"""``necropsy list``: the sessions in the store."""

import argparse

from sessions import times
from sessions.ingest import display
from sessions.store.reader import Reader
from sessions.store.rows import SessionRow
from tui.cli import arguments, output


def configure(parser: argparse.ArgumentParser) -> None:
    """Say which arguments the command takes."""
    arguments.add_json(parser)


def run(args: argparse.Namespace) -> int:
    """List the sessions, newest first."""
    with Reader.open(arguments.store_path(args)) as reader:
        rows = reader.sessions()
    if args.json:
        output.emit_json([describe(row) for row in rows])
    else:
        output.emit_table(_COLUMNS, (_line(row) for row in rows))
    return 0


def describe(row: SessionRow) -> dict[str, object]:
    """Return a session as the JSON listing shows it."""
    return {
        "id": row.id,
        "title": row.title,
        "format": row.format,
        "agent": row.agent,
        "agent_version": row.agent_version,
        "model": row.model,
        "started": row.started,
        "ended": row.ended,
        "cwd": row.cwd,
        "parent": row.parent,
        "live": row.live,
        "reconstructed": row.reconstructed,
        "source": row.source,
        "messages": row.messages,
        "steps": row.steps,
        "hypotheses": row.hypotheses,
        "dead_ends": row.dead_ends,
        "causes": row.causes,
        "tokens": row.tokens.model_dump(),
    }


_COLUMNS = (
    output.Column("session", style="bold"),
    output.Column("agent"),
    output.Column("started"),
    output.Column("steps", right=True),
    output.Column("hypotheses", right=True),
    output.Column("✓", right=True, style="green"),
    output.Column("✗⊘", right=True, style="red"),
    output.Column("title"),
)


def _line(row: SessionRow) -> tuple[str, ...]:
    return (
        display.line(row.id[:16]),
        display.line(row.agent),
        times.local(row.started),
        str(row.steps),
        str(row.hypotheses),
        str(row.causes or ""),
        str(row.dead_ends or ""),
        display.line(row.title),
    )
