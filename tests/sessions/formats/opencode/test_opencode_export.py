import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sessions.formats import opencode
from sessions.ingest.events import About, Called, Count, Event, Said, Used
from sessions.ingest.source import Format, Source

Document = dict[str, Any]
Read = Callable[[Format, Path], tuple[list[Event], Count]]
Write = Callable[[Document], Path]


def _commands(events: list[Event]) -> list[str]:
    return [event.command for event in events if isinstance(event, Called)]


def _read_bytes(path: Path, data: bytes) -> tuple[list[Event], Count]:
    path.write_bytes(data)
    count = Count()
    return list(opencode.read(Source(path, opencode.name, ""), count)), count


@pytest.mark.parametrize("noise", [b"Exporting session: ses_1f00 {1 of 1}\n", b"\xef\xbb\xbf", b"\r\n\r\n"])
def test_what_a_terminal_printed_in_front_is_passed_over(document: Document, write_export: Write, noise: bytes) -> None:
    path = write_export(document)
    whole = path.read_bytes()
    assert opencode.sniff(path, (noise + whole)[:65536])
    events, count = _read_bytes(path, noise + whole + b"\nDone.\n")
    assert (len(_commands(events)), count.skipped, count.live) == (10, 0, False)
    spans = [event.span for event in events if isinstance(event, Called)]
    first = spans[0]
    assert first is not None
    assert json.loads((noise + whole)[first.start : first.end])["id"] == "prt_e0013"


def test_every_place_in_the_log_holds_the_part_it_came_from(document: Document, write_export: Write) -> None:
    path = write_export(document)
    raw = path.read_bytes()
    assert not raw.isascii()
    events, _ = _read_bytes(path, raw)
    said = [event for event in events if isinstance(event, Said)]
    for event in said:
        assert event.span is not None
        assert json.loads(raw[event.span.start : event.span.end])["text"] == event.text
    assert len(said) == 5


def test_a_document_cut_anywhere_gives_what_is_whole_and_is_live(document: Document, write_export: Write) -> None:
    path = write_export(document)
    whole = path.read_bytes()
    every, _ = _read_bytes(path, whole)
    start = whole.index(b"ses_1f00")
    before = 0
    for end in sorted(range(len(whole) - 8, start + 40, -97)):
        events, count = _read_bytes(path, whole[:end])
        assert count.live, end
        assert count.skipped == 0, end
        commands = _commands(events)
        assert commands == _commands(every)[: len(commands)]
        assert len(commands) >= before
        before = len(commands)
    assert before == 10


def test_a_damaged_part_costs_no_other_message(document: Document, write_export: Write) -> None:
    path = write_export(document)
    damaged = path.read_bytes().replace(b"ss -ltn", b"ss \\REDACTED -ltn", 1)
    events, count = _read_bytes(path, damaged)
    assert (count.skipped, count.live) == (1, False)
    texts = [event.text for event in events if isinstance(event, Said)]
    assert texts[-1] == "Summary: the service bound to loopback only."
    assert _commands(events) == ["make", ""]


def test_bytes_that_are_no_text_and_raw_control_characters_are_kept(document: Document, write_export: Write) -> None:
    path = write_export(document)
    raw = path.read_bytes().replace(b"LISTEN 0", b"\xff\x01LISTEN 0").replace(b"The port", b"\\ud83d The port")
    events, count = _read_bytes(path, raw)
    assert (len(_commands(events)), count.skipped) == (10, 0)
    spans = [event.span for event in events if isinstance(event, Called)]
    last = spans[-1]
    assert last is not None
    assert json.loads(raw[last.start : last.end])["id"] == "prt_e0051"


@pytest.mark.parametrize("data", [b"", b"\0" * 413, b"no log at all", b"[" * 100_000, b'{"info": ' + b"[" * 100_000])
def test_what_is_no_export_gives_no_calls_and_no_error(tmp_path: Path, data: bytes) -> None:
    events, count = _read_bytes(tmp_path / "x.json", data)
    assert _commands(events) == []
    assert count.skipped or count.live


def test_a_redacted_id_falls_back_to_the_messages_and_then_to_the_name(document: Document, write_export: Write) -> None:
    del document["info"]["id"]
    path = write_export(document)
    events, _ = _read_bytes(path, path.read_bytes())
    assert {event.session for event in events if isinstance(event, Called)} == {"ses_1f00fixture0001"}


@pytest.mark.parametrize(
    "other",
    [
        b'{"type":"session_meta","payload":{"id":"ses_1"}}',
        b'{"sessionId":"ses_1","type":"user","message":{"role":"user"}}',
        b'{"info": {"id": "other"}, "messages": []}',
        b'{"text": "{\\"info\\": {\\"id\\": \\"ses_1\\"}}"}',
        b"",
    ],
)
def test_other_logs_are_left_to_others(tmp_path: Path, other: bytes) -> None:
    assert not opencode.sniff(tmp_path, other)


def test_a_document_of_many_megabytes(document: Document, write_export: Write) -> None:
    state = document["messages"][1]["parts"][4]["state"]
    state["output"] = "größer\n" * 4_000_000
    path = write_export(document)
    events, count = _read_bytes(path, path.read_bytes())
    assert path.stat().st_size > 30_000_000
    assert (len(_commands(events)), count.skipped) == (10, 0)


def test_the_stamp_tells_that_the_file_grew(document: Document, write_export: Write) -> None:
    path = write_export(document)
    (before,) = opencode.sources(path)
    path.write_bytes(path.read_bytes() + b"\n")
    (after,) = opencode.sources(path)
    assert before.stamp != after.stamp
    assert (before.name, before.format, after.size) == (str(path), "opencode", before.size + 1)


def test_the_session_is_told_before_its_messages(document: Document, write_export: Write, read_all: Read) -> None:
    events, _ = read_all(opencode, write_export(document))
    assert isinstance(events[0], About)


@pytest.mark.corpus
def test_every_real_export_is_told_whole(corpus: Path) -> None:
    exports = sorted((corpus / "opencode-export").rglob("*.json"))
    assert exports
    for path in exports:
        count = Count()
        assert opencode.sniff(path, path.read_bytes()[:65536])
        events = [event for source in opencode.sources(path) for event in opencode.read(source, count)]
        document = json.loads(path.read_bytes())
        tools = [part for message in document["messages"] for part in message["parts"] if part["type"] == "tool"]
        assert [event.tool for event in events if isinstance(event, Called)] == [part["tool"] for part in tools]
        used = sum(event.output for event in events if isinstance(event, Used))
        assert used == document["info"]["tokens"]["output"]
        assert (count.skipped, count.unknown, count.live) == (0, 0, False)
