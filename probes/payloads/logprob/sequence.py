#!/usr/bin/env python3
"""logprob.sequence: what a served model thinks of texts that any healthy model finds likely, token by token.

Numbers, the alphabet, the days, a list of words said again and again, and a paragraph, without a chat template. How the
log-probabilities of the true tokens lie against those of the model's own choice and of chance tells kinds of damage
apart. Asks vLLM for them; llama.cpp, which gives none for a prompt, position by position.
By hand: ``python3 sequence.py --server http://127.0.0.1:8000``.
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
import statistics
import sys
import time
import traceback
import urllib.error
import urllib.request
from importlib import metadata
from pathlib import Path
from typing import Any, Callable, NamedTuple

PROBE: dict[str, Any] = {
    "name": "logprob.sequence",
    "summary": "Classify a served model by log-probabilities: fine, flat, sure and wrong, NaN, partly damaged, decays",
    "needs": ["server"],
    "arguments": [
        {"name": "server", "kind": "text", "help": "the server, e.g. http://127.0.0.1:8000"},
        {"name": "name", "kind": "text", "help": "the model's name there, if it serves several"},
        {"name": "key", "kind": "path", "help": "a file there that holds the server's key"},
        {"name": "vocab", "kind": "int", "default": 0, "help": "tokens in the vocabulary, if the server does not tell"},
        {"name": "words", "kind": "int", "default": 12, "help": "words in the list that is repeated, 16 at most"},
        {"name": "repeats", "kind": "int", "default": 4, "help": "how often it is said"},
        {"name": "seed", "kind": "int", "default": 1, "help": "of the order of the words"},
    ],
    "hypotheses": {
        "model-wrong": {
            "statement": "The served model itself predicts wrongly: not the template, the sampler or a parser",
            "terms": ["garbage", "gibberish", "nonsense", "chat template", "log-prob", "logprob", "corrupt weights"],
        },
        "logits-flat": {
            "statement": "The logits are flat: head or final norm zeroed or constant, or the hidden state lost",
            "terms": ["flat logits", "uniform", "lm_head", "lm head", "output head", "final norm", "zeroed",
                      "tied embedding", "logits are flat", "random tokens"],
        },
        "sure-and-wrong": {
            "statement": "The model is sure of wrong tokens: layout, name map, attention or rope",
            "terms": ["confidently wrong", "layout", "permuted", "transposed", "name map", "weight mapping",
                      "mis-mapped", "swapped", "wrong tensor", "shuffled"],
        },
        "not-a-number": {
            "statement": "The logits are NaN or constant: an overflow",
            "terms": ["nan", "overflow", "inf", "token id 0", "token 0", "exclamation mark", "fp16 range"],
        },
        "partly-damaged": {
            "statement": "Some layers or experts are damaged: copying works, knowledge does not",
            "terms": ["some layers", "some experts", "expert", "one layer", "partial damage", "heavy quantization"],
        },
        "decays": {
            "statement": "Predictions get worse with length: rope or the KV cache",
            "terms": ["rope", "rope_theta", "yarn", "kv cache", "long context", "worse with length", "context length"],
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


WORDS = (
    "river", "lamp", "stone", "cloud", "apple", "tiger", "bread", "silver", "garden", "window", "horse", "music",
    "paper", "bridge", "winter", "candle",
)  # fmt: skip
PARAGRAPH = (
    "The old house at the end of the road had been empty for years. In the morning a man came with a key, opened the "
    "door and looked into every room. He found a table, two chairs and a letter that nobody had read."
)
ORDERS = ("numbers", "alphabet", "days")
SKIPPED, TOP, FEWEST = 3, 20, 2
LIKELY, TEXT_LIKELY = -0.5, -3.0
"""Medians above which a model is fine, where each token follows from those before it and in a text."""
CLEAR = 1.0
"""Nats past a limit, or from one place to another, before a model is called wrong: what is called flat may lie as far
from chance. A median less far past its limit stays unclear, since a small model may be no better when it is whole."""
FLAT_TOP, SURE, BELOW = 2.0, -3.0, 3.0
EQUAL = 1e-6
NUMBERS = re.compile(r"(?i)out of range float|\bnan\b|not json compliant")


class Position(NamedTuple):
    """One token of a prompt: log-probabilities of it and of the model's own choice, and of how many it is known."""

    true: float
    top: float
    bounded: bool = False


def prompts(given: argparse.Namespace) -> dict[str, str]:
    """Return what is said to the model."""
    if not FEWEST <= given.words <= len(WORDS) or given.repeats < FEWEST:
        raise Missing(f"{FEWEST} to {len(WORDS)} words and at least {FEWEST} repeats")
    words = random.Random(given.seed).sample(WORDS, given.words)  # noqa: S311 - to be drawn again the same
    return {
        "numbers": "1 2 3 4 5 6 7 8 9 10",
        "alphabet": "a b c d e f g h i j k l m n o p q r s t u v w x y z",
        "days": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday Monday Tuesday Wednesday",
        "copy": " ".join(words * given.repeats),
        "text": PARAGRAPH,
    }


