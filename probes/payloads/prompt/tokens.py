#!/usr/bin/env python3
"""prompt.tokens: which tokens a server really feeds its model.

Is the first token there, once; is there a chat template; does the text come through? Takes the ids from the engine if
it gives them (vLLM's ``return_token_ids``), else from the server's own rendering and tokenizer, and holds their number
to what the engine counted. By hand: ``python3 tokens.py --server URL``.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import math
import platform
import sys
import time
import traceback
import urllib.error
import urllib.request
from importlib import metadata
from pathlib import Path
from typing import Any, Callable, List, NamedTuple

PROBE: dict[str, Any] = {
    "name": "prompt.tokens",
    "summary": "Say which tokens a server feeds its model: BOS doubled or missing, no template, text changed",
    "needs": ["server"],
    "arguments": [
        {"name": "server", "kind": "text", "help": "the server, e.g. http://127.0.0.1:8000"},
        {"name": "name", "kind": "text", "help": "the model's name there, if it serves several"},
        {"name": "key", "kind": "path", "help": "a file there that holds the server's key"},
        {"name": "bos", "kind": "int", "default": -1, "help": "id of the first token, if the tokenizer adds none"},
    ],
    "hypotheses": {
        "bos-doubled": {
            "statement": "A chat prompt begins with the first token (BOS) twice",
            "terms": ["double bos", "doubled bos", "two bos", "bos twice", "duplicate bos", "extra bos",
                      "add_bos_token", "bos token"],
        },
        "bos-missing": {
            "statement": "A chat prompt lacks the first token (BOS) that the tokenizer puts before a text",
            "terms": ["missing bos", "no bos", "without bos", "bos missing", "add_bos_token", "bos token"],
        },
        "template-missing": {
            "statement": "The server applies no chat template",
            "terms": ["chat template", "missing template", "no chat template", "prompt format", "wrong prompt format",
                      "instruction format"],
        },
        "prompt-changed": {
            "statement": "The text does not come through the tokenizer unchanged, or another number of tokens is fed",
            "terms": ["tokenizer", "tokenizer mismatch", "pre-tokenizer", "wrong tokenizer", "detokenize", "vocab",
                      "token ids"],
        },
    },
    "architectures": [],
    "never_run": [],
}  # fmt: skip


# >>> frame: the same lines in every payload
class Missing(Exception):
    """What this host, or the call, lacks."""


def main(measure: Callable[[argparse.Namespace], dict[str, Any]]) -> None:
    """Print what `measure` returns as one JSON document between two marks; the exit code is 0 once it is printed."""
    started, parser = time.time(), argparse.ArgumentParser(description=str(PROBE["summary"]))
    for option in PROBE["arguments"]:
        kind = {"int": int, "float": float}.get(option["kind"], str)
        parser.add_argument("--" + option["name"], type=kind, default=option.get("default"), help=option["help"])
    given = parser.parse_args()
    document: dict[str, Any] = {key: PROBE[key] for key in ("name", "needs", "never_run")}
    document.update(schema_version=1, status="ok", arguments=vars(given))
    try:
        document.update(measure(given))
        for finding in document.get("findings", ()):
            finding["statement"] = PROBE["hypotheses"][finding["hypothesis"]]["statement"]
        if not all(control["passed"] for control in document.get("controls", ())):
            document.update(status="failed", findings=[], detail="a control went wrong: the probe itself is in doubt")
    except (Missing, ImportError) as missing:
        document.update(status="blocked", detail="needs " + str(missing))
    except Exception:  # noqa: BLE001 - whatever went wrong, the reader gets a document
        document.update(status="failed", detail=traceback.format_exc())
    document["environment"] = {"python": platform.python_version(), "executable": sys.executable}
    for name in {"gguf", "numpy", "tokenizers", "torch", "triton", "vllm"} & set(sys.modules):
        with contextlib.suppress(metadata.PackageNotFoundError):
            document["environment"][name] = metadata.version(name)
    document["environment"].update(platform=platform.platform(), host=platform.node())
    document["duration"] = time.time() - started
    sys.stdout.write("\n<<<probe document\n" + json.dumps(document, default=str) + "\nprobe document>>>\n")


# <<< frame


# >>> server: the same lines in every payload that asks one
class Refused(Exception):
    """The server answered with an error."""

    def __init__(self, status: int, text: str) -> None:
        """Keep the HTTP status and what came with it."""
        super().__init__(f"HTTP {status}: {text}")
        self.status, self.text = status, text


class Server:
    """An OpenAI-compatible server, or llama.cpp's: asked directly, one request after the other."""

    def __init__(self, given: argparse.Namespace) -> None:
        """Ask it what it serves. Raises Missing where nobody answers."""
        if not str(given.server or "").startswith(("http://", "https://")):
            raise Missing("a server: --server http://127.0.0.1:8000")
        self.root = given.server.rstrip("/")
        self.root = self.root[:-3] if self.root.endswith("/v1") else self.root
        self.key = Path(given.key).read_text("utf-8").strip() if given.key else ""
        self.opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            rows = self.ask("/v1/models")["data"]
            self.row = next(row for row in rows if given.name in (None, row["id"]))
        except (Refused, LookupError, TypeError, ValueError, StopIteration) as error:
            raise Missing(f"a server that lists its models at {self.root}/v1/models: {error!r}") from error
        self.name = str(self.row["id"])
        self.kind = {"llamacpp": "llama.cpp"}.get(str(self.row.get("owned_by")), str(self.row.get("owned_by")))

    def ask(self, path: str, body: dict[str, Any] | None = None) -> Any:
        """Return the JSON that a GET, or a POST of `body`, is answered with. Raises Refused."""
        return json.loads(self.text(path, body))

    def text(self, path: str, body: dict[str, Any] | None = None) -> str:
        """Return the answer as it is. Raises Refused, or Missing where there is none."""
        content = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"}
        headers.update({"Authorization": "Bearer " + self.key} if self.key else {})
        request = urllib.request.Request(self.root + path, content, headers)  # noqa: S310 - http or https
        try:
            with self.opener.open(request, timeout=300) as answer:
                return str(answer.read().decode("utf-8", "replace"))
        except urllib.error.HTTPError as error:
            raise Refused(error.code, error.read().decode("utf-8", "replace")[:500]) from error
        except (OSError, http.client.HTTPException) as error:
            raise Missing(f"a server that answers at {self.root}{path}: {error}") from error


