"""Make sessions/examples/glm5-blackwell.json from docs/example/glm5-blackwell.txt.

The text is the session as one reads it: a line ``## WHO …`` opens a block, and the block goes on to the next such line.
``notice`` and ``user`` are said by the user, ``thinking N`` and ``agent N`` by the agent N seconds after what came
before, ``TOOL N [EXIT]`` is a tool call that took N seconds; its input and its output stand apart by a line ``----``.
Ids, times and tokens are derived from the text, so the same text always gives the same file.
"""

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
TEXT = HERE / "example" / "glm5-blackwell.txt"
RESULT = HERE.parent / "sessions" / "examples" / "glm5-blackwell.json"
START = 1_764_402_131_000  # milliseconds: 29 November 2025, in the morning
USER_PAUSE = 40_000
MODEL = {"providerID": "example", "modelID": "example-large"}
DIRECTORY = "/home/mara/glm5"
INPUT_NAME = {"bash": "command", "read": "filePath", "edit": "filePath"}
PROMPT_TOKENS = 11_400
CHARACTERS_PER_TOKEN = 4


@dataclass(frozen=True)
class Block:
    """One block of the text."""

    who: str
    seconds: float
    exit_code: int
    body: str


@dataclass
class Talk:
    """The export while it is written."""

    now: int = START
    made: int = 0
    context: int = PROMPT_TOKENS
    messages: list[dict[str, Any]] = field(default_factory=list)

    def name(self, prefix: str) -> str:
        """Return the next id; ids sort in the order they were made."""
        self.made += 1
        tail = hashlib.sha256(f"{prefix}{self.made}".encode()).hexdigest()[:14]
        return f"{prefix}_ace0{self.made:08x}{tail}"

    def open(self, info: dict[str, Any]) -> None:
        """Begin a message."""
        self.messages.append({"info": {"id": self.name("msg"), "sessionID": SESSION, **info}, "parts": []})

    def add(self, part: dict[str, Any]) -> None:
        """Add a part to the last message."""
        message = self.messages[-1]["info"]["id"]
        self.messages[-1]["parts"].append(
            {"id": self.name("prt"), "sessionID": SESSION, "messageID": message, **part},
        )


SESSION = "ses_5c1f9e3a7ffeR2glm5BlackwellX"


def blocks(text: str) -> Iterator[Block]:
    """Yield the blocks of the text."""
    for piece in re.split(r"(?m)^## ", text)[1:]:
        head, body = piece.split("\n", 1)
        who, *numbers = head.split()
        seconds = float(numbers[0]) if numbers else 0.0
        yield Block(who, seconds, int(numbers[1]) if len(numbers) > 1 else 0, body.strip("\n"))


def export(text: str) -> dict[str, Any]:
    """Return the export that the text describes."""
    talk = Talk()
    previous = ""
    for block in blocks(text):
        if block.who in {"notice", "user"}:
            _say_as_user(talk, block, joined=previous == "notice")
        else:
            if _begins_answer(previous, block.who):
                _open_answer(talk)
            _answer(talk, block)
        previous = block.who
    _close_answer(talk)
    return {"info": _about(talk), "messages": talk.messages}


def _begins_answer(previous: str, who: str) -> bool:
    spoken = {"agent", "thinking"}
    return previous in {"notice", "user"} or (who in spoken and previous not in spoken)


def _say_as_user(talk: Talk, block: Block, *, joined: bool) -> None:
    if not joined:
        _close_answer(talk)
        talk.now += USER_PAUSE if talk.messages else 0
        talk.open({"role": "user", "time": {"created": talk.now}, "agent": "build", "model": MODEL})
    synthetic = {"synthetic": True} if block.who == "notice" else {}
    talk.add({"type": "text", "text": block.body, **synthetic})


def _open_answer(talk: Talk) -> None:
    _close_answer(talk)
    asked = next(m["info"]["id"] for m in reversed(talk.messages) if m["info"]["role"] == "user")
    talk.open({"role": "assistant", "parentID": asked, "mode": "build", "agent": "build", **MODEL,
               "path": {"cwd": DIRECTORY, "root": DIRECTORY}, "time": {"created": talk.now}})  # fmt: skip
    talk.add({"type": "step-start"})


def _close_answer(talk: Talk) -> None:
    if not talk.messages or talk.messages[-1]["info"]["role"] == "user":
        return
    info, parts = talk.messages[-1]["info"], talk.messages[-1]["parts"]
    tokens = _tokens(talk, parts)
    finish = "tool-calls" if any(p["type"] == "tool" for p in parts) else "stop"
    info |= {"cost": 0, "tokens": tokens, "finish": finish, "time": {**info["time"], "completed": talk.now}}
    talk.add({"type": "step-finish", "reason": finish, "cost": 0, "tokens": tokens})


def _tokens(talk: Talk, parts: list[dict[str, Any]]) -> dict[str, Any]:
    def size(kind: str) -> int:
        texts = (p["text"] if "text" in p else json.dumps(p["state"]["input"]) for p in parts if p["type"] == kind)
        return sum(map(len, texts)) // CHARACTERS_PER_TOKEN

    results = sum(len(p["state"]["output"]) for p in parts if p["type"] == "tool") // CHARACTERS_PER_TOKEN
    output, reasoning = size("text") + size("tool"), size("reasoning")
    read, talk.context = talk.context, talk.context + output + results
    return {"input": 40 + results, "output": output, "reasoning": reasoning, "cache": {"read": read, "write": 0}}


def _answer(talk: Talk, block: Block) -> None:
    begin, talk.now = talk.now, talk.now + round(block.seconds * 1000)
    span = {"start": begin, "end": talk.now}
    if block.who in {"agent", "thinking"}:
        kind = "text" if block.who == "agent" else "reasoning"
        talk.add({"type": kind, "text": block.body, "time": span})
        return
    given, _, output = block.body.partition("\n----")
    output = output.strip("\n")
    metadata = {"exit": block.exit_code, "output": output} if block.who == "bash" else {}
    state = {
        "status": "completed",
        "input": {INPUT_NAME[block.who]: given},
        "output": output + "\n" if output else "",
        "title": given.split("\n")[0][:80],
        "metadata": {**metadata, "truncated": False},
        "time": span,
    }
    talk.add({"type": "tool", "callID": talk.name("call"), "tool": block.who, "state": state})


def _about(talk: Talk) -> dict[str, Any]:
    return {
        "id": SESSION,
        "slug": "quiet-furnace",
        "projectID": "global",
        "directory": DIRECTORY,
        "title": "GLM-5 GGUF on 8 Blackwell GPUs answers garbage (reconstruction)",
        "agent": "build",
        "model": {"id": MODEL["modelID"], "providerID": MODEL["providerID"]},
        "version": "1.18.4",
        "metadata": {"reconstruction": True},
        "time": {"created": START, "updated": talk.now},
    }


if __name__ == "__main__":
    made = json.dumps(export(TEXT.read_text(encoding="utf-8")), indent=1, ensure_ascii=False)
    RESULT.write_text(made + "\n", encoding="utf-8")
    print(f"{RESULT.name}: {len(made) // 1024} KiB")
