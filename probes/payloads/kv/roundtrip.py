#!/usr/bin/env python3
"""kv.roundtrip: write known keys and values to a paged cache, read them back, and see what came of them.

vLLM's writers where they are, else torch's conversions. By hand: ``python3 roundtrip.py``; needs torch.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import platform
import sys
import time
import traceback
from collections import Counter
from importlib import import_module, metadata
from typing import Any, Callable, NamedTuple

PROBE: dict[str, Any] = {
    "name": "kv.roundtrip",
    "summary": "Write known keys and values to a KV cache of each type and read them back",
    "needs": ["torch", "gpu"],
    "arguments": [
        {"name": "tokens", "kind": "int", "default": 100, "help": "tokens written"},
        {"name": "page", "kind": "int", "default": 16, "help": "tokens of a page"},
        {"name": "rank", "kind": "int", "default": 512, "help": "width of MLA's latent (kv_lora_rank)"},
        {"name": "rope", "kind": "int", "default": 64, "help": "width of MLA's rope part"},
        {"name": "absmax", "kind": "float", "default": 0.0, "help": "the largest key or value of a model; 0: unknown"},
        {"name": "seed", "kind": "int", "default": 1, "help": "of what is written, and where"},
    ],
    "hypotheses": {
        "cache-wrong": {
            "statement": "Keys and values come back from the KV cache other than they were written",
            "terms": ["kv cache", "fp8 kv", "kv cache dtype", "fp8_e4m3", "fp8_e5m2", "fp8", "quantized kv",
                      "kv quantization", "reshape_and_cache", "concat_and_cache_mla", "slot mapping"],
        },
        "scale-saturates": {
            "statement": "An fp8 KV cache with a scale of 1.0 cuts off the keys and values of this model",
            "terms": ["fp8 kv", "k_scale", "v_scale", "kv scale", "scale", "saturate", "overflow", "clamp"],
        },
    },
    "architectures": [],
    "never_run": ["sm100", "sm120"],
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


class Cache(NamedTuple):
    """A type of cache: what vLLM calls it, torch's type of its cells, its largest number, the relL2 that passes."""

    asked: str
    cell: str
    largest: float
    passes: float


CACHES = (
    Cache("auto", "bfloat16", math.inf, 4e-3),
    Cache("fp8_e4m3", "float8_e4m3fn", 448.0, 0.04),
    Cache("fp8_e5m2", "float8_e5m2", 57344.0, 0.08),
)
MAGNITUDES = (1, 30, 300)
FAILS = 0.2
UNTOUCHED = 0x55
"""What the bytes of a cache are before anything is written."""


def load(name: str) -> Any:
    """Return a module. Raises Missing, with the reason, where it cannot be had."""
    try:
        return import_module(name)
    except (ImportError, OSError, RuntimeError) as error:
        raise Missing(f"{name} ({(str(error).splitlines() or ['no reason'])[0]})") from error


def cells(kind: Cache, *shape: int, device: str) -> Any:
    """Return an unwritten cache."""
    torch = load("torch")
    width = 2 if kind.cell == "bfloat16" else 1
    return torch.full((*shape[:-1], shape[-1] * width), UNTOUCHED, dtype=torch.uint8, device=device)


class Paged(NamedTuple):
    """Where rows go: the slot of each, and how many slots a page has."""

    slots: Any
    page: int

    def pages(self) -> int:
        """Return how many pages a cache needs, one of them never written."""
        return int(self.slots.max()) // self.page + 2


def by_torch(kind: Cache, rows: Any, at: Paged, scale: float) -> Any:
    """Return a cache of pages, written by torch: (pages, tokens, bytes)."""
    torch = load("torch")
    cache = cells(kind, at.pages() * at.page, rows.shape[1], device=str(rows.device))
    scaled = (rows.float() / scale).clamp(-kind.largest, kind.largest)
    cache[at.slots] = scaled.to(getattr(torch, kind.cell)).view(torch.uint8)
    return cache.view(at.pages(), at.page, -1)


def by_mla(kind: Cache, rows: Any, at: Paged, scale: float, *, rank: int) -> Any:
    """Return a cache written by vLLM's writer for MLA: the latent and the rope part come apart."""
    torch = load("torch")
    cache = cells(kind, at.pages(), at.page, rows.shape[1], device=str(rows.device))
    seen = cache.view(torch.bfloat16) if kind.cell == "bfloat16" else cache
    factor = torch.tensor([scale], device=rows.device)
    latent, rope = rows[:, :rank].contiguous(), rows[:, rank:].contiguous()
    torch.ops._C_cache_ops.concat_and_cache_mla(latent, rope, seen, at.slots, kind.asked, factor)  # noqa: SLF001 - as vLLM calls it
    return cache


