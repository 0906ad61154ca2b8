"""The messages and steps of one stored session: read whole, or brought up to date row by row."""

import sqlite3
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from sessions.models.session import Message, Session, Step
from sessions.store.tables import blobs, messages, steps, words
from sessions.store.tables.words import Document

_MESSAGES = f"SELECT {messages.COLUMNS} FROM messages WHERE session = ? ORDER BY ordinal"  # noqa: S608 (names of columns)
_EARLIER = _MESSAGES.replace(messages.COLUMNS, messages.BEFORE_TOKENS)
_HAS_TOKENS = "SELECT 1 FROM pragma_table_info('messages') WHERE name = 'tokens'"
_STEPS = f"SELECT {steps.COLUMNS} FROM steps WHERE session = ? ORDER BY ordinal"  # noqa: S608 (as above)
_PUT_MESSAGE = f"INSERT OR REPLACE INTO messages ({messages.COLUMNS}) VALUES ({', '.join('?' * 10)})"  # noqa: S608 (as above)
_PUT_STEP = f"INSERT OR REPLACE INTO steps ({steps.COLUMNS}) VALUES ({', '.join('?' * 23)})"  # noqa: S608 (as above)


class Rows(NamedTuple):
    """A session's messages and steps as rows; `outputs` holds, step by step, what goes to blobs."""

    messages: list[messages.Row]
    steps: list[steps.Row]
    outputs: list[blobs.Output]
    session: Session


class Contents(NamedTuple):
    """What was said and done in a session."""

    messages: tuple[Message, ...]
    steps: tuple[Step, ...]


def read(connection: sqlite3.Connection, session: str) -> Contents:
    """Return all messages and steps of a session."""
    return Contents(read_messages(connection, session), read_steps(connection, session))


def to_rows(session: Session) -> Rows:
    """Return the rows of a session's messages and steps."""
    outputs = [blobs.divide(step.output) for step in session.steps]
    return Rows(
        [messages.to_row(session.id, message) for message in session.messages],
        [steps.to_row(session.id, step, output) for step, output in zip(session.steps, outputs, strict=True)],
        outputs,
        session,
    )


def read_messages(connection: sqlite3.Connection, session: str) -> tuple[Message, ...]:
    """Return all messages of a session."""
    query = _MESSAGES if connection.execute(_HAS_TOKENS).fetchone() else _EARLIER
    return tuple(map(messages.from_row, connection.execute(query, [session])))


def read_steps(connection: sqlite3.Connection, session: str) -> tuple[Step, ...]:
    """Return all steps of a session with their whole outputs."""
    return tuple(
        steps.from_row(row, blobs.whole(connection, row[steps.OUTPUT], row[steps.BLOB]))
        for row in connection.execute(_STEPS, [session]).fetchall()
    )


def insert(connection: sqlite3.Connection, rows: Rows) -> None:
    """Store the contents of a session that is not there yet."""
    _put(connection, rows, set(range(len(rows.messages))), set(range(len(rows.steps))))


def update(connection: sqlite3.Connection, rows: Rows) -> None:
    """Make the stored contents of a session equal to `rows`, touching only what differs."""
    session = rows.session.id
    old_messages = connection.execute(_MESSAGES, [session]).fetchall()
    old_steps = connection.execute(_STEPS, [session]).fetchall()
    stale_messages = [row for row, new in _pairs(old_messages, rows.messages) if row != new]
    stale_steps = [row for row, new in _pairs(old_steps, rows.steps) if row != new]
    words.remove(connection, _documents(connection, stale_messages, stale_steps))
    connection.executemany(
        "DELETE FROM messages WHERE session = ? AND ordinal = ?", [row[:2] for row in stale_messages]
    )
    connection.executemany("DELETE FROM steps WHERE session = ? AND ordinal = ?", [row[:2] for row in stale_steps])
    kept_messages = {row[1] for row in old_messages} - {row[1] for row in stale_messages}
    kept_steps = {row[1] for row in old_steps} - {row[1] for row in stale_steps}
    _put(
        connection,
        rows,
        set(range(len(rows.messages))) - kept_messages,
        set(range(len(rows.steps))) - kept_steps,
    )
    blobs.collect_garbage(connection, {row[steps.BLOB] for row in stale_steps if row[steps.BLOB]})


def remove(connection: sqlite3.Connection, session: str) -> None:
    """Take a session's contents out of the store, words and blobs included."""
    old_messages = connection.execute(_MESSAGES, [session]).fetchall()
    old_steps = connection.execute(_STEPS, [session]).fetchall()
    words.remove(connection, _documents(connection, old_messages, old_steps))
    connection.execute("DELETE FROM messages WHERE session = ?", [session])
    connection.execute("DELETE FROM steps WHERE session = ?", [session])
    blobs.collect_garbage(connection, {row[steps.BLOB] for row in old_steps if row[steps.BLOB]})


def _pairs(old: list[messages.Row], new: list[messages.Row]) -> Iterator[tuple[messages.Row, messages.Row | None]]:
    for row in old:
        yield row, new[row[1]] if row[1] < len(new) else None


def _put(connection: sqlite3.Connection, rows: Rows, said: set[int], done: set[int]) -> None:
    for number in sorted(done):
        blobs.keep(connection, rows.outputs[number])
    connection.executemany(_PUT_MESSAGE, [rows.messages[number] for number in sorted(said)])
    connection.executemany(_PUT_STEP, [rows.steps[number] for number in sorted(done)])
    words.add(connection, _new_documents(rows.session, said, done))


def _new_documents(session: Session, said: set[int], done: set[int]) -> Iterator[Document]:
    for number in sorted(said):
        yield Document(session.id, "message", number, session.messages[number].text)
    for number in sorted(done):
        step = session.steps[number]
        yield Document(session.id, "command", number, step.command)
        yield Document(session.id, "output", number, step.output)


def _documents(
    connection: sqlite3.Connection, said: Iterable[messages.Row], done: Iterable[steps.Row]
) -> Iterator[Document]:
    for row in said:
        yield Document(row[0], "message", row[1], row[messages.TEXT])
    for row in done:
        yield Document(row[0], "command", row[1], row[steps.COMMAND])
        yield Document(row[0], "output", row[1], blobs.whole(connection, row[steps.OUTPUT], row[steps.BLOB]))
