"""An ingest that is killed at any moment and run again ends in the same store as an undisturbed one."""

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import orjson
import pytest

MOMENTS = 20
LOGS = 14
KEY = "6b" * 32

PROGRAM = """
import os, sys
from pathlib import Path
from sessions.ingest.pipeline import ingest
from sessions.ingest.sniff import recognise
from sessions.store.writer import Writer
sources = recognise(Path(sys.argv[1]))
def take_in(store):
    with Writer.open(Path(store), key=bytes.fromhex(sys.argv[2])) as writer:
        list(ingest(sources, writer))
take_in(sys.argv[3])
for store in sys.stdin:
    child = os.fork()
    if child == 0:
        print(os.getpid(), flush=True)
        take_in(store.strip())
        os._exit(0)
    print(os.waitpid(child, 0)[1], flush=True)
"""
"""Ingests into a first store, then into each that standard input names, in a child whose id it tells, and later how it
ended: by then everything is imported and compiled."""

NOT_COMPARED = {"_sqlite_migrations", "meta", "beliefs"}
"""Tables that are the store's own: when it was made, by which key its secrets are told apart, numbers of an index."""


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
        output = f"row {turn} of {session} is 0.{turn}\n" * (20 if turn % 3 else 700)
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


class Ingester:
    """A process whose children ingest the same logs into one store each."""

    def __init__(self, logs: Path, undisturbed: Path) -> None:
        """Start it; the store `undisturbed` is there once the first child runs."""
        self.undisturbed = undisturbed
        command = [sys.executable, "-c", PROGRAM, str(logs), KEY, str(undisturbed)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def start(self, store: Path) -> int:
        """Start an ingest and return its process id."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{store}\n")
        self._process.stdin.flush()
        return self._number()

    def end(self) -> int:
        """Wait for the ingest to end and return how: 0, or the signal that killed it."""
        return self._number()

    def finish(self, store: Path) -> float:
        """Ingest to the end and return how long it took, in seconds."""
        self.start(store)
        begun = time.monotonic()
        assert self.end() == 0
        return time.monotonic() - begun

    def close(self) -> None:
        """End the process."""
        self._process.communicate()

    def _number(self) -> int:
        assert self._process.stdout is not None
        return int(self._process.stdout.readline())


@pytest.fixture
def ingester(logs: Path, tmp_path: Path) -> Iterator[Ingester]:
    ingester = Ingester(logs, tmp_path / "undisturbed.db")
    yield ingester
    ingester.close()


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
    believed = (
        "SELECT session, id, statement, quotes, verdict FROM beliefs JOIN words_of_beliefs AS w ON w.rowid = number"
    )
    dump["beliefs"] = sorted(connection.execute(believed))
    connection.close()
    return dump


def test_killed_at_random_moments(ingester: Ingester, tmp_path: Path) -> None:
    took = ingester.finish(tmp_path / "measured.db")
    expected = _dump(ingester.undisturbed)
    assert len(expected["sessions"]) == LOGS - 3
    assert len(expected["words"]) > 10_000
    chance = random.Random(20)  # noqa: S311 (moments, not secrets)
    killed = 0
    for moment in range(MOMENTS):
        store = tmp_path / f"{moment}.db"
        process = ingester.start(store)
        time.sleep(took * (moment + chance.random()) / MOMENTS)
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
        killed += ingester.end() == signal.SIGKILL
        ingester.finish(store)
        assert _dump(store) == expected
    assert killed > MOMENTS // 2
