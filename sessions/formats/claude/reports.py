"""What sub-agents said and ran, as a session's own log reports it while they work.

Claude Code 2.1.12 to 2.1.81 writes a record of type ``progress`` for each message of a sub-agent. Where the sub-agent's
own log is gone, as in most logs that were passed on, they are all that is left of it.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

_TALK = frozenset({"user", "assistant"})
_SHARED = ("sessionId", "cwd", "version", "gitBranch")


class Reports:
    """Turns the reports of one log into the records that the sub-agent's own log would have."""

    def __init__(self, path: Path) -> None:
        """Remember where the logs of this log's sub-agents would be."""
        self._folders = (path.parent / path.stem / "subagents", path.parent)
        self._own: dict[str, bool] = {}
        self._last: dict[str, str] = {}

    def told_by(self, record: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Return the record of a sub-agent that `record` reports, with the one before it as its parent.

        None if it reports none, or the sub-agent's own log is there and says all of it.
        """
        data = record.get("data")
        if record.get("type") != "progress" or not isinstance(data, dict):
            return None
        message, agent = data.get("message"), data.get("agentId")
        if not isinstance(message, dict) or message.get("type") not in _TALK or not isinstance(agent, str):
            return None
        if self._has_own_log(agent):
            return None
        told = {name: record[name] for name in _SHARED if name in record}
        told |= {**message, "isSidechain": True, "agentId": agent, "parentUuid": self._last.get(agent)}
        if isinstance(message.get("uuid"), str):
            self._last[agent] = message["uuid"]
        return told

    def _has_own_log(self, agent: str) -> bool:
        if agent not in self._own:
            name = f"agent-{agent}.jsonl"
            self._own[agent] = "/" not in agent and any((folder / name).is_file() for folder in self._folders)
        return self._own[agent]
