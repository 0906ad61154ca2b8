"""Stores that are missing, newer, foreign, damaged, busy, full or read-only."""

import os
import signal
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sessions.errors import StoreProblem, UnknownSession
from sessions.models.session import Session, Tokens
from sessions.store import connection as opening
from sessions.store.intake import Stored
from sessions.store.location import default_store
from sessions.store.reader import Reader
from sessions.store.writer import Writer

MakeSession = Callable[..., Session]
Put = Callable[..., Stored]


def test_reading_a_missing_store_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(StoreProblem) as caught:
        Reader.open(tmp_path / "none.db")
    assert "necropsy ingest" in caught.value.hint
    assert list(tmp_path.iterdir()) == []


def test_a_newer_store_is_refused_untouched(path: Path) -> None:
    Writer.open(path).close()
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 99")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    before = path.read_bytes()
    for kind in (Writer, Reader):
        with pytest.raises(StoreProblem, match="newer necropsy"):
            kind.open(path)
    assert path.read_bytes() == before
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_a_newer_version_that_stands_in_the_log_of_the_database_counts(path: Path) -> None:
    Writer.open(path).close()
    other = sqlite3.connect(path)
    other.execute("PRAGMA wal_autocheckpoint = 0")
    other.execute("PRAGMA user_version = 99")
    before = path.read_bytes()
    with pytest.raises(StoreProblem, match="newer necropsy"):
        Writer.open(path)
    assert path.read_bytes() == before
    other.close()


def test_a_foreign_database_is_refused_untouched(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE session (id TEXT)")
    connection.commit()
    connection.close()
    before = path.read_bytes()
    with pytest.raises(StoreProblem, match="not a store of necropsy"):
        Writer.open(path)
    assert path.read_bytes() == before


def test_a_file_that_is_no_database_is_refused_untouched(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("these are my notes\n" * 20)
    for kind in (Writer, Reader):
        with pytest.raises(StoreProblem, match="not a database") as caught:
            kind.open(path)
        assert caught.value.exit_code == 4
    assert path.read_text().startswith("these are my notes")


def test_a_store_whose_making_was_interrupted_is_made_anew(path: Path) -> None:
    path.parent.mkdir()
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.close()
    with pytest.raises(StoreProblem, match="no store"):
        Reader.open(path)
    with Writer.open(path), Reader.open(path) as reader:
        assert reader.sessions() == ()


def test_a_damaged_store_is_a_problem_not_a_crash(
    path: Path, make_session: MakeSession, put: Put, writer: Writer
) -> None:
    put(make_session(calls=tuple((f"cat {n}", f"{n} " * 4000) for n in range(50))))
    writer.close()
    content = bytearray(path.read_bytes())
    for at in range(4096, len(content), 4096):
        content[at : at + 64] = b"\xff" * 64
    path.write_bytes(content)
    with pytest.raises(StoreProblem, match="damaged"), Reader.open(path) as reader:
        reader.sessions()


def test_two_writers_wait_then_say_so(
    path: Path, make_session: MakeSession, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "BUSY_SECONDS", 0.05)
    with Writer.open(path) as second:
        other = sqlite3.connect(path)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreProblem, match="another necropsy is writing"):
            second.forget("ses_1")
        other.rollback()
        other.close()
        assert put(make_session()).status == "new"
        second.forget("ses_1")


def test_a_full_disk_leaves_the_store_as_it_was(
    path: Path, make_session: MakeSession, put: Put, writer: Writer
) -> None:
    put(make_session())
    connection = writer._connection
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count = {pages + 2}")
    with pytest.raises(StoreProblem, match="disk is full") as caught:
        put(make_session(calls=tuple((f"cat {n}", f"{n} " * 3000) for n in range(50)), id="ses_2", source="/logs/b"))
    assert "kept" in caught.value.hint
    with Reader.open(path) as reader:
        assert [row.id for row in reader.sessions()] == ["ses_1"]
    connection.execute("PRAGMA max_page_count = 1000000")
    assert put(make_session(id="ses_2", source="/logs/b")).status == "new"


def test_ctrl_c_leaves_the_store_as_it_was(path: Path, make_session: MakeSession, put: Put) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    put(make_session())
    outputs = (" ".join(f"w{n}x{word}" for word in range(3000)) for n in range(100))
    large = make_session(calls=tuple(("cat", output) for output in outputs), id="ses_2", source="/logs/b")
    before = signal.signal(signal.SIGVTALRM, interrupt)
    signal.setitimer(signal.ITIMER_VIRTUAL, 0.01)
    try:
        with pytest.raises(KeyboardInterrupt):
            put(large)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
    with Reader.open(path) as reader:
        assert [row.id for row in reader.sessions()] == ["ses_1"]
    assert put(large).status == "new"


def test_a_store_in_a_folder_that_cannot_be_written_can_be_read(
    path: Path, make_session: MakeSession, put: Put, writer: Writer
) -> None:
    put(make_session())
    writer.close()
    path.chmod(stat.S_IRUSR | stat.S_IRGRP | stat.S_IROTH)
    path.parent.chmod(0o555)
    program = (
        "import os, sys; from pathlib import Path\n"
        "from sessions.store.reader import Reader\n"
        "os.getuid() or os.setresuid(65534, 65534, 65534)\n"
        f"reader = Reader.open(Path({str(path)!r}))\n"
        "print(reader.sessions()[0].id, len(reader.search('garbage')))\n"
    )
    for folder in (path.parent, *path.parent.parents[:3]):
        folder.chmod(folder.stat().st_mode | 0o555)
    ended = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True, text=True)
    path.parent.chmod(0o755)
    assert (ended.stdout, ended.stderr) == ("ses_1 1\n", "")


