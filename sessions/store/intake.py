"""Taking the sessions of one source in: which are new, which grew, which are copies of what is there."""

import sqlite3
from collections.abc import Sequence
from typing import Literal, NamedTuple

from sessions.ingest.source import Source
from sessions.models.session import Session, Tally
from sessions.store import analyses, contents
from sessions.store.copies import relate
from sessions.store.tables import sessions as table
from sessions.store.tables.packing import pack, unpack

Status = Literal["new", "updated", "unchanged", "known", "empty"]

_ORDER: tuple[Status, ...] = ("new", "updated", "known", "unchanged")


class Stored(NamedTuple):
    """What came of a source: the strongest status of its sessions, and their ids in the store."""

    status: Status
    sessions: tuple[str, ...]


class Standing(NamedTuple):
    """What the store has of a source: when it was read last, and what it held then."""

    stamp: str
    tally: Tally
    sessions: tuple[str, ...]
    messages: int
    steps: int


class _Place(NamedTuple):
    id: str
    status: Status


def take_in(connection: sqlite3.Connection, source: Source, sessions: Sequence[Session], tally: Tally) -> Stored:
    """Store the sessions of `source` inside the open transaction; only what differs is written."""
    live = any(session.live for session in sessions)
    connection.execute(
        """INSERT INTO sources VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (name) DO UPDATE SET format = excluded.format,
        stamp = excluded.stamp, size = excluded.size, tally = excluded.tally, live = excluded.live""",
        [source.name, source.format, source.stamp, source.size, pack(tally.model_dump()), int(live)],
    )
    places = {session.id: _place(connection, source, session) for session in sessions}
    names = {old: place.id for old, place in places.items()}
    statuses = [_write(connection, _rename(session, names), places[session.id].status) for session in sessions]
    status: Status = next((each for each in _ORDER if each in statuses), "empty")
    return Stored(status, tuple(names.values()))


def standing(connection: sqlite3.Connection, source: str) -> Standing | None:
    """Return what the store has of a source; None if it was never taken in."""
    row = connection.execute("SELECT stamp, tally FROM sources WHERE name = ?", [source]).fetchone()
    if row is None:
        return None
    rows = connection.execute("SELECT id, messages, steps FROM sessions WHERE source = ? ORDER BY id", [source])
    held = rows.fetchall()
    ids = tuple(id_ for id_, _, _ in held)
    return Standing(
        row[0],
        Tally.model_construct(**unpack(row[1])),
        ids,
        sum(each[1] for each in held),
        sum(each[2] for each in held),
    )


def _place(connection: sqlite3.Connection, source: Source, session: Session) -> _Place:
    """Find where a session belongs: its own row, that of a shorter or longer copy, or a free name."""
    rows = _namesakes(connection, session.id)
    for id_, origin in rows:
        if origin == source.name:
            return _Place(id_, "updated")
    told = (session.messages, session.steps)
    for id_, _ in rows:
        relation = relate(contents.read(connection, id_), told)
        if relation != "other":
            return _Place(id_, "known" if relation == "known" else "updated")
    taken = {id_ for id_, _ in rows}
    return _Place(_free_name(session.id, taken), "new")


def _namesakes(connection: sqlite3.Connection, name: str) -> list[tuple[str, str]]:
    """Return (id, source) of the session `name` and of its forks ``name~2``, ``name~3`` …, in this order."""
    found = connection.execute(
        "SELECT id, source FROM sessions WHERE id = ?1 OR (id >= ?1 || '~' AND id < ?1 || '~:')", [name]
    ).fetchall()
    numbered = [(_fork_number(id_, name), id_, origin) for id_, origin in found]
    return [(id_, origin) for number, id_, origin in sorted(numbered) if number]


def _fork_number(id_: str, name: str) -> int:
    if id_ == name:
        return 1
    rest = id_[len(name) + 1 :]
    return int(rest) if rest.isdecimal() else 0


def _free_name(name: str, taken: set[str]) -> str:
    number = 1
    free = name
    while free in taken:
        number += 1
        free = f"{name}~{number}"
    return free


def _rename(session: Session, names: dict[str, str]) -> Session:
    """Return `session` under its name in the store, its parent and children under theirs."""
    if all(old == new for old, new in names.items()):
        return session
    steps = tuple(
        step.model_copy(update={"child": names[step.child]}) if step.child in names else step for step in session.steps
    )
    parent = names.get(session.parent, session.parent) if session.parent else None
    return session.model_copy(update={"id": names[session.id], "parent": parent, "steps": steps})


def _write(connection: sqlite3.Connection, session: Session, status: Status) -> Status:
    if status == "known":
        return status
    rows = contents.to_rows(session)
    digest = table.digest_of(table.to_row(session, ""), rows.messages, rows.steps)
    if status == "updated" and _digest_in_store(connection, session.id) == digest:
        return "unchanged"
    model = _lasting_model(connection, session) if status == "updated" else None
    connection.execute(table.UPSERT, table.to_row(session, digest))
    if status == "new":
        contents.insert(connection, rows)
    else:
        contents.update(connection, rows)
    if model is not None:
        analyses.keep_model(connection, session.id, model)
    return status


def _lasting_model(connection: sqlite3.Connection, session: Session) -> str | None:
    """Return the model that made a tree of the session, if all that the tree may cite still stands in the log."""
    model = analyses.read_model(connection, session.id)
    if model is None:
        return None
    relation = relate(contents.read(connection, session.id), (session.messages, session.steps))
    return None if relation == "other" else model


def _digest_in_store(connection: sqlite3.Connection, session: str) -> str:
    return str(connection.execute("SELECT digest FROM sessions WHERE id = ?", [session]).fetchone()[0])
