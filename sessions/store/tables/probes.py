"""Rows of `probes`: what a diagnostic said of a host, and of which hypothesis it was asked."""

import sqlite3
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from sessions.models.probe import ProbeReport
from sessions.store.rows import ProbeRow
from sessions.store.tables.packing import pack

if TYPE_CHECKING:
    from sessions.ingest.redact import Redactor


class Asked(NamedTuple):
    """The hypothesis that a probe was asked for: its session and key, or neither."""

    session: str | None = None
    key: str | None = None


_INSERT = "INSERT INTO probes (session, key, target, name, started, report) VALUES (?, ?, ?, ?, ?, ?)"
_SELECT = (
    "SELECT number, probes.session, hypotheses.id, report FROM probes LEFT JOIN hypotheses "
    "ON hypotheses.session = probes.session AND hypotheses.key = probes.key WHERE probes.session IS ? ORDER BY number"
)


def add(connection: sqlite3.Connection, report: ProbeReport, asked: Asked, redactor: "Redactor") -> int:
    """Store a report without the secrets that a host may have printed, and return its number."""
    document = _redact(report.model_dump(mode="json", exclude_defaults=True), redactor)
    row = [asked.session, asked.key, report.target, report.probe, report.started, pack(document)]
    return int(connection.execute(_INSERT, row).lastrowid or 0)


def _redact(value: Any, redactor: "Redactor") -> Any:
    if isinstance(value, str):
        return redactor.text(value)
    if isinstance(value, Mapping):
        return {name: _redact(each, redactor) for name, each in value.items()}
    if isinstance(value, list):
        return [_redact(each, redactor) for each in value]
    return value


def read(connection: sqlite3.Connection, session: str | None) -> tuple[ProbeRow, ...]:
    """Return what probes said for a session, oldest first; with None what was asked for no session.

    An older layout, which no writer has opened since, has none.
    """
    if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'probes'").fetchone() is None:
        return ()
    rows = connection.execute(_SELECT, [session]).fetchall()
    return tuple(
        ProbeRow(number, asked_for, hypothesis, ProbeReport.model_validate_json(report))
        for number, asked_for, hypothesis, report in rows
    )