def test_a_store_that_cannot_be_written_says_so(path: Path, writer: Writer) -> None:
    writer.close()
    program = (
        "import os; from pathlib import Path\n"
        "from sessions.errors import StoreProblem\n"
        "from sessions.store import migrations\n"
        "from sessions.store.writer import Writer\n"
        "os.getuid() or os.setresuid(65534, 65534, 65534)\n"
        f"path = Path({str(path)!r})\n"
        "for each in (path, path.parent / 'new.db', path.parent / 'new' / 'new.db', path.parent):\n"
        "    try: Writer.open(each)\n"
        "    except StoreProblem as error: print(error.message.replace(str(path.parent), ''))\n"
    )
    path.chmod(0o444)
    path.parent.chmod(0o555)
    for folder in path.parent.parents[:4]:
        folder.chmod(folder.stat().st_mode | 0o555)
    ended = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True, text=True)
    path.parent.chmod(0o755)
    assert ended.stdout.splitlines() == [
        "/necropsy.db cannot be written",
        "/new.db cannot be opened",
        "the folder /new cannot be made: Permission denied",
        " cannot be read: Is a directory",
    ], ended.stderr


def test_a_store_is_made_once_by_many_at_a_time(path: Path) -> None:
    def key(_: int) -> bytes:
        with Writer.open(path) as writer:
            return writer.key

    with ThreadPoolExecutor(6) as pool:
        assert len(set(pool.map(key, range(6)))) == 1
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_reader_sees_what_a_writer_commits(
    make_session: MakeSession, put: Put, reader: Reader, writer: Writer
) -> None:
    assert reader.sessions() == ()
    with writer._transaction() as connection:
        connection.execute("INSERT INTO sources VALUES ('x', 'f', '1', 0, '{}', 0)")
        assert reader.sources() == {}
    assert reader.sources() == {"x": "1"}


def test_a_reader_cannot_write(reader: Reader) -> None:
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        reader._connection.execute("DELETE FROM sessions")


def test_names_are_whole_ids_their_beginnings_or_latest(make_session: MakeSession, put: Put, reader: Reader) -> None:
    put(make_session(id="ses_old", started="2026-01-01T00:00:00.000Z"))
    put(make_session(id="ses_new", started="2026-02-01T00:00:00.000Z", source="/logs/b"))
    put(make_session(id="ses_new_too", source="/logs/c"))
    assert reader.resolve("latest").id == "ses_new"
    assert reader.resolve("ses_o").id == "ses_old"
    assert reader.resolve("ses_new").id == "ses_new"
    assert [row.id for row in reader.sessions()] == ["ses_new", "ses_old", "ses_new_too"]
    with pytest.raises(UnknownSession, match="several sessions: ses_new, ses_new_too, ses_old"):
        reader.resolve("ses_")
    for name in ("nobody", "", "%", "ses*"):
        with pytest.raises(UnknownSession, match="no session"):
            reader.resolve(name)


def test_a_sub_agent_is_not_the_latest_session_and_its_tokens_are_told_apart(
    make_session: MakeSession, put: Put, reader: Reader
) -> None:
    put(
        make_session(id="main", started="2026-01-01T00:00:00.000Z", tokens=Tokens(input=1)),
        make_session(id="main/a", parent="main", started="2026-01-01T00:00:07.000Z", tokens=Tokens(input=20, output=3)),
        make_session(id="main/a/b", parent="main/a", started="2026-01-01T00:00:09.000Z", tokens=Tokens(input=400)),
    )
    assert reader.resolve("latest").id == "main"
    assert sorted(each.total for each in reader.spent_below("main")) == [23, 400]
    assert reader.spent_below("main/a/b") == ()


def test_step_lines_come_in_pages_without_outputs(make_session: MakeSession, put: Put, reader: Reader) -> None:
    put(make_session(calls=tuple((f"echo {n}", "é" * n) for n in range(5))))
    lines = reader.step_lines("ses_1", start=3, limit=5)
    assert [(line.ordinal, line.command, line.output_size) for line in lines] == [(3, "echo 3", 6), (4, "echo 4", 8)]
    assert len(reader.step_lines("ses_1")) == 5


def test_a_store_keeps_its_key_and_what_it_was_asked_to_remember(path: Path) -> None:
    with Writer.open(path) as writer:
        key = writer.key
        writer.remember("discovery", "agreed")
    with Writer.open(path, key=b"another") as writer:
        assert writer.key == key
    with Reader.open(path) as reader:
        assert reader.remembered("discovery") == "agreed"
        assert reader.remembered("other") is None


def test_the_store_lies_where_the_person_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("NECROPSY_STORE", str(tmp_path / "x.db"))
    assert default_store() == tmp_path / "x.db"
    monkeypatch.delenv("NECROPSY_STORE")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert default_store() == tmp_path / "necropsy" / "necropsy.db"
    assert os.listdir(tmp_path) == []  # noqa: PTH208 (one line)