def by_flash(kind: Cache, rows: Any, at: Paged, scale: float, *, values: bool) -> Any:
    """Return the cache of keys, or of values, written by vLLM's writer for plain attention: one head."""
    torch = load("torch")
    caches = [cells(kind, at.pages(), at.page, 1, rows.shape[1], device=str(rows.device)) for _ in range(2)]
    seen = [cache.view(torch.bfloat16) if kind.cell == "bfloat16" else cache for cache in caches]
    factor, other = torch.tensor([scale], device=rows.device), torch.ones(1, device=rows.device)
    three, blank = rows[:, None, :].contiguous(), torch.zeros_like(rows[:, None, :])
    pairs = ((blank, other), (three, factor)) if values else ((three, factor), (blank, other))
    (key, k_scale), (value, v_scale) = pairs
    torch.ops._C_cache_ops.reshape_and_cache_flash(key, value, *seen, at.slots, kind.asked, k_scale, v_scale)  # noqa: SLF001
    return caches[values].view(at.pages(), at.page, -1)


def writers(given: argparse.Namespace) -> tuple[dict[str, Any], list[str]]:
    """Return the writers that there are, and what is missing."""
    torch = load("torch")
    found: dict[str, Any] = {"torch": by_torch}
    if not torch.cuda.is_available():
        return found, ["a GPU"]
    for name in ("vllm._C", "vllm._C_stable_libtorch"):
        with contextlib.suppress(Missing):
            load(name)
    ops = getattr(torch.ops, "_C_cache_ops", None)
    if hasattr(ops, "concat_and_cache_mla"):
        found["concat_and_cache_mla"] = partial_mla(given.rank)
    if hasattr(ops, "reshape_and_cache_flash"):
        found["reshape_and_cache_flash, keys"] = lambda *call: by_flash(*call, values=False)
        found["reshape_and_cache_flash, values"] = lambda *call: by_flash(*call, values=True)
    return found, [] if len(found) > 1 else ["vLLM's cache writers"]


def partial_mla(rank: int) -> Any:
    """Return the writer for MLA with its latent's width."""
    return lambda *call: by_mla(*call, rank=rank)


def read(kind: Cache, cache: Any, slots: Any, scale: float) -> tuple[Any, int]:
    """Return what lies in the slots, in fp32, and how many bytes outside them were touched."""
    torch = load("torch")
    flat = cache.reshape(-1, cache.shape[-1])
    rows = flat[slots].contiguous().view(getattr(torch, kind.cell)).float() * scale
    rest = torch.ones(len(flat), dtype=torch.bool, device=flat.device)
    rest[slots] = False
    return rows, int((flat[rest] != UNTOUCHED).sum())


def compare(rows: Any, want: Any, kind: Cache, scale: float) -> dict[str, Any]:
    """Return relL2, how many numbers were cut off at the type's largest, and the worst."""
    torch = load("torch")
    got, r = rows.double().cpu(), want.double().cpu()
    off = (got - r).abs().nan_to_num(math.inf, math.inf)
    token, column = divmod(int(off.flatten().argmax()), r.shape[1])
    return {
        "relL2": float(torch.linalg.vector_norm(off) / torch.linalg.vector_norm(r)),
        "cut_off": int((r.abs() > kind.largest * scale * (1 + 2.0**-8)).sum()),
        "non_finite": int((~got.isfinite()).sum()),
        "worst": {"token": token, "column": column, "got": float(got[token, column]), "want": float(r[token, column])},
    }


def verdict(found: dict[str, Any], kind: Cache) -> str:
    """Return ``pass``, ``fail`` or ``between``."""
    if found["non_finite"] or found.get("touched") or found["cut_off"] or found["relL2"] > FAILS:
        return "fail"
    return "pass" if found["relL2"] <= kind.passes else "between"


