"""Which session a Claude Code record belongs to: files hold several ids, and one session can have had several."""

import mmap
from collections.abc import Mapping
from pathlib import Path
from typing import Any


class Identity:
    """Names the session of each record of one log.

    A resumed session writes on under a new id: a record that goes on from a known one keeps the session of that one.
    The log's own name is the session's id where the log holds it, else the first id is. Sub-agents get the id
    ``SESSION/AGENT``.
    """

    def __init__(self, path: Path) -> None:
        """Look up in the file whether its name is an id of its own."""
        self._own = path.stem if _mentions(path, path.stem) else None
        self._names: dict[str, str] = {}
        self._homes: dict[str, str] = {}
        self._agents: dict[str, str] = {}
        self._last = ""

    def session_of(self, record: Mapping[str, Any]) -> str:
        """Return the id of the session, of a sub-agent's record that of the sub-agent; empty while none is known."""
        main = self._main(record)
        uuid = record.get("uuid")
        if isinstance(uuid, str):
            self._homes[uuid] = main
        self._last = main or self._last
        if not record.get("isSidechain"):
            return main
        return f"{main}/{self._agent(record)}"

    def parent_of(self, session: str) -> str | None:
        """Return the session that started a sub-agent; None for any other."""
        return session.rpartition("/")[0] or None

    def _main(self, record: Mapping[str, Any]) -> str:
        given = record.get("sessionId")
        if not isinstance(given, str) or not given:
            return self._last
        if given not in self._names:
            self._names[given] = self._first_seen(given, record)
        return self._names[given]

    def _first_seen(self, given: str, record: Mapping[str, Any]) -> str:
        if not self._names:
            return self._own or given
        for key in ("parentUuid", "logicalParentUuid"):
            home = self._homes.get(str(record.get(key)))
            if home is not None:
                return home
        return given

    def _agent(self, record: Mapping[str, Any]) -> str:
        given = record.get("agentId")
        if isinstance(given, str) and given:
            return given
        uuid, parent = str(record.get("uuid", "")), str(record.get("parentUuid"))
        agent = self._agents.get(parent) or uuid[:8]
        self._agents[uuid] = agent
        return agent


def _mentions(path: Path, word: str) -> bool:
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            return any(content.find(f'"sessionId":{gap}"{word}"'.encode()) >= 0 for gap in ("", " "))
    except (OSError, ValueError):
        return False
