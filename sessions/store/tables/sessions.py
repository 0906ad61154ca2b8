"""Rows of `sessions`."""

import hashlib
from dataclasses import fields
from typing import Any

from sessions.models.session import Session, Tokens
from sessions.store.rows import SessionRow
from sessions.store.tables.packing import pack

FACTS = (
    "id, source, digest, format, agent, agent_version, title, model, cwd, started, ended, parent, live, reconstructed, "
    "tokens, tally, messages, steps"
)
"""What the log says; the other columns come from the analysis."""
COLUMNS = ", ".join(field.name for field in fields(SessionRow))
"""What a listing shows, in the order of its row."""

UPSERT = f"""INSERT INTO sessions ({FACTS}) VALUES ({", ".join("?" * 18)}) ON CONFLICT (id) DO UPDATE SET
    {", ".join(f"{name} = excluded.{name}" for name in FACTS.split(", ") if name != "id")}, analysis = NULL"""  # noqa: S608 (names from above)

Row = tuple[Any, ...]


def to_row(session: Session, digest: str) -> Row:
    """Return the row of a session's facts."""
    return (
        session.id,
        session.source,
        digest,
        session.format,
        session.agent,
        session.agent_version,
        session.title,
        session.model,
        session.cwd,
        session.started,
        session.ended,
        session.parent,
        int(session.live),
        int(session.reconstructed),
        pack(session.tokens.model_dump()),
        pack(session.tally.model_dump()),
        len(session.messages),
        len(session.steps),
    )


def digest_of(facts: Row, messages: list[Row], steps: list[Row]) -> str:
    """Return the SHA-256 of all rows of a session: equal digests, equal sessions."""
    digest = hashlib.sha256(repr(facts).encode("utf-8", "surrogatepass"))
    for rows in (messages, steps):
        for row in rows:
            digest.update(repr(row).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def from_row(row: Row) -> SessionRow:
    """Return the row as a listing shows it."""
    values = list(row)
    values[_TOKENS] = Tokens.model_validate_json(row[_TOKENS])  # in 100,000 rows faster than model_construct
    for place in _FLAGS:
        values[place] = bool(row[place])
    return SessionRow(*values)


_PLACES = {name: place for place, name in enumerate(COLUMNS.split(", "))}
_TOKENS = _PLACES["tokens"]
_FLAGS = (_PLACES["live"], _PLACES["reconstructed"])
