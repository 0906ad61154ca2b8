"""One hand-made session in each of the three shapes in which opencode keeps or gives it."""

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from sessions.ingest.events import Count, Event
from sessions.ingest.source import Format

EXPORT = Path(__file__).parents[3] / "data" / "opencode" / "export.json"
SCHEMA = (Path(__file__).parents[3] / "data" / "opencode" / "schema.sql").read_text()

Document = dict[str, Any]
Read = Callable[[Format, Path], tuple[list[Event], Count]]


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the tests out of the data folder of an opencode that is installed here."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "xdg"))


@pytest.fixture
def document() -> Document:
    """The session, as an export tells it."""
    value: Document = json.loads(EXPORT.read_bytes())
    return value


@pytest.fixture
def read_all() -> Read:
    """Read every source under a path and give all events and the count."""

    def read(format_: Format, path: Path) -> tuple[list[Event], Count]:
        count = Count()
        return [event for source in format_.sources(path) for event in format_.read(source, count)], count

    return read


@pytest.fixture
def write_export(tmp_path: Path) -> Callable[[Document], Path]:
    """Write a document as the file that ``opencode export`` gives."""

    def write(document: Document) -> Path:
        path = tmp_path / "export.json"
        path.write_text(json.dumps(document, indent=2, ensure_ascii=False))
        return path

    return write


@pytest.fixture
def write_storage(tmp_path: Path) -> Callable[[Document, str], Path]:
    """Write a document as a storage of small files, in the ``old storage`` layout or the ``storage`` after it."""

    def write(document: Document, layout: str) -> Path:
        old = layout == "old storage"
        data = tmp_path / "opencode"
        root = data / "project" / "srv-app" / "storage" if old else data / "storage"
        session = document["info"]["id"]
        inner = root / "session" if old else root
        _put(inner / ("info" if old else "session/global") / f"{session}.json", document["info"])
        for message in document["messages"]:
            key = message["info"]["id"]
            _put(inner / "message" / session / f"{key}.json", message["info"])
            for part in message["parts"]:
                _put(inner / "part" / (f"{session}/{key}" if old else key) / f"{part['id']}.json", part)
        return root

    return write


@pytest.fixture
def write_database(tmp_path: Path) -> Iterator[Callable[[Document], Path]]:
    """Write a document as rows of opencode's tables; as while opencode runs, they are still in the ``-wal`` only."""
    path = tmp_path / "data" / "opencode.db"
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as database:
        database.executescript(SCHEMA)
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        database.execute("PRAGMA wal_autocheckpoint = 0")

        def write(document: Document) -> Path:
            _insert(database, document)
            database.commit()
            return path

        yield write


def _insert(database: sqlite3.Connection, document: Document) -> None:
    info = document["info"]
    session, created = info["id"], info["time"]["created"]
    database.execute(
        "INSERT INTO session (id, project_id, parent_id, slug, directory, title, version, revert, metadata, "
        "time_created, time_updated) VALUES (?, 'global', ?, '', ?, ?, ?, ?, ?, ?, ?)",
        (session, info.get("parentID"), info["directory"], info["title"], info["version"],
         *(json.dumps(info[key]) if key in info else None for key in ("revert", "metadata")),
         created, info["time"]["updated"]),
    )  # fmt: skip
    for message in document["messages"]:
        own, key = message["info"], message["info"]["id"]
        row = (key, session, own["time"]["created"], own["time"]["created"], _data(own))
        database.execute("INSERT INTO message VALUES (?, ?, ?, ?, ?)", row)
        rows = [(part["id"], key, session, created, created, _data(part)) for part in message["parts"]]
        rows.reverse()  # the order of insertion must not matter
        database.executemany("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)", rows)


def _data(record: Document) -> str:
    return json.dumps({key: value for key, value in record.items() if key not in {"id", "sessionID", "messageID"}})


def _put(path: Path, record: Document) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(record, indent=2))
