"""Sessions written as three agents write theirs: Claude Code, Codex, and an export of opencode."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sessions import times
from tests.sessions.hypotheses.synthetic.parts import Part, Ran

START = 1_790_000_000
"""Epoch seconds at which every session starts; each part takes `PACE` seconds."""

PACE = 20

Record = dict[str, Any]


def claude_code(number: int, parts: Sequence[Part], folder: Path) -> Path:
    """Write a session of Claude Code and return its log."""
    session = f"5a1e0000-0000-4000-8000-{number:012}"
    records: list[Record] = []

    def add(at: int, role: str, content: object) -> None:
        message: Record = {"role": role, "content": content}
        if role == "assistant":
            message |= {"id": f"m{len(records)}", "model": "example-1", "type": "message"}
        records.append(
            {
                "parentUuid": f"u{len(records) - 1}" if records else None,
                "isSidechain": False, "userType": "external", "cwd": "/srv/app", "sessionId": session,
                "version": "2.1.49", "type": role, "message": message, "uuid": f"u{len(records)}",
                "timestamp": _iso(at),
            }
        )  # fmt: skip

    for at, part in enumerate(parts):
        if isinstance(part, Ran):
            call = {"type": "tool_use", "id": f"t{at}", "name": "Bash", "input": {"command": part.command}}
            failed = f"Exit code {part.code}\n" if part.code else ""
            result = {"type": "tool_result", "tool_use_id": f"t{at}", "content": failed + part.output}
            add(at, "assistant", [call])
            add(at, "user", [result | {"is_error": bool(part.code)}])
        elif part.role == "user":
            add(at, "user", part.text)
        else:
            key = "thinking" if part.kind == "reasoning" else "text"
            add(at, "assistant", [{"type": key, key: part.text}])
    return _lines(folder / f"{session}.jsonl", records)


def codex(number: int, parts: Sequence[Part], folder: Path) -> Path:
    """Write a session of Codex and return its log."""
    session = f"019e0000-0000-7000-8000-{number:012}"
    meta = {"id": session, "timestamp": _iso(0), "cwd": "/srv/app", "originator": "codex-tui", "cli_version": "0.150.0"}
    records: list[Record] = [{"timestamp": _iso(0), "type": "session_meta", "payload": meta}]
    for at, part in enumerate(parts):
        records += ({"timestamp": _iso(at), **each} for each in _rollout(at, part))
    return _lines(folder / f"rollout-2026-09-21T14-13-20-{session}.jsonl", records)


def _rollout(at: int, part: Part) -> Iterator[Record]:
    if isinstance(part, Ran):
        arguments = json.dumps({"command": ["bash", "-lc", part.command], "workdir": "/srv/app"})
        output = json.dumps({"output": part.output, "metadata": {"exit_code": part.code, "duration_seconds": 0.5}})
        yield _item(type="function_call", name="shell", arguments=arguments, call_id=f"c{at}")
        yield _item(type="function_call_output", call_id=f"c{at}", output=output)
    elif part.kind == "reasoning":
        yield _item(type="reasoning", summary=[{"type": "summary_text", "text": part.text}], content=None)
    elif part.role == "user":
        yield _item(type="message", role="user", content=[{"type": "input_text", "text": part.text}])
        yield {"type": "event_msg", "payload": {"type": "user_message", "message": part.text, "images": []}}
    else:
        yield {"type": "event_msg", "payload": {"type": "agent_message", "message": part.text}}
        yield _item(type="message", role="assistant", content=[{"type": "output_text", "text": part.text}])


def _item(**payload: object) -> Record:
    return {"type": "response_item", "payload": payload}


def opencode(number: int, parts: Sequence[Part], folder: Path) -> Path:
    """Write an export of opencode and return it."""
    session = f"ses_{number:024}"
    messages = [_message(session, at, part) for at, part in enumerate(parts)]
    clock = {"created": START * 1000, "updated": (START + PACE * len(parts)) * 1000}
    info = {"id": session, "projectID": "global", "directory": "/srv/app", "title": "", "version": "1.18.4"}
    path = folder / f"{session}.json"
    path.write_text(json.dumps({"info": info | {"time": clock}, "messages": messages}))
    return path


def _message(session: str, at: int, part: Part) -> Record:
    begun = (START + PACE * at) * 1000
    ids = {"id": f"prt_{at:06}", "sessionID": session, "messageID": f"msg_{at:06}"}
    info: Record = {"id": f"msg_{at:06}", "sessionID": session, "role": "assistant", "time": {"created": begun}}
    if isinstance(part, Ran):
        state = {
            "status": "completed", "input": {"command": part.command}, "title": "run", "output": part.output,
            "metadata": {"output": part.output, "exit": part.code, "truncated": False},
            "time": {"start": begun, "end": begun + 500},
        }  # fmt: skip
        return {"info": info, "parts": [{**ids, "type": "tool", "tool": "bash", "callID": f"c{at}", "state": state}]}
    if part.role == "user":
        info["role"] = "user"
    return {"info": info, "parts": [{**ids, "type": part.kind, "text": part.text}]}


def _iso(at: int) -> str:
    return str(times.iso(START + PACE * at))


def _lines(path: Path, records: Sequence[Mapping[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


AGENTS: tuple[Callable[[int, Sequence[Part], Path], Path], ...] = (claude_code, codex, opencode)
"""Session n is written by the n-th of them, counted round."""


def write(number: int, parts: Sequence[Part], folder: Path) -> Path:
    """Write a session in the format whose turn it is and return its log."""
    return AGENTS[number % len(AGENTS)](number, parts, folder)