def listed(choice: dict[str, Any]) -> list[Position]:
    """Return the positions of a completion with ``prompt_logprobs``: the true token stands first in each."""
    found = []
    for position in choice["prompt_logprobs"][1:]:
        values = [number(each["logprob"]) for each in position.values()]
        found.append(Position(values[0], max(values) if all(map(math.isfinite, values)) else math.nan))
    return found


def echoed(choice: dict[str, Any]) -> list[Position]:
    """Return the positions of a completion with ``echo`` and ``logprobs``, as other servers give them."""
    told = choice["logprobs"]
    tops = [[number(each) for each in (position or {}).values()] for position in told["top_logprobs"]]
    pairs = list(zip(map(number, told["token_logprobs"]), tops))[1:-1]
    return [Position(true, max([true, *top])) for true, top in pairs]


def from_openai(server: Server, prompt: str) -> list[Position]:
    """Return the positions of a prompt from vLLM, or from a server that echoes."""
    body = {"model": server.name, "prompt": prompt, "max_tokens": 1, "temperature": 0}
    more = {"prompt_logprobs": TOP} if server.kind == "vllm" else {"echo": True, "logprobs": 5}
    choice = server.ask("/v1/completions", dict(body, **more))["choices"][0]
    return listed(choice) if choice.get("prompt_logprobs") else echoed(choice)


def from_llama_cpp(server: Server, prompt: str) -> list[Position]:
    """Return the positions of a prompt from llama.cpp: each token's predecessors are a prompt of their own."""
    ids = server.ask("/tokenize", {"content": prompt, "add_special": True})["tokens"]
    found = []
    # An answer that is no text, as half a character is none, is refused, and an end has no numbers: so it has to say
    # a letter; the numbers are those before that.
    drawn = {"grammar": 'root ::= "a"'}
    for end in range(1, len(ids)):
        body = dict(drawn, prompt=ids[:end], n_predict=1, n_probs=5 * TOP, temperature=-1, cache_prompt=True)
        answer = server.ask("/completion", body)
        told = (answer.get("completion_probabilities") or answer.get("probs"))[0]["top_logprobs"]
        values = [number(each["logprob"]) for each in told]
        true = next((number(each["logprob"]) for each in told if each["id"] == ids[end]), None)
        found.append(Position(min(values) if true is None else true, max(values), true is None))
    return found


def vocabulary(server: Server, given: argparse.Namespace) -> int:
    """Return how many tokens there are: as told, as llama.cpp lists it, or as vLLM says when it refuses a wrong one."""
    size = given.vocab or (server.row.get("meta") or {}).get("n_vocab")
    if size:
        return int(size)
    body = {"model": server.name, "prompt": "a", "max_tokens": 1, "logit_bias": {"1000000000": 1}}
    try:
        server.ask("/v1/completions", body)
    except Refused as refused:
        told = re.search(r"ocabulary size: (\d+)", refused.text)
        if told:
            return int(told[1])
    return 0


