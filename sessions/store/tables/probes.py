"""Rows of `probes`: what a diagnostic said of a host, and of which hypothesis it was asked."""

import sqlite3

from sessions.models.probe import ProbeReport
from sessions.store.rows import ProbeRow

_INSERT = "INSERT INTO probes (session, key, target, name, started, report) VALUES (?, ?, ?, ?, ?, ?)"
_SELECT = (
    "SELECT number, probes.session, hypotheses.id, report FROM probes LEFT JOIN hypotheses "
    "ON hypotheses.session = probes.session AND hypotheses.key = probes.key WHERE probes.session IS ? ORDER BY number"
)


def add(connection: sqlite3.Connection, report: ProbeReport, session: str | None, key: str | None) -> int:
    """Store a report, asked for the hypothesis `key` of a session or for none, and return its number."""
    row = [session, key, report.target, report.probe, report.started, report.model_dump_json(exclude_defaults=True)]
    return int(connection.execute(_INSERT, row).lastrowid or 0)


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
