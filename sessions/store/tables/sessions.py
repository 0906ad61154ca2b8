"""Rows of `sessions`."""

import hashlib
from typing import Any

from sessions.models.session import Session, Tally, Tokens
from sessions.store.rows import SessionRow
from sessions.store.tables.packing import pack, unpack

FACTS = (
    "id, source, digest, format, agent, agent_version, title, model, cwd, started, ended, parent, live, reconstructed, "
    "tokens, tally, messages, steps"
)
"""What the log says; the other columns come from the analysis."""
COLUMNS = f"{FACTS}, hypotheses, dead_ends, causes, note"

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
    fields = dict(zip(_NAMES, row, strict=True))
    del fields["digest"]
    fields["live"] = bool(fields["live"])
    fields["reconstructed"] = bool(fields["reconstructed"])
    fields["tokens"] = Tokens.model_construct(**unpack(fields["tokens"]))
    fields["tally"] = Tally.model_construct(**unpack(fields["tally"]))
    return SessionRow(**fields)


_NAMES = tuple(name.strip() for name in COLUMNS.split(","))
