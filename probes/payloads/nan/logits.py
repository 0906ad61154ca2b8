#!/usr/bin/env python3
"""nan.logits: whether a served model's logits are numbers.

Lets it continue some prompts greedily and looks at the log-probabilities, at refusals that speak of NaN, at vLLM's own
count of corrupted requests, and for the signature of NaN or constant logits: token 0, again and again.
By hand: ``python3 logits.py --server http://127.0.0.1:8000``.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import math
import platform
import re
import sys
import time
import traceback
import urllib.error
import urllib.request
from importlib import metadata
from pathlib import Path
from typing import Any, Callable, Dict

PROBE: dict[str, Any] = {
    "name": "nan.logits",
    "summary": "Say whether a served model's logits are NaN: log-probabilities, refusals, and the token-0 signature",
    "needs": ["server"],
    "arguments": [
        {"name": "server", "kind": "text", "help": "the server, e.g. http://127.0.0.1:8000"},
        {"name": "name", "kind": "text", "help": "the model's name there, if it serves several"},
        {"name": "key", "kind": "path", "help": "a file there that holds the server's key"},
        {"name": "tokens", "kind": "int", "default": 16, "help": "tokens to let it say after each prompt"},
    ],
    "hypotheses": {
        "logits-nan": {
            "statement": "The logits are NaN or infinite: an overflow or a damaged weight",
            "terms": ["nan", "nans", "inf", "overflow", "fp16 overflow", "float16 overflow", "infinity", "not finite",
                      "non-finite", "corrupted logits"],
        },
        "token-zero": {
            "statement": "Every token that is said is token 0: NaN or constant logits",
            "terms": ["!!!!", "exclamation mark", "token 0", "token id 0", "same token", "repeats one token",
                      "<unk>", "<pad>"],
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


PROMPTS = (
    "1 2 3 4 5 6 7 8",
    "The capital of France is",
    "def add(a, b):\n    return",
    "a b c d e f g " * 40,
)
SPEAKS_OF_NAN = re.compile(r"(?i)out of range float|\bnans?\b|not json compliant")
COUNTER = re.compile(r"(?m)^vllm:corrupted_requests(?:_total)?(?:\{[^}]*\})? ([0-9.e+]+)$")

Said = Dict[str, Any]
"""What came of one prompt: ``refused``, or ``ids`` (None where the server does not give them), ``text``, ``values``."""


def from_openai(server: Server, prompt: str, tokens: int) -> Said:
    """Return what vLLM, or another server, says after a prompt; once more without log-probabilities if it refuses."""
    body = {"model": server.name, "prompt": prompt, "max_tokens": tokens, "temperature": 0, "ignore_eos": True}
    more = {"return_token_ids": True} if server.kind == "vllm" else {}
    try:
        choice = server.ask("/v1/completions", dict(body, logprobs=1, **more))["choices"][0]
        return read(choice)
    except Refused as refused:
        if not SPEAKS_OF_NAN.search(refused.text):
            raise Missing(f"a server that completes a prompt: {refused}") from refused
        told = refused
    try:
        return dict(read(server.ask("/v1/completions", dict(body, **more))["choices"][0]), refused=str(told))
    except Refused:
        return {"refused": str(told), "ids": None, "text": "", "values": []}


def read(choice: dict[str, Any]) -> Said:
    """Return what a choice of a completion holds."""
    values = [number(each) for each in (choice.get("logprobs") or {}).get("token_logprobs") or []]
    return {"refused": "", "ids": choice.get("token_ids"), "text": choice["text"], "values": values}


def from_llama_cpp(server: Server, prompt: str, tokens: int) -> Said:
    """Return what llama.cpp says after a prompt."""
    said: list[int] = []
    values: list[float] = []
    try:
        ids = server.ask("/tokenize", {"content": prompt, "add_special": True})["tokens"]
        # An answer that is no text, as half a character is none, is refused, and an end has no numbers: so it has to
        # say a letter; the numbers are those before that.
        drawn = {"grammar": 'root ::= "a"'}
        for _ in range(tokens):
            answer = server.ask("/completion", dict(drawn, prompt=ids + said, n_predict=1, n_probs=1, temperature=-1))
            told = (answer.get("completion_probabilities") or answer.get("probs"))[0]
            choice = (told.get("top_logprobs") or [told])[0]
            said.append(choice["id"])
            values.append(number(choice.get("logprob")))
    except Refused as refused:
        if not SPEAKS_OF_NAN.search(refused.text):
            raise Missing(f"a server that completes a prompt: {refused}") from refused
        return {"refused": str(refused), "ids": None, "text": "", "values": []}
    return {"refused": "", "ids": said, "text": "", "values": values}


def corrupted(server: Server) -> float | None:
    """Return how many requests vLLM itself has counted as corrupted; None where it does not count."""
    try:
        found = COUNTER.findall(server.text("/metrics"))
    except (Refused, Missing):
        return None
    return sum(map(float, found)) if found else None


def is_zero(said: Said) -> bool | None:
    """Return whether all that was said is token 0, or, where ids are not given, one sign only; None if nothing was."""
    if said["ids"]:
        return set(said["ids"]) == {0}
    signs = set(said["text"].strip())
    return signs <= {"!"} if signs else None


def judge(said: list[Said], counted: float) -> list[dict[str, Any]]:
    """Return the findings on what was said after all prompts; `counted` is what vLLM counted meanwhile."""
    refused = [each["refused"] for each in said if each["refused"]]
    values = [value for each in said for value in each["values"]]
    odd = sum(not math.isfinite(value) for value in values)
    reasons = [f"refused {len(refused)} of {len(said)} prompts: {refused[0]}"] if refused else []
    reasons += [f"{odd} of {len(values)} log-probabilities are no numbers"] if odd else []
    reasons += [f"vLLM counted {counted:g} corrupted requests"] if counted else []
    if reasons:
        nan = {"answer": "confirmed", "why": "; ".join(reasons)}
    elif values:
        nan = {"answer": "refuted", "why": f"all {len(values)} log-probabilities are finite"}
    else:
        nan = {"answer": "inconclusive", "why": "the server gives no log-probabilities"}
    zeros = [is_zero(each) for each in said]
    known = [each for each in zeros if each is not None]
    shown = f"{sum(known)} of {len(known)} prompts are answered with token 0 only"
    zero = "inconclusive" if not known else "confirmed" if all(known) else "inconclusive" if any(known) else "refuted"
    return [{"hypothesis": "logits-nan", **nan}, {"hypothesis": "token-zero", "answer": zero, "why": shown}]


def controls() -> list[dict[str, Any]]:
    """Return whether answers whose state is known are judged right."""
    healthy: Said = {"refused": "", "ids": [5, 0, 7], "text": "ok", "values": [-0.1, -2.0, -0.5]}
    cases = (
        ("made up: numbers", "positive", healthy, 0.0, ["refuted", "refuted"]),
        ("made up: null", "negative", dict(healthy, values=[-0.1, number(None)]), 0.0, ["confirmed", "refuted"]),
        ("made up: refusal", "negative", dict(healthy, refused="NaN"), 0.0, ["confirmed", "refuted"]),
        ("made up: counted", "negative", healthy, 2.0, ["confirmed", "refuted"]),
        ("made up: token 0", "negative", dict(healthy, ids=[0, 0, 0]), 0.0, ["refuted", "confirmed"]),
    )
    checks = []
    for name, kind, said, counted, expected in cases:
        answers = [each["answer"] for each in judge([said], counted)]
        checks.append({"name": name, "kind": kind, "passed": answers == expected, "detail": ", ".join(answers)})
    return checks


def measure(given: argparse.Namespace) -> dict[str, Any]:
    """Let it continue every prompt, and judge."""
    server = Server(given)
    ask = from_llama_cpp if server.kind == "llama.cpp" else from_openai
    before = corrupted(server)
    said = [ask(server, prompt, given.tokens) for prompt in PROMPTS]
    after = corrupted(server)
    counted = after - before if after is not None and before is not None else 0.0
    values = [value for each in said for value in each["values"] if math.isfinite(value)]
    return {
        "findings": judge(said, counted),
        "measurements": [
            {"name": "prompts", "value": len(said)},
            {"name": "refused", "value": sum(bool(each["refused"]) for each in said)},
            {"name": "lowest log-probability", "value": min(values, default=None), "unit": "nats"},
            {"name": "corrupted requests that vLLM counted", "value": None if after is None else counted},
        ],
        "thresholds": [{"name": "log-probabilities that are no numbers", "limit": 0}],
        "controls": controls(),
        "sample": f"{len(PROMPTS)} prompts, {given.tokens} tokens after each, greedily",
        "details": {"server": server.kind, "model": server.name, "said": said},
    }


if __name__ == "__main__":
    main(measure)
