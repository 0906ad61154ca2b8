"""Whatever is wrong with the input: one clear message, the right exit code, and a store that is intact."""

import hashlib
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

NECROPSY = Path(sys.executable).with_name("necropsy")

Run = Callable[..., subprocess.CompletedProcess[str]]
Line = Callable[[int, str], str]


@pytest.fixture
def log(tmp_path: Path, claude_line: Line) -> Path:
    """A log of three messages."""
    path = tmp_path / "log.jsonl"
    path.write_text("".join(claude_line(number, f"line {number}") + "\n" for number in (1, 2, 3)))
    return path


def read_json(done: subprocess.CompletedProcess[str]) -> Any:
    return json.loads(done.stdout)


def intact(store: Path) -> bool:
    with sqlite3.connect(store) as database:
        return bool(database.execute("PRAGMA integrity_check").fetchone() == ("ok",))


def messages_of(run: Run) -> list[str]:
    report = read_json(run("report", "latest", "--format", "json"))
    return [message["text"] for message in report["messages"]]


def test_a_file_that_is_no_log(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("nothing to see here\n")
    done = run("ingest", path)
    assert done.returncode == 3
    assert str(path) in done.stderr
    assert "Traceback" not in done.stderr


def test_an_empty_file(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "empty.jsonl"
    path.touch()
    done = run("ingest", path)
    assert done.returncode == 3
    assert "empty" in done.stderr


def test_a_path_that_does_not_exist(run: Run, tmp_path: Path) -> None:
    done = run("ingest", tmp_path / "nowhere")
    assert done.returncode == 3
    assert "nowhere" in done.stderr


def test_a_bad_path_does_not_cost_the_good_one(run: Run, tmp_path: Path, log: Path) -> None:
    done = run("ingest", tmp_path / "nowhere", log)
    assert done.returncode == 3
    assert messages_of(run) == ["line 1", "line 2", "line 3"]


def test_a_torn_last_line_is_taken_when_it_is_whole(run: Run, log: Path) -> None:
    whole = log.read_text()
    log.write_text(whole[:-40])
    (taken,) = read_json(run("ingest", "--json", log))
    assert taken["messages"] == 2
    assert messages_of(run) == ["line 1", "line 2"]
    log.write_text(whole)
    (again,) = read_json(run("ingest", "--json", log))
    assert again["status"] == "updated"
    assert messages_of(run) == ["line 1", "line 2", "line 3"]


def test_two_records_glued_on_one_line_are_both_taken(run: Run, tmp_path: Path, claude_line: Line) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(claude_line(1, "first") + claude_line(2, "second") + "\n" + claude_line(3, "third") + "\n")
    (taken,) = read_json(run("ingest", "--json", path))
    assert taken["records"]["repaired"] > 0
    assert messages_of(run) == ["first", "second", "third"]


def test_a_broken_line_costs_only_itself(run: Run, tmp_path: Path, claude_line: Line) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(claude_line(1, "first") + '\n{"type": broken\n' + claude_line(2, "second") + "\n")
    (taken,) = read_json(run("ingest", "--json", path))
    assert taken["records"]["skipped"] == 1
    assert messages_of(run) == ["first", "second"]


def test_bytes_that_are_no_utf8(run: Run, tmp_path: Path, claude_line: Line) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(claude_line(1, "caf_").replace("_", "\u00e9").encode("latin-1") + b"\n")
    assert run("ingest", path).returncode == 0
    assert messages_of(run) == ["caf\ufffd"]


def test_a_line_of_30_mb(run: Run, tmp_path: Path, claude_line: Line) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(claude_line(1, "x" * 30_000_000) + "\n" + claude_line(2, "after") + "\n")
    assert run("ingest", path).returncode == 0
    assert [len(text) for text in messages_of(run)] == [30_000_000, 5]


def test_a_folder_without_permission(store: Path, tmp_path: Path) -> None:
    shut = tmp_path / "shut"
    shut.mkdir(mode=0o000)
    powerless = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []
    command = [*powerless, str(NECROPSY), "--store", str(store), "ingest", str(shut)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 3
    assert str(shut) in done.stderr
    assert "ermission" in done.stderr


def test_an_unknown_session(bundled: Run) -> None:
    done = bundled("show", "no-such-session")
    assert done.returncode == 3
    assert "no-such-session" in done.stderr


def test_a_store_that_does_not_exist(run: Run) -> None:
    done = run("list")
    assert done.returncode == 4
    assert "necropsy ingest" in done.stderr


def test_a_store_of_a_newer_version_stays_untouched(run: Run, store: Path, log: Path) -> None:
    with sqlite3.connect(store) as database:
        database.execute("PRAGMA user_version = 99")
        database.execute("CREATE TABLE future (x)")
    before = hashlib.sha256(store.read_bytes()).hexdigest()
    for command in (["ingest", log], ["list"]):
        done = run(*command)
        assert done.returncode == 4
        assert "newer" in done.stderr
    assert hashlib.sha256(store.read_bytes()).hexdigest() == before


def test_a_store_that_is_no_database(run: Run, store: Path) -> None:
    store.write_text("my diary\n" * 1000)
    done = run("list")
    assert done.returncode == 4
    assert store.read_text() == "my diary\n" * 1000


def test_a_second_necropsy_writing_at_the_same_time(bundled: Run, store: Path, log: Path) -> None:
    holder = sqlite3.connect(store, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    try:
        done = bundled("ingest", log)
    finally:
        holder.execute("ROLLBACK")
        holder.close()
    assert done.returncode == 4
    assert "another" in done.stderr.lower()
    assert bundled("ingest", log).returncode == 0


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "small"
    place.mkdir()
    mount = shutil.which("mount")
    if mount is None or subprocess.run([mount, "-t", "tmpfs", "-o", "size=1m", "tmpfs", place], check=False).returncode:
        pytest.skip("a small disk can be mounted only by root")
    yield place
    subprocess.run(["umount", "-l", place], check=True)


def test_a_full_disk(run: Run, small_disk: Path, tmp_path: Path, claude_line: Line) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(claude_line(1, json.dumps(list(range(400_000)))) + "\n")
    done = run("--store", small_disk / "store.sqlite", "ingest", path)
    assert done.returncode == 4
    assert "full" in done.stderr
    assert intact(small_disk / "store.sqlite")


def test_an_interrupt_keeps_what_was_taken(store: Path, tmp_path: Path, claude_line: Line) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    for number in range(30):
        text = claude_line(1, "word " * 200_000).replace("0001", f"{number:04d}")
        (logs / f"{number:02d}.jsonl").write_text(text + "\n")
    process = subprocess.Popen(
        [NECROPSY, "--store", store, "ingest", logs], stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True
    )
    assert process.stderr is not None
    process.stderr.readline()
    process.send_signal(signal.SIGINT)
    _, narration = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in narration
    assert intact(store)
    with sqlite3.connect(store) as database:
        assert database.execute("SELECT count(*) FROM sessions").fetchone()[0] >= 1


def test_an_opencode_database_locked_by_the_agent(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    owner = sqlite3.connect(path, isolation_level=None)
    owner.executescript("""
        CREATE TABLE session (id TEXT PRIMARY KEY, title TEXT, time_created INTEGER, time_updated INTEGER);
        CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, data TEXT);
        CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, data TEXT);
        INSERT INTO session VALUES ('ses_1', 'held', 1795946400000, 1795946400000);
        INSERT INTO message VALUES ('msg_1', 'ses_1', 1795946400000, '{"role": "user"}');
        INSERT INTO part VALUES ('prt_1', 'msg_1', 'ses_1', '{"type": "text", "text": "why is it slow?"}');
    """)
    owner.execute("BEGIN EXCLUSIVE")
    started = time.monotonic()
    try:
        done = run("ingest", path)
    finally:
        owner.close()
    assert time.monotonic() - started < 60
    assert "Traceback" not in done.stderr
    assert done.returncode in {0, 3, 4}
    if done.returncode == 0:
        assert messages_of(run) == ["why is it slow?"]
    else:
        assert "locked" in done.stderr
    assert run("ingest", path).returncode == 0
    assert messages_of(run) == ["why is it slow?"]
