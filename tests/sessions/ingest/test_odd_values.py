"""Logs whose values are not what their names promise: nothing of that may stop an ingest, or the logs behind it."""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sessions.errors import NotALog
from sessions.ingest import figures
from sessions.ingest.pipeline import ingest
from sessions.ingest.sniff import recognise
from sessions.reports.collect import collect
from sessions.reports.render import RENDERERS
from sessions.store.reader import Reader
from sessions.store.writer import Writer

DATA = Path(__file__).parents[2] / "data"
LOGS = [path for path in sorted(DATA.rglob("*.json*")) if "storage" not in path.parts]
ODD: tuple[Any, ...] = (
    None, True, -1, 10**30, 1.5, 1e308, float("inf"), float("nan"), "", "²", [], {}, [[]], [None], {"a": 1}, "\ud800",
    "9" * 5000, "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "Exit code " + "9" * 6000 + "\nx",
    "Process exited with code " + "9" * 30 + "\nOutput:\nx", -62135596800, 253402300800,
)  # fmt: skip


def _paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, each in entries:
        yield from _paths(each, (*path, name))


def _replace(document: Any, path: tuple[Any, ...], value: Any) -> None:
    for name in path[:-1]:
        document = document[name]
    document[path[-1]] = value


def _disturbed(log: Path, chance: random.Random) -> str:
    text = log.read_text(encoding="utf-8", errors="replace")
    documents = [json.loads(text)] if log.suffix == ".json" else [json.loads(x) for x in text.splitlines() if _whole(x)]
    for _ in range(chance.choice((1, 4, 20))):
        document = chance.choice(documents)
        places = list(_paths(document))
        if places:
            _replace(document, chance.choice(places), json.loads(json.dumps(chance.choice(ODD))))
    return "".join(json.dumps(each) + "\n" for each in documents)


def _whole(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


@pytest.mark.parametrize("log", LOGS, ids=lambda path: f"{path.parent.parent.name}-{path.parent.name}-{path.stem[-8:]}")
def test_odd_values_anywhere_in_a_log(log: Path, tmp_path: Path) -> None:
    chance = random.Random(log.name)  # noqa: S311 - the same logs in every run
    folder = tmp_path / "logs"
    folder.mkdir()
    for number in range(12):
        (folder / f"{number}{log.suffix}").write_text(_disturbed(log, chance))
    try:
        sources = recognise(folder)
    except NotALog:
        return
    with Writer.open(tmp_path / "store.db") as writer:
        results = list(ingest(sources, writer))
    assert [result.error for result in results if result.status == "failed"] == []
    with Reader.open(tmp_path / "store.db") as reader:
        for session in reader.sessions():
            data = collect(reader, session.id)
            reports = {name: render(data) for name, render in RENDERERS.items()}
            assert json.loads(reports["json"])["session"]["id"] == session.id


def test_a_reader_that_stumbles_fails_its_log_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from sessions.formats import codex  # noqa: PLC0415 - only this test needs it

    def stumble(*_: object) -> Iterator[Any]:
        raise TypeError("no such thing as ghp_" + "Q7w8E9r0" * 5)

    monkeypatch.setattr(codex, "read", stumble)
    logs = [next(path for path in LOGS if agent in path.parts) for agent in ("codex", "claude-code")]
    with Writer.open(tmp_path / "store.db") as writer:
        first, second = ingest([source for log in logs for source in recognise(log)][:2], writer)
    assert (first.status, first.sessions) == ("failed", ())
    assert "TypeError: no such thing as <redacted:github:" in str(first.error)
    assert second.status == "new"


def test_names_of_logs_and_of_record_types_hold_no_secret(tmp_path: Path) -> None:
    secret = "ghp_" + "a1B2c3D4" * 5
    log = tmp_path / f"{secret}.jsonl"
    said = {"type": "user", "sessionId": "s", "uuid": "u", "parentUuid": None, "message": {"content": "hello"}}
    log.write_text(json.dumps(said) + "\n" + json.dumps({"type": secret, "sessionId": "s"}) + "\n")
    with Writer.open(tmp_path / "store.db") as writer:
        results = [*ingest(recognise(log), writer), *ingest(recognise(log), writer)]
    assert [result.status for result in results] == ["new", "unchanged"]
    assert next(iter(results[0].tally.unknown_types)).startswith("<redacted:github:")
    assert secret not in repr(results)
    assert secret.encode() not in b"".join(path.read_bytes() for path in tmp_path.glob("store.db*"))


@pytest.mark.parametrize(
    ("value", "code", "count", "seconds"),
    [
        (0, 0, 0, 0.0), (137, 137, 137, 137.0), ("-1", -1, 0, None), ("²", None, 0, None), ("9" * 5000, None, 0, None),
        (10**30, None, 0, None), (True, None, 0, None), (None, None, 0, None), (1.5, None, 1, 1.5),
        (float("nan"), None, 0, None), (float("inf"), None, 0, None), (-2, -2, 0, None),
    ],
)  # fmt: skip
def test_figures(value: object, code: int | None, count: int, seconds: float | None) -> None:
    assert (figures.exit_code(value), figures.count(value), figures.seconds(value)) == (code, count, seconds)
