#!/usr/bin/env python3
"""kv.dtype_honoured: whether a running vLLM keeps its KV cache in the dtype that was asked for.

Compares what its metrics say of the cache with the request, and the bytes that a token takes in a layer (the memory of
the cache over the tokens that it holds) with what that dtype needs in this model: a flag that is accepted and ignored
shows in the bytes only. By hand: ``python3 dtype_honoured.py --server URL --model FOLDER --asked fp8``.
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
from typing import Any, Callable

PROBE: dict[str, Any] = {
    "name": "kv.dtype_honoured",
    "summary": "Compare the KV cache of a running vLLM, its dtype and its bytes per token, with what was asked for",
    "needs": ["server"],
    "arguments": [
        {"name": "server", "kind": "text", "help": "the server, e.g. http://127.0.0.1:8000"},
        {"name": "name", "kind": "text", "help": "the model's name there, if it serves several"},
        {"name": "key", "kind": "path", "help": "a file there that holds the server's key"},
        {"name": "model", "kind": "path", "help": "config.json of the model, or its folder: without it no bytes"},
        {"name": "asked", "kind": "text", "default": "auto", "help": "the server's --kv-cache-dtype"},
        {"name": "dtype", "kind": "text", "help": "the server's --dtype, if it is not the model's own"},
        {"name": "memory", "kind": "float", "default": 0.0, "help": "GiB, as the log says: Available KV cache memory"},
        {"name": "tp", "kind": "int", "default": 1, "help": "the server's --tensor-parallel-size"},
    ],
    "hypotheses": {
        "kv-dtype-ignored": {
            "statement": "The server does not keep its KV cache in the dtype that was asked for",
            "terms": ["kv cache dtype", "kv-cache-dtype", "kv dtype", "fp8 kv", "quantized kv", "quantised kv",
                      "kv cache quantization", "ignored flag", "flag is ignored"],
        },
    },
    "architectures": [],
    "never_run": ["a cache in fp8 or another quantized dtype", "more than one GPU"],
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
"""Share by which the bytes may be off: blocks are counted whole."""
BYTES = {"float32": 4.0, "float16": 2.0, "bfloat16": 2.0, "half": 2.0, "float": 4.0, "int8": 1.0, "int4": 0.5}
OF_A_TOKEN = {"fp8_ds_mla": 656.0}
"""Bytes of a token in a layer where a dtype is a layout."""
INFO = re.compile(r"(?m)^vllm:cache_config_info\{([^}]*)\}")


def told(server: Server) -> dict[str, str]:
    """Return what vLLM's metrics say of its cache."""
    try:
        found = INFO.search(server.text("/metrics"))
    except Refused as refused:
        raise Missing(f"vLLM's /metrics: {refused}") from refused
    if found is None:
        raise Missing("a vLLM that tells its cache's configuration under /metrics")
    return dict(re.findall(r'(\w+)="([^"]*)"', found[1]))


def config(given: str | None) -> dict[str, Any]:
    """Return the model's configuration; empty without one."""
    if not given:
        return {}
    path = Path(given) / "config.json" if Path(given).is_dir() else Path(given)
    raw: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return dict(raw, **raw.get("text_config", {}))


def resolved(kind: str, own: str) -> str:
    """Return what a cache dtype stands for; ``auto`` is the model's own."""
    kind = own if kind == "auto" else kind
    return {"fp8": "fp8_e4m3", "half": "float16", "float": "float32"}.get(kind, kind)


