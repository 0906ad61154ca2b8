"""opencode's database (``opencode.db``, since 1.2): tables `session`, `message` and `part`, each row with its JSON.

Which columns there are differs from version to version, so they are asked for. Tables with credentials (`account`,
`control_account`, `session_share`) are never read. A row has no place in the file that would mean something: its span
is the whole of the row's JSON, and `file` says ``message/ID`` or ``part/ID``.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from sessions.errors import NecropsyError
from sessions.formats.opencode_connection import connect
from sessions.formats.opencode_parts import AGENT, FOLDERS, Frame, Piece, about, frame, load, output_folders, tell
from sessions.ingest.events import Count, Event
from sessions.ingest.source import Source
from sessions.models.session import Span

name = "opencode-db"
agent = AGENT
folders = FOLDERS

_MAGIC = b"SQLite format 3\0"
_TABLES = frozenset({"session", "message", "part"})
_COLUMNS = ("title", "version", "directory", "parent_id", "time_created", "time_updated", "revert", "metadata")


def sniff(path: Path, head: bytes) -> bool:
    """Tell whether a database has opencode's tables; one that cannot be opened now is told by its first pages."""
    if not head.startswith(_MAGIC):
        return False
    try:
        with connect(path) as database:
            return _tables(database) >= _TABLES
    except NecropsyError:
        return all(f"CREATE TABLE `{table}`".encode() in head for table in _TABLES)


def sources(path: Path) -> Iterable[Source]:
    """Return one source per session, newest last; each has an equal share of the size.

    Raises BadInput or EnvironmentProblem.
    """
    with connect(path) as database:
        parts = _counts(database, "part")
        messages = _counts(database, "message")
        query = _select(f"id, {_known(database, 'session', ('time_updated',))}", "session", "ORDER BY id DESC")
        rows = database.execute(query).fetchall()
        share = path.stat().st_size // max(1, len(rows))
        return [
            Source(path, name, f"{updated}:{messages.get(key)}:{parts.get(key)}", share, _text(key) or "")
            for key, updated in rows
        ]


def read(source: Source, count: Count) -> Iterator[Event]:
    """Yield the events of one session; a row that cannot be read is counted and left out."""
    with connect(source.path) as database:
        try:
            database.execute("BEGIN")  # all queries see the same moment of a session that grows
            yield from _session(database, source, count)
        except sqlite3.DatabaseError:
            count.skipped += 1


def _session(database: sqlite3.Connection, source: Source, count: Count) -> Iterator[Event]:
    session = source.part
    second = _second_model(database, session, count)
    messages = list(database.execute(
        "SELECT id, time_created FROM message WHERE session_id = ? ORDER BY time_created, id", (session,)
    ))  # fmt: skip
    info = _info(database, session)
    count.read += 1
    if messages or not second:
        yield about(info, session)
    shared = frame(info, session, output_folders(source.path.parent))
    for key, created in messages:
        yield from _message(database, (_text(key) or "", created), shared, count)
    count.skipped += _orphans(database, session)


def _message(database: sqlite3.Connection, message: tuple[str, object], shared: Frame, count: Count) -> Iterator[Event]:
    key, created = message
    rows = database.execute("SELECT data FROM message WHERE id = ?", (key,)).fetchall()
    info = next(_pieces([(key, row[0]) for row in rows], "message", count), None)
    parts = database.execute("SELECT id, data FROM part WHERE message_id = ? ORDER BY id", (key,))
    if info is None:
        count.skipped += len(parts.fetchall())
        return
    pieces = list(_pieces(((_text(row[0]) or "", row[1]) for row in parts), "part", count))
    yield from tell({"time": {"created": created}, **info.value}, pieces, shared, count)


def _pieces(rows: Iterable[tuple[str, Any]], table: str, count: Count) -> Iterator[Piece]:
    """Put back the id that a row has in its column only."""
    for key, data in rows:
        count.read += 1
        raw = data if isinstance(data, bytes) else str(data).encode()
        value = load(raw)
        if value is None:
            count.skipped += 1
        else:
            yield Piece({**value, "id": key}, Span(start=0, end=len(raw), file=f"{table}/{key}"))


def _info(database: sqlite3.Connection, session: str) -> dict[str, Any]:
    query = _select(_known(database, "session", _COLUMNS), "session", "WHERE id = ?")
    row = database.execute(query, (session,)).fetchone() or (None,) * len(_COLUMNS)
    title, version, directory, parent, created, updated, revert, metadata = row
    return {
        "title": _text(title), "version": _text(version), "directory": _text(directory), "parentID": _text(parent),
        "time": {"created": created, "updated": updated},
        "revert": load(revert) if isinstance(revert, bytes) else None,
        "metadata": load(metadata) if isinstance(metadata, bytes) else None,
    }  # fmt: skip


def _known(database: sqlite3.Connection, table: str, columns: tuple[str, ...]) -> str:
    """Return the wanted columns for a SELECT, with NULL in the place of those that this version lacks."""
    there = {_text(row[1]) for row in database.execute(f"PRAGMA table_info({table})")}
    return ", ".join(column if column in there else "NULL" for column in columns)


def _select(columns: str, table: str, rest: str) -> str:
    return f"SELECT {columns} FROM {table} {rest}"  # noqa: S608  (names from this module; values are bound)


def _tables(database: sqlite3.Connection) -> set[str | None]:
    return {_text(row[0]) for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}


def _counts(database: sqlite3.Connection, table: str) -> dict[bytes, str]:
    columns = f"session_id, count(*), max({_known(database, table, ('time_updated',))})"
    rows = database.execute(_select(columns, table, "GROUP BY session_id"))
    return {row[0]: f"{row[1]}@{row[2]}" for row in rows}


def _second_model(database: sqlite3.Connection, session: str, count: Count) -> bool:
    """Count the rows of opencode's coming second model, which is not read, and tell whether there are any."""
    if "session_message" not in _tables(database):
        return False
    query = _select(_known(database, "session_message", ("type",)), "session_message", "WHERE session_id = ?")
    rows = database.execute(query, (session,)).fetchall()
    for row in rows:
        count.read += 1
        count.meet_unknown(f"session_message:{_text(row[0])}")
    return bool(rows)


def _orphans(database: sqlite3.Connection, session: str) -> int:
    query = (
        "SELECT count(*) FROM part WHERE session_id = ?1"
        " AND message_id NOT IN (SELECT id FROM message WHERE session_id = ?1)"
    )
    return int(database.execute(query, (session,)).fetchone()[0])


def _text(value: object) -> str | None:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else None
