#!/usr/bin/env python3
"""gguf.mixed_fused: whether the parts of a layer that a server fuses have types that can be fused.

vLLM joins q, k and v, gate and up, q_a and kv_a into one layer, and keeps one type for the gate and up of all experts.
By hand: ``python3 mixed_fused.py --model FILE``, any Python from 3.8.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import mmap
import platform
import re
import struct
import sys
import time
import traceback
from importlib import metadata
from pathlib import Path
from typing import Any, Callable, NamedTuple

PROBE: dict[str, Any] = {
    "name": "gguf.mixed_fused",
    "summary": "Compare the quantization types of the tensors that a server fuses into one layer",
    "needs": ["model"],
    "arguments": [{"name": "model", "kind": "path", "help": "a GGUF file, a shard of a split one, or its folder"}],
    "hypotheses": {
        "fused-mixed": {
            "statement": "A fused layer of the GGUF file mixes quantized and unquantized parts",
            "terms": ["fused layer", "fused qkv", "qkv", "gate_up", "merged column", "mixed precision", "dense layer",
                      "unquantized"],
        },
        "experts-mixed": {
            "statement": "Gate and up experts of a layer differ in type, so one is decoded as the other",
            "terms": ["expert type", "expert weight", "moe", "experts", "gate and up", "mixed quantization",
                      "type confusion"],
        },
    },
    "architectures": ["gguf"],
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


# >>> gguf reader: the same lines in every payload that reads GGUF
TYPES = {
    0: ("F32", 1, 4), 1: ("F16", 1, 2), 2: ("Q4_0", 32, 18), 3: ("Q4_1", 32, 20), 6: ("Q5_0", 32, 22),
    7: ("Q5_1", 32, 24), 8: ("Q8_0", 32, 34), 9: ("Q8_1", 32, 36), 10: ("Q2_K", 256, 84), 11: ("Q3_K", 256, 110),
    12: ("Q4_K", 256, 144), 13: ("Q5_K", 256, 176), 14: ("Q6_K", 256, 210), 15: ("Q8_K", 256, 292),
    16: ("IQ2_XXS", 256, 66), 17: ("IQ2_XS", 256, 74), 18: ("IQ3_XXS", 256, 98), 19: ("IQ1_S", 256, 50),
    20: ("IQ4_NL", 32, 18), 21: ("IQ3_S", 256, 110), 22: ("IQ2_S", 256, 82), 23: ("IQ4_XS", 256, 136),
    24: ("I8", 1, 1), 25: ("I16", 1, 2), 26: ("I32", 1, 4), 27: ("I64", 1, 8), 28: ("F64", 1, 8),
    29: ("IQ1_M", 256, 56), 30: ("BF16", 1, 2), 34: ("TQ1_0", 256, 54), 35: ("TQ2_0", 256, 66),
    39: ("MXFP4", 32, 17), 40: ("NVFP4", 64, 36), 41: ("Q1_0", 128, 18),
}  # fmt: skip
SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
ARRAY = 9


class Tensor(NamedTuple):
    """Where a tensor lies; `shape` in the order of ggml: the fastest dimension first."""

    name: str
    shape: tuple[int, ...]
    type: str
    block: int
    size: int
    start: int
    shard: int


class Shard:
    """The header of one file. Strings of the vocabulary are hopped over, length by length; nothing is decoded."""

    def __init__(self, path: Path, number: int = 0) -> None:
        """Map the file and read its header."""
        with path.open("rb") as file:
            self.data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self.path, self.order, self.at = path, "<", 4
        if self.data[:4] != b"GGUF":
            raise Missing(f"a GGUF file: {path} is none")
        self.order = "<" if self.data[4:6] != b"\0\0" else ">"
        _, tensors, fields = self.take("I"), self.take("Q"), self.take("Q")
        self.fields = {self.text(): self.value(self.take("I")) for _ in range(fields)}
        raw = [self.tensor() for _ in range(tensors)]
        align = int(self.fields.get("general.alignment", 32))
        base = -(-self.at // align) * align
        self.tensors = [Tensor(*head, base + offset, number) for head, offset in raw]

    def take(self, code: str) -> Any:
        """Return the next scalar."""
        (found,) = struct.unpack_from(self.order + code, self.data, self.at)
        self.at += struct.calcsize("=" + code)
        return found

    def text(self) -> str:
        """Return the next string."""
        length = self.take("Q")
        self.at += length
        return self.data[self.at - length : self.at].decode("utf-8", "replace")

    def value(self, kind: int) -> Any:
        """Return the next value; of an array of strings, and of a long one, only (count, place)."""
        if kind in SCALARS:
            return self.take(SCALARS[kind])
        if kind != ARRAY:
            return self.text()
        inner, count, hop, data = self.take("I"), self.take("Q"), struct.Struct(self.order + "Q"), self.data
        at = self.at
        if inner in SCALARS:
            self.at += count * struct.calcsize("=" + SCALARS[inner])
            short = count <= 4096  # noqa: PLR2004 - one number a layer, not one a token
            return list(struct.unpack_from(f"{self.order}{count}{SCALARS[inner]}", data, at)) if short else (count, at)
        for _ in range(count):
            self.at += 8 + hop.unpack_from(data, self.at)[0]
        return (count, at)

    def tensor(self) -> tuple[tuple[str, tuple[int, ...], str, int, int], int]:
        """Return the next tensor's name, shape, type, block and size, and its offset."""
        name = self.text()
        shape = tuple(self.take("Q") for _ in range(self.take("I")))
        kind, offset = self.take("I"), self.take("Q")
        label, block, width = TYPES.get(kind, (f"type {kind}", 1, 0))
        return (name, shape, label, block, math.prod(shape) // block * width), offset


def shards(model: str | None) -> list[Shard]:
    """Return every shard of a model, given a file of it or their folder."""
    if not model:
        raise Missing("--model: a GGUF file")
    path = Path(model)
    path = min(path.glob("*.gguf"), default=path) if path.is_dir() else path
    if not path.is_file():
        raise Missing(f"--model: a GGUF file, {model} is none")
    split = re.match(r"(.*)-\d{5}-of-(\d{5})\.gguf$", path.name)
    names = [f"{split[1]}-{n + 1:05}-of-{split[2]}.gguf" for n in range(int(split[2]))] if split else [path.name]
    return [Shard(path.with_name(name), n) for n, name in enumerate(names) if path.with_name(name).is_file()]


def state(files: list[Shard]) -> dict[str, str]:
    """Return the status of a look at these files: degraded where shards are not here."""
    count = max(int(files[0].fields.get("split.count", 1)), 1)
    lacking = f"only {len(files)} of {count} shards are here" if len(files) < count else ""
    return {"status": "degraded" if lacking else "ok", "detail": lacking}


def role(name: str) -> str:
    """Return a tensor's name without the number of its layer."""
    return re.sub(r"\d+", "N", name)


# <<< gguf reader


FUSED = (
    ("attn_q", "attn_k", "attn_v"), ("attn_q_a", "attn_kv_a_mqa"), ("ffn_gate", "ffn_up"),
    ("ffn_gate_shexp", "ffn_up_shexp"),
)  # fmt: skip
ONE_TYPE = (("ffn_gate_exps", "ffn_up_exps"),)
PLAIN = {"F32", "F16", "BF16"}


def by_layer(tensors: list[Tensor]) -> dict[str, dict[str, str]]:
    """Return layer -> part -> type, of the weights."""
    layers: dict[str, dict[str, str]] = {}
    for tensor in tensors:
        found = re.match(r"blk\.(\d+)\.(\w+)\.weight$", tensor.name)
        if found:
            layers.setdefault(found[1], {})[found[2]] = tensor.type
    return layers


def mixed(layers: dict[str, dict[str, str]]) -> tuple[list[str], list[str]]:
    """Return the fused layers that mix quantized with unquantized parts, and the expert layers of two types."""
    halves, experts = [], []
    for layer, parts in layers.items():
        for group in FUSED:
            kinds = {part: parts[part] for part in group if part in parts}
            if len({kind in PLAIN for kind in kinds.values()}) > 1:
                halves.append(f"layer {layer}: {said(kinds)}")
        for group in ONE_TYPE:
            kinds = {part: parts[part] for part in group if part in parts}
            if len(set(kinds.values())) > 1:
                experts.append(f"layer {layer}: {said(kinds)}")
    return halves, experts


def said(kinds: dict[str, str]) -> str:
    """Return parts with their types as one phrase."""
    return ", ".join(f"{part} {kind}" for part, kind in kinds.items())


def controls() -> list[dict[str, Any]]:
    """Return the judgement on a sound layer, on a plain part among quantized ones and on experts of two types."""
    sound = {"attn_q": "Q4_K", "attn_k": "Q6_K", "attn_v": "Q8_0", "ffn_gate_exps": "Q4_K", "ffn_up_exps": "Q4_K"}
    cases = [
        ("different quantized types side by side", "positive", mixed({"0": sound}) == ([], [])),
        ("an unquantized k", "negative", len(mixed({"0": dict(sound, attn_k="F16")})[0]) == 1),
        ("up experts of another type", "negative", len(mixed({"0": dict(sound, ffn_up_exps="Q5_K")})[1]) == 1),
    ]
    return [{"name": name, "kind": kind, "passed": passed} for name, kind, passed in cases]


def conclude(key: str, found: list[str], sound: str) -> dict[str, Any]:
    """Return the answer: confirmed if anything was found."""
    more = f"; and {len(found) - 4} more" if len(found) > 4 else ""  # noqa: PLR2004 - a line
    return {
        "hypothesis": key,
        "answer": "confirmed" if found else "refuted",
        "why": "; ".join(found[:4]) + more or sound,
    }


def measure(given: argparse.Namespace) -> dict[str, Any]:
    """Go through the layers."""
    files = shards(given.model)
    layers = by_layer([tensor for shard in files for tensor in shard.tensors])
    halves, experts = mixed(layers)
    return {
        **state(files),
        "findings": [
            conclude("fused-mixed", halves, f"none in {len(layers)} layers"),
            conclude(
                "experts-mixed", experts, f"none in {sum('ffn_up_exps' in p for p in layers.values())} expert layers"
            ),
        ],
        "measurements": [
            {"name": "layers", "value": len(layers), "unit": "layers"},
            {"name": "fused layers mixed", "value": len(halves), "unit": "layers"},
            {"name": "expert layers of two types", "value": len(experts), "unit": "layers"},
        ],
        "thresholds": [
            {"name": name, "limit": 0, "unit": "layers", "passes": "equal"}
            for name in ("fused layers mixed", "expert layers of two types")
        ],
        "controls": controls(),
        "sample": f"the headers of {len(files)} files",
        "worst": {"fused": halves[:20], "experts": experts[:20]} if halves or experts else None,
    }


if __name__ == "__main__":
    main(measure)