def number(value: Any) -> float:
    """Return a log-probability; what is no number is NaN."""
    return float(value) if isinstance(value, (int, float)) else math.nan


# <<< server


TEXT = "The quick brown fox"
SAMPLES = (
    "1234567890 3.14159", "it's we'll they're", "def f(x):\n\treturn x  # ok", "naïve café", "你好 世界", "🙂 👍🏽",
    "  two  spaces  ", "https://example.org/a?b=c&d=%20",
)  # fmt: skip

Ids = List[int]


class Sent(NamedTuple):
    """What a chat request of one message becomes; `counted` is the engine's own number of tokens, None if not told."""

    chat: Ids | None
    counted: int | None
    plain: Ids
    with_first: Ids
    why: str = ""


def vllm_ids(server: Server, body: dict[str, Any]) -> Ids:
    """Return vLLM's tokens of a text or of messages."""
    return list(server.ask("/tokenize", dict(body, model=server.name))["tokens"])


def from_vllm(server: Server) -> Sent:
    """Return what vLLM makes of the text, from its engine where that tells."""
    messages = [{"role": "user", "content": TEXT}]
    chat, counted, why = None, None, ""
    try:
        body = {"model": server.name, "messages": messages, "max_tokens": 1, "return_token_ids": True}
        answer = server.ask("/v1/chat/completions", body)
        counted = answer["usage"]["prompt_tokens"]
        chat = answer.get("prompt_token_ids") or vllm_ids(server, {"messages": messages})
    except Refused as refused:
        if "template" not in refused.text:
            raise Missing(f"a server that chats: {refused}") from refused
        why = refused.text
    plain = vllm_ids(server, {"prompt": TEXT, "add_special_tokens": False})
    return Sent(chat, counted, plain, vllm_ids(server, {"prompt": TEXT, "add_special_tokens": True}), why)


def llama_cpp_ids(server: Server, text: str, *, first: bool) -> Ids:
    """Return llama.cpp's tokens of a text."""
    body = {"content": text, "add_special": first, "parse_special": True}
    return list(server.ask("/tokenize", body)["tokens"])


def from_llama_cpp(server: Server) -> Sent:
    """Return what llama.cpp makes of the text: its rendering, tokenized as its own chat does."""
    messages = [{"role": "user", "content": TEXT}]
    plain, with_first = (llama_cpp_ids(server, TEXT, first=first) for first in (False, True))
    try:
        text = server.ask("/apply-template", {"messages": messages})["prompt"]
        answer = server.ask("/v1/chat/completions", {"messages": messages, "max_tokens": 1})
    except Refused as refused:
        if "template" not in refused.text:
            raise Missing(f"a server that chats: {refused}") from refused
        return Sent(None, None, plain, with_first, refused.text)
    return Sent(llama_cpp_ids(server, text, first=True), answer["usage"]["prompt_tokens"], plain, with_first)


def first_token(sent: Sent, given: int) -> int | None:
    """Return the token that the tokenizer puts before a text; None if it puts none and none is given."""
    if given >= 0:
        return given
    added = len(sent.with_first) - len(sent.plain)
    return sent.with_first[0] if added > 0 and sent.with_first[added:] == sent.plain else None


def leading(ids: Ids, token: int) -> int:
    """Return how often a token stands at the beginning."""
    return next((at for at, each in enumerate(ids) if each != token), len(ids))


