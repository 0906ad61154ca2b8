#!/usr/bin/env python3
"""gguf.integrity: whether the bytes of a GGUF file are all there, each in one tensor, with scales that are numbers.

A download that broke off leaves a file that ends early; one that was resumed at the wrong place, or a bad disk, leaves
blocks whose scales are not finite. By hand: ``python3 integrity.py --model FILE``, any Python from 3.8.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import mmap
import platform
import random
import re
import struct
import sys
import time
import traceback
from importlib import metadata
from pathlib import Path
from typing import Any, Callable, Iterator, NamedTuple

PROBE: dict[str, Any] = {
    "name": "gguf.integrity",
    "summary": "Look for a GGUF file that ends early, tensors that overlap, and block scales that are not finite",
    "needs": ["model"],
    "arguments": [
        {"name": "model", "kind": "path", "help": "a GGUF file, a shard of a split one, or its folder"},
        {"name": "blocks", "kind": "int", "default": 2000, "help": "blocks sampled of each tensor; 0: all"},
        {"name": "seed", "kind": "int", "default": 1, "help": "of the sample"},
    ],
    "hypotheses": {
        "file-damaged": {
            "statement": "The GGUF file is truncated or damaged on disk",
            "terms": ["corrupt", "corrupted", "damaged", "truncated", "download", "incomplete", "bad shard",
                      "checksum", "dropped"],
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


HALVES: dict[str, tuple[int, ...]] = {
    "Q4_0": (0,), "Q4_1": (0, 2), "Q5_0": (0,), "Q5_1": (0, 2), "Q8_0": (0,), "Q2_K": (80, 82), "Q3_K": (108,),
    "Q4_K": (0, 2), "Q5_K": (0, 2), "Q6_K": (208,), "IQ1_S": (0,), "IQ2_XXS": (0,), "IQ2_XS": (0,), "IQ2_S": (0,),
    "IQ3_XXS": (0,), "IQ3_S": (0,), "IQ4_NL": (0,), "IQ4_XS": (0,), "TQ1_0": (52,), "TQ2_0": (64,), "F16": (0,),
}  # fmt: skip
"""Where the fp16 scales of a block are (ggml-common.h); types that have none are not looked at."""
EXPONENT = 0x7C
"""Of the upper byte of an fp16 number; all set in none that is finite."""
READ_AHEAD = 1 << 20


class Fault(NamedTuple):
    """What is wrong, where."""

    what: str
    tensor: str
    place: int


def extents(shard: Shard, size: int) -> Iterator[Fault]:
    """Yield tensors that end behind the file's end, and ones that begin before the one before them ends."""
    end, before = 0, ""
    for tensor in sorted(shard.tensors, key=lambda each: each.start):
        if tensor.start + tensor.size > size:
            yield Fault(
                f"{tensor.start + tensor.size - size:,} bytes of it lie behind the file's end", tensor.name, size
            )
        if tensor.start < end:
            yield Fault(f"begins {end - tensor.start:,} bytes before {before} ends", tensor.name, tensor.start)
        end, before = max(end, tensor.start + tensor.size), tensor.name


