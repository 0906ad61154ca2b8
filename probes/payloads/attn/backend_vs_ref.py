#!/usr/bin/env python3
"""attn.backend_vs_ref: hold the decode kernel of vLLM's TRITON_MLA against attention in fp64.

Paged caches with their pages out of order, one of them shared; then a needle in each awkward place. By hand:
``python3 backend_vs_ref.py``; needs torch and, for a verdict on vLLM, a GPU and vLLM.
"""

from __future__ import annotations

import argparse
import contextlib
import inspect
import json
import math
import platform
import sys
import time
import traceback
from functools import partial
from importlib import import_module, metadata
from typing import Any, Callable, Iterable, Iterator, NamedTuple

PROBE: dict[str, Any] = {
    "name": "attn.backend_vs_ref",
    "summary": "Hold the decode kernel of vLLM's TRITON_MLA against attention in fp64, over a shuffled paged cache",
    "needs": ["torch", "gpu", "vllm"],
    "arguments": [
        {"name": "heads", "kind": "int", "default": 16, "help": "query heads of one rank"},
        {"name": "rank", "kind": "int", "default": 512, "help": "width of MLA's latent (kv_lora_rank)"},
        {"name": "rope", "kind": "int", "default": 64, "help": "width of MLA's rope part"},
        {"name": "nope", "kind": "int", "default": 128, "help": "width of a head's part without rope"},
        {"name": "page", "kind": "int", "default": 16, "help": "tokens of a page of the cache"},
        {"name": "longest", "kind": "int", "default": 4097, "help": "tokens of the longest context"},
        {"name": "seed", "kind": "int", "default": 1, "help": "of the random numbers"},
    ],
    "hypotheses": {
        "decode-wrong": {
            "statement": "The attention backend's decode kernel gives wrong outputs on this GPU",
            "terms": ["triton mla", "mla backend", "decode attention", "attention kernel", "paged attention",
                      "block table", "wrong result", "attention output"],
        },
    },
    "architectures": [],
    "never_run": ["sm100", "sm120", "fp8 caches"],
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


# >>> attention: the same lines in every payload that holds a kernel of attention against fp64
PASSES = {"bfloat16": 1e-2, "float16": 2e-3, "float32": 1e-5}
"""relL2 that the rounding of inputs and outputs in a type alone may cost."""
COSINE_PASSES, COSINE_FAILS, FAILS = 0.999, 0.98, 0.1
SPREAD = 2.0
"""The standard deviation of logits: the softmax is then neither flat nor one token."""
Attend = Callable[..., Any]


def load(name: str) -> Any:
    """Return a module. Raises Missing, with the reason, where it cannot be had."""
    try:
        return import_module(name)
    except (ImportError, OSError, RuntimeError) as error:
        raise Missing(f"{name} ({(str(error).splitlines() or ['no reason'])[0]})") from error


def lacking(name: str) -> str:
    """Return why a kernel's module cannot be used here, nothing if it can."""
    if not load("torch").cuda.is_available():
        return "a GPU"
    try:
        load(name)
    except Missing as missing:
        return str(missing)
    return ""


def compare(got: Any, want: Any, dtype: str) -> dict[str, Any]:
    """Return relL2, the smallest cosine of a head, numbers that are not finite, and the verdict."""
    torch = load("torch")
    g, w = got.double(), want.double()
    bad = int((~g.isfinite()).sum())
    cosines = torch.nn.functional.cosine_similarity(g, w, dim=-1).nan_to_num(-1.0)
    rel = float((torch.linalg.vector_norm(g - w) / torch.linalg.vector_norm(w)).nan_to_num(math.inf, math.inf))
    least = float(cosines.min())
    verdict = "between"
    if bad or least < COSINE_FAILS or rel > FAILS:
        verdict = "fail"
    elif rel <= PASSES[dtype] and least >= COSINE_PASSES:
        verdict = "pass"
    return {"relL2": rel, "cosine": least, "non_finite": bad, "verdict": verdict}


def attempt(
    by: str, what: str, dtype: str, run: Callable[[], tuple[Any, Any]], want: tuple[Any, Any]
) -> dict[str, Any]:
    """Return the comparison of one call; a refusal is no failure of the numbers."""
    line: dict[str, Any] = {"by": by, "what": what, "dtype": dtype}
    try:
        got, sums = run()
        line.update(compare(got, want[0], dtype))
        if sums is not None:
            line["lse_off"] = float((sums.double() - want[1]).abs().max().nan_to_num(math.inf, math.inf))
    except (RuntimeError, ValueError, NotImplementedError, AssertionError, TypeError) as error:
        line.update(verdict="refused", relL2=0.0, cosine=1.0, error=str(error)[:300])
    return line


def answer(key: str, lines: list[dict[str, Any]], otherwise: str) -> dict[str, Any]:
    """Return the finding on one kernel that its lines support."""
    told = [line["verdict"] for line in lines]
    bad = [f"{line['by']} {line['dtype']} {line['what']}" for line in lines if line["verdict"] == "fail"]
    if bad:
        return {"hypothesis": key, "answer": "confirmed", "why": "; ".join(bad[:8])}
    if otherwise or not told.count("pass"):
        return {"hypothesis": key, "answer": "inconclusive", "why": otherwise or "no call was taken"}
    why = f"{told.count('pass')} calls within rounding, {told.count('between')} above it"
    return {"hypothesis": key, "answer": "inconclusive" if "between" in told else "refuted", "why": why}


def checked(cases: Iterable[tuple[str, str, Any]], want: Any) -> list[dict[str, Any]]:
    """Return whether the right outputs pass, and the broken ones do not."""
    checks = []
    for name, kind, got in cases:
        found = compare(got, want, "bfloat16")
        passed = (found["verdict"] == "pass") == (kind == "positive")
        checks.append({"name": name, "kind": kind, "passed": passed, "detail": f"relL2 {found['relL2']:.2g}"})
    return checks


def told(key: str, lines: list[dict[str, Any]], missing: str) -> dict[str, Any]:
    """Return the part of a document that every line of both payloads goes into; torch's own are no finding."""
    torch = load("torch")
    own = [line for line in lines if line["by"] != "torch"]
    kinds = sorted({(line["by"], line["dtype"]) for line in lines})
    worst = {kind: max(line["relL2"] for line in lines if (line["by"], line["dtype"]) == kind) for kind in kinds}
    return {
        "status": "degraded" if missing else "ok",
        "detail": "without " + missing if missing else "",
        "findings": [answer(key, own, "without " + missing if missing else "")],
        "measurements": [{"name": f"{by} {dtype} worst relL2", "value": value} for (by, dtype), value in worst.items()],
        "thresholds": [{"name": f"{name} relL2", "limit": limit} for name, limit in PASSES.items()]
        + [{"name": "relL2 fails", "limit": FAILS}, {"name": "cosine fails", "limit": COSINE_FAILS}],
        "worst": max(lines, key=lambda line: float(line["relL2"])),
        "details": {"device": torch.cuda.get_device_name() if torch.cuda.is_available() else "cpu", "lines": lines},
    }


# <<< attention

NEEDLE = 0.02
"""relL2 of what is found to what was hidden."""
SPLITS = (1, 4, 8)


class Paged(NamedTuple):
    """A batch over a paged cache: queries, the cache, the pages of each request in order, its tokens."""

    queries: Any
    """(requests, heads, rank + rope)"""
    pages: Any
    """(pages, tokens, rank + rope)"""
    table: Any
    lengths: list[int]
    rank: int
    scale: float


def batch(lengths: list[int], given: argparse.Namespace, dtype: str, device: str) -> Paged:
    """Return random queries over a random cache; pages in any order, all requests share their first."""
    torch = load("torch")
    draw = torch.Generator().manual_seed(given.seed * 1000 + sum(lengths))
    width, scale = given.rank + given.rope, (given.nope + given.rope) ** -0.5
    needed = [-(-length // given.page) for length in lengths]
    order = (torch.randperm(sum(needed) + 2, generator=draw)).tolist()
    table = torch.zeros(len(lengths), max(needed), dtype=torch.int32)
    for row, count in enumerate(needed):
        for column in range(count):
            table[row, column] = order.pop()
    if min(lengths) >= given.page:
        table[:, 0] = table[0, 0]
    pages = torch.randn(sum(needed) + 2, given.page, width, generator=draw)
    queries = torch.randn(len(lengths), given.heads, width, generator=draw) * (SPREAD / scale / math.sqrt(width))
    kind = getattr(torch, dtype)
    queries, pages = (each.to(kind).to(device) for each in (queries, pages))
    return Paged(queries, pages, table.to(device), lengths, given.rank, scale)


def rows(given: Paged, request: int) -> Any:
    """Return a request's keys in order: (tokens, rank + rope)."""
    return given.pages[given.table[request].long()].flatten(0, 1)[: given.lengths[request]]


def reference(given: Paged) -> tuple[Any, Any]:
    """Return outputs (requests, heads, rank) and the log of each softmax's sum, in fp64 from the same inputs."""
    torch = load("torch")
    outputs, sums = [], []
    for request in range(len(given.lengths)):
        keys = rows(given, request).double()
        logits = given.queries[request].double() @ keys.T * given.scale
        outputs.append(logits.softmax(-1) @ keys[:, : given.rank])
        sums.append(logits.logsumexp(-1))
    return torch.stack(outputs), torch.stack(sums)


def by_torch(given: Paged, _splits: int = 1) -> tuple[Any, Any]:
    """Return outputs by torch's own attention, request by request; no sums."""
    torch = load("torch")
    attend = torch.nn.functional.scaled_dot_product_attention
    outputs = []
    for request in range(len(given.lengths)):
        keys = rows(given, request)[None].expand(given.queries.shape[1], -1, -1)
        query = given.queries[request][:, None]
        outputs.append(attend(query, keys, keys[..., : given.rank], scale=given.scale)[:, 0])
    return torch.stack(outputs), None


def by_triton_mla(given: Paged, splits: int) -> tuple[Any, Any]:
    """Return outputs and sums by vLLM's TRITON_MLA, its arguments passed by name."""
    torch = load("torch")
    forward = load("vllm.v1.attention.ops.triton_decode_attention").decode_attention_fwd
    (requests, heads, _), like = given.queries.shape, given.queries
    keys = given.pages[:, :, None]
    call = {
        "q": like, "k_buffer": keys, "v_buffer": keys[..., : given.rank],
        "o": torch.zeros(requests, heads, given.rank, dtype=like.dtype, device=like.device),
        "lse": torch.zeros(requests, heads, dtype=like.dtype, device=like.device),
        "req_to_token": given.table, "block_table": given.table,
        "b_seq_len": torch.tensor(given.lengths, dtype=torch.int32, device=like.device),
        "attn_logits": torch.zeros(requests, heads, splits, given.rank + 1, dtype=torch.float32, device=like.device),
        "num_kv_splits": splits, "sm_scale": given.scale, "page_size": given.pages.shape[1], "is_mla": True,
    }  # fmt: skip
    call["seq_lens"] = call["b_seq_len"]
    known = inspect.signature(forward).parameters
    forward(**{name: value for name, value in call.items() if name in known})
    return call["o"], call["lse"]


def contexts(longest: int) -> Iterator[list[int]]:
    """Yield batches: single requests around a page's edges, then eight of unequal lengths."""
    for length in (1, 15, 16, 17, 64, 1000, 4097):
        if length <= longest:
            yield [length]
    yield [min(length, longest) for length in (16, 17, 31, 64, 100, 257, 1000, 4097)]


def judge(found: dict[str, Attend], given: argparse.Namespace, dtype: str, device: str) -> list[dict[str, Any]]:
    """Return a line for each batch, kernel and number of splits."""
    lines = []
    for lengths in contexts(given.longest):
        paged = batch(lengths, given, dtype, device)
        want = reference(paged)
        for by, attend in found.items():
            for splits in (1,) if by == "torch" else SPLITS:
                what = f"{lengths[0] if len(lengths) == 1 else 'eight'} tokens, {splits} splits"
                lines.append(attempt(by, what, dtype, partial(attend, paged, splits), want))
    return lines


def outputs_only(attend: Attend, paged: Paged) -> tuple[Any, Any]:
    """Return a kernel's outputs without its sums, over four splits."""
    return attend(paged, 4)[0], None


def needles(by: str, attend: Attend, given: argparse.Namespace, dtype: str, device: str) -> list[dict[str, Any]]:
    """Return a line for each place of a key that all queries seek; the output must be what is there."""
    lines, length = [], min(given.longest, 100)
    page = given.page
    for place in sorted({0, page - 1, page, length // page * page - 1, length - 1} & set(range(length))):
        paged = batch([length], given, dtype, device)
        key = rows(paged, 0)[place].double()
        seek = key * (20 / paged.scale / float(key @ key))
        paged = paged._replace(queries=seek.to(paged.queries.dtype).expand_as(paged.queries).contiguous())
        line = attempt(
            by, f"needle at {place} of {length}", dtype, partial(outputs_only, attend, paged), reference(paged)
        )
        if line["verdict"] != "refused":
            hit = compare(attend(paged, 4)[0], key[: given.rank].expand(1, given.heads, -1), dtype)["relL2"]
            line.update(needle=hit, verdict="pass" if hit <= NEEDLE else "fail")
        lines.append(line)
    return lines


def controls(given: argparse.Namespace, device: str) -> list[dict[str, Any]]:
    """Return whether torch's own attention passes, and five broken ones do not."""
    paged = batch([64], given, "bfloat16", device)
    want = reference(paged)[0]
    blank = paged.queries.clone()
    blank[..., given.rank :] = 0
    latent = (given.rank + given.rope) ** -0.5
    cases = (
        ("torch's attention", "positive", by_torch(paged)[0]),
        ("the last 16 tokens lost", "negative", reference(paged._replace(lengths=[48]))[0]),
        ("the rope part dropped", "negative", reference(paged._replace(queries=blank))[0]),
        ("the scale of the latent's width", "negative", reference(paged._replace(scale=latent))[0]),
        ("values a page further", "negative", shifted_values(paged, paged.table.roll(1, -1))),
        ("heads one further", "negative", want.roll(1, 1)),
    )
    return checked(cases, want)


def shifted_values(given: Paged, table: Any) -> Any:
    """Return outputs with the values of other pages."""
    keys, other = rows(given, 0).double(), rows(given._replace(table=table), 0).double()
    logits = given.queries[0].double() @ keys.T * given.scale
    return (logits.softmax(-1) @ other[:, : given.rank])[None]


def measure(given: argparse.Namespace) -> dict[str, Any]:
    """Decode with torch and the kernel, in both types."""
    missing = lacking("vllm.v1.attention.ops.triton_decode_attention")
    device = "cuda" if load("torch").cuda.is_available() else "cpu"
    found: dict[str, Attend] = {"torch": by_torch, **({} if missing else {"TRITON_MLA": by_triton_mla})}
    lines: list[dict[str, Any]] = []
    for dtype in ("bfloat16", "float16"):
        lines += judge(found, given, dtype, device)
        for by, attend in found.items():
            lines += needles(by, attend, given, dtype, device)
    document = told("decode-wrong", lines, missing)
    document["thresholds"].append({"name": "needle relL2", "limit": NEEDLE})
    sample = f"seed {given.seed}, {given.heads} heads, latent {given.rank} + {given.rope}, pages of {given.page}"
    return {**document, "controls": controls(given, device), "sample": sample}


if __name__ == "__main__":
    main(measure)
