"""After an upgrade of opencode the same session lies in several stores: the person sees it once."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sessions.ingest import sniff
from sessions.ingest.discovery import known_logs
from sessions.ingest.pipeline import Ingested, ingest
from sessions.store.reader import Reader
from sessions.store.writer import Writer

Document = dict[str, Any]


def _take(store: Path, path: Path) -> list[Ingested]:
    with Writer.open(store) as writer:
        return list(ingest(sniff.recognise(path), writer))


def _shapes(request: pytest.FixtureRequest, document: Document) -> dict[str, Path]:
    export: Callable[[Document], Path] = request.getfixturevalue("write_export")
    storage: Callable[[Document, str], Path] = request.getfixturevalue("write_storage")
    database: Callable[[Document], Path] = request.getfixturevalue("write_database")
    return {"export": export(document), "storage": storage(document, "storage"), "database": database(document)}


def test_the_same_session_from_all_shapes_is_one(
    request: pytest.FixtureRequest, document: Document, tmp_path: Path
) -> None:
    store = tmp_path / "store.sqlite"
    statuses = [_take(store, path)[0].status for path in _shapes(request, document).values()]
    assert statuses == ["new", "known", "known"]
    with Reader.open(store) as reader:
        (session,) = reader.sessions()
        steps = reader.steps(session.id)
    assert (session.agent, session.format, session.model) == ("opencode", "opencode", "example/small-1")
    assert (session.messages, session.steps) == (5, 10)
    assert sum(step.status == "no-result" for step in steps) == 2
    assert [step.message for step in steps] == [3] * 8 + [4] * 2
    assert steps[6].child == "ses_1f00fixture0002"


@pytest.mark.parametrize("earlier", ["export", "storage"])
def test_the_longer_of_two_shapes_wins(
    request: pytest.FixtureRequest, document: Document, tmp_path: Path, earlier: str
) -> None:
    store = tmp_path / "store.sqlite"
    database = _shapes(request, document)["database"]
    document["messages"].pop()
    storage = tmp_path / "opencode" / "storage"
    (storage / "message" / "ses_1f00fixture0001" / "msg_e0005.json").unlink()
    shutil.rmtree(storage / "part" / "msg_e0005")
    path = {"export": request.getfixturevalue("write_export")(document), "storage": tmp_path / "opencode"}[earlier]
    assert _take(store, path)[0].steps == 8
    assert [taken.status for taken in _take(store, database)] == ["updated"]
    assert [taken.status for taken in _take(store, path)] == ["unchanged"]
    with Reader.open(store) as reader:
        (session,) = reader.sessions()
    assert session.steps == 10


def test_a_folder_with_everything_is_walked_once(
    request: pytest.FixtureRequest, document: Document, tmp_path: Path
) -> None:
    _shapes(request, document)
    formats = [source.format for source in sniff.recognise(tmp_path)]
    assert sorted(formats) == ["opencode", "opencode-db", "opencode-storage"]


def test_the_data_folder_is_found(
    request: pytest.FixtureRequest, document: Document, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _shapes(request, document)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (place,) = known_logs()
    assert (place.agent, place.path) == ("opencode", tmp_path / "opencode")
    assert [source.part for source in place.sources] == ["ses_1f00fixture0001"]
