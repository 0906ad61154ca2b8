"""The texts in which Codex gives results: exit code, time and state stand in lines before the output."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from sessions.ingest import figures
from sessions.models.session import StepStatus

_UNIFIED = re.compile(
    r"(?:Command: .*?\n)?(?:Chunk ID: [^\n]*\n)?Wall time: ([\d.]+) seconds\n"
    r"(?:Process exited with code (-?\d+)\n|Process running with session ID (\d+)\n)?"
    r"(?:Original token count: \d+\n)?Output:(?:\n|$)",
    re.DOTALL,
)
_CLASSIC = re.compile(r"Exit code: (-?\d+)\nWall time: ([\d.]+) seconds\n(?:Total output lines: \d+\n)?Output:(?:\n|$)")
_SCRIPT = re.compile(
    r"Script (completed|failed|terminated|running with cell ID (\S+))\s*\n"
    r"(?:Wall time:? ([\d.]+) seconds\n)?(?:Output:(?:\n|$))?"
)
_NOTES = re.compile(r"(?:Warning: truncated output [^\n]*\n|Total output lines: \d+\n+)+")
_CUT = re.compile(
    r"…\d+ (?:tokens|chars|bytes) truncated…|\[\.\.\. omitted \d+ of \d+ lines \.\.\.\]|\[\.\.\. output truncated"
)
_REJECTED = re.compile(
    r"(?:exec command |patch |command |tool call )?(?:rejected|declined) by user|Rejected\(|.{0,80}(?:was|is) rejected",
    re.IGNORECASE,
)
_ABORTED = re.compile(
    r"aborted(?: by user)?(?: after ([\d.]+) ?s)?\b|command timed out after|.{0,40}interrupted", re.IGNORECASE
)
_FAILED = re.compile(
    r"\w+ failed for |failed to parse function arguments|\w+ verification failed|collab spawn failed|unsupported call|"
    r"execution error|Script error:|write_stdin failed|err: |tool call error|failed in sandbox|sandbox error",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a result text says. `process` is the session that goes on running, `cell` the program that does."""

    output: str
    status: StepStatus = "ok"
    exit_code: int | None = None
    duration: float | None = None
    truncated: bool = False
    process: str | None = None
    cell: str | None = None
    child: str | None = None


def read_outcome(raw: object) -> Outcome:
    """Return what a function_call_output or custom_tool_call_output holds: a string, an object, or a list of items."""
    items = _items(raw)
    if not items:
        return Outcome("")
    if match := _SCRIPT.match(items[0]):
        return _script(match, [items[0][match.end() :], *items[1:]])
    return _text("\n".join(items))


def is_cut(text: str) -> bool:
    """Tell whether a text has Codex's mark of something left out in the middle."""
    return bool(_CUT.search(text))


def read_mark(outcome: Outcome, mark: str | None) -> Outcome:
    """Return the outcome with the last exit code that its program printed behind `mark`, if it has none yet."""
    if mark is None or outcome.exit_code is not None or outcome.status != "ok":
        return outcome
    codes = re.findall(rf"(?<!\w){re.escape(mark)}(-?\d+)(?![\w.])", outcome.output)
    if not codes:
        return outcome
    code = figures.exit_code(codes[-1])
    return replace(outcome, exit_code=code, status="error" if code else "ok")


def merge_codes(codes: Sequence[int | None]) -> int | None:
    """Return the exit code of a program of several commands: the one that all had, else none."""
    known = set(codes)
    return known.pop() if len(known) == 1 else None


def _items(raw: object) -> list[str]:
    if isinstance(raw, str):
        return [raw]
    if isinstance(raw, dict):
        content = raw.get("content", raw.get("output", raw.get("content_items")))
        return _items(content) if content is not None else [json.dumps(raw, ensure_ascii=False)]
    if not isinstance(raw, list):
        return []
    return [_item(item) for item in raw]


def _item(item: object) -> str:
    if isinstance(item, dict):
        text = item.get("text")
        if isinstance(text, str):
            return text
        return "[image]" if "image" in str(item.get("type")) else json.dumps(item, ensure_ascii=False)
    return str(item)