def known(given: argparse.Namespace, magnitude: int) -> tuple[Any, Any]:
    """Return Gaussian rows in bfloat16 and the slot of each: pages in any order, some slots left out."""
    torch = load("torch")
    draw = torch.Generator().manual_seed(given.seed + magnitude)
    rows = (magnitude * torch.randn(given.tokens, given.rank + given.rope, generator=draw)).bfloat16()
    pages = -(-given.tokens // given.page) + 3
    slots = torch.randperm(pages * given.page, generator=draw)[: given.tokens]
    return rows, slots


def attempt(write: Callable[..., Any], kind: Cache, rows: Any, at: Paged, scale: float) -> dict[str, Any]:
    """Return the comparison of one round trip; a type that a writer refuses is no failure of the cache."""
    try:
        cache = write(kind, rows.to(at.slots.device), at, scale)
    except (RuntimeError, ValueError, NotImplementedError) as error:
        return {"verdict": "refused", "relL2": 0.0, "cut_off": 0, "error": str(error)[:300]}
    got, touched = read(kind, cache, at.slots, scale)
    found = {"touched": touched, **compare(got, rows, kind, scale)}
    return {**found, "verdict": verdict(found, kind)}


def judge(found: dict[str, Any], given: argparse.Namespace, device: str) -> list[dict[str, Any]]:
    """Return a line for each writer, type of cache, magnitude, and scale: one that fits, and 1.0."""
    lines = []
    for magnitude in MAGNITUDES:
        rows, slots = known(given, magnitude)
        at = Paged(slots.to(device), given.page)
        for kind in CACHES:
            fitting = 1.0 if math.isinf(kind.largest) else float(rows.abs().max()) / kind.largest
            for scale in sorted({1.0, fitting}):
                for name, write in found.items():
                    line = {
                        "by": name,
                        "cache": kind.asked,
                        "magnitude": magnitude,
                        "scale": scale,
                        "fits": scale == fitting,
                    }
                    lines.append({**line, **attempt(write, kind, rows, at, scale)})
    return lines


def controls(given: argparse.Namespace) -> list[dict[str, Any]]:
    """Return whether a right cache passes; and one shifted by a slot, one of a wrong scale and one cut off do not."""
    rows, slots = known(given, 30)
    kind, at = CACHES[1], Paged(slots, given.page)
    scale = float(rows.abs().max()) / kind.largest
    cache, small = by_torch(kind, rows, at, scale), by_torch(kind, rows, at, scale / 8)
    cases = (
        ("written by torch", "positive", cache, scale, "pass"),
        ("a slot further", "negative", cache.flatten(0, 1).roll(1, 0), scale, "fail"),
        ("read with twice the scale", "negative", cache, 2 * scale, "fail"),
        ("cut off at an eighth", "negative", small, scale / 8, "fail"),
    )
    checks = []
    for name, sort, each, factor, expected in cases:
        found = compare(read(kind, each, slots, factor)[0], rows, kind, factor)
        passed, detail = verdict(found, kind) == expected, f"relL2 {found['relL2']:.2g}"
        checks.append({"name": name, "kind": sort, "passed": passed, "detail": detail})
    return checks


def saturation(absmax: float) -> dict[str, Any]:
    """Return the finding on scales of 1.0 for a model whose largest key or value is known."""
    if not absmax:
        return {"hypothesis": "scale-saturates", "answer": "inconclusive", "why": "--absmax says how large they are"}
    cut = [f"{kind.asked} ends at {kind.largest:g}" for kind in CACHES if absmax > kind.largest]
    why = "; ".join(cut) or f"{absmax:g} is within every type"
    return {"hypothesis": "scale-saturates", "answer": "confirmed" if cut else "refuted", "why": why}


def answer(key: str, lines: list[dict[str, Any]], otherwise: str) -> dict[str, Any]:
    """Return the finding that the lines support."""
    bad = Counter(f"{each['by']} {each['cache']} at {each['magnitude']}" for each in lines if each["verdict"] == "fail")
    if bad:
        return {"hypothesis": key, "answer": "confirmed", "why": "; ".join(list(bad)[:8])}
    if otherwise:
        return {"hypothesis": key, "answer": "inconclusive", "why": otherwise}
    told = Counter(each["verdict"] for each in lines)
    why = f"{told['pass']} round trips within the rounding of their type, {told['between']} above it"
    return {"hypothesis": key, "answer": "inconclusive" if told["between"] else "refuted", "why": why}


def measure(given: argparse.Namespace) -> dict[str, Any]:
    """Write and read with every writer, type of cache and magnitude."""
    torch = load("torch")
    found, missing = writers(given)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    lines = judge(found, given, device)
    fitting = [each for each in lines if each["fits"] and each["verdict"] != "refused"]
    here = "" if len(found) > 1 else f"only torch's conversions were looked at, on the {device}"
    return {
        "status": "degraded" if missing else "ok",
        "detail": "without " + "; ".join(missing) if missing else "",
        "findings": [answer("cache-wrong", fitting, here), saturation(given.absmax)],
        "measurements": [
            {"name": f"{each['by']} {each['cache']} x {each['magnitude']} relL2", "value": each["relL2"]}
            for each in fitting
        ],
        "thresholds": [{"name": f"{kind.asked} relL2", "limit": kind.passes} for kind in CACHES]
        + [{"name": "fails", "limit": FAILS}, {"name": "cut off", "limit": 0}],
        "controls": controls(given),
        "sample": f"seed {given.seed}, {given.tokens} tokens of {given.rank} + {given.rope}, pages of {given.page}",
        "worst": max(fitting, key=lambda each: float(each["relL2"])),
        "details": {"device": torch.cuda.get_device_name() if device == "cuda" else "cpu", "lines": lines},
    }


if __name__ == "__main__":
    main(measure)
