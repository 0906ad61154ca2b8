"""What a tool part of opencode says: the kind of the step, its main input, its output and how it ended."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sessions.ingest import figures
from sessions.models.session import StepKind, StepStatus

Json = Mapping[str, Any]

KINDS: dict[str, StepKind] = {
    "bash": "shell", "shell": "shell",
    "read": "read", "list": "read",
    "edit": "edit", "write": "edit", "patch": "edit", "multiedit": "edit", "apply_patch": "edit",
    "grep": "search", "glob": "search",
    "webfetch": "web", "websearch": "web", "codesearch": "web",
    "task": "agent",
}  # fmt: skip
"""The kind of each built-in tool; any other tool (plug-ins, MCP servers) is ``other``."""

_INPUTS = ("command", "pattern", "url", "query", "prompt", "patchText", "filePath", "path", "name")
_NOTE = re.compile(r"<(?P<tag>(?:shell|bash)_metadata)>(?P<text>.*?)</(?P=tag)>\s*\Z", re.DOTALL)
_KILLED = re.compile(r"terminated command after exceeding timeout|aborted the command", re.IGNORECASE)
_OLD_KILLED = re.compile(r"\((?:Command timed out after [^)]*|Command was aborted)\)\s*\Z")
_CUT = re.compile(r"truncated output as it exceeded", re.IGNORECASE)
_OLD_CUT = re.compile(r"\(Output was truncated[^)]*\)\s*\Z")
_NEW_CUT = re.compile(r"\A\.\.\.(?:\d+ \w+|output) truncated\.\.\.|\n\.\.\.\d+ (?:bytes|lines) truncated\.\.\.\n")
_SAVED = re.compile(r"(?:output saved to|outputPath): ?(?P<path>\S+)")
_OUTPUT_NAME = re.compile(r"tool_\w+")
_TAIL = 2_000
_DENIED = ("rejected permission to use this", "specified a rule which prevents", "dismissed this question")
_ABORTED = "execution aborted"
_NOTHING = "(no output)"


@dataclass(frozen=True, slots=True)
class Result:
    """How a tool call ended, in the words of `Step`; `duration` is in seconds."""

    output: str
    status: StepStatus
    exit_code: int | None = None
    truncated: bool = False


def entry(value: Any, *path: str) -> Any:
    """Return what lies under nested keys, or None where a level is missing or no object."""
    for key in path:
        if not isinstance(value, Mapping):
            return None
        value = value.get(key)
    return value


def main_input(tool: str, given: Json) -> str:
    """Return the input that tells what the call was about: command, path with content, pattern, address, prompt."""
    if KINDS.get(tool) == "edit":
        return _change(given)
    for name in _INPUTS:
        if isinstance(given.get(name), str):
            return str(given[name])
    return json.dumps(dict(given), ensure_ascii=False) if given else ""


def conclude(tool: str, state: Json, outputs: tuple[Path, ...], *, over: bool) -> Result | None:
    """Return how a call ended, or None where the log has no result for it.

    `outputs` are the folders where opencode keeps the outputs that were too long for the log. `over` says that the
    answer that made the call is complete: a call that is still running in it was left behind.
    """
    status = state.get("status")
    if status == "completed":
        return _completed(tool, state, outputs)
    if status == "error":
        return _failed(state)
    return _unfinished(state, over=over)


def _completed(tool: str, state: Json, outputs: tuple[Path, ...]) -> Result:
    text = _text(state.get("output"))
    output, truncated = _whole(text, state, outputs)
    if KINDS.get(tool) != "shell":
        return Result(output, "error" if tool == "invalid" else "ok", truncated=truncated)
    code = figures.exit_code(entry(state, "metadata", "exit"))
    metadata = state.get("metadata")
    killed = _was_killed(text) or (code is None and isinstance(metadata, Mapping) and "exit" in metadata)
    return Result("" if output == _NOTHING else output, "interrupted" if killed else "ok", code, truncated)


def _failed(state: Json) -> Result:
    error, partial = _text(state.get("error")), _text(entry(state, "metadata", "output"))
    status: StepStatus = "error"
    if any(sentence in error for sentence in _DENIED):
        status = "rejected"
    elif _ABORTED in error:
        status = "interrupted"
    return Result(f"{partial}\n{error}" if partial else error, status)


def _unfinished(state: Json, *, over: bool) -> Result | None:
    partial = _text(entry(state, "metadata", "output"))
    if state.get("status") == "running" and not over:
        return Result(partial, "running")
    return Result(partial, "no-result") if partial else None


def _whole(text: str, state: Json, outputs: tuple[Path, ...]) -> tuple[str, bool]:
    if not _was_cut(text, state):
        return text, False
    named = entry(state, "metadata", "outputPath")
    found = _SAVED.search(text[:_TAIL]) or _SAVED.search(text[-_TAIL:])
    name = re.split(r"[/\\]", named if isinstance(named, str) else found["path"] if found else "")[-1]
    # The log names a path; only a file of opencode's own naming in its own folder is read, or any log could name any.
    for folder in outputs if _OUTPUT_NAME.fullmatch(name) else ():
        try:
            return (folder / name).read_bytes().decode(errors="replace"), False
        except OSError:
            continue
    return text, True


def _was_cut(text: str, state: Json) -> bool:
    tail = text[-_TAIL:]
    note = _NOTE.search(tail)
    return (
        entry(state, "metadata", "truncated") is True
        or bool(note and _CUT.search(note["text"]))
        or bool(_OLD_CUT.search(tail) or _NEW_CUT.search(text[:_TAIL]))
    )


def _was_killed(text: str) -> bool:
    tail = text[-_TAIL:]
    note = _NOTE.search(tail)
    return bool(note and _KILLED.search(note["text"])) or bool(_OLD_KILLED.search(tail))


def _change(given: Json) -> str:
    path = given.get("filePath") or given.get("path")
    edits = given.get("edits")
    bodies = [_body(edit) for edit in (edits if isinstance(edits, list) else [given]) if isinstance(edit, Mapping)]
    return "\n".join(part for part in (path, *bodies) if isinstance(part, str) and part)


def _body(edit: Json) -> str:
    for name in ("content", "patchText", "patch"):
        if isinstance(edit.get(name), str):
            return str(edit[name])
    old, new = _text(edit.get("oldString")), _text(edit.get("newString"))
    return "\n".join([f"-{line}" for line in old.splitlines()] + [f"+{line}" for line in new.splitlines()])


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