def _text(text: str) -> Outcome:
    if match := _UNIFIED.match(text):
        return _unified(match, text[match.end() :])
    if match := _CLASSIC.match(text):
        return _ended(text[match.end() :], figures.exit_code(match.group(1)), float(match.group(2)))
    parsed = _parsed(text)
    if isinstance(parsed, dict) and isinstance(parsed.get("output"), str):
        return _object(parsed)
    if isinstance(parsed, dict) and isinstance(parsed.get("agent_id"), str):
        return Outcome(text, child=parsed["agent_id"])
    return _plain(text)


def _unified(match: re.Match[str], body: str) -> Outcome:
    seconds, code, process = match.groups()
    if process is not None:
        return replace(_ended(body, None, None), status="running", process=process)
    return _ended(body, figures.exit_code(code), float(seconds) or None)


def _ended(body: str, code: int | None, duration: float | None) -> Outcome:
    output, truncated = _unnote(body)
    status: StepStatus = "error" if code else "ok"
    if code and _ABORTED.match(output):
        status = "interrupted"
    return Outcome(output, status, code, duration, truncated)


def _unnote(body: str) -> tuple[str, bool]:
    """Return an output without the notes on its truncation, and whether it was truncated."""
    notes = _NOTES.match(body)
    return body[notes.end() :] if notes else body, bool(notes) or is_cut(body)


def _object(parsed: dict[str, Any]) -> Outcome:
    """Read the forms ``{"output", "metadata": {"exit_code", …}}`` and ``{"output", "exit_code", "session_id", …}``."""
    given = parsed.get("metadata")
    metadata = given if isinstance(given, dict) else parsed
    code, process = metadata.get("exit_code"), metadata.get("session_id")
    seconds = metadata.get("duration_seconds", metadata.get("wall_time_seconds"))
    ended = _ended(
        parsed["output"],
        figures.exit_code(code),
        figures.seconds(seconds),
    )
    if process is not None and code is None:
        return replace(ended, status="running", duration=None, process=str(process))
    return ended


def _plain(text: str) -> Outcome:
    output, truncated = _unnote(text)
    if _REJECTED.match(text):
        return Outcome(output, "rejected", truncated=truncated)
    if match := _ABORTED.match(text):
        seconds = match.group(1)
        return Outcome(output, "interrupted", duration=float(seconds) if seconds else None, truncated=truncated)
    return Outcome(output, "error" if _FAILED.match(text) else "ok", truncated=truncated)


def _script(match: re.Match[str], items: list[str]) -> Outcome:
    word, cell, seconds = match.groups()
    parts = [part for item in items if item.strip() for part in _printed(item)]
    output = "\n".join(part.output for part in parts)
    truncated = any(part.truncated for part in parts)
    if cell is not None:
        return Outcome(output, "running", truncated=truncated, cell=cell)
    duration = float(seconds) if seconds else None
    if word != "completed":
        stopped: StepStatus = "error" if word == "failed" else "interrupted"
        refused = any(_REJECTED.search(line) for line in output.splitlines()[:3])
        return Outcome(output, "rejected" if refused and word == "failed" else stopped, None, duration, truncated)
    code = merge_codes([part.exit_code for part in parts])
    process = next((part.process for part in parts if part.process), None)
    status: StepStatus = "running" if process else "error" if code else "ok"
    return Outcome(output, status, code, duration, truncated, process)


def _printed(item: str) -> list[Outcome]:
    """Return what a program printed: a result as JSON, a list of such, or a text."""
    parsed = _parsed(item)
    if isinstance(parsed, list) and parsed and all(_is_result(each) for each in parsed):
        return [_object(each) for each in parsed]
    if _is_result(parsed):
        return [_object(parsed)]
    if match := _UNIFIED.match(item):
        return [_unified(match, item[match.end() :])]
    output, truncated = _unnote(item)
    return [Outcome(output, truncated=truncated)]


def _is_result(value: object) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("output"), str)
        and bool({"exit_code", "session_id", "wall_time_seconds", "chunk_id"} & value.keys())
    )


def _parsed(text: str) -> Any:
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return json.loads(text)
    except ValueError:
        return None
