#!/usr/bin/env python3
"""matmul.gpu_vs_ref: hold vLLM's products with quantised weights against gguf-py's weights, on each side of a switch.

A right dequantization clears none of these kernels: mmvq decodes for few rows of activations, mmq for more, and
I-quants go through dequantization and a plain product. By hand: ``python3 gpu_vs_ref.py`` beside vLLM and a GPU.
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
from typing import Any, Callable

PROBE: dict[str, Any] = {
    "name": "matmul.gpu_vs_ref",
    "summary": "Multiply by quantised weights with vLLM's kernels and hold the products against fp32",
    "needs": ["torch", "gguf", "gpu", "vllm"],
    "arguments": [
        {"name": "types", "kind": "text", "help": "only these, e.g. Q4_K,Q6_K"},
        {"name": "rows", "kind": "int", "default": 320, "help": "rows of the weights"},
        {"name": "columns", "kind": "int", "default": 4096, "help": "columns of the weights, a multiple of 512"},
        {"name": "seed", "kind": "int", "default": 1, "help": "of weights and activations"},
    ],
    "hypotheses": {
        "matmul-wrong": {
            "statement": "vLLM's matrix products with GGUF weights (mmvq, mmq) are wrong on this GPU",
            "terms": ["mmq", "mmvq", "matmul", "mul_mat", "ggml_mul_mat_a8", "ggml_mul_mat_vec_a8", "gemm", "gemv",
                      "kernel", "linear layer", "batch size", "quantized matmul"],
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


# >>> products: the same lines in every payload that holds vLLM's quantised products against gguf-py's weights
PASSES, FAILS = 2.2e-2, 0.1
"""Of relL2; activations in 8 bits alone cost 5e-3, or 1e-2 where one channel sticks out."""
ROW_PASSES, ROW_FAILS = 0.12, 0.5
"""Of the worst output row's error in parts of the mean row: a few standard deviations of a passing product."""
STANDARD = {"Q4_0": (2, 0), "Q4_1": (3, 0, 2), "Q5_0": (6, 0), "Q5_1": (7, 0, 2), "Q8_0": (8, 0)}
K_QUANTS = {"Q2_K": (10, 80, 82), "Q3_K": (11, 108), "Q4_K": (12, 0, 2), "Q5_K": (13, 0, 2), "Q6_K": (14, 208)}
I_QUANTS = {"IQ2_XXS": (16, 0), "IQ2_XS": (17, 0), "IQ3_XXS": (18, 0), "IQ1_S": (19, 0), "IQ4_NL": (20, 0),
            "IQ3_S": (21, 0), "IQ2_S": (22, 0), "IQ4_XS": (23, 0)}  # fmt: skip
KINDS = {**STANDARD, **K_QUANTS, **I_QUANTS}
"""The number of each type in GGUF files, and where the fp16 scales of its blocks are."""


def load(name: str) -> Any:
    """Return a module. Raises Missing, with the reason, where it cannot be had."""
    try:
        return import_module(name)
    except (ImportError, OSError, RuntimeError) as error:
        raise Missing(f"{name} ({(str(error).splitlines() or ['no reason'])[0]})") from error


def find_ops(*wanted: str) -> Any:
    """Return vLLM's quantised products, or those of its plugin. Raises Missing where there are neither."""
    if not load("torch").cuda.is_available():
        raise Missing("a GPU, for vLLM's kernels")
    reasons = []
    for name in ("vllm._C_stable_libtorch", "vllm._C", "vllm_gguf_plugin.ops"):
        with contextlib.suppress(Missing, AttributeError):
            module = load(name)
            ops = module if "plugin" in name else getattr(load("torch").ops, "_C")  # noqa: B009 - where it registers them
            if all(hasattr(ops, each) for each in wanted):
                return ops
        reasons.append(name)
    raise Missing(f"{', '.join(wanted)} (in none of {', '.join(reasons)})")


