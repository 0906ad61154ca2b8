#!/usr/bin/env python3
"""cache.repeat: whether a prefix cache, or a KV connector behind it, changes what a model answers.

Asks for A, for B, which begins like A, and for A again, each also where nothing cached may be used (vLLM's
``cache_salt``, llama.cpp's ``cache_prompt``), and compares the log-probabilities of what is said. vLLM never takes a
prompt's own log-probabilities from the cache, so these would prove nothing.
By hand: ``python3 repeat.py --server http://127.0.0.1:8000``.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import math
import platform
import random
import re
import sys
import time
import traceback
import urllib.error
import urllib.request
from importlib import metadata
from pathlib import Path
from typing import Any, Callable, Dict, List, NamedTuple

PROBE: dict[str, Any] = {
    "name": "cache.repeat",
    "summary": "Ask the same with and without the prefix cache and compare log-probabilities",
    "needs": ["server"],
    "arguments": [
        {"name": "server", "kind": "text", "help": "the server, e.g. http://127.0.0.1:8000"},
        {"name": "name", "kind": "text", "help": "the model's name there, if it serves several"},
        {"name": "key", "kind": "path", "help": "a file there that holds the server's key"},
        {"name": "words", "kind": "int", "default": 400, "help": "words in each prompt: several blocks of the cache"},
        {"name": "tokens", "kind": "int", "default": 8, "help": "tokens to let it say"},
        {"name": "seed", "kind": "int", "default": 1, "help": "of the words"},
    ],
    "hypotheses": {
        "cache-changes-answers": {
            "statement": "The prefix cache or a KV connector changes the answer to a request",
            "terms": ["prefix cache", "prefix caching", "prompt cache", "kv connector", "lmcache", "cached prefix",
                      "second request", "repeated request", "cache reuse", "stale cache"],
        },
        "not-deterministic": {
            "statement": "The same request is answered differently even without a cache",
            "terms": ["nondeterministic", "non-deterministic", "race", "flaky", "differs between runs",
                      "not reproducible", "race condition"],
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


LIMIT = 0.02
"""Nats by which two answers to the same request may differ."""
TIE = 0.1
"""Where the best two tokens are this close, either may be said."""
WORDS = (
    "the", "of", "and", "to", "in", "is", "that", "it", "was", "for", "on", "are", "with", "as", "his", "they", "at",
    "be", "this", "from", "have", "or", "by", "one", "had", "not", "but", "what",
)  # fmt: skip

Said = List[Dict[str, Any]]
"""What was said, token by token: ``id`` (or text), ``value``, ``gap`` to the next best, None if that is not known."""


class Answer(NamedTuple):
    """What was said, and how much of the prompt came from the cache; None where the server does not tell."""

    said: Said
    cached: int | None


def prompts(given: argparse.Namespace) -> tuple[str, str]:
    """Return A and B, which is the same for its first half; words by chance, so that nothing else has cached them."""
    draw = random.Random(given.seed)  # noqa: S311 - to be drawn again the same
    first, a, b = (" ".join(draw.choices(WORDS, k=max(1, given.words // 2))) for _ in range(3))
    return f"{first} {a}", f"{first} {b}"


def gap(values: list[float]) -> float | None:
    """Return by how much the best of some log-probabilities leads."""
    best = sorted(values, reverse=True)
    return best[0] - best[1] if len(best) > 1 else None


def from_openai(server: Server, prompt: str, salt: str, tokens: int) -> Answer:
    """Return vLLM's answer; only requests of the same salt share what is cached."""
    body = {"model": server.name, "prompt": prompt, "max_tokens": tokens, "temperature": 0, "ignore_eos": True}
    before = hits(server)
    answer = server.ask("/v1/completions", dict(body, logprobs=5, cache_salt=salt))
    after = hits(server)
    told = answer["choices"][0]["logprobs"]
    tops = [[number(each) for each in (top or {}).values()] for top in told["top_logprobs"]]
    lines = zip(told["tokens"], told["token_logprobs"], tops)
    said = [{"id": token, "value": number(value), "gap": gap(top)} for token, value, top in lines]
    cached = ((answer.get("usage") or {}).get("prompt_tokens_details") or {}).get("cached_tokens")
    if cached is None and before is not None and after is not None:
        cached = int(after - before)
    return Answer(said, cached)


def from_llama_cpp(server: Server, prompt: str, salt: str, tokens: int) -> Answer:
    """Return llama.cpp's answer; the salt ``kept`` lets it use what it has, any other does not."""
    body = {"prompt": prompt, "n_predict": tokens, "n_probs": 5, "temperature": -1, "ignore_eos": True}
    answer = server.ask("/completion", dict(body, cache_prompt=salt == "kept", id_slot=0))
    told = answer.get("completion_probabilities") or answer.get("probs") or []
    said = [
        {"id": each["id"], "value": number(each["logprob"]), "gap": gap([t["logprob"] for t in each["top_logprobs"]])}
        for each in told
    ]
    return Answer(said, (answer.get("timings") or {}).get("cache_n", answer.get("tokens_cached")))


