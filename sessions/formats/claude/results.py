"""Claude Code's results: output, status and exit code of a call."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sessions.formats.claude.texts import plain
from sessions.ingest import figures
from sessions.models.session import ExitSource, StepStatus

_EXIT = re.compile(r"(?:Error: )?Exit code (-?\d+)(?:\r?\n|$)")
_REJECTED = re.compile(
    r"(?:Error: )?(?:User rejected tool use|The user doesn't want to (?:proceed|take this action)|"
    r"Permission to use .{1,80} (?:has been|was) denied|.{0,200}requires approval)"
)
_INTERRUPTED = re.compile(
    r"(?:Error: )?(?:Sibling tool call errored|Cancelled: parallel tool call|\[Request interrupted|"
    r"Interrupted by user|Command timed out|Request was aborted)"
)
_TIMED_OUT = re.compile(r"Command timed out after .{1,40}")
_ERROR_TAG = re.compile(r"<tool_use_error>(.*)</tool_use_error>", re.DOTALL)
_PERSISTED = re.compile(r"<persisted-output>.*?Full output saved to: (\S[^\n]*)", re.DOTALL)
_SHORTENED = re.compile(r"\.\.\. \[\d+ (?:lines|characters) truncated\] \.\.\.|\[\.\.\. output truncated")
_NOTHING = "(Bash completed with no output)"
_NOTE = re.compile(r"\n?Shell cwd was reset to [^\n]*\s*\Z")
_POLLED = re.compile(r"<(status|exit_code|output|stdout|stderr)>\n?(.*?)\n?</\1>", re.DOTALL)

_GREP_LIKE = {"No matches found", "Files differ", "Condition is false", "Some directories were inaccessible"}
"""What the program says for exit code 1 of grep, diff, test and find."""

_STATES: Mapping[str, StepStatus] = {
    "running": "running", "pending": "running", "completed": "ok", "failed": "error",
    "killed": "interrupted", "stopped": "interrupted", "cancelled": "interrupted",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a call; `task` is the background task that goes on, `agent` the sub-agent that worked."""

    output: str
    status: StepStatus = "ok"
    exit_code: int | None = None
    exit_source: ExitSource | None = None
    truncated: bool = False
    task: str | None = None
    agent: str | None = None
    duration: float | None = None


def read_result(tool: str, block: Mapping[str, Any], extra: object, outputs: Path) -> Result:
    """Return the result in a tool_result block; `extra` is the record's toolUseResult.

    `outputs` is the folder beside the log in which large outputs lie, as ``<id>.txt``.
    """
    text = plain(block.get("content"))
    details = extra if isinstance(extra, dict) else {}
    if block.get("is_error") or isinstance(extra, str):
        return _failed(text, extra if isinstance(extra, str) else text)
    if tool == "Bash":
        return _shell(text, details, outputs)
    if tool in {"BashOutput", "TaskOutput", "AgentOutputTool"}:
        return _polled(text, details)
    whole = _persisted(text, outputs)
    goes_on = bool(details.get("isAsync")) or details.get("status") == "async_launched"
    return Result(
        output=text if whole is None else whole,
        status="running" if goes_on else "ok",
        truncated=whole is None and bool(_PERSISTED.match(text)),
        task=(_text(details, "taskId") or _text(details, "agentId")) if goes_on else None,
        agent=_text(details, "agentId"),
        duration=_seconds(details.get("totalDurationMs", details.get("durationMs"))),
    )


def state_of(word: str) -> StepStatus:
    """Return the status that a background task's own word for it stands for."""
    return _STATES.get(word, "ok")


def _failed(text: str, message: str) -> Result:
    tagged = _ERROR_TAG.search(text)
    output = tagged.group(1) if tagged else text or message.removeprefix("Error: ")
    if match := _EXIT.match(text) or _EXIT.match(message):
        body = output[output.find("\n") + 1 :] if _EXIT.match(output) and "\n" in output else ""
        status: StepStatus = "interrupted" if _TIMED_OUT.match(body) else "error"
        shortened = bool(_SHORTENED.search(body) or _PERSISTED.match(body))
        source: ExitSource = "log"
        return Result(body, status, figures.exit_code(match.group(1)), source, shortened)
    return Result(output, _refusal(message, text))


def _refusal(message: str, text: str) -> StepStatus:
    for candidate in (message, text):
        if _REJECTED.match(candidate):
            return "rejected"
        if _INTERRUPTED.match(candidate):
            return "interrupted"
    return "error"


def _shell(text: str, details: Mapping[str, Any], outputs: Path) -> Result:
    printed = _printed(details)
    if task := _text(details, "backgroundTaskId"):
        return Result(printed, "running", task=task)
    shown = "" if text.strip() == _NOTHING else _NOTE.sub("", text)
    output = max(_persisted(text, outputs) or "", printed, key=len) or shown
    short = _is_short(details, output) if _PERSISTED.match(text) else bool(_SHORTENED.search(output))
    if details.get("interrupted"):
        return Result(output, "interrupted", truncated=short)
    code = _code(details)
    return Result(output, "ok", code, "derived" if code is not None else None, short)


def _code(details: Mapping[str, Any]) -> int | None:
    meaning = details.get("returnCodeInterpretation")
    if not meaning:
        return 0
    return 1 if str(meaning) in _GREP_LIKE else None


def _is_short(details: Mapping[str, Any], output: str) -> bool:
    size = details.get("persistedOutputSize")
    if isinstance(size, int):
        return len(output.encode(errors="replace")) < size
    return output.startswith("<persisted-output>")


def _printed(details: Mapping[str, Any]) -> str:
    """Return both streams, without what the program itself adds to the second."""
    streams = (str(details.get("stdout") or ""), _NOTE.sub("", str(details.get("stderr") or "")))
    return "\n".join(stream for stream in streams if stream)


def _polled(text: str, details: Mapping[str, Any]) -> Result:
    given = details.get("task")
    task = given if isinstance(given, dict) else details
    tags = {match.group(1): match.group(2) for match in _POLLED.finditer(text)}
    code = figures.exit_code(task.get("exitCode"))
    if code is None:
        code = figures.exit_code(tags.get("exit_code", "").strip())
    output = str(task.get("output") or task.get("result") or "") or _printed(task)
    if not output:
        output = "\n".join(tags[name] for name in ("output", "stdout", "stderr") if tags.get(name))
    status = state_of(str(task.get("status") or tags.get("status") or ""))
    return Result(output, status, code, None if code is None else "log")


def _persisted(text: str, outputs: Path) -> str | None:
    """Return the whole of an output that was saved apart; only ever from the folder beside the log."""
    match = _PERSISTED.match(text)
    if match is None:
        return None
    name = re.split(r"[/\\]", match.group(1).strip())[-1]
    try:
        return (outputs / name).read_bytes().decode("utf-8", "replace")
    except OSError:
        return None


def _text(details: Mapping[str, Any], key: str) -> str | None:
    value = details.get(key)
    return value if isinstance(value, str) and value else None


def _seconds(milliseconds: object) -> float | None:
    given = figures.count(milliseconds)
    return given / 1000 if given or milliseconds == 0 else None
