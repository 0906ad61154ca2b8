#!/usr/bin/env python3
"""attn.prefill_vs_ref: hold the FlashAttention of vLLM's MLA prefill against causal attention in fp64.

Keys wider than values, as MLA has them; also the identity that lets MLA decode over latents. By hand:
``python3 prefill_vs_ref.py``; needs torch and, for a verdict on vLLM, a GPU and vLLM.
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
from functools import partial
from importlib import import_module, metadata
from typing import Any, Callable, Iterable

PROBE: dict[str, Any] = {
    "name": "attn.prefill_vs_ref",
    "summary": "Hold the FlashAttention of vLLM's MLA prefill against causal attention in fp64",
    "needs": ["torch", "gpu", "vllm"],
    "arguments": [
        {"name": "heads", "kind": "int", "default": 16, "help": "query heads of one rank"},
        {"name": "rank", "kind": "int", "default": 512, "help": "width of MLA's latent (kv_lora_rank)"},
        {"name": "rope", "kind": "int", "default": 64, "help": "width of MLA's rope part"},
        {"name": "nope", "kind": "int", "default": 128, "help": "width of a head's part without rope"},
        {"name": "value", "kind": "int", "default": 128, "help": "width of a head's value"},
        {"name": "longest", "kind": "int", "default": 4097, "help": "tokens of the longest prompt"},
        {"name": "seed", "kind": "int", "default": 1, "help": "of the random numbers"},
    ],
    "hypotheses": {
        "prefill-wrong": {
            "statement": "The attention backend's prefill kernel gives wrong outputs on this GPU",
            "terms": ["prefill", "flash attention", "flash_attn", "flashattention", "chunked prefill"],
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


def prompt(tokens: int, given: argparse.Namespace, dtype: str, device: str) -> tuple[Any, Any, Any, float]:
    """Return queries, keys and values (tokens, heads, width) of a prompt, and the scale."""
    torch = load("torch")
    draw = torch.Generator().manual_seed(given.seed * 1000 + tokens)
    width = given.nope + given.rope
    scale, kind = width**-0.5, getattr(torch, dtype)
    queries = torch.randn(tokens, given.heads, width, generator=draw) * (SPREAD / scale / math.sqrt(width))
    keys = torch.randn(tokens, given.heads, width, generator=draw)
    values = torch.randn(tokens, given.heads, given.value, generator=draw)
    return (*(each.to(kind).to(device) for each in (queries, keys, values)), scale)


def causal(queries: Any, keys: Any, values: Any, scale: float) -> Any:
    """Return causal attention in fp64, (tokens, heads, value)."""
    torch = load("torch")
    q, k, v = (each.double().transpose(0, 1) for each in (queries, keys, values))
    logits = q @ k.transpose(1, 2) * scale
    mask = torch.ones(logits.shape[-2:], dtype=torch.bool, device=logits.device).tril()
    return (logits.masked_fill(~mask, -math.inf).softmax(-1) @ v).transpose(0, 1)


def prefill_torch(queries: Any, keys: Any, values: Any, scale: float) -> Any:
    """Return causal attention by torch in the inputs' type."""
    attend = load("torch").nn.functional.scaled_dot_product_attention
    q, k, v = (each.transpose(0, 1)[None] for each in (queries, keys, values))
    return attend(q, k, v, is_causal=True, scale=scale)[0].transpose(0, 1)


def prefill_flash(queries: Any, keys: Any, values: Any, scale: float) -> Any:
    """Return causal attention by vLLM's FlashAttention, as its MLA prefill calls it."""
    torch = load("torch")
    flash = load("vllm.vllm_flash_attn.flash_attn_interface")
    version = 3 if flash.is_fa_version_supported(3) else 2
    narrow = values.shape[-1]
    if version < 3:  # noqa: PLR2004 - only the third takes values of another width than keys
        values = torch.nn.functional.pad(values, [0, keys.shape[-1] - narrow])
    ends = torch.tensor([0, len(queries)], dtype=torch.int32, device=queries.device)
    return flash.flash_attn_varlen_func(
        q=queries, k=keys, v=values, cu_seqlens_q=ends, cu_seqlens_k=ends, max_seqlen_q=len(queries),
        max_seqlen_k=len(queries), softmax_scale=scale, causal=True, fa_version=version,
    )[..., :narrow]  # fmt: skip


