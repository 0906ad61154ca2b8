"""Claude Code: JSONL transcripts, one per session and one per sub-agent."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path

from sessions.formats.claude.transcript import Transcript
from sessions.formats.files import file_source
from sessions.ingest.events import Count, Event
from sessions.ingest.lines import read_lines
from sessions.ingest.source import Source

name = "claude-code"
agent = "claude-code"
folders = ("$CLAUDE_CONFIG_DIR/projects", "~/.claude/projects", "$XDG_CONFIG_HOME/claude/projects")

_SESSION = re.compile(rb'"sessionId"\s*:\s*"([^"]*)"')
_MARK = re.compile(
    rb'"parentUuid"\s*:|"leafUuid"\s*:|"messageId"\s*:.{0,200}"snapshot"\s*:|"type"\s*:\s*"(?:ai-title|custom-title|'
    rb'last-prompt|queue-operation|permission-mode|mode|agent-name|pr-link|file-history-snapshot|file-history-delta)"'
)
_HEAD = 65536


def sniff(path: Path, head: bytes) -> bool:
    """Tell by content: JSON lines that name a session and have a mark of the tree, or a type of its own."""
    del path
    if not head.lstrip(b"\xef\xbb\xbf\x00 \t\r\n").startswith(b"{"):
        return False
    if b'"uuid"' in head and b'"role":"user","parts"' in head.replace(b" ", b""):
        return False
    return bool(_MARK.search(head)) and (bool(_SESSION.search(head)) or b'"leafUuid"' in head)


def sources(path: Path) -> Iterable[Source]:
    """Return the log and, for a session's main log, those of its sub-agents: beside it, or in a folder of its name."""
    found = [path]
    if not path.name.startswith("agent-"):
        found += sorted((path.parent / path.stem / "subagents").glob("agent-*.jsonl"))
        found += _agents(path.parent, path.parent.stat().st_mtime_ns).get(path.stem, ())
    return [file_source(each, name) for each in found]


def read(source: Source, count: Count) -> Iterator[Event]:
    """Yield the events of one log, once it is read whole: only its last record tells which branches were rewound."""
    transcript = Transcript(source.path)
    for record in read_lines(source.path, count):
        kind = transcript.take(record.value, record.span)
        if kind is not None:
            count.meet_unknown(kind)
    yield from transcript.events()


@lru_cache(maxsize=16)
def _agents(folder: Path, changed: int) -> dict[str, list[Path]]:
    """Return the logs of sub-agents in a folder by the session they name; each is opened once, not once a session."""
    del changed
    found: dict[str, list[Path]] = {}
    for path in sorted(folder.glob("agent-*.jsonl")):
        for session in named_in(path):
            found.setdefault(session, []).append(path)
    return found


def named_in(path: Path) -> set[str]:
    """Return the sessions that the beginning of a log names."""
    try:
        with path.open("rb") as file:
            return {name.decode("utf-8", "replace") for name in _SESSION.findall(file.read(_HEAD))}
    except OSError:
        return set()