def hits(server: Server) -> float | None:
    """Return vLLM's counter of tokens that came from the cache."""
    try:
        text = server.text("/metrics")
    except (Refused, Missing):
        return None
    found = re.findall(r"(?m)^vllm:prefix_cache_hits(?:_total)?(?:\{[^}]*\})? ([0-9.e+]+)$", text)
    return sum(map(float, found)) if found else None


def compare(one: Said, other: Said) -> dict[str, Any]:
    """Return the largest difference up to the token where the two part, and whether they part other than at a tie."""
    most = 0.0
    for at, (left, right) in enumerate(zip(one, other)):
        if left["id"] != right["id"]:
            close = all(each["gap"] is not None and each["gap"] < TIE for each in (left, right))
            return {"difference": most, "parts_at": at, "tie": close}
        off = abs(left["value"] - right["value"])
        most = max(most, off if math.isfinite(off) else math.inf)
    return {"difference": most, "parts_at": None, "tie": False}


def differs(found: dict[str, Any]) -> bool:
    """Return whether two answers differ by more than rounding."""
    return found["difference"] > LIMIT or (found["parts_at"] is not None and not found["tie"])


def ask_all(server: Server, given: argparse.Namespace) -> dict[str, Answer]:
    """Return the answers in the order in which they were asked for."""
    ask = from_llama_cpp if server.kind == "llama.cpp" else from_openai
    a, b = prompts(given)
    run = f"{time.time():.6f}"
    order = (
        ("A alone", a, f"{run}-1"), ("B alone", b, f"{run}-2"), ("A alone again", a, f"{run}-3"),
        ("A", a, "kept"), ("B", b, "kept"), ("A again", a, "kept"), ("B again", b, "kept"),
    )  # fmt: skip
    kept = "kept" if server.kind == "llama.cpp" else f"{run}-kept"
    try:
        return {
            name: ask(server, prompt, kept if salt == "kept" else salt, given.tokens) for name, prompt, salt in order
        }
    except Refused as refused:
        raise Missing(f"a server that gives log-probabilities of what it says: {refused}") from refused


def judge(found: dict[str, dict[str, Any]], cached: int | None) -> list[dict[str, Any]]:
    """Return the findings on the comparisons; `cached` is how many tokens came from the cache in all."""
    alone, reused = found["A alone again"], {name: each for name, each in found.items() if name != "A alone again"}
    shown = f"without a cache the difference is {alone['difference']:.3g}"
    steady = {"answer": "confirmed" if differs(alone) else "refuted", "why": shown}
    bad = [f"{name}: {describe(each)}" for name, each in reused.items() if differs(each)]
    if differs(alone):
        cache = {"answer": "inconclusive", "why": "answers differ even without a cache"}
    elif bad:
        cache = {"answer": "confirmed", "why": "; ".join(bad)}
    elif not cached:
        unknown = "the server does not say whether it used a cache" if cached is None else "nothing came from a cache"
        cache = {"answer": "inconclusive", "why": unknown}
    else:
        most = max(each["difference"] for each in reused.values())
        cache = {"answer": "refuted", "why": f"{cached} tokens came from the cache, and the difference is {most:.3g}"}
    return [{"hypothesis": "cache-changes-answers", **cache}, {"hypothesis": "not-deterministic", **steady}]


def describe(each: dict[str, Any]) -> str:
    """Return a comparison in words."""
    parted = "" if each["parts_at"] is None else f", another token at {each['parts_at']}"
    return f"{each['difference']:.3g} nats{parted}"


def controls() -> list[dict[str, Any]]:
    """Return whether equal answers pass, and changed ones do not."""
    said: Said = [{"id": word, "value": -0.5, "gap": 2.0} for word in "abcd"]
    off = [dict(each, value=each["value"] - 2 * LIMIT) for each in said]
    other = [*said[:2], dict(said[2], id="x"), said[3]]
    cases = (("equal", "positive", said, False), ("shifted", "negative", off, True), ("other", "negative", other, True))
    return [
        {"name": f"made up: {name}", "kind": kind, "passed": differs(compare(said, changed)) is expected}
        for name, kind, changed, expected in cases
    ]


def measure(given: argparse.Namespace) -> dict[str, Any]:
    """Ask with and without the cache, and compare."""
    server = Server(given)
    answers = ask_all(server, given)
    pairs = {name: name[0] + " alone" for name in answers if not name.endswith("alone")}
    found = {name: compare(answers[base].said, answers[name].said) for name, base in pairs.items()}
    told = [answers[name].cached for name in ("B", "A again", "B again")]
    cached = None if None in told else sum(each or 0 for each in told)
    worst = max(found, key=lambda name: found[name]["difference"])
    return {
        "findings": judge(found, cached),
        "measurements": [{"name": f"{name}, difference", "value": each["difference"], "unit": "nats"}
                         for name, each in found.items()]
        + [{"name": "tokens from the cache", "value": cached}],
        "thresholds": [{"name": "difference", "limit": LIMIT, "unit": "nats"}],
        "controls": controls(),
        "sample": f"seed {given.seed}, {given.words} words, {given.tokens} tokens said, greedily",
        "worst": {"request": worst, **found[worst]},
        "details": {"server": server.kind, "model": server.name, "compared": found,
                    "cached": {name: each.cached for name, each in answers.items()}},
    }  # fmt: skip


if __name__ == "__main__":
    main(measure)
