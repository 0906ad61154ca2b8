"""Sub-agents whose own logs are gone: what the session's log reports of them is read in their place."""

import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

from sessions.ingest.pipeline import ingest
from sessions.ingest.sniff import recognise
from sessions.models.session import Session
from sessions.store.writer import Writer

Load = Callable[[Path], dict[str, Session]]

MAIN = "5a1e0021-0000-4000-8000-000000000001"
TIME = "2026-02-09T06:42:{:02d}.000Z"
SHARED = {"sessionId": MAIN, "cwd": "/srv/engine", "version": "2.1.37", "gitBranch": "main", "userType": "external"}

ASKED = {"type": "text", "text": "Find what reads the name map."}
RUN = {"type": "tool_use", "id": "toolu_b1", "name": "Bash", "input": {"command": "grep -rn name_map src"}}
CAME = {"type": "tool_result", "tool_use_id": "toolu_b1", "content": "src/loader.py:7:name_map = {}"}
LOST = {"type": "tool_use", "id": "toolu_b2", "name": "Bash", "input": {"command": "wc -l src/loader.py"}}
TALK: list[tuple[str, dict[str, Any]]] = [("user", ASKED), ("assistant", RUN), ("user", CAME), ("assistant", LOST)]


def spoken(number: int, role: str, block: dict[str, Any]) -> dict[str, Any]:
    message: dict[str, Any] = {"role": role, "content": [block]}
    if role == "assistant":
        message |= {"id": f"msg_{number}", "model": "claude-haiku-4-5"}
    return {"type": role, "uuid": f"b-{number}", "timestamp": TIME.format(number), "message": message}


def report(number: int, agent: object, message: object) -> dict[str, Any]:
    data = {"type": "agent_progress", "agentId": agent, "message": message, "normalizedMessages": []}
    return {**SHARED, "type": "progress", "uuid": f"p-{number}", "parentUuid": "m-2", "isSidechain": False,
            "timestamp": TIME.format(number), "data": data}  # fmt: skip


def session_log() -> list[dict[str, Any]]:
    task = {"type": "tool_use", "id": "toolu_a1", "name": "Task", "input": {"prompt": ASKED["text"]}}
    answer = {"type": "tool_result", "tool_use_id": "toolu_a1", "content": "src/loader.py reads it."}
    wondered = {"type": "text", "text": "Why is it empty?"}
    return [
        {**SHARED, "parentUuid": None, **spoken(1, "user", wondered), "uuid": "m-1"},
        {**SHARED, "parentUuid": "m-1", **spoken(2, "assistant", task), "uuid": "m-2"},
        *(report(number, "b1", spoken(number, *each)) for number, each in enumerate(TALK, 3)),
        {**SHARED, "parentUuid": "m-2", **spoken(9, "user", answer), "uuid": "m-9"},
    ]  # fmt: skip


def write(path: Path, records: list[dict[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def own_log(folder: Path) -> Path:
    inner = [spoken(number, *each) for number, each in enumerate(TALK, 3)]
    inner.append(spoken(8, "assistant", {"type": "text", "text": "src/loader.py reads it."}))
    chained = [{**SHARED, "isSidechain": True, "agentId": "b1", "parentUuid": None, **each} for each in inner]
    for before, after in pairwise(chained):
        after["parentUuid"] = before["uuid"]
    return write(folder / MAIN / "subagents" / "agent-b1.jsonl", chained)


def test_a_reported_sub_agent_is_a_child_session(tmp_path: Path, load_log: Load) -> None:
    found = load_log(write(tmp_path / f"{MAIN}.jsonl", session_log()))
    assert set(found) == {MAIN, f"{MAIN}/b1"}
    child = found[f"{MAIN}/b1"]
    assert (child.parent, child.cwd, child.model) == (MAIN, "/srv/engine", "claude-haiku-4-5")
    assert [message.text for message in child.messages] == [ASKED["text"]]
    assert [(step.command, step.output, step.status) for step in child.steps] == [
        ("grep -rn name_map src", "src/loader.py:7:name_map = {}", "ok"),
        ("wc -l src/loader.py", "", "no-result"),
    ]
    (task,) = found[MAIN].steps
    assert (task.kind, task.child, task.output) == ("agent", f"{MAIN}/b1", "src/loader.py reads it.")


def test_its_own_log_counts_where_it_is_there(tmp_path: Path, load_log: Load) -> None:
    own_log(tmp_path)
    child = load_log(write(tmp_path / f"{MAIN}.jsonl", session_log()))[f"{MAIN}/b1"]
    assert [message.text for message in child.messages] == [ASKED["text"], "src/loader.py reads it."]
    assert [step.command for step in child.steps] == ["grep -rn name_map src", "wc -l src/loader.py"]


def test_its_own_log_that_comes_later_doubles_nothing(tmp_path: Path) -> None:
    log = write(tmp_path / "logs" / f"{MAIN}.jsonl", session_log())
    with Writer.open(tmp_path / "store.db") as writer:
        list(ingest(recognise(log), writer))
        own_log(log.parent)
        list(ingest(recognise(log), writer))
        child = writer.contents(f"{MAIN}/b1")
    assert [message.text for message in child.messages] == [ASKED["text"], "src/loader.py reads it."]
    assert [step.command for step in child.steps] == ["grep -rn name_map src", "wc -l src/loader.py"]


def test_odd_reports_say_nothing(tmp_path: Path, load_log: Load) -> None:
    odd: list[dict[str, Any]] = [
        report(3, None, spoken(3, "user", ASKED)),
        report(4, "b1", "text"),
        report(5, "b1", {"type": "system"}),
        {**report(6, "b1", None), "data": ["?"]},
        {**report(7, "b1", None), "data": {"type": "hook_progress", "hookEvent": "Stop"}},
    ]
    first, *_ = session_log()
    assert set(load_log(write(tmp_path / f"{MAIN}.jsonl", [first, *odd]))) == {MAIN}
