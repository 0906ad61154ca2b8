import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sessions.formats import opencode_storage
from sessions.ingest.events import About, Called, Count, Event, Said
from sessions.ingest.source import Format

Document = dict[str, Any]
Read = Callable[[Format, Path], tuple[list[Event], Count]]
Write = Callable[[Document, str], Path]


def _find(root: Path, name: str) -> Path:
    (path,) = root.rglob(name)
    return path


@pytest.fixture(params=["storage", "old storage"])
def root(request: pytest.FixtureRequest, document: Document, write_storage: Write) -> Path:
    """A storage of one session, in each layout in turn."""
    return write_storage(document, request.param)


def test_damaged_files_are_counted_and_cost_nothing_else(root: Path, read_all: Read) -> None:
    _find(root, "prt_e0011.json").write_bytes(b"")
    torn = _find(root, "prt_e0014.json")
    torn.write_bytes(torn.read_bytes()[:-20])
    _find(root, "prt_e0018.json").write_bytes(b"\0" * 413)
    (torn.parent / ".prt_e0024.json.tmp").write_bytes(b"{}")
    events, count = read_all(opencode_storage, root)
    assert (count.skipped, count.read) == (4, 1 + 5 + 21 + 1)
    assert [event.text for event in events if isinstance(event, Said) and event.kind == "reasoning"] == []
    commands = [event.command for event in events if isinstance(event, Called)]
    assert len(commands) == 8
    assert "grep -n bind app.toml" not in commands


def test_a_session_file_of_nul_bytes_does_not_hide_the_session(root: Path, read_all: Read) -> None:
    record = _find(root, "ses_1f00fixture0001.json")
    record.write_bytes(b"\0" * record.stat().st_size)
    events, count = read_all(opencode_storage, root)
    assert count.skipped == 1
    assert events[0] == About("ses_1f00fixture0001")
    assert len([event for event in events if isinstance(event, Called)]) == 10


def test_messages_without_a_session_file_are_a_session(root: Path, read_all: Read) -> None:
    _find(root, "ses_1f00fixture0001.json").unlink()
    events, count = read_all(opencode_storage, root)
    assert count.skipped == 0
    assert {event.session for event in events} == {"ses_1f00fixture0001"}


@pytest.mark.parametrize("left", [b"", None])
def test_parts_without_their_message_are_counted(root: Path, read_all: Read, left: bytes | None) -> None:
    message = _find(root, "msg_e0004.json")
    if left is None:
        message.unlink()
    else:
        message.write_bytes(left)
    events, count = read_all(opencode_storage, root)
    assert count.skipped == (1 if left is None else 2)
    assert "Summary: the service bound to loopback only." not in [e.text for e in events if isinstance(e, Said)]


def test_the_path_names_the_session_whatever_the_content_says(root: Path, read_all: Read) -> None:
    for path in root.rglob("*.json"):
        path.write_text(path.read_text().replace("ses_1f00fixture0001", "ses_stale"))
    events, _ = read_all(opencode_storage, root)
    assert {event.session for event in events} == {"ses_1f00fixture0001"}


def test_places_are_files_of_the_storage(root: Path, read_all: Read) -> None:
    events, _ = read_all(opencode_storage, root)
    spans = [event.span for event in events if isinstance(event, Called)]
    first = spans[0]
    assert first is not None
    assert first.file is not None
    assert b"ss -ltn" in (root / first.file).read_bytes()[first.start : first.end]


def test_one_source_a_session_and_a_stamp_for_all_of_its_files(
    document: Document, root: Path, write_storage: Write
) -> None:
    document["info"]["id"] = "ses_1effother"
    for message in document["messages"]:
        message["info"]["id"] = message["info"]["id"].replace("msg_", "msg_f")
    write_storage(document, "old storage" if "project" in root.parts else "storage")
    before = {source.part: source.stamp for source in opencode_storage.sources(root)}
    assert list(before) == ["ses_1f00fixture0001", "ses_1effother"]
    part = next(path for path in root.rglob("prt_e0013.json") if path.parent.name == "msg_fe0002")
    os.utime(part, (1_900_000_000, 1_900_000_000))
    after = {source.part: source.stamp for source in opencode_storage.sources(root)}
    assert after["ses_1f00fixture0001"] == before["ses_1f00fixture0001"]
    assert after["ses_1effother"] != before["ses_1effother"]


@pytest.mark.parametrize("made", ["session/a.json", "message/x", "claude/projects"])
def test_other_folders_are_left_to_others(tmp_path: Path, made: str) -> None:
    (tmp_path / made).mkdir(parents=True)
    assert not opencode_storage.sniff(tmp_path, b"")
    assert list(opencode_storage.sources(tmp_path)) == []
