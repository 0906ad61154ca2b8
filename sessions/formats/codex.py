"""Codex CLI: rollouts, one JSONL file per thread, of late compressed, long ago one JSON document."""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from typing import Any

from sessions.errors import BadInput
from sessions.formats.files import file_source
from sessions.formats.rollout.archive import is_compressed, open_log, peek
from sessions.formats.rollout.thread import Thread
from sessions.ingest.events import Count, Event
from sessions.ingest.lines import parse, read_lines
from sessions.ingest.source import Source
from sessions.models.session import Span

name = "codex"
agent = "codex"
folders = ("$CODEX_HOME/sessions", "$CODEX_HOME/archived_sessions", "~/.codex/sessions", "~/.codex/archived_sessions")

_ENVELOPE = re.compile(rb'"type"\s*:\s*"(?:session_meta|turn_context|response_item|event_msg|compacted|world_state)"')
_PAYLOAD = re.compile(rb'"payload"\s*:\s*\{')
_OLD_START = re.compile(rb'\{\s*"(?:id|timestamp|instructions|git)"\s*:')
_OLD_MARK = re.compile(
    rb'"record_type"\s*:\s*"state"|"instructions"\s*:.*\n\s*\{[^\n]*"type"\s*:\s*"(?:message|reasoning)"'
)
_DOCUMENT = re.compile(rb'\{\s*"session"\s*:\s*\{.*?"(?:instructions|timestamp)"\s*:.*?"items"\s*:\s*\[', re.DOTALL)
_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


_PADDING = b"\xef\xbb\xbf\x00 \t\r\n"
_HEAD = 65536


def sniff(path: Path, head: bytes) -> bool:
    """Tell by content: records in envelopes, the bare ones of before, or the one document before those."""
    del path
    start = (peek(head) if is_compressed(head) else head).lstrip(_PADDING)
    if not start.startswith(b"{"):
        return False
    if _ENVELOPE.search(start) and _PAYLOAD.search(start):
        return True
    return bool(_DOCUMENT.match(start) or (_OLD_START.match(start) and _OLD_MARK.search(start)))


def sources(path: Path) -> Iterable[Source]:
    """Return the log; where a compressed one has its plain self beside it, that."""
    plain = path.with_suffix("")
    return [file_source(plain if path.suffix == ".zst" and plain.is_file() else path, name)]


def read(source: Source, count: Count) -> Iterator[Event]:
    """Yield the events of one thread, once it is read whole: twins and roll-backs change what came before."""
    thread = Thread(_id_of(source.path))
    with _opened(source.path, count) as log:
        start = log.peek(_HEAD)
        if _DOCUMENT.match(start.lstrip(_PADDING)):
            _read_document(log.read(), thread, count)
        else:
            for record in read_lines(log, count):
                _take(thread, record.value, record.span, count)
    yield from thread.events()


@contextmanager
def _opened(path: Path, count: Count) -> Iterator[BufferedReader]:
    try:
        with open_log(path, count) as log:
            yield log
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror or error}") from error


def _read_document(content: bytes, thread: Thread, count: Count) -> None:
    try:
        document = parse(content)
    except ValueError:
        count.skipped += 1
        return
    session, items = (document.get("session"), document.get("items")) if isinstance(document, dict) else (None, None)
    for record in (session, *(items if isinstance(items, list) else ())):
        if isinstance(record, dict):
            count.read += 1
            _take(thread, record, None, count)
        else:
            count.skipped += 1


def _take(thread: Thread, record: Mapping[str, Any], span: Span | None, count: Count) -> None:
    unknown = thread.take(record, span)
    if unknown is not None:
        count.meet_unknown(unknown)


def _id_of(path: Path) -> str:
    found = _ID.findall(path.name)
    return str(found[-1]) if found else path.name.partition(".")[0]
