"""What holds for every log that is written line by line."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from sessions.formats import claude_code, codex
from sessions.formats.files import file_source
from sessions.ingest.events import Count, Event, Said
from sessions.ingest.source import Format

_DATA = Path(__file__).parents[2] / "data"
_LOGS = sorted((*_DATA.glob("claude-code/**/*.jsonl"), *_DATA.glob("codex/**/*.jsonl")))


def _format(path: Path) -> Format:
    return claude_code if "claude-code" in path.parts else codex


def _events(path: Path, log: Path) -> Iterator[Event]:
    return _format(path).read(file_source(log, _format(path).name), Count())


def _texts(path: Path, log: Path) -> list[tuple[str, str]]:
    return [(said.role, said.text) for said in _events(path, log) if isinstance(said, Said)]


@pytest.mark.parametrize("path", _LOGS, ids=lambda path: f"{path.parent.name}/{path.name[:12]}")
def test_a_log_cut_at_any_line_gives_the_beginning_of_its_messages(path: Path, tmp_path: Path) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    whole = _texts(path, path)
    cut = tmp_path / path.name
    for length in range(len(lines)):
        cut.write_bytes(b"".join(lines[:length]))
        found = _texts(path, cut)
        assert found == whole[: len(found)], f"cut after line {length}"


@pytest.mark.parametrize("path", _LOGS, ids=lambda path: f"{path.parent.name}/{path.name[:12]}")
def test_a_log_is_recognised_by_its_own_format_alone(path: Path) -> None:
    head = path.read_bytes()
    other: Format = claude_code if "codex" in path.parts else codex
    assert _format(path).sniff(path, head)
    assert not other.sniff(path, head)


@pytest.mark.parametrize("path", _LOGS, ids=lambda path: f"{path.parent.name}/{path.name[:12]}")
def test_records_of_a_wrong_shape_are_no_error(path: Path, tmp_path: Path) -> None:
    """Every value of every record is replaced by another kind of value, one at a time."""
    records = [json.loads(line) for line in path.read_bytes().splitlines()]
    log = tmp_path / path.name
    odds: tuple[object, ...] = (None, 7, "text", [1, {"type": 3}], {"type": {}})
    for odd in odds:
        changed = [{**record, key: odd} for record in records for key in record]
        changed += [
            {**record, "payload": {**record["payload"], key: odd}} for record in records for key in _inside(record)
        ]
        changed += [
            {**record, "message": {**record["message"], "content": odd}} for record in records if "message" in record
        ]
        log.write_text("".join(f"{json.dumps(record)}\n" for record in (*records[:1], *changed)))
        assert list(_events(path, log))


def _inside(record: dict[str, object]) -> list[str]:
    payload = record.get("payload")
    return list(payload) if isinstance(payload, dict) else []


@pytest.mark.parametrize("head", [b"", b"{}\n", b"\x00\x00", b"[1, 2]", b'{"type": "note"}\n', b"plain text\n"])
def test_other_files_are_not_recognised(head: bytes) -> None:
    assert not claude_code.sniff(Path("x.jsonl"), head)
    assert not codex.sniff(Path("x.jsonl"), head)