def outputs_only(attend: Attend, call: tuple[Any, ...]) -> tuple[Any, Any]:
    """Return a kernel's outputs, and no sums."""
    return attend(*call), None


def judge(found: dict[str, Attend], given: argparse.Namespace, dtype: str, device: str) -> list[dict[str, Any]]:
    """Return a line for each prompt and kernel."""
    lines = []
    for tokens in (length for length in (1, 17, 64, 1000, 4097) if length <= given.longest):
        call = prompt(tokens, given, dtype, device)
        want = causal(*call)
        for by, attend in found.items():
            lines.append(attempt(by, f"prompt of {tokens}", dtype, partial(outputs_only, attend, call), (want, None)))
    return lines


def identity(given: argparse.Namespace) -> float:
    """Return relL2 between attention over latents and over rebuilt keys and values, in fp64."""
    torch = load("torch")
    draw = torch.Generator().manual_seed(given.seed)
    heads, rank, nope, value = given.heads, given.rank, given.nope, given.value
    up_k, up_v = (torch.randn(heads, rank, width, generator=draw).double() / rank**0.5 for width in (nope, value))
    latent, rope = torch.randn(40, rank, generator=draw).double(), torch.randn(40, given.rope, generator=draw).double()
    q_nope, q_rope = (torch.randn(heads, width, generator=draw).double() for width in (nope, given.rope))
    scale = (nope + given.rope) ** -0.5
    full = torch.einsum("tr,hrp->htp", latent, up_k)
    logits = (torch.einsum("hp,htp->ht", q_nope, full) + q_rope @ rope.T) * scale
    want = torch.einsum("ht,htv->hv", logits.softmax(-1), torch.einsum("tr,hrv->htv", latent, up_v))
    absorbed = torch.einsum("hp,hrp->hr", q_nope, up_k)
    logits = (absorbed @ latent.T + q_rope @ rope.T) * scale
    got = torch.einsum("hr,hrv->hv", logits.softmax(-1) @ latent, up_v)
    return float(torch.linalg.vector_norm(got - want) / torch.linalg.vector_norm(want))


def controls(given: argparse.Namespace, device: str) -> list[dict[str, Any]]:
    """Return whether torch's attention and MLA's identity hold, and three broken ones do not."""
    queries, keys, values, scale = prompt(64, given, "bfloat16", device)
    want = causal(queries, keys, values, scale)
    cases = (
        ("torch's attention", "positive", prefill_torch(queries, keys, values, scale)),
        ("twice the scale", "negative", causal(queries, keys, values, 2 * scale)),
        ("a mask one token late", "negative", causal(queries, keys.roll(-1, 0), values.roll(-1, 0), scale)),
        ("heads one further", "negative", want.roll(1, 1)),
    )
    exact = identity(given)
    whole = {"name": "MLA's identity", "kind": "positive", "passed": exact <= PASSES["float32"]}
    return [*checked(cases, want), {**whole, "detail": f"relL2 {exact:.2g}"}]


def measure(given: argparse.Namespace) -> dict[str, Any]:
    """Prefill with torch and the kernel, in both types."""
    missing = lacking("vllm.vllm_flash_attn.flash_attn_interface")
    device = "cuda" if load("torch").cuda.is_available() else "cpu"
    found: dict[str, Attend] = {"torch": prefill_torch, **({} if missing else {"FLASH_ATTN": prefill_flash})}
    lines = [line for dtype in ("bfloat16", "float16") for line in judge(found, given, dtype, device)]
    sample = f"seed {given.seed}, {given.heads} heads of {given.nope} + {given.rope}, values of {given.value}"
    return {**told("prefill-wrong", lines, missing), "controls": controls(given, device), "sample": sample}


if __name__ == "__main__":
    main(measure)
