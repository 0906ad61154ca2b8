import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from sessions.errors import BadInput, EnvironmentProblem
from sessions.formats import opencode_db
from sessions.ingest.events import About, Called, Count, Event
from sessions.ingest.source import Format

Document = dict[str, Any]
Read = Callable[[Format, Path], tuple[list[Event], Count]]
Write = Callable[[Document], Path]


def _change(path: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(statement, values)


def _calls(events: list[Event]) -> int:
    return sum(isinstance(event, Called) for event in events)


def test_the_newest_turns_are_read_from_the_log_beside_it(
    document: Document, write_database: Write, read_all: Read
) -> None:
    path = write_database(document)
    alone = path.parent / "alone" / "opencode.db"
    alone.parent.mkdir()
    shutil.copy(path, alone)
    assert list(opencode_db.sources(alone)) == []
    assert _calls(read_all(opencode_db, path)[0]) == 10


def test_reading_changes_nothing(document: Document, write_database: Write, read_all: Read) -> None:
    path = write_database(document)
    before = {file.name: file.read_bytes() for file in path.parent.iterdir() if not file.name.endswith("-shm")}
    read_all(opencode_db, path)
    assert {name: (path.parent / name).read_bytes() for name in before} == before


def test_a_locked_database_is_read_from_a_copy(
    document: Document, write_database: Write, read_all: Read, tmp_path: Path
) -> None:
    own = tmp_path / "locked" / "opencode.db"
    own.parent.mkdir()
    with closing(sqlite3.connect(write_database(document))) as source, closing(sqlite3.connect(own)) as database:
        source.backup(database)
        database.execute("PRAGMA journal_mode = DELETE")
        database.execute("BEGIN EXCLUSIVE")
        assert opencode_db.sniff(own, own.read_bytes()[:65536])
        assert _calls(read_all(opencode_db, own)[0]) == 10


def test_a_lock_that_hides_the_file_too_is_one_clear_error(tmp_path: Path) -> None:
    folder = tmp_path / "opencode.db"
    folder.mkdir()
    with pytest.raises(EnvironmentProblem, match="cannot be read") as raised:
        list(opencode_db.sources(folder))
    assert "-wal" in raised.value.hint


def test_a_file_that_only_begins_like_a_database_is_bad_input(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    path.write_bytes(b"SQLite format 3\0" + b"x" * 5000)
    assert not opencode_db.sniff(path, path.read_bytes())
    with pytest.raises(BadInput, match="no usable database"):
        list(opencode_db.sources(path))


def test_a_database_with_a_damaged_page_is_bad_input(document: Document, write_database: Write, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.db"
    with closing(sqlite3.connect(write_database(document))) as source, closing(sqlite3.connect(damaged)) as database:
        source.backup(database)
    raw = damaged.read_bytes()
    damaged.write_bytes(raw[:8192] + b"\xaa" * (len(raw) - 8192))
    with pytest.raises(BadInput, match="no usable database"):
        list(opencode_db.sources(damaged))


def test_databases_of_others_are_left_to_others(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    _change(path, "CREATE TABLE session (id TEXT)")
    assert not opencode_db.sniff(path, path.read_bytes())
    assert not opencode_db.sniff(path, b"")


def test_one_source_a_session_whose_stamp_changes_with_it(document: Document, write_database: Write) -> None:
    write_database(document)
    document["info"]["id"] = "ses_1effother"
    document["messages"] = []
    path = write_database(document)
    first, second = opencode_db.sources(path)
    assert (first.part, second.part) == ("ses_1f00fixture0001", "ses_1effother")
    assert first.name == f"{path}#ses_1f00fixture0001"
    _change(path, "UPDATE part SET time_updated = 1790000099999 WHERE id = 'prt_e0050'")
    after = list(opencode_db.sources(path))
    assert after[0].stamp != first.stamp
    assert after[1].stamp == second.stamp


def test_columns_that_a_version_lacks_are_not_missed(document: Document, write_database: Write, read_all: Read) -> None:
    path = write_database(document)
    for column in ("revert", "version", "parent_id"):
        _change(path, f"ALTER TABLE session DROP COLUMN {column}")
    _change(path, "ALTER TABLE session ADD COLUMN workspace_id TEXT")
    events, _ = read_all(opencode_db, path)
    assert isinstance(events[0], About)
    assert (events[0].agent_version, events[0].title) == (None, "Why is the answer empty?")
    assert _calls(events) == 10


def test_rows_that_hold_no_json_are_counted(document: Document, write_database: Write, read_all: Read) -> None:
    path = write_database(document)
    _change(path, "UPDATE part SET data = '{\"type\": ' WHERE id = 'prt_e0013'")
    _change(path, "UPDATE part SET data = ? WHERE id = 'prt_e0014'", b"\0\0\0")
    _change(path, "UPDATE message SET data = '' WHERE id = 'msg_e0005'")
    events, count = read_all(opencode_db, path)
    assert (_calls(events), count.skipped) == (6, 5)


def test_parts_without_their_message_are_counted(document: Document, write_database: Write, read_all: Read) -> None:
    path = write_database(document)
    _change(path, "DELETE FROM message WHERE id = 'msg_e0004'")
    assert read_all(opencode_db, path)[1].skipped == 1


def test_messages_come_in_the_order_of_their_time(document: Document, write_database: Write, read_all: Read) -> None:
    path = write_database(document)
    _change(path, "UPDATE message SET time_created = 1 WHERE id = 'msg_e0005'")
    events, _ = read_all(opencode_db, path)
    first = next(event for event in events if isinstance(event, Called))
    assert first.command == "make"


def test_the_coming_model_is_named_and_not_shown_as_an_empty_session(
    document: Document, write_database: Write, read_all: Read
) -> None:
    document["messages"] = []
    path = write_database(document)
    for number, kind in enumerate(("user", "assistant", "assistant")):
        row = (f"evt_{number}", "ses_1f00fixture0001", kind, number)
        _change(path, "INSERT INTO session_message VALUES (?, ?, ?, ?, 0, 0, '{}')", *row)
    events, count = read_all(opencode_db, path)
    assert events == []
    assert count.unknown_types == {"session_message:user": 1, "session_message:assistant": 2}


def test_tables_with_credentials_are_never_read(
    document: Document, write_database: Write, monkeypatch: pytest.MonkeyPatch, read_all: Read
) -> None:
    path = write_database(document)
    seen: set[str] = set()
    connect = sqlite3.connect

    def note(_: int, table: str | None, *__: object) -> int:
        seen.add(str(table))
        return sqlite3.SQLITE_OK

    def watched(*arguments: Any, **options: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*arguments, **options)
        connection.set_authorizer(note)
        return connection

    monkeypatch.setattr(sqlite3, "connect", watched)
    read_all(opencode_db, path)
    assert {"session", "message", "part", "session_message"} <= seen
    assert not seen & {"account", "control_account", "session_share"}