def sampled(count: int, most: int, chance: random.Random) -> Iterator[int]:
    """Yield the numbers of some blocks in order: all of them, or runs of 64 spread over the tensor."""
    if not most or count <= most:
        yield from range(count)
        return
    run = 64
    pieces = max(1, most // run)
    for piece in range(pieces):
        first = piece * count // pieces
        room = max(0, (piece + 1) * count // pieces - first - run)
        start = first + chance.randint(0, room)
        yield from range(start, min(start + run, count))


def scales(shard: Shard, tensor: Tensor, most: int, chance: random.Random) -> Iterator[Fault]:
    """Yield the first block of a tensor whose scale is infinite or no number."""
    places = HALVES.get(tensor.type)
    whole = min(tensor.size, len(shard.data) - tensor.start)
    if not places or whole <= 0:
        return
    width = TYPES_BY_NAME[tensor.type]
    upper = 1 if shard.order == "<" else 0
    for block in sampled(whole // width, most, chance):
        start = tensor.start + block * width
        for at in places:
            if shard.data[start + at + upper] & EXPONENT == EXPONENT:
                yield Fault(f"the scale of block {block:,} is not finite", tensor.name, start + at)
                return


TYPES_BY_NAME = {name: width for name, _, width in TYPES.values()}


def empty(shard: Shard, tensor: Tensor) -> Iterator[Fault]:
    """Yield a tensor whose first or last MiB is nothing but zeros: never written, or rows that nobody uses."""
    end = min(tensor.start + tensor.size, len(shard.data))
    if tensor.size < READ_AHEAD or end <= tensor.start:
        return
    for place in (tensor.start, end - READ_AHEAD):
        if not shard.data[place : place + READ_AHEAD].strip(b"\0"):
            yield Fault("a MiB of nothing but zeros", tensor.name, place)
            return


def faults(files: list[Shard], given: argparse.Namespace) -> list[Fault]:
    """Return everything wrong with every file."""
    chance = random.Random(given.seed)  # noqa: S311 - a sample, to be drawn again the same
    found: list[Fault] = []
    for shard in files:
        found += extents(shard, len(shard.data))
        for tensor in shard.tensors:
            found += scales(shard, tensor, given.blocks, chance)
    return found


class Fake:
    """A file in memory, as far as the checks look at one."""

    def __init__(self, data: bytes, tensors: list[Tensor], order: str = "<") -> None:
        """Keep what a file would hold."""
        self.data, self.tensors, self.order = data, tensors, order


def controls() -> list[dict[str, Any]]:
    """Return whether a whole tensor is cleared; one cut off, one overlapped, one with an infinite scale are not."""
    block = struct.pack("<e", 0.5) + bytes(range(1, 33))
    tensor = Tensor("t", (32 * 64,), "Q8_0", 32, 64 * 34, 0, 0)
    given = argparse.Namespace(blocks=0, seed=1)
    other = tensor._replace(name="u", start=34)
    spoiled = block * 40 + b"\x00\x7c" + block[2:] + block * 23
    cases = (
        ("64 whole blocks", "positive", Fake(block * 64, [tensor]), 0),
        ("the last block missing", "negative", Fake(block * 63, [tensor]), 1),
        ("a tensor inside another", "negative", Fake(block * 65, [tensor, other]), 1),
        ("an infinite scale", "negative", Fake(spoiled, [tensor]), 1),
    )
    return [
        {"name": name, "kind": kind, "passed": len(faults([fake], given)) == count}  # type: ignore[list-item]
        for name, kind, fake, count in cases
    ]


def conclude(files: list[Shard], found: list[Fault], holes: list[Fault]) -> dict[str, Any]:
    """Return the answer; shards that are not here, and zeros, leave it open."""
    lacking, looked = state(files)["detail"], sum(t.type in HALVES for shard in files for t in shard.tensors)
    why = f"{sum(len(shard.tensors) for shard in files):,} tensors lie whole; the scales of {looked:,} are finite"
    answer = "inconclusive" if lacking or holes else "refuted"
    if found:
        answer, why = "confirmed", "; ".join(f"{fault.tensor}: {fault.what}" for fault in found[:6])
    elif answer == "inconclusive":
        why += "; " + "; ".join([lacking] * bool(lacking) + [f"{hole.tensor}: {hole.what}" for hole in holes[:6]])
    return {"hypothesis": "file-damaged", "answer": answer, "why": why}


def measure(given: argparse.Namespace) -> dict[str, Any]:
    """Check where tensors lie, and the scales of sampled blocks."""
    files = shards(given.model)
    found = faults(files, given)
    holes = [hole for shard in files for tensor in shard.tensors for hole in empty(shard, tensor)]
    return {
        **state(files),
        "findings": [conclude(files, found, holes)],
        "measurements": [
            {"name": "tensors with a fault", "value": len({fault.tensor for fault in found}), "unit": "tensors"},
            {"name": "bytes", "value": sum(len(shard.data) for shard in files), "unit": "bytes"},
        ],
        "thresholds": [{"name": "tensors with a fault", "limit": 0, "unit": "tensors", "passes": "equal"}],
        "controls": controls(),
        "sample": f"seed {given.seed}, {given.blocks or 'all'} blocks of each tensor",
        "worst": found[0]._asdict() if found else None,
        "details": {
            "faults": [fault._asdict() for fault in found[:200]],
            "zeros": [hole._asdict() for hole in holes[:200]],
        },
    }


if __name__ == "__main__":
    main(measure)
