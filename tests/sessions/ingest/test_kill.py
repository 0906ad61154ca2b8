"""An ingest that is killed at any moment and run again ends in the same store as an undisturbed one."""

import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import orjson
import pytest

from sessions.ingest.pipeline import ingest
from sessions.ingest.sniff import recognise
from sessions.store.writer import Writer

MOMENTS = 20
LOGS = 14
KEY = "6b" * 32

PROGRAM = """
import sys
from pathlib import Path
from sessions.ingest.pipeline import ingest
from sessions.ingest.sniff import recognise
from sessions.store.writer import Writer
sources = recognise(Path(sys.argv[1]))
print("go", flush=True)
with Writer.open(Path(sys.argv[2]), key=bytes.fromhex(sys.argv[3])) as writer:
    for result in ingest(sources, writer):
        print(result.status, flush=True)
"""

NOT_COMPARED = {"_sqlite_migrations", "meta"}
"""Tables that are the store's own: when it was made, and by which key its secrets are told apart."""


def _log(number: int, grown: int) -> bytes:
    session = f"session-{number % (LOGS - 3)}"
    lines = []
    parent = None
    for turn in range(8 + grown):
        base: dict[str, object] = {"sessionId": session, "cwd": "/srv", "version": "2.1.0"}
        stamp = f"2026-01-01T00:{turn:02d}:00Z"
        uuid = f"{number}-{turn}"
        use = {"type": "tool_use", "id": f"call-{turn}", "name": "Bash", "input": {"command": f"cat part-{turn}.log"}}
        blocks = [{"type": "text", "text": f"Perhaps the kernel {turn} of {session} is wrong."}, use]
        lines.append(base | {
            "type": "assistant", "uuid": f"{uuid}-a", "parentUuid": parent, "timestamp": stamp,
            "message": {"id": f"msg-{turn}", "role": "assistant", "model": "made-up", "content": blocks},
        })  # fmt: skip
        output = f"row {turn} of {session} is 0.{turn}\n" * (20 if turn % 3 else 2500)
        result = {"type": "tool_result", "tool_use_id": f"call-{turn}", "content": output}
        lines.append(base | {
            "type": "user", "uuid": f"{uuid}-u", "parentUuid": f"{uuid}-a", "timestamp": stamp,
            "message": {"role": "user", "content": [result]},
        })  # fmt: skip
        parent = f"{uuid}-u"
    return b"".join(orjson.dumps(line) + b"\n" for line in lines)


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of logs, three of them longer copies of the sessions of others."""
    folder = tmp_path_factory.mktemp("logs")
    for number in range(LOGS):
        (folder / f"{number:02d}.jsonl").write_bytes(_log(number, grown=4 if number >= LOGS - 3 else 0))
    return folder


def _start(logs: Path, store: Path) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(logs), str(store), KEY], stdout=subprocess.PIPE, text=True
    )


def _finish(logs: Path, store: Path) -> float:
    """Ingest to the end and return how long it took from the moment the store was opened, in seconds."""
    with _start(logs, store) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "go\n"
        begun = time.monotonic()
        process.stdout.read()
    assert process.returncode == 0
    return time.monotonic() - begun


def _dump(store: Path) -> dict[str, list[tuple[object, ...]]]:
    connection = sqlite3.connect(store)
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    connection.execute("CREATE VIRTUAL TABLE temp.terms USING fts5vocab(main, words, instance)")
    names = connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'words%' ORDER BY name"
    )
    tables = [name for (name,) in names if name not in NOT_COMPARED]
    dump = {name: sorted(connection.execute(f"SELECT * FROM {name}"), key=repr) for name in tables}  # noqa: S608 (names from the schema)
    dump["words"] = sorted(connection.execute("SELECT term, doc, offset FROM temp.terms"))
    connection.close()
    return dump


def test_killed_at_random_moments(logs: Path, tmp_path: Path) -> None:
    took = _finish(logs, tmp_path / "undisturbed.db")
    expected = _dump(tmp_path / "undisturbed.db")
    assert len(expected["sessions"]) == LOGS - 3
    assert len(expected["words"]) > 10_000
    chance = random.Random(20)  # noqa: S311 (moments, not secrets)
    killed = 0
    for moment in range(MOMENTS):
        store = tmp_path / f"{moment}.db"
        with _start(logs, store) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "go\n"
            time.sleep(took * (moment + chance.random()) / MOMENTS)
            process.kill()
        killed += process.returncode == -signal.SIGKILL
        with Writer.open(store) as writer:
            assert {each.status for each in ingest(recognise(logs), writer)} <= {"new", "updated", "unchanged", "known"}
        assert _dump(store) == expected
    assert killed > MOMENTS // 2
