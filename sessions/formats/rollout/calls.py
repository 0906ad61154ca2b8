"""Codex's tools: of which kind each call is, what it runs, and what it polls."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from shlex import quote
from typing import Any

from sessions.formats.rollout.argv import argv_text
from sessions.formats.rollout.programs import ToolCall, exit_mark, tool_calls
from sessions.models.session import StepKind

_SHELLS = frozenset({"shell", "container.exec", "local_shell", "shell_command", "exec_command"})
_KINDS: Mapping[str, StepKind] = {
    "write_stdin": "poll", "apply_patch": "edit",
    "view_image": "read", "read_file": "read", "list_dir": "read", "grep_files": "search",
    "web_search": "web", "web__run": "web", "web.run": "web",
    "spawn_agent": "agent", "send_input": "agent", "wait_agent": "agent", "close_agent": "agent",
    "resume_agent": "agent", "send_message": "agent", "list_agents": "agent", "followup_task": "agent",
    "interrupt_agent": "agent", "assign_task": "agent",
}  # fmt: skip
_MAIN = ("input", "patch", "path", "file_path", "dir_path", "query", "url", "message", "chars", "target", "id")


@dataclass(frozen=True, slots=True)
class Request:
    """A call as far as it can be read from its arguments: `process` and `cell` name what a poll polls."""

    tool: str
    kind: StepKind
    command: str
    programs: tuple[str, ...] = ()
    folder: str | None = None
    process: str | None = None
    cell: str | None = None
    exit_mark: str | None = None
    """The words after which a program of one command prints its exit code."""


def read_call(payload: Mapping[str, Any]) -> Request:
    """Return the request of a function_call, custom_tool_call or local_shell_call."""
    if payload.get("type") == "local_shell_call":
        action = payload.get("action")
        return _shell("local_shell", action if isinstance(action, dict) else {})
    tool = str(payload.get("name") or "").removeprefix("functions.")
    if payload.get("type") == "custom_tool_call":
        given = str(payload.get("input") or "")
        return _program(tool, given) if tool == "exec" else Request(tool, _kind(tool), given)
    raw = payload.get("arguments")
    return _function(tool, raw if isinstance(raw, str) else json.dumps(raw or {}))


def _function(tool: str, raw: str) -> Request:
    arguments = _parsed(raw)
    if tool in _SHELLS:
        return _shell(tool, arguments) if arguments else Request(tool, "shell", raw)
    if tool == "wait" and "cell_id" in arguments:
        return Request(tool, "poll", str(arguments["cell_id"]), cell=str(arguments["cell_id"]))
    if tool == "write_stdin":
        chars = str(arguments.get("chars") or "")
        return Request(tool, "poll", chars, process=str(arguments.get("session_id")))
    main = next((str(arguments[key]) for key in _MAIN if isinstance(arguments.get(key), str)), raw)
    kind = "agent" if tool == "wait" else _kind(tool)
    return Request(tool, kind, raw if kind == "other" else main)


def _kind(tool: str) -> StepKind:
    return _KINDS.get(tool, "shell" if tool in _SHELLS else "other")


def _shell(tool: str, arguments: Mapping[str, Any]) -> Request:
    given = arguments.get("cmd", arguments.get("command"))
    text = argv_text([str(word) for word in given]) if isinstance(given, list) else str(given or "")
    folder = arguments.get("workdir", arguments.get("working_directory"))
    programs = (text,) if text else ()
    return Request(tool, "shell", text, programs, folder if isinstance(folder, str) and folder else None)


def _program(tool: str, text: str) -> Request:
    calls = tool_calls(text)
    runs = [call for call in calls if call.runs]
    if runs:
        return _runs(tool, text, runs)
    for call in calls:
        if call.tool == "write_stdin" and isinstance(call.given, dict):
            return Request(tool, "poll", str(call.given.get("chars") or ""), process=str(call.given.get("session_id")))
    kinds = {_kind(call.tool) for call in calls} - {"other", "shell"}
    if len(kinds) != 1:
        return Request(tool, "other", text)
    mains = [_main(call) for call in calls if _kind(call.tool) in kinds]
    literal = [main for main in mains if main is not None]
    return Request(tool, kinds.pop(), "\n".join(literal) if len(literal) == len(mains) else text)


def _runs(tool: str, text: str, runs: list[ToolCall]) -> Request:
    """Return the commands of a program: their texts as its text where it computes none of them."""
    folder = runs[0].folder
    commands = [_placed(call, folder) for call in runs if call.command]
    whole = len(commands) == len(runs)
    mark = exit_mark(text) if len(runs) == 1 else None
    return Request(tool, "shell", "\n".join(commands) if whole else text, tuple(commands), folder, exit_mark=mark)


def _placed(call: ToolCall, folder: str | None) -> str:
    if call.folder in {None, folder}:
        return call.command or ""
    return f"cd {quote(call.folder or '.')} && {call.command}"


def _main(call: ToolCall) -> str | None:
    if isinstance(call.given, str):
        return call.given
    if isinstance(call.given, dict):
        found = (call.given.get(key) for key in _MAIN)
        return next((each for each in found if isinstance(each, str)), None)
    return None


def _parsed(raw: str) -> Mapping[str, Any]:
    try:
        value = json.loads(raw)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
