"""Claude Code's tools: of which kind each is, and which of its inputs is the command."""

import json
from collections.abc import Mapping
from typing import Any

from sessions.models.session import StepKind

_KINDS: Mapping[str, StepKind] = {
    "Bash": "shell", "PowerShell": "shell",
    "Read": "read", "NotebookRead": "read", "LS": "read",
    "Edit": "edit", "Write": "edit", "MultiEdit": "edit", "NotebookEdit": "edit",
    "Grep": "search", "Glob": "search",
    "WebFetch": "web", "WebSearch": "web",
    "Task": "agent", "Agent": "agent",
    "BashOutput": "poll", "TaskOutput": "poll", "AgentOutputTool": "poll",
}  # fmt: skip

STOPS = frozenset({"TaskStop", "KillShell", "KillBash"})
"""Tools that end a command which runs in the background."""

_MAIN = ("command", "file_path", "notebook_path", "path", "pattern", "query", "url", "prompt", "plan", "skill")


def kind_of(tool: str) -> StepKind:
    """Return the kind of a tool; anything unknown, MCP tools among it, is ``other``."""
    return _KINDS.get(tool, "other")


def background_id(given: Mapping[str, Any]) -> str | None:
    """Return the id of the background task that a poll or a stop names."""
    for key in ("task_id", "bash_id", "shell_id", "agentId"):
        if isinstance(given.get(key), str):
            return str(given[key])
    return None


def command_of(tool: str, given: Mapping[str, Any]) -> str:
    """Return the main input of a call as text.

    Edits give the path on the first line and the whole new content after it, a replacement with its old text in front
    (``<<<<<<<``, ``=======`` and ``>>>>>>>`` on lines of their own); searches give the pattern and then the path.
    """
    kind = kind_of(tool)
    if kind == "edit":
        return _edit(given)
    if kind == "search":
        return " ".join(str(given[key]) for key in ("pattern", "path", "glob") if given.get(key))
    if kind == "poll":
        return background_id(given) or ""
    for key in _MAIN:
        if isinstance(given.get(key), str):
            return str(given[key])
    return json.dumps(given, ensure_ascii=False) if given else ""


def _edit(given: Mapping[str, Any]) -> str:
    path = str(given.get("file_path") or given.get("notebook_path") or "")
    if "old_string" in given or "new_string" in given:
        return f"{path}\n{_replacement(given)}"
    edits = given.get("edits")
    if isinstance(edits, list):
        return "\n".join((path, *(_replacement(edit) for edit in edits if isinstance(edit, dict))))
    return f"{path}\n{given.get('content') or given.get('new_source') or ''}"


def _replacement(edit: Mapping[str, Any]) -> str:
    return f"<<<<<<<\n{edit.get('old_string', '')}\n=======\n{edit.get('new_string', '')}\n>>>>>>>"
