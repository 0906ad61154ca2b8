"""opencode's ``export`` JSON: one document with the session (`info`) and its `messages`, each with its `parts`.

The document is walked message by message and part by part, so that each part knows its bytes and a torn document
still gives what is whole in it.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from sessions.formats.files import file_source
from sessions.formats.opencode_document import Document
from sessions.formats.opencode_parts import AGENT, about, frame, output_folders, tell
from sessions.ingest.events import Count, Event
from sessions.ingest.source import Source

name = "opencode"
agent = AGENT
folders: tuple[str, ...] = ()
"""Exports lie where a person put them."""

_START = re.compile(rb'\{\s*"(?:info|messages|todos)"\s*:')
_SESSION = re.compile(rb'"(?:id|sessionID)"\s*:\s*"ses_')
_LONGEST_NOISE = 8 * 1024
"""Bytes of terminal output that may stand before the document (a redirect with ``2>&1``)."""


def sniff(path: Path, head: bytes) -> bool:  # noqa: ARG001  (the protocol names it; only content decides)
    """Tell whether `head` is the start of an export."""
    start = _START.search(head, 0, _LONGEST_NOISE)
    return start is not None and _SESSION.search(head, start.start()) is not None


def sources(path: Path) -> Iterable[Source]:
    """Return the one source that an export is."""
    return [file_source(path, name)]


def read(source: Source, count: Count) -> Iterator[Event]:
    """Yield the events of one export; a message or part that cannot be read is counted and left out."""
    document = Document(source.path.read_bytes(), count)
    info: dict[str, object] = {}
    for entry in document.entries():
        count.read += 1
        if entry.parts is None:
            info = entry.info
            yield about(info, _session(info.get("id"), source))
        else:
            count.read += len(entry.parts)
            session = _session(info.get("id") or entry.info.get("sessionID"), source)
            yield from tell(entry.info, entry.parts, frame(info, session, output_folders(source.path.parent)), count)


def _session(value: object, source: Source) -> str:
    """A redactor may have taken the id; the file's name has to do then."""
    return value if isinstance(value, str) and value else source.path.stem