def random_weights(kind: str, shape: tuple[int, ...], seed: int) -> tuple[Any, Any]:
    """Return random blocks with small scales as (..., rows, bytes), and their weights by gguf-py in fp32."""
    torch, gguf, (number, *halves) = load("torch"), load("gguf"), KINDS[kind]
    block, size = gguf.GGML_QUANT_SIZES[gguf.GGMLQuantizationType(number)]
    draw = torch.Generator().manual_seed(seed)
    count = math.prod(shape) // block
    raw = torch.randint(0, 256, (count, size), dtype=torch.uint8, generator=draw)
    for at in halves:
        raw[:, at : at + 2] = (0.002 * torch.randn(count, 1, generator=draw)).half().view(torch.uint8)
    raw = raw.reshape(*shape[:-1], shape[-1] // block * size)
    return raw, decoded(kind, raw)


def decoded(kind: str, raw: Any) -> Any:
    """Return the weights of blocks by gguf-py, in fp32."""
    torch, kinds = load("torch"), load("gguf").GGMLQuantizationType
    return torch.from_numpy(load("gguf.quants").dequantize(raw.numpy(), kinds[kind]).copy())


def spoiled(kind: str, raw: Any) -> Any:
    """Return blocks with the sign of their first scale turned in one row of 8."""
    size, wrong = load("gguf").GGML_QUANT_SIZES[load("gguf").GGMLQuantizationType[kind]][1], raw.clone()
    wrong.reshape(-1, raw.shape[-1])[::8, KINDS[kind][1] + 1 :: size] ^= 0x80
    return wrong


def random_inputs(count: int, width: int, seed: int, *, outlier: bool) -> Any:
    """Return Gaussian activations, one channel 200 times the others where asked to."""
    torch = load("torch")
    x = torch.randn(count, width, generator=torch.Generator().manual_seed(seed))
    if outlier:
        x[:, width // 3] *= 200
    return x


def in_8_bits(x: Any) -> Any:
    """Return activations as the kernels round them: 8 bits each, one scale for 32."""
    runs = x.reshape(*x.shape[:-1], -1, 32)
    scale = (runs.abs().amax(-1, keepdim=True) / 127).clamp_min(1e-30)
    return ((runs / scale).round() * scale.half().float()).reshape(x.shape)


def compare(got: Any, want: Any) -> dict[str, Any]:
    """Return relL2, the worst column's error in parts of the mean column, and the worst value of (products, rows)."""
    torch, y, r = load("torch"), got.double().cpu(), want.double()
    off = (y - r).nan_to_num(math.inf, math.inf, math.inf)
    columns = torch.linalg.vector_norm(r, dim=0).pow(2).mean().sqrt().clamp_min(1e-30)
    n, row = divmod(int(off.abs().flatten().argmax()), r.shape[1])
    return {
        "relL2": float(torch.linalg.vector_norm(off) / torch.linalg.vector_norm(r).clamp_min(1e-30)),
        "worst_row": float((torch.linalg.vector_norm(off, dim=0) / columns).max()),
        "non_finite": int((~y.isfinite()).sum()),
        "worst": {"product": n, "row": row, "got": float(y[n, row]), "want": float(r[n, row])},
    }


def attempt(run: Callable[[], Any], check: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
    """Return the comparison of a product, with its verdict; what a kernel refuses is no wrong product."""
    try:
        found = check(run())
    except (RuntimeError, ValueError, NotImplementedError) as error:
        return {"verdict": "refused", "relL2": 0.0, "error": str(error)[:300]}
    return {**found, "verdict": verdict(found)}


def verdict(found: dict[str, Any]) -> str:
    """Return ``pass``, ``fail`` or ``between``."""
    if found["non_finite"] or found["relL2"] > FAILS or found["worst_row"] > ROW_FAILS:
        return "fail"
    return "pass" if found["relL2"] <= PASSES and found["worst_row"] <= ROW_PASSES else "between"


def answer(key: str, lines: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the finding that the lines support."""
    bad = Counter(f"{each['by']} {each['type']}" for each in lines if each["verdict"] == "fail")
    if bad:
        sides = {name: [each["size"] for each in lines if f"{each['by']} {each['type']}" == name and
                        each["verdict"] == "fail"] for name in bad}  # fmt: skip
        why = "; ".join(f"{name} at {min(sizes)} to {max(sizes)} tokens" for name, sizes in sides.items())
        return {"hypothesis": key, "answer": "confirmed", "why": "wrong: " + why}
    told = Counter(each["verdict"] for each in lines)
    why = f"{told['pass']} products within limits, {told['between']} above them, {told['refused']} refused, none wrong"
    return {
        "hypothesis": key,
        "answer": "inconclusive" if told["between"] or not told["pass"] else "refuted",
        "why": why,
    }


def reported(key: str, lines: list[dict[str, Any]], checks: list[dict[str, Any]], sample: str) -> dict[str, Any]:
    """Return the document's part that the lines amount to."""
    worst: dict[str, float] = {}
    for each in lines:
        name = f"{each['type']} {each['by']} worst relL2"
        worst[name] = max(worst.get(name, 0.0), each["relL2"])
    return {
        "findings": [answer(key, lines)],
        "measurements": [{"name": name, "value": value} for name, value in worst.items()],
        "thresholds": [
            {"name": name, "limit": limit} for name, limit in (
                ("relL2 passes", PASSES), ("relL2 fails", FAILS), ("row passes", ROW_PASSES), ("row fails", ROW_FAILS))
        ],
        "controls": checks,
        "sample": sample,
        "worst": max(lines, key=lambda each: float(each["relL2"]), default=None),
        "details": {"device": load("torch").cuda.get_device_name(), "lines": lines},
    }  # fmt: skip


# <<< products


BATCHES = (1, 2, 3, 6, 7, 8, 16, 17, 64, 65, 512)
"""Each side of every number of tokens at which vLLM changes the kernel."""
VECTOR_MOST = 16


def runs(ops: Any, kind: str, raw: Any, x: Any) -> dict[str, Any]:
    """Return each kernel that vLLM may choose for so many tokens, as a call."""
    number, rows = KINDS[kind][0], len(raw)
    found: dict[str, Any] = {}
    if len(x) <= VECTOR_MOST:
        found["mmvq"] = lambda: ops.ggml_mul_mat_vec_a8(raw, x, number, rows)
    if kind in I_QUANTS:
        found["dequantize + matmul"] = lambda: (
            x @ ops.ggml_dequantize(raw, number, rows, x.shape[1], x.dtype).view(rows, -1).T
        )
    else:
        found["mmq"] = lambda: ops.ggml_mul_mat_a8(raw, x, number, rows)
    return found


def judge(ops: Any, kind: str, given: argparse.Namespace, device: str) -> list[dict[str, Any]]:
    """Return a line for each kernel, number of tokens, type of activations, and Gaussian with or without an outlier."""
    torch, lines = load("torch"), []
    raw, weights = random_weights(kind, (given.rows, given.columns), given.seed)
    for outlier in (False, True):
        inputs = random_inputs(max(BATCHES), given.columns, given.seed, outlier=outlier)
        for dtype in ("float16", "bfloat16"):
            rounded = inputs.to(getattr(torch, dtype))
            want = rounded.double() @ weights.double().T
            for size in BATCHES:
                x = rounded[:size].to(device).contiguous()
                for name, run in runs(ops, kind, raw.to(device), x).items():
                    found = attempt(run, lambda got: compare(got, want[:size]))  # noqa: B023 - called at once
                    line = {"type": kind, "by": name, "size": size, "activations": dtype, "outlier": outlier}
                    lines.append({**line, **found})
    return lines


def controls(kind: str, given: argparse.Namespace) -> list[dict[str, Any]]:
    """Return whether products with 8-bit activations pass, and ones with a fault in one row of 8 do not."""
    raw, weights = random_weights(kind, (64, given.columns), given.seed)
    cases = []
    for outlier in (False, True):
        x = random_inputs(8, given.columns, given.seed, outlier=outlier)
        want, right = x.double() @ weights.double().T, in_8_bits(x) @ weights.T
        cases.append((f"8-bit activations, outlier {outlier}", "positive", compare(right, want), ("pass",)))
        wrong = in_8_bits(x) @ decoded(kind, spoiled(kind, raw)).T
        cases.append((f"one row in 8 spoiled, outlier {outlier}", "negative", compare(wrong, want), ("fail",)))
    return [
        {
            "name": f"{kind}: {name}",
            "kind": sort,
            "passed": verdict(found) in good,
            "detail": f"relL2 {found['relL2']:.2g}",
        }
        for name, sort, found, good in cases
    ]


def measure(given: argparse.Namespace) -> dict[str, Any]:
    """Multiply random activations by random blocks with every kernel and hold the products against fp32 ones."""
    load("gguf.quants")
    ops = find_ops("ggml_mul_mat_vec_a8", "ggml_mul_mat_a8", "ggml_dequantize")
    kinds = [kind for kind in KINDS if kind in (given.types or ",".join(KINDS)).split(",")]
    lines = [line for kind in kinds for line in judge(ops, kind, given, "cuda")]
    checks = [check for kind in kinds for check in controls(kind, given)]
    sample = f"seed {given.seed}, {given.rows} x {given.columns} random blocks, {BATCHES} tokens"
    return reported("matmul-wrong", lines, checks, sample)


if __name__ == "__main__":
    main(measure)
