#!/usr/bin/env python3
"""moe.gguf_vs_ref: hold vLLM's products with quantised experts against gguf-py's weights, expert by expert.

Up to 64 tokens vLLM runs one kernel and above that another, so prefill can be wrong where decoding is right. By hand:
``python3 gguf_vs_ref.py`` beside vLLM and a GPU.
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
    "name": "moe.gguf_vs_ref",
    "summary": "Multiply by quantised experts with vLLM's kernels and hold each expert's products against fp32",
    "needs": ["torch", "gguf", "gpu", "vllm"],
    "arguments": [
        {"name": "types", "kind": "text", "help": "only these, e.g. Q4_K,Q6_K"},
        {"name": "experts", "kind": "int", "default": 8, "help": "experts; one more gets no token"},
        {"name": "rows", "kind": "int", "default": 256, "help": "rows of an expert's weights"},
        {"name": "columns", "kind": "int", "default": 2048, "help": "columns, a multiple of 512"},
        {"name": "seed", "kind": "int", "default": 1, "help": "of weights, activations and routing"},
    ],
    "hypotheses": {
        "moe-wrong": {
            "statement": "vLLM's products with GGUF experts are wrong on this GPU, for some experts or token counts",
            "terms": ["moe", "expert", "ggml_moe_a8", "ggml_moe_a8_vec", "fused_moe", "mixture of experts", "routing",
                      "prefill", "kernel", "batch size"],
        },
    },
    "architectures": ["moe", "mixture", "deepseek", "glm", "qwen", "mixtral", "kimi", "minimax", "gguf"],
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


TOKENS = (1, 64, 65, 256)
"""Each side of the number of tokens at which vLLM changes the kernel."""
CHOSEN = 2


def route(tokens: int, experts: int, seed: int) -> Any:
    """Return which experts each token goes to: two different ones, never the last."""
    torch = load("torch")
    scores = torch.rand(tokens, experts, generator=torch.Generator().manual_seed(seed))
    return scores.topk(CHOSEN, dim=1).indices.int()


def align(ids: Any, experts: int, block: int) -> tuple[Any, Any, Any]:
    """Return places sorted by expert and padded, the expert of each block, and how many places there are."""
    torch, flat = load("torch"), ids.flatten()
    places, owners = [], []
    for expert in range(experts):
        mine = (flat == expert).nonzero().flatten().tolist()
        mine += [len(flat)] * (-len(mine) % block)
        places += mine
        owners += [expert] * (len(mine) // block)
    first, second, third = (
        torch.tensor(each, dtype=torch.int32, device=ids.device) for each in (places, owners, [len(places)])
    )
    return first, second, third


def runs(ops: Any, kind: str, raw: Any, x: Any, ids: Any) -> dict[str, Any]:
    """Return each kernel as a call."""
    (experts, rows, _), number, tokens = raw.shape, KINDS[kind][0], len(x)
    found = {"moe_a8_vec": lambda: ops.ggml_moe_a8_vec(x, raw, ids, CHOSEN, number, rows, tokens)}
    if kind not in I_QUANTS:
        sorted_ids = align(ids, experts, int(ops.ggml_moe_get_block_size(number)))
        found["moe_a8"] = lambda: ops.ggml_moe_a8(x, raw, *sorted_ids, number, rows, CHOSEN, tokens)
    return found


def products(x: Any, weights: Any, ids: Any) -> Any:
    """Return each token's product with each of its experts, in fp64: (tokens x chosen, rows)."""
    spread = x.double().repeat_interleave(CHOSEN, 0)
    result = spread.new_zeros(len(spread), weights.shape[1])
    for expert in ids.unique().tolist():
        mine = ids.flatten() == expert
        result[mine] = spread[mine] @ weights[expert].double().T
    return result


def by_expert(got: Any, want: Any, ids: Any) -> dict[str, Any]:
    """Return the comparison of the expert that comes off worst."""
    found = []
    for expert in ids.unique().tolist():
        mine = ids.flatten() == expert
        found.append({"expert": expert, **compare(got.cpu().reshape(len(want), -1)[mine], want[mine])})
    return max(found, key=lambda each: (each["non_finite"], each["relL2"]))


def judge(ops: Any, kind: str, given: argparse.Namespace, device: str) -> list[dict[str, Any]]:
    """Return a line for each kernel and number of tokens: the worst expert."""
    lines = []
    raw, weights = random_weights(kind, (given.experts + 1, given.rows, given.columns), given.seed)
    for size in TOKENS:
        x = random_inputs(size, given.columns, given.seed + size, outlier=False).half()
        ids = route(size, given.experts, given.seed + size)
        want = products(x, weights, ids)
        for name, run in runs(ops, kind, raw.to(device), x.to(device), ids.to(device)).items():
            found = attempt(run, lambda got: by_expert(got, want, ids))  # noqa: B023 - called at once
            lines.append({"type": kind, "by": name, "size": size, **found})
    return lines


def controls(kind: str, given: argparse.Namespace) -> list[dict[str, Any]]:
    """Return whether products with 8-bit activations pass, and one bad expert among good ones is named."""
    raw, weights = random_weights(kind, (given.experts, 64, given.columns), given.seed)
    x, ids = random_inputs(32, given.columns, given.seed, outlier=False), route(32, given.experts, given.seed)
    want, broken = products(x, weights, ids), int(ids[0, 0])
    right = by_expert(products(in_8_bits(x), weights, ids), want, ids)
    weights[broken] = decoded(kind, spoiled(kind, raw[broken]))
    wrong = by_expert(products(in_8_bits(x), weights, ids), want, ids)
    named = verdict(wrong) == "fail" and wrong["expert"] == broken
    return [
        {"name": f"{kind}: 8-bit activations", "kind": "positive", "passed": verdict(right) == "pass"},
        {
            "name": f"{kind}: expert {broken} spoiled",
            "kind": "negative",
            "passed": named,
            "detail": f"expert {wrong['expert']}",
        },
    ]


def measure(given: argparse.Namespace) -> dict[str, Any]:
    """Multiply random activations by random experts with every kernel and hold the products against fp64 ones."""
    load("gguf.quants")
    ops = find_ops("ggml_moe_a8", "ggml_moe_a8_vec", "ggml_moe_get_block_size")
    kinds = [kind for kind in KINDS if kind in (given.types or ",".join(KINDS)).split(",")]
    lines = [line for kind in kinds for line in judge(ops, kind, given, "cuda")]
    checks = [check for kind in kinds for check in controls(kind, given)]
    sample = (
        f"seed {given.seed}, {given.experts} experts of {given.rows} x {given.columns} random blocks, {TOKENS} tokens"
    )
    return reported("moe-wrong", lines, checks, sample)


if __name__ == "__main__":
    main(measure)
