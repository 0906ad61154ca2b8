#!/usr/bin/env python3
"""gguf.counts: hold the tensors of a GGUF file against what its architecture needs.

Reads headers only; split files count as one. By hand: ``python3 counts.py --model FILE``, any Python from 3.8.
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
from collections import Counter
from importlib import metadata
from pathlib import Path
from typing import Any, Callable, NamedTuple

PROBE: dict[str, Any] = {
    "name": "gguf.counts",
    "summary": "Count the tensors of a GGUF file against the identity of its architecture",
    "needs": ["model"],
    "arguments": [{"name": "model", "kind": "path", "help": "a GGUF file, a shard of a split one, or its folder"}],
    "hypotheses": {
        "tensors-missing": {
            "statement": "The GGUF file lacks tensors: a shard is missing or cut short, or a block was dropped",
            "terms": ["missing tensor", "tensor count", "number of tensors", "missing shard", "incomplete download",
                      "truncated", "corrupt", "dropped layer", "mtp"],
        },
        "tensors-stray": {
            "statement": "The GGUF file holds tensors that its architecture does not have",
            "terms": ["unexpected tensor", "extra tensor", "stray tensor", "unknown tensor", "wrong architecture"],
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


LLAMA = "attn_norm attn_q attn_k attn_v attn_output ffn_norm"
MLA = "attn_norm attn_kv_a_mqa attn_kv_a_norm attn_output ffn_norm"
INDEXER = "indexer.k_norm indexer.k_norm.bias indexer.proj indexer.attn_k indexer.attn_q_b"
DENSE = "ffn_gate ffn_up ffn_down"
EXPERTS = "ffn_gate_inp ffn_gate_exps ffn_up_exps ffn_down_exps"
SHARED = "ffn_gate_shexp ffn_up_shexp ffn_down_shexp"
NEXTN = "nextn.eh_proj nextn.enorm nextn.hnorm nextn.shared_head_norm"
EVERY = {
    "llama": LLAMA,
    "qwen2": LLAMA + " attn_q.bias attn_k.bias attn_v.bias",
    "qwen3": LLAMA + " attn_q_norm attn_k_norm",
    "qwen3moe": LLAMA + " attn_q_norm attn_k_norm",
    "gemma3": LLAMA + " attn_q_norm attn_k_norm post_attention_norm post_ffw_norm",
    "deepseek2": MLA,
    "glm-dsa": MLA + " " + INDEXER,
}
"""What every block of an architecture has besides its feed-forward part, the query and the two halves of kv_b."""
GLOBAL = {"token_embd.weight", "output_norm.weight"}
UNTIED = {"deepseek2", "glm-dsa"}
"""Architectures whose output head is always a tensor of its own."""
OPTIONAL = {"output.weight", "rope_freqs.weight", "nextn.embed_tokens.weight", "nextn.shared_head_head.weight"}


class Plan(NamedTuple):
    """What a header says of the shape of the model."""

    arch: str
    blocks: int
    dense: int
    nextn: int
    roles: dict[str, str]


def plan(fields: dict[str, Any], names: set[str]) -> Plan:
    """Return how many blocks of which kind the header promises, and the tensors of each kind."""
    arch = str(fields.get("general.architecture", ""))
    numbers = {key[len(arch) + 1 :]: value for key, value in fields.items() if key.startswith(arch + ".")}
    blocks, experts = int(numbers.get("block_count", 0)), int(numbers.get("expert_count", 0))
    dense = int(numbers.get("leading_dense_block_count", 0)) if experts else blocks
    every = EVERY.get(arch, "")
    if every.startswith(MLA):
        every += " attn_q_a attn_q_a_norm attn_q_b" if numbers.get("attention.q_lora_rank") else " attn_q"
        every += " attn_kv_b" if "blk.0.attn_kv_b.weight" in names else " attn_k_b attn_v_b"
    expert = EXPERTS + (" " + SHARED if numbers.get("expert_shared_count") else "")
    if arch == "glm-dsa" or numbers.get("expert_gating_func") == 2:  # noqa: PLR2004 - sigmoid
        expert += " exp_probs_b.bias"
    roles = {"dense": every + " " + DENSE, "expert": every + " " + expert}
    roles["mtp"] = roles["expert"] + " " + NEXTN
    return Plan(arch, blocks, dense, int(numbers.get("nextn_predict_layers", 0)), roles)


def promised(layout: Plan) -> dict[str, set[str]]:
    """Return the names of the tensors that there must be, by kind of block."""
    kinds: dict[str, set[str]] = {"global": set(GLOBAL), "dense": set(), "expert": set(), "mtp": set()}
    if layout.arch in UNTIED:
        kinds["global"].add("output.weight")
    for block in range(layout.blocks):
        kind = "dense" if block < layout.dense else "expert"
        kind = "mtp" if block >= layout.blocks - layout.nextn else kind
        for part in layout.roles[kind].split():
            kinds[kind].add(f"blk.{block}.{part if part.endswith('.bias') else part + '.weight'}")
    return kinds


def is_optional(name: str) -> bool:
    """Tell whether a file may hold a tensor or leave it out."""
    return re.sub(r"^blk\.\d+\.", "", name) in OPTIONAL


def by_peers(names: set[str]) -> tuple[set[str], set[str]]:
    """Return what blocks lack, and have beyond, the kind of block that they come nearest to (two or more alike)."""
    blocks: dict[str, set[str]] = {}
    for name in names:
        if name.startswith("blk."):
            _, block, part = name.split(".", 2)
            blocks.setdefault(block, set()).add(part)
    kinds = [set(kind) for kind, n in Counter(frozenset(parts) for parts in blocks.values()).items() if n > 1]
    missing, stray = set(), set()
    for block, parts in blocks.items():
        nearest = min(kinds, key=lambda kind: len(kind ^ parts), default=parts)
        if len(nearest ^ parts) <= 3:  # noqa: PLR2004 - more, and it is a kind of its own
            missing |= {f"blk.{block}.{part}" for part in nearest - parts}
            stray |= {f"blk.{block}.{part}" for part in parts - nearest}
    return missing, stray


def judge(names: set[str], layout: Plan) -> tuple[set[str], set[str]]:
    """Return the tensors that are missing and those that are too many."""
    if layout.arch not in EVERY:
        return by_peers(names)
    needed = set().union(*promised(layout).values())
    return needed - names, {n for n in names - needed if not is_optional(n)}


def controls(layout: Plan) -> list[dict[str, Any]]:
    """Return the judgement on a sound list of names, and on the same list with one tensor less and one more."""
    sound = set().union(*promised(layout).values())
    if layout.arch not in EVERY:
        sound = {f"blk.{n}.{part}.weight" for n in range(4) for part in LLAMA.split()}
    lost, strange = max(sound), "blk.0.attn_q_strange.weight"
    cases = [
        ("a sound list", "positive", judge(sound, layout) == (set(), set())),
        ("one tensor taken away", "negative", judge(sound - {lost}, layout)[0] == {lost}),
        ("one tensor added", "negative", judge(sound | {strange}, layout)[1] == {strange}),
    ]
    return [{"name": name, "kind": kind, "passed": passed} for name, kind, passed in cases]


def shard_faults(files: list[Shard], total: int) -> list[str]:
    """Return what is wrong with the files themselves: a shard that is not there, a sum that is off, a cut end."""
    first = files[0].fields
    found = []
    count = max(int(first.get("split.count", 0)), 1)
    if count != len(files):
        found.append(f"{len(files)} of {count} shards are here")
    stated = int(first.get("split.tensors.count", total))
    if stated != total:
        found.append(f"the first shard promises {stated:,} tensors in all, {total:,} are here")
    for shard in files:
        end = max((tensor.start + tensor.size for tensor in shard.tensors), default=0)
        if end > len(shard.data):
            found.append(f"{shard.path.name} ends {end - len(shard.data):,} bytes short")
    return found


def identity(layout: Plan) -> str:
    """Return the sum that the count must equal, as a person would write it."""
    kinds = promised(layout)
    blocks = {"dense": layout.dense, "mtp": layout.nextn}
    blocks["expert"] = layout.blocks - layout.dense - layout.nextn
    terms = [f"{n} {kind} blocks x {len(kinds[kind]) // n}" for kind, n in blocks.items() if n > 0]
    return " + ".join([f"{len(kinds['global'])} outside blocks", *terms])


def finding(key: str, names: set[str], more: list[str], none: str) -> dict[str, Any]:
    """Return the answer: confirmed if anything was found."""
    parts = more + [f"{n} x {part}" for part, n in Counter(map(role, sorted(names))).most_common()]
    why = "; ".join(parts[:8]) + (" and more" if len(parts) > 8 else "")  # noqa: PLR2004 - a line
    return {"hypothesis": key, "answer": "confirmed" if parts else "refuted", "why": why or none}


def measure(given: argparse.Namespace) -> dict[str, Any]:
    """Read all headers, count, compare."""
    files = shards(given.model)
    listed = [tensor.name for shard in files for tensor in shard.tensors]
    names = set(listed)
    layout = plan(files[0].fields, names)
    missing, stray = judge(names, layout)
    needed = set().union(*promised(layout).values())
    optional = {name for name in names - needed if is_optional(name)}
    known = layout.arch in EVERY
    expected = len(needed | optional) if known else len(names | missing)
    twice = [name for name, n in Counter(listed).items() if n > 1]
    return {
        "status": "ok" if known else "degraded",
        "detail": "" if known else f"no template for {layout.arch!r}: blocks were held against each other",
        "findings": [
            finding("tensors-missing", missing, shard_faults(files, len(listed)), "every tensor that must be there is"),
            finding("tensors-stray", stray, ["twice: " + name for name in twice], "no tensor is there beyond those"),
        ],
        "measurements": [
            {"name": "tensors", "value": len(listed), "unit": "tensors"},
            {"name": "tensors expected", "value": expected, "unit": "tensors"},
            {"name": "shards", "value": len(files), "unit": "files"},
        ],
        "thresholds": [{"name": "tensors", "limit": expected, "unit": "tensors", "passes": "equal"}],
        "controls": controls(layout),
        "sample": f"the headers of {len(files)} files",
        "worst": {"missing": sorted(missing)[:50], "stray": sorted(stray)[:50]},
        "details": {
            "architecture": layout.arch,
            "identity": f"{identity(layout)} + {len(optional)} optional" if known else "",
            "roles": dict(Counter(map(role, listed))),
            "shards": {shard.path.name: len(shard.tensors) for shard in files},
        },
    }


if __name__ == "__main__":
    main(measure)
