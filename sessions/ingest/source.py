"""What an importer reads from: one file, or one folder of a store made of many, and the protocol of a format."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from sessions.ingest.display import clean
from sessions.ingest.events import Count, Event


@dataclass(frozen=True, slots=True)
class Source:
    """A place that a format can read: `path`, and `part` where a container holds several (a session's id).

    `stamp` changes whenever the content may have changed: a source with a known stamp is not read again.
    """

    path: Path
    format: str
    stamp: str
    size: int = 0
    part: str = ""
    shown: str = ""
    """The name under which it is stored, where that is not the plain one: without a secret that the path holds."""

    @property
    def name(self) -> str:
        """The stable name of the source in the store: the path, and ``#part`` behind it, as it may be shown."""
        if self.shown:
            return self.shown
        path = os.fsencode(self.path).decode("utf-8", "backslashreplace")
        return clean(f"{path}#{self.part}" if self.part else path)


class Format(Protocol):
    """What a module in the entry point group ``necropsy.formats`` provides as module-level names."""

    name: str
    """As in `Session.format`: ``claude-code``, ``codex``, ``opencode``."""
    agent: str
    folders: tuple[str, ...]
    """Where the agent keeps its logs, with ``~`` and ``$VAR``; searched when no path is given."""

    def sniff(self, path: Path, head: bytes) -> bool:
        """Tell by content whether this is the format: `head` is the first 64 KiB of a file, empty for a folder."""
        ...

    def sources(self, path: Path) -> Iterable[Source]:
        """List what can be read under a path that `sniff` accepted, cheaply: content is not parsed here."""
        ...

    def read(self, source: Source, count: Count) -> Iterator[Event]:
        """Yield the events of one source in the order of the log. Never raises on bad records: counts them."""
        ...