def holds(ids: Ids, part: Ids) -> bool:
    """Return whether `part` stands in `ids`, the ends aside, where it may melt into what stands around it."""
    inner = part[1:-1] or part
    return any(ids[at : at + len(inner)] == inner for at in range(len(ids) - len(inner) + 1))


def changed(server: Server) -> list[str]:
    """Return the samples that do not come back as they were."""
    lost = []
    for text in SAMPLES:
        if server.kind == "llama.cpp":
            ids = llama_cpp_ids(server, text, first=False)
            back = server.ask("/detokenize", {"tokens": ids})["content"]
        else:
            ids = vllm_ids(server, {"prompt": text, "add_special_tokens": False})
            back = server.ask("/detokenize", {"model": server.name, "tokens": ids})["prompt"]
        if back not in (text, " " + text):
            lost.append(f"{text!r} comes back as {back!r}")
    return lost


def judge(sent: Sent, first: int | None, lost: list[str]) -> list[dict[str, Any]]:
    """Return the findings."""
    ids = sent.chat
    times = None if ids is None or first is None else leading(ids, first)
    told = "the first token is not known: --bos" if ids is not None else "no chat prompt was made"
    shown = told if times is None else f"token {first} stands {times} times at the beginning"
    doubled = "inconclusive" if times is None else "confirmed" if times > 1 else "refuted"
    missing = "inconclusive" if times is None else "confirmed" if times == 0 else "refuted"
    bare = ids is None or ids[times or 0 :] == sent.plain
    shape = sent.why or ("the chat prompt is the bare text" if bare else "the chat prompt holds more than the text")
    reasons = list(lost[:3])
    if ids is not None and sent.counted not in (None, len(ids)):
        reasons.append(f"the engine counted {sent.counted} tokens of {len(ids)}")
    if ids is not None and not holds(ids, sent.plain):
        reasons.append("the text's tokens do not stand in the chat prompt")
    why = "; ".join(reasons) or "every sample comes back, and the engine counted the same tokens"
    return [
        {"hypothesis": "bos-doubled", "answer": doubled, "why": shown},
        {"hypothesis": "bos-missing", "answer": missing, "why": shown},
        {"hypothesis": "template-missing", "answer": "confirmed" if bare else "refuted", "why": shape},
        {"hypothesis": "prompt-changed", "answer": "confirmed" if reasons else "refuted", "why": why},
    ]


def controls() -> list[dict[str, Any]]:
    """Return whether prompts whose fault is known are judged right."""
    plain, first = [10, 11, 12, 13], 1
    good = Sent([1, 5, 10, 11, 12, 13, 6], 7, plain, [1, *plain])
    cases: tuple[tuple[str, str, Sent, list[str], str], ...] = (
        ("right", "positive", good, [], ""),
        ("first token twice", "negative", good._replace(chat=[1, *(good.chat or [])], counted=8), [], "bos-doubled"),
        ("no first token", "negative", good._replace(chat=(good.chat or [])[1:], counted=6), [], "bos-missing"),
        ("bare text", "negative", good._replace(chat=[1, *plain], counted=5), [], "template-missing"),
        ("refused", "negative", good._replace(chat=None, why="no template"), [], "template-missing"),
        ("other number", "negative", good._replace(counted=8), [], "prompt-changed"),
        ("lost text", "negative", good, ["'a' comes back as 'b'"], "prompt-changed"),
    )
    checks = []
    for name, kind, sent, lost, expected in cases:
        found = [each["hypothesis"] for each in judge(sent, first, lost) if each["answer"] == "confirmed"]
        passed = found == ([expected] if expected else [])
        checks.append({"name": f"made up: {name}", "kind": kind, "passed": passed, "detail": ", ".join(found)})
    return checks


def measure(given: argparse.Namespace) -> dict[str, Any]:
    """Ask what becomes of a message and of some texts, and judge."""
    server = Server(given)
    try:
        sent = from_llama_cpp(server) if server.kind == "llama.cpp" else from_vllm(server)
        lost = changed(server)
    except (Refused, KeyError) as error:
        raise Missing(f"a server that tokenizes, as vLLM and llama.cpp do: {error}") from error
    first = first_token(sent, given.bos)
    return {
        "findings": judge(sent, first, lost),
        "measurements": [
            {"name": "tokens of the chat prompt", "value": None if sent.chat is None else len(sent.chat)},
            {"name": "tokens that the engine counted", "value": sent.counted},
            {"name": "first token", "value": first},
            {"name": "samples that change", "value": len(lost)},
        ],
        "thresholds": [{"name": "first tokens of a chat prompt", "limit": 1, "passes": "equal"}],
        "controls": controls(),
        "sample": f"one message, {TEXT!r}, and {len(SAMPLES)} texts",
        "details": {"server": server.kind, "model": server.name, "chat": sent.chat, "text": sent.with_first},
    }


if __name__ == "__main__":
    main(measure)