def figures(read: dict[str, list[Position]], repeats: int) -> dict[str, float]:
    """Return the medians that the patterns are told by."""
    kept = {name: positions[SKIPPED:] for name, positions in read.items()}
    once = len(kept["copy"]) // repeats
    copied = kept["copy"][once:]

    def middle(positions: list[Position]) -> float:
        return statistics.median(each.true for each in positions)

    everything = [each for positions in kept.values() for each in positions]
    return {
        "order": middle([each for name in ORDERS for each in kept[name]]),
        "copy": middle(copied),
        "copy, first time": middle(copied[:once]),
        "copy, last third": middle(copied[-max(1, len(copied) // 3) :]),
        "text": middle(kept["text"]),
        "all": middle(everything),
        "own choice": statistics.median(each.top for each in everything),
        "not a number": sum(not math.isfinite(each.true + each.top) for each in everything),
        "spread": max(each.true for each in everything) - min(each.true for each in everything),
    }


def pattern(told: dict[str, float], size: int) -> str:
    """Return which pattern the figures are, the first that fits; `size` is the vocabulary's, 0 if it is not known."""
    chance = -math.log(size) if size else math.nan
    early, late = told["copy, first time"], told["copy, last third"]
    flat = abs(told["all"] - chance) <= CLEAR and abs(told["own choice"] - chance) <= FLAT_TOP
    lacking = max(LIKELY - told["order"], LIKELY - told["copy"], TEXT_LIKELY - told["text"])
    patterns = (
        ("not-a-number", told["not a number"] > 0),
        ("logits-flat", flat),
        ("not-a-number", told["spread"] < EQUAL),
        ("decays", early > LIKELY and late < early - CLEAR),
        ("fine", lacking < 0),
        ("partly-damaged", told["copy"] > LIKELY and lacking > CLEAR),
        ("sure-and-wrong", told["all"] < chance - BELOW and told["own choice"] > SURE),
        ("wrong", lacking > CLEAR),
    )
    return next((name for name, fits in patterns if fits), "unclear")


def findings(seen: str, why: str) -> list[dict[str, Any]]:
    """Return an answer for each hypothesis: what is not this pattern may still lie under it, if it is no other."""
    answers = {"model-wrong": {"fine": "refuted", "unclear": "inconclusive"}.get(seen, "confirmed")}
    for key in list(PROBE["hypotheses"])[1:]:
        hidden = key in ("partly-damaged", "decays") or seen in ("wrong", "unclear", "not-a-number")
        answers[key] = "confirmed" if key == seen else "inconclusive" if hidden and seen != "fine" else "refuted"
    if seen in ("wrong", "unclear"):
        answers.update({"logits-flat": "refuted", "not-a-number": "refuted"})
    return [{"hypothesis": key, "answer": value, "why": why} for key, value in answers.items()]


def made_up(kind: str, lengths: dict[str, int], size: int = 500) -> dict[str, list[Position]]:
    """Return positions as a server would answer for a model whose state is known, logits and all."""
    draw = random.Random(kind)  # noqa: S311 - as above
    read = {}
    for name, length in lengths.items():
        choice: dict[str, Any] = {"prompt_logprobs": [None]}
        for at in range(length):
            lost = (kind == "partly-damaged" and name == "text") or (kind == "decays" and at > 0.6 * length)
            logits = [0.0 if kind == "logits-flat" else draw.gauss(0, 5) for _ in range(size)]
            true = draw.randrange(size)
            logits[true] += 40 if kind in ("fine", "partly-damaged", "decays") and not lost else 0
            logits[0] = math.nan if kind == "not-a-number" else logits[0]
            whole = math.log(sum(map(math.exp, logits)))
            best = sorted(range(size), key=lambda each: -logits[each])[:TOP]
            order = dict.fromkeys([true, *best])
            choice["prompt_logprobs"].append({str(each): {"logprob": logits[each] - whole} for each in order})
        read[name] = listed(choice)
    return read


def controls(repeats: int) -> list[dict[str, Any]]:
    """Return whether answers of models in known states are taken for what they are."""
    lengths, checks = {"numbers": 20, "alphabet": 26, "days": 12, "copy": 48, "text": 40}, []
    for kind in ("fine", *list(PROBE["hypotheses"])[1:]):
        seen = pattern(figures(made_up(kind, lengths), repeats), 500)
        sort = "positive" if kind == "fine" else "negative"
        checks.append({"name": f"made up: {kind}", "kind": sort, "passed": seen == kind, "detail": f"taken for {seen}"})
    return checks


def read_all(server: Server, given: argparse.Namespace) -> dict[str, list[Position]]:
    """Return the positions of every prompt; empty where the server finds that there are no numbers to give."""
    ask = from_llama_cpp if server.kind == "llama.cpp" else from_openai
    try:
        return {name: ask(server, prompt) for name, prompt in prompts(given).items()}
    except Refused as refused:
        if NUMBERS.search(refused.text):
            return {}
        raise Missing(f"a server that gives log-probabilities of a prompt: {refused}") from refused


def measure(given: argparse.Namespace) -> dict[str, Any]:
    """Ask for every prompt, then say which pattern it is."""
    server = Server(given)
    read, size, checks = read_all(server, given), vocabulary(server, given), controls(given.repeats)
    told = figures(read, given.repeats) if read else {}
    seen = pattern(told, size) if told else "not-a-number"
    shown = ", ".join(f"{name} {told[name]:.2f}" for name in ("order", "copy", "text", "own choice") if told)
    why = f"{seen}: medians {shown}; chance is {-math.log(size):.2f}" if size and told else f"{seen}: {shown}"
    return {
        "status": "ok" if size else "degraded",
        "detail": "" if size else "the size of the vocabulary is not known: --vocab; without it nothing is called flat",
        "findings": findings(seen, why if told else "the server itself says that they are no numbers"),
        "measurements": [{"name": name, "value": value} for name, value in told.items()],
        "thresholds": [{"name": "order, copy", "limit": LIKELY, "passes": "at-least", "unit": "nats"},
                       {"name": "text", "limit": TEXT_LIKELY, "passes": "at-least", "unit": "nats"}],
        "controls": checks,
        "sample": f"seed {given.seed}, {given.words} words {given.repeats} times, without the first {SKIPPED} tokens",
        "details": {
            "pattern": seen, "server": server.kind, "model": server.name, "vocabulary": size,
            "bounded": sum(each.bounded for positions in read.values() for each in positions),
            "positions": {name: [[each.true, each.top] for each in positions] for name, positions in read.items()},
        },
    }  # fmt: skip


if __name__ == "__main__":
    main(measure)
