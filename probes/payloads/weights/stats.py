#!/usr/bin/env python3
"""weights.stats: statistics of every tensor of a GGUF file, held against the other layers' tensors of the same role.

Samples whole rows by memory map, so hundreds of GB take seconds. Needs numpy and gguf. By hand:
``python3 stats.py --model FILE``.
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
from typing import Any, Callable, NamedTuple

PROBE: dict[str, Any] = {
    "name": "weights.stats",
    "summary": "Find tensors of a GGUF file whose weights stand out from their peers in other layers",
    "needs": ["model", "numpy", "gguf"],
    "arguments": [
        {"name": "model", "kind": "path", "help": "a GGUF file, a shard of a split one, or its folder"},
        {"name": "sample", "kind": "int", "default": 32768, "help": "weights to look at in each tensor"},
        {"name": "seed", "kind": "int", "default": 0, "help": "which rows: the same seed takes the same ones"},
    ],
    "hypotheses": {
        "weights-corrupt": {
            "statement": "Weights in the GGUF file are corrupt",
            "terms": ["corrupt", "corrupted", "weight value", "raw weight", "weight file", "file integrity",
                      "token_embd", "embedding tensor", "nan in weights", "damaged", "gguf file"],
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


# >>> gguf rows: the same lines in every payload that reads weights
def row_count(tensor: Tensor) -> int:
    """Return how many rows a tensor has, over all its matrices."""
    return math.prod(tensor.shape[1:])


def read_rows(shard: Shard, tensor: Tensor, chosen: Any) -> Any:
    """Return some rows of a tensor, by number, as float32 [rows, columns]."""
    import gguf  # noqa: PLC0415 - optional on the host
    import numpy as np  # noqa: PLC0415 - as above

    raw = np.frombuffer(shard.data, np.uint8, tensor.size, tensor.start).reshape(row_count(tensor), -1)[chosen]
    plain = {"F32": "f4", "F16": "f2", "F64": "f8", "BF16": "u2"}.get(tensor.type)
    if plain is None:
        if shard.order == ">":
            raise Missing("a little-endian file: quantized blocks of a big-endian one are not read")
        return gguf.quants.dequantize(raw, gguf.GGMLQuantizationType[tensor.type])
    found = raw.view(shard.order + plain)
    if tensor.type == "BF16":
        return (found.astype(np.uint32) << 16).view(np.float32)
    return found.astype(np.float32)


# <<< gguf rows


LIMITS = {
    "robust z of log std": (6.0, ""),
    "std against the peers' median": (1.5, "times"),
    "absmax / std": (60.0, ""),
    "absmax / std against the peers' median": (8.0, "times"),
    "zeros where peers have fewer than 0.05": (0.5, "fraction"),
    "non-finite weights": (0.0, "weights"),
}
Z, RATIO, PEAK, PEAK_RATIO, ZEROS, _ = (limit for limit, _ in LIMITS.values())
FEW_ZEROS, PEERS = 0.05, 5


def summary(rows: Any) -> dict[str, float]:
    """Return the statistics of sampled rows; the moments are those of the finite weights."""
    import numpy as np  # noqa: PLC0415 - optional on the host

    finite = np.isfinite(rows)
    good = rows[finite].astype(np.float64)
    good = good if good.size else np.zeros(1)
    std, norms = float(good.std()), np.sqrt(np.square(np.where(finite, rows, 0)).sum(axis=-1, dtype=np.float64))
    return {
        "mean": float(good.mean()),
        "std": std,
        "absmax": float(np.abs(good).max()),
        "kurtosis": float(np.mean(((good - good.mean()) / std) ** 4) - 3) if std else 0.0,
        "zeros": float((good == 0).mean()),
        "nan": int(np.isnan(rows).sum()),
        "inf": int(np.isinf(rows).sum()),
        "norm_min": float(norms.min()),
        "norm_median": float(np.median(norms)),
        "norm_max": float(norms.max()),
        "equal_rows": len(rows) - len({row.tobytes() for row in rows}),
        "weights": int(rows.size),
    }


def outliers(peers: dict[str, dict[str, float]], *, matrix: bool) -> dict[str, str]:
    """Return name -> what stands out, among tensors of one role; of vectors only what is absolute, and the scale."""
    import numpy as np  # noqa: PLC0415 - optional on the host

    found: dict[str, list[str]] = {}
    scale = "std" if matrix else "mean"
    logs = {name: math.log(max(abs(each[scale]), 1e-30)) for name, each in peers.items()}
    middle = float(np.median(list(logs.values())))
    spread = max(1.4826 * float(np.median([abs(value - middle) for value in logs.values()])), 0.01)
    peaks = {name: each["absmax"] / (each["std"] or 1e-30) for name, each in peers.items() if each["std"]}
    peak = float(np.median(list(peaks.values()) or [0.0]))
    zeros = float(np.median([each["zeros"] for each in peers.values()]))
    enough = len(peers) >= PEERS
    for name, each in peers.items():
        said = found.setdefault(name, [])
        if each["nan"] + each["inf"]:
            said.append(f"{each['nan'] + each['inf']:.0f} of {each['weights']:,.0f} weights are not finite")
        z, ratio = abs(logs[name] - middle) / spread, math.exp(min(abs(logs[name] - middle), 50))
        if enough and z > Z and ratio > (RATIO if matrix else PEAK_RATIO):
            said.append(f"{scale} {each[scale]:.3g} is {ratio:.3g} times off its peers' median (robust z {z:.0f})")
        if enough and each["zeros"] > ZEROS and zeros < FEW_ZEROS:
            said.append(f"{each['zeros']:.0%} zeros, peers {zeros:.0%}")
        high = peaks.get(name, 0.0)
        if matrix and (high > PEAK_RATIO * peak if enough else high > PEAK):
            said.append(f"absmax {each['absmax']:.3g} is {high:.0f} std, peers {peak:.0f}")
    return {name: "; ".join(said) for name, said in found.items() if said}


def controls() -> list[dict[str, Any]]:
    """Return the judgement on eight healthy peers, and on seven with one that is scaled, zeroed, holed or spiked."""
    import numpy as np  # noqa: PLC0415 - optional on the host

    def judge(change: Callable[[Any], Any]) -> list[str]:
        made = {str(n): np.random.default_rng(n).normal(0, 0.02, (16, 256)).astype(np.float32) for n in range(8)}
        made["3"] = change(made["3"])
        return list(outliers({name: summary(rows) for name, rows in made.items()}, matrix=True))

    def spoil(value: float) -> Callable[[Any], Any]:
        def change(rows: Any) -> Any:
            rows[5, 7] = value
            return rows

        return change

    cases = [
        ("eight peers alike", "positive", judge(lambda rows: rows) == []),
        ("one scaled by 100", "negative", judge(lambda rows: rows * 100) == ["3"]),
        ("one zeroed", "negative", judge(lambda rows: rows * 0) == ["3"]),
        ("one with a NaN", "negative", judge(spoil(float("nan"))) == ["3"]),
        ("one with a single weight of 1,000", "negative", judge(spoil(1000.0)) == ["3"]),
    ]
    return [{"name": name, "kind": kind, "passed": passed} for name, kind, passed in cases]


def take(shard: Shard, tensor: Tensor, sample: int, seed: int) -> tuple[Any, list[int]]:
    """Return sampled rows, spread over the tensor, and their numbers."""
    count = row_count(tensor)
    wanted = min(count, max(4, sample // max(tensor.shape[0], 1)))
    dice = random.Random(f"{seed}:{tensor.name}")  # noqa: S311 - a sample, not a secret
    chosen = sorted({min(int((n + dice.random()) * count / wanted), count - 1) for n in range(wanted)})
    return read_rows(shard, tensor, chosen), chosen


def look(files: list[Shard], given: argparse.Namespace) -> tuple[dict[str, dict[str, float]], list[str]]:
    """Return name -> statistics of all tensors that can be read, and the names of the others."""
    found, unread, told = {}, [], time.time()
    tensors = [tensor for shard in files for tensor in shard.tensors if tensor.shape]
    for shard in files:
        shard.data.madvise(mmap.MADV_RANDOM)  # a row here and there: reading ahead would read the whole file
    for number, tensor in enumerate(tensors):
        try:
            rows, _ = take(files[tensor.shard], tensor, given.sample, given.seed)
        except (NotImplementedError, KeyError, ValueError):
            unread.append(tensor.name)
            continue
        found[tensor.name] = summary(rows)
        files[tensor.shard].data.madvise(mmap.MADV_DONTNEED)  # what was looked at need not stay in memory
        if time.time() - told > 1:
            told = time.time()
            sys.stderr.write(f"{number:,} of {len(tensors):,} tensors\n")
    return found, unread


def measure(given: argparse.Namespace) -> dict[str, Any]:
    """Sample every tensor and compare those of one role."""
    files = shards(given.model)
    shapes = {tensor.name: tensor for shard in files for tensor in shard.tensors}
    checked = controls()
    stats, unread = look(files, given)
    roles: dict[str, dict[str, dict[str, float]]] = {}
    for name, each in stats.items():
        roles.setdefault(role(name), {})[name] = each
    odd: dict[str, str] = {}
    for peers in roles.values():
        odd.update(outliers(peers, matrix=row_count(shapes[next(iter(peers))]) > 1))
    worst = max(odd, key=lambda name: (stats[name]["nan"] + stats[name]["inf"], stats[name]["absmax"]), default=None)
    ordinary = f"{len(stats):,} tensors are like their peers; this clears corruption, not misplacement"
    why = "; ".join(f"{name}: {said}" for name, said in list(odd.items())[:4])
    lacking = f"{len(unread)} tensors could not be read, e.g. {unread[0]}" if unread else ""
    return {
        **state(files),
        **({"status": "degraded", "detail": lacking} if lacking else {}),
        "findings": [
            {"hypothesis": "weights-corrupt", "answer": "confirmed" if odd else "refuted", "why": why or ordinary}
        ],
        "measurements": [
            {"name": "tensors", "value": len(stats), "unit": "tensors"},
            {
                "name": "weights looked at",
                "value": sum(int(each["weights"]) for each in stats.values()),
                "unit": "weights",
            },
            {"name": "tensors that stand out", "value": len(odd), "unit": "tensors"},
            {"name": "std of token_embd", "value": stats.get("token_embd.weight", {}).get("std"), "unit": ""},
        ],
        "thresholds": [{"name": name, "limit": limit, "unit": unit} for name, (limit, unit) in LIMITS.items()],
        "controls": checked,
        "sample": f"whole rows of about {given.sample:,} weights a tensor, one of each equal part; seed {given.seed}",
        "worst": dict(stats[worst], tensor=worst, type=shapes[worst].type) if worst else None,
        "details": {
            "stand out": odd,
            "roles": {part: middle(peers) for part, peers in roles.items()},
        },
    }


def middle(peers: dict[str, dict[str, float]]) -> dict[str, float]:
    """Return the median of each statistic over the peers, to four digits."""
    keys = ("mean", "std", "absmax", "kurtosis", "zeros", "norm_median")
    return {key: float(f"{sorted(each[key] for each in peers.values())[len(peers) // 2]:.4g}") for key in keys}


if __name__ == "__main__":
    main(measure)
