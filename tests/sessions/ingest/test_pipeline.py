"""From files to the store."""

import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest

from sessions.errors import StoreProblem
from sessions.hypotheses.rules import engine
from sessions.ingest.pipeline import ingest
from sessions.ingest.sniff import recognise
from sessions.store.reader import Reader
from sessions.store.writer import Writer

SECRET = "ghp_" + "a1B2c3D4e5F6" * 3


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[Writer]:
    with Writer.open(tmp_path / "store.db", key=b"k" * 32) as writer:
        yield writer


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "logs" / "s1.jsonl"
    path.parent.mkdir()
    path.write_bytes(said("u1", None, "it prints \x1b[31mgarbage\x1b[0m") + called("a1", "u1", "call_1", "uname -a"))
    return path


def record(kind: str, uuid: str, parent: str | None, message: dict[str, object]) -> bytes:
    value = {"type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": "s1", "cwd": "/srv", "version": "2.1.0"}
    return orjson.dumps(value | {"timestamp": "2026-01-01T00:00:00Z", "message": message}) + b"\n"


def said(uuid: str, parent: str | None, text: str) -> bytes:
    return record("user", uuid, parent, {"role": "user", "content": text})


def called(uuid: str, parent: str, call: str, command: str) -> bytes:
    block = {"type": "tool_use", "id": call, "name": "Bash", "input": {"command": command}}
    return record("assistant", uuid, parent, {"id": f"msg_{uuid}", "role": "assistant", "content": [block]})


def answered(uuid: str, parent: str, call: str, output: str) -> bytes:
    block = {"type": "tool_result", "tool_use_id": call, "content": output}
    return record("user", uuid, parent, {"role": "user", "content": [block]})


def statuses(path: Path, writer: Writer) -> list[str]:
    return [each.status for each in ingest(recognise(path), writer)]


def test_a_log_is_taken_in_analysed_and_accounted_for(log: Path, writer: Writer) -> None:
    sizes: list[int] = []
    (result,) = ingest(recognise(log), writer, progress=sizes.append)
    assert (result.status, result.sessions, result.messages, result.steps) == ("new", ("s1",), 1, 1)
    assert (result.tally.read, result.tally.calls_without_result) == (2, 1)
    assert sum(sizes) == log.stat().st_size
    with Reader.open(writer.path) as reader:
        assert reader.messages("s1")[0].text == "it prints garbage"
        assert reader.tree("s1").hypotheses[0].root
    assert writer.unanalysed(engine.VERSION) == ()


def test_again_is_unchanged_and_growth_is_taken(log: Path, writer: Writer) -> None:
    assert statuses(log, writer) == ["new"]
    (again,) = ingest(recognise(log), writer)
    assert (again.status, again.sessions, again.messages, again.steps) == ("unchanged", ("s1",), 1, 1)
    assert again.tally.read == 2
    with log.open("ab") as file:
        file.write(answered("u2", "a1", "call_1", "Linux") + said("u3", "u2", "and now?")[:40])
    assert statuses(log, writer) == ["updated"]
    with Reader.open(writer.path) as reader:
        assert reader.step("s1", 0).output == "Linux"
        assert reader.resolve("s1").live
    with log.open("ab") as file:
        file.write(said("u3", "u2", "and now?")[40:])
    assert statuses(log, writer) == ["updated"]
    with Reader.open(writer.path) as reader:
        assert [message.text for message in reader.messages("s1")] == ["it prints garbage", "and now?"]
        assert not reader.resolve("s1").live


def test_touching_a_log_changes_nothing(log: Path, writer: Writer) -> None:
    statuses(log, writer)
    log.touch()
    assert statuses(log, writer) == ["unchanged"]


def test_a_copy_is_known(log: Path, writer: Writer) -> None:
    statuses(log, writer)
    copy = log.with_name("copy.jsonl")
    copy.write_bytes(log.read_bytes())
    (result,) = ingest(recognise(copy), writer)
    assert (result.status, result.sessions) == ("known", ("s1",))


def test_a_log_without_a_session_is_empty(tmp_path: Path, writer: Writer) -> None:
    path = tmp_path / "title.jsonl"
    path.write_bytes(b'{"type":"ai-title","sessionId":"s9","aiTitle":"x"}\n')
    assert statuses(path, writer) == ["empty"]
    with Reader.open(writer.path) as reader:
        assert reader.sessions() == ()


def test_a_log_that_cannot_be_read_fails_alone(log: Path, writer: Writer) -> None:
    gone = log.with_name("gone.jsonl")
    gone.write_bytes(log.read_bytes())
    sources = [*recognise(gone), *recognise(log)]
    gone.unlink()
    first, second = ingest(sources, writer)
    assert (first.status, second.status) == ("failed", "new")
    assert "No such file" in (first.error or "")


def test_an_older_analysis_is_made_anew_without_reading_the_log(log: Path, writer: Writer) -> None:
    statuses(log, writer)
    with Reader.open(writer.path) as reader:
        writer.save_tree("s1", reader.tree("s1"), "older")
    assert writer.unanalysed(engine.VERSION) == ("s1",)
    assert list(ingest([], writer)) == []
    assert writer.unanalysed(engine.VERSION) == ()


def test_a_store_that_cannot_be_written_stops_the_ingest(log: Path, writer: Writer) -> None:
    other = sqlite3.connect(writer.path)
    other.execute("BEGIN IMMEDIATE")
    writer._connection.execute("PRAGMA busy_timeout = 10")
    with pytest.raises(StoreProblem, match="another necropsy"):
        statuses(log, writer)
    other.close()


def test_no_secret_reaches_the_store_also_not_one_split_by_colours(log: Path, writer: Writer) -> None:
    split = f"{SECRET[:9]}\x1b[1m{SECRET[9:]}"
    with log.open("ab") as file:
        file.write(answered("u2", "a1", "call_1", f"token is {split}\n") + said("u3", "u2", f"use {SECRET}"))
        file.write(called("a4", "u3", "call_2", f"curl -H 'Authorization: Bearer {SECRET}' https://example.org"))
    statuses(log, writer)
    with Reader.open(writer.path) as reader:
        outputs = [step.output for step in reader.steps("s1")]
        assert "<redacted:" in outputs[0]
        assert "<redacted:" in reader.messages("s1")[1].text
        assert reader.steps("s1")[1].commands[0].argv[0] == "curl"
    writer.close()
    stored = b"".join(path.read_bytes() for path in writer.path.parent.glob("store.db*"))
    assert SECRET[:12].encode() not in stored
    assert SECRET[-12:].encode() not in stored


def test_hostile_names_of_files_records_and_sessions_are_stored_as_they_may_be_shown(log: Path, writer: Writer) -> None:
    hostile = log.with_name(os.fsdecode(b"\xff\x1b[2J.jsonl"))
    lines = said("u1", None, "hi").replace(b'"s1"', b'"s\\u001b]0;x\\u0007\\ud800"')
    hostile.write_bytes(lines + b'{"type":"odd\\ud800\\u001b[1m","sessionId":"s"}\n')
    (result,) = ingest(recognise(hostile), writer)
    assert (result.status, result.error) == ("new", None)
    assert result.source == str(log.with_name("\\xff.jsonl"))
    assert result.sessions == ("s\\u{d800}",)
    assert result.tally.unknown_types == {"odd\\u{d800}": 1}
    with Reader.open(writer.path) as reader:
        assert reader.resolve("latest").source == result.source
    assert statuses(hostile, writer) == ["unchanged"]