def needed(model: dict[str, Any], kind: str, tp: int) -> float:
    """Return the bytes that a token needs in a layer; MLA keeps one latent and its rope part, whatever `tp` is."""
    if kind in OF_A_TOKEN:
        return OF_A_TOKEN[kind]
    size = BYTES.get(kind, 1.0 if kind.startswith("fp8") else math.nan)
    if "kv_lora_rank" in model:
        return size * float(model["kv_lora_rank"] + model["qk_rope_head_dim"])
    heads = model.get("num_key_value_heads") or model["num_attention_heads"]
    width = model.get("head_dim") or model["hidden_size"] // model["num_attention_heads"]
    return size * 2 * float(max(1, heads // tp) * width)


def taken(labels: dict[str, str], layers: int, memory: float) -> float:
    """Return the bytes that a token takes in a layer; NaN where they cannot be told."""
    try:
        whole = memory * 2**30 or float(labels["kv_cache_memory_bytes"])
        held = float(labels["num_gpu_blocks"]) * float(labels["block_size"])
        return whole / held / layers
    except (KeyError, ValueError, ZeroDivisionError):
        return math.nan


def judge(asked: str, says: str, want: float, got: float) -> dict[str, Any]:
    """Return the finding: first on what the server says, then on the bytes."""
    if says != asked:
        why = f"{asked} was asked for, and the server says {says}"
        return {"hypothesis": "kv-dtype-ignored", "answer": "confirmed", "why": why}
    if not math.isfinite(want + got):
        why = f"the server says {says}; what it takes cannot be told: --model gives the shapes, --memory the memory"
        return {"hypothesis": "kv-dtype-ignored", "answer": "inconclusive", "why": why}
    answer = "confirmed" if abs(got / want - 1) > LIMIT else "refuted"
    why = f"a token takes {got:.6g} bytes in a layer, {asked} needs {want:g}"
    return {"hypothesis": "kv-dtype-ignored", "answer": answer, "why": why}


def controls() -> list[dict[str, Any]]:
    """Return whether caches whose bytes are known are judged right: of Llama and of MLA."""
    llama = {"num_attention_heads": 32, "num_key_value_heads": 8, "hidden_size": 4096}
    latent = {"kv_lora_rank": 512, "qk_rope_head_dim": 64}
    cases = (
        ("bfloat16, 8 heads of 128", "positive", llama, "bfloat16", 4096.0, "refuted"),
        ("bfloat16, MLA", "positive", latent, "bfloat16", 1152.0, "refuted"),
        ("fp8, MLA", "positive", latent, "fp8_e4m3", 576.0, "refuted"),
        ("fp8 ignored", "negative", llama, "fp8_e4m3", 4096.0, "confirmed"),
        ("bytes not known", "negative", llama, "fp8_e4m3", math.nan, "inconclusive"),
    )
    checks = []
    for name, sort, model, kind, got, expected in cases:
        answer = judge(kind, kind, needed(model, kind, 1), got)["answer"]
        checks.append({"name": name, "kind": sort, "passed": answer == expected, "detail": answer})
    return checks


def measure(given: argparse.Namespace) -> dict[str, Any]:
    """Read the metrics and the configuration, and compare."""
    server = Server(given)
    labels, model = told(server), config(given.model)
    own = given.dtype or str(model.get("dtype") or model.get("torch_dtype") or "auto")
    asked, says = resolved(given.asked, own), resolved(labels.get("cache_dtype", ""), own)
    want = needed(model, asked, given.tp) if model else math.nan
    got = taken(labels, int(model.get("num_hidden_layers", 0)), given.memory)
    known = math.isfinite(want + got)
    return {
        "status": "ok" if known else "degraded",
        "detail": "" if known else "the bytes of a token are not known",
        "findings": [judge(asked, says, want, got)],
        "measurements": [
            {"name": "cache dtype, as the server says", "value": labels.get("cache_dtype")},
            {"name": "bytes of a token in a layer", "value": got if math.isfinite(got) else None, "unit": "B"},
            {"name": "bytes that it needs", "value": want if math.isfinite(want) else None, "unit": "B"},
        ],
        "thresholds": [{"name": "bytes off by", "limit": LIMIT}],
        "controls": controls(),
        "sample": f"{labels.get('num_gpu_blocks')} blocks of {labels.get('block_size')} tokens",
        "details": {"server": server.kind, "model": server.name, "cache": labels},
    }


if __name__ == "__main__":
    main(measure)
