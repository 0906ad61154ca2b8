#!/usr/bin/env python3
"""gguf.types: which quantization types a GGUF file holds, where, and which of them a server cannot read.

Reads headers only. By hand: ``python3 tensor_types.py --model FILE``, any Python from 3.8. (A file called types.py
would take the place of the standard library's module.)
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
    "name": "gguf.types",
    "summary": "List the quantization types of a GGUF file by role and layer, and those that the server cannot read",
    "needs": ["model"],
    "arguments": [
        {"name": "model", "kind": "path", "help": "a GGUF file, a shard of a split one, or its folder"},
        {"name": "loader", "kind": "text", "default": "vllm", "help": "who is to read it: vllm or llama.cpp"},
    ],
    "hypotheses": {
        "type-unreadable": {
            "statement": "The GGUF file holds a quantization type that the server's kernels cannot read",
            "terms": ["quantization type", "quant type", "unsupported type", "ud-q4_k_xl", "unsloth dynamic", "mxfp4",
                      "tq1_0", "mixed quantization", "type confusion"],
        },
        "rows-misfit": {
            "statement": "A tensor's rows are not whole quantization blocks, so its shape or its type is misread",
            "terms": ["block size", "row length", "not a multiple", "misaligned", "quantization block", "wrong shape"],
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


UNQUANTIZED = {"F32", "F16", "BF16"}
STANDARD = {"Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q8_1"}
K_TYPES = {"Q2_K", "Q3_K", "Q4_K", "Q5_K", "Q6_K"}
I_TYPES = {"IQ1_S", "IQ1_M", "IQ2_XXS", "IQ2_XS", "IQ2_S", "IQ3_XXS", "IQ3_S", "IQ4_XS", "IQ4_NL"}
READS = {
    "vllm": UNQUANTIZED | STANDARD | K_TYPES | I_TYPES,
    "llama.cpp": {name for name, _, _ in TYPES.values()},
}
"""The types with a kernel in vLLM up to 0.23 and in its plugin 0.0.5, and those that ggml has."""


def faults(tensors: list[Tensor], loader: str) -> tuple[list[Tensor], list[Tensor]]:
    """Return the tensors that `loader` has no kernel for, and those whose rows are not whole blocks."""
    unreadable = [tensor for tensor in tensors if tensor.type not in READS[loader]]
    return unreadable, [tensor for tensor in tensors if tensor.shape and tensor.shape[0] % tensor.block]


def controls(loader: str) -> list[dict[str, Any]]:
    """Return the judgement on a sound tensor, on one of an invented type and on a row that a block does not fit."""
    sound = Tensor("a", (256, 2), "Q4_K", 256, 288, 0, 0)
    strange, misfit = sound._replace(type="type 99"), sound._replace(shape=(192, 2))
    cases = [
        ("a sound Q4_K tensor", "positive", faults([sound], loader) == ([], [])),
        ("a type that nobody knows", "negative", faults([sound, strange], loader) == ([strange], [])),
        ("Q4_K with rows of 192", "negative", faults([sound, misfit], loader) == ([], [misfit])),
    ]
    return [{"name": name, "kind": kind, "passed": passed} for name, kind, passed in cases]


def spans(layers: list[int]) -> str:
    """Return numbers of layers as ``0-3,7``."""
    parts: list[list[int]] = []
    for layer in sorted(layers):
        if parts and layer == parts[-1][-1] + 1:
            parts[-1] = [parts[-1][0], layer]
        else:
            parts.append([layer])
    return ",".join("-".join(map(str, part)) for part in parts)


def matrix(tensors: list[Tensor]) -> dict[str, dict[str, str]]:
    """Return role -> type -> the layers in which it has that type."""
    table: dict[str, dict[str, list[int]]] = {}
    for tensor in tensors:
        layer = re.match(r"blk\.(\d+)\.", tensor.name)
        layers = table.setdefault(role(tensor.name), {}).setdefault(tensor.type, [])
        layers += [int(layer[1])] if layer else []
    return {part: {kind: spans(layers) for kind, layers in kinds.items()} for part, kinds in table.items()}


def conclude(key: str, found: list[Tensor], sound: str) -> dict[str, Any]:
    """Return the answer: confirmed if any tensor was found, by role and type."""
    kinds: dict[str, int] = {}
    for tensor in found:
        kinds[f"{role(tensor.name)} {tensor.type}"] = kinds.get(f"{role(tensor.name)} {tensor.type}", 0) + 1
    why = "; ".join(f"{n} x {kind}" for kind, n in list(kinds.items())[:8])
    return {"hypothesis": key, "answer": "confirmed" if found else "refuted", "why": why or sound}


def measure(given: argparse.Namespace) -> dict[str, Any]:
    """List the types and hold them against the loader's."""
    files = shards(given.model)
    if given.loader not in READS:
        raise Missing(f"--loader: one of {', '.join(READS)}")
    tensors = [tensor for shard in files for tensor in shard.tensors]
    unreadable, misfits = faults(tensors, given.loader)
    kinds = sorted({tensor.type for tensor in tensors})
    worst = (misfits + unreadable)[:1]
    return {
        **state(files),
        "findings": [
            conclude("type-unreadable", unreadable, f"{given.loader} reads all of {', '.join(kinds)}"),
            conclude("rows-misfit", misfits, f"the rows of all {len(tensors):,} tensors are whole blocks"),
        ],
        "measurements": [
            *({"name": k, "value": sum(t.type == k for t in tensors), "unit": "tensors"} for k in kinds),
            {"name": "unreadable", "value": len(unreadable), "unit": "tensors"},
            {"name": "rows that do not fit", "value": len(misfits), "unit": "tensors"},
            {"name": "bits per weight", "value": 8 * sum(t.size for t in tensors) / weights(tensors), "unit": "bit"},
        ],
        "thresholds": [
            {"name": name, "limit": 0, "unit": "tensors", "passes": "equal"}
            for name in ("unreadable", "rows that do not fit")
        ],
        "controls": controls(given.loader),
        "sample": f"the headers of {len(files)} files",
        "worst": worst[0]._asdict() if worst else None,
        "details": {"types by role and layer": matrix(tensors)},
    }


def weights(tensors: list[Tensor]) -> int:
    """Return the number of weights, at least 1."""
    return max(sum(math.prod(tensor.shape) for tensor in tensors), 1)


if __name__ == "__main__":
    main(measure)
