#!/usr/bin/env python3
"""gguf.tp_alignment: whether tensor parallelism cuts the rows of a GGUF file inside a quantization block.

Layers that are split along their input (down and output projections) give each rank a part of every row; where that is
no whole number of blocks, ranks read scales from the middle of one. By hand: ``python3 tp_alignment.py --model FILE
--tp 8``, any Python from 3.8.
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
    "name": "gguf.tp_alignment",
    "summary": "Say into how many ranks the row-parallel tensors of a GGUF file can be cut between whole blocks",
    "needs": ["model"],
    "arguments": [
        {"name": "model", "kind": "path", "help": "a GGUF file, a shard of a split one, or its folder"},
        {"name": "tp", "kind": "int", "help": "the server's tensor parallel size"},
    ],
    "hypotheses": {
        "tp-cuts-block": {
            "statement": "Tensor parallelism cuts rows of the GGUF file inside a quantization block",
            "terms": ["tensor parallel", "tp", "tensor parallelism", "tensor-parallel-size", "sharding",
                      "shard loading", "alignment", "row parallel"],
        }
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


ROW_PARALLEL = ("attn_output", "attn_out", "ffn_down", "ffn_down_exps", "ffn_down_shexp", "ssm_out")
SIZES = (2, 4, 8, 16, 32)


def fits(row: int, block: int, ranks: int) -> bool:
    """Return whether `ranks` equal parts of a row are whole blocks."""
    return row % (block * ranks) == 0


def is_row_parallel(tensor: Tensor) -> bool:
    """Return whether ranks get parts of this tensor's rows."""
    parts = tensor.name.split(".")
    return parts[-1] == "weight" and len(parts) > 2 and parts[2] in ROW_PARALLEL  # noqa: PLR2004 - blk.N.PART.weight


def controls() -> list[dict[str, Any]]:
    """Return the decision for a row of 9,728 Q4_K weights (38 blocks): it can be halved, not quartered."""
    cases = [
        ("38 blocks in two", "positive", fits(9728, 256, 2)),
        ("38 blocks in four", "negative", not fits(9728, 256, 4)),
        ("Q8_0 blocks of 32 in four", "positive", fits(9728, 32, 4)),
    ]
    return [{"name": name, "kind": kind, "passed": passed} for name, kind, passed in cases]


def table(tensors: list[Tensor]) -> dict[str, list[int]]:
    """Return ``ROLE TYPE ROW`` -> the sizes that fit."""
    kinds = sorted({(role(tensor.name), tensor.type, tensor.shape[0], tensor.block) for tensor in tensors})
    return {f"{part} {kind} {row}": [n for n in SIZES if fits(row, block, n)] for part, kind, row, block in kinds}


def conclude(cut: list[Tensor], ranks: int | None, allowed: list[int]) -> dict[str, Any]:
    """Return the answer for the server's size; without one only what is allowed."""
    sizes = f"sizes that fit every tensor: {', '.join(map(str, [1, *allowed]))}"
    if not ranks:
        return {"hypothesis": "tp-cuts-block", "answer": "inconclusive", "why": "no --tp given; " + sizes}
    kinds = sorted({f"{role(t.name)} {t.type}: {t.shape[0]} / {ranks} is no multiple of {t.block}" for t in cut})
    answer = "confirmed" if cut else "refuted"
    return {"hypothesis": "tp-cuts-block", "answer": answer, "why": "; ".join([*kinds[:6], sizes])}


def measure(given: argparse.Namespace) -> dict[str, Any]:
    """Divide every row-parallel tensor's row length by the block and the number of ranks."""
    files = shards(given.model)
    tensors = [tensor for shard in files for tensor in shard.tensors if is_row_parallel(tensor)]
    cut = [t for t in tensors if given.tp and not fits(t.shape[0], t.block, given.tp)]
    allowed = [n for n in SIZES if all(fits(t.shape[0], t.block, n) for t in tensors)]
    return {
        **state(files),
        "findings": [conclude(cut, given.tp, allowed)],
        "measurements": [
            {"name": "row-parallel tensors", "value": len(tensors), "unit": "tensors"},
            {"name": "tensors cut inside a block", "value": len(cut) if given.tp else None, "unit": "tensors"},
            {"name": "largest size that fits", "value": max([1, *allowed]), "unit": "ranks"},
        ],
        "thresholds": [{"name": "tensors cut inside a block", "limit": 0, "unit": "tensors", "passes": "equal"}],
        "controls": controls(),
        "sample": f"the headers of {len(files)} files",
        "worst": cut[0]._asdict() if cut else None,
        "details": {"sizes that fit": table(tensors)},
    }


if __name__ == "__main__":
    main(measure)
