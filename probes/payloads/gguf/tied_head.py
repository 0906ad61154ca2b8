#!/usr/bin/env python3
"""gguf.tied_head: whether a loader takes the embedding for the output head although the file has a head of its own.

Loaders that look for missing tensors shard by shard (vLLM 0.17 to 0.23, its GGUF plugin up to 0.0.5) miss the head in
every shard but its own. By hand: ``python3 tied_head.py --model FILE``, any Python from 3.8.
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
    "name": "gguf.tied_head",
    "summary": "Compare the output head of a GGUF file with what a loader decides about tying it to the embedding",
    "needs": ["model"],
    "arguments": [
        {"name": "model", "kind": "path", "help": "a GGUF file, a shard of a split one, or its folder"},
        {"name": "config", "kind": "path", "help": "the config.json that the server uses, or its folder"},
    ],
    "hypotheses": {
        "head-tied-by-split": {
            "statement": "The loader ties the output head to the embedding because the GGUF file is split",
            "terms": ["tied embedding", "tied head", "tie_word_embeddings", "lm_head", "output head", "output.weight",
                      "split gguf", "output layer", "flat logits", "flat log-prob", "logits"],
        },
        "tie-flag-wrong": {
            "statement": "tie_word_embeddings of the configuration contradicts the GGUF file",
            "terms": ["tied embedding", "tie_word_embeddings", "lm_head", "output head", "config"],
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


HEAD, EMBEDDING = "output.weight", "token_embd.weight"
PIECE = 1 << 20


def tied_by_loader(names: list[set[str]]) -> bool:
    """Return whether a loader that joins each shard's missing names ties the head."""
    return any(HEAD not in shard for shard in names)


def fault(names: list[set[str]], *, same: bool = False) -> bool:
    """Return whether the file has a head of its own that such a loader replaces by the embedding."""
    return HEAD in set().union(*names) and not same and tied_by_loader(names)


def flag_fault(tied: bool | None, has_head: bool, same: bool) -> str:  # noqa: FBT001 - three facts of a kind
    """Return how the flag of the configuration contradicts the file, if it does."""
    if tied and has_head and not same:
        return "the configuration ties the head, the file has one of its own"
    if tied is False and not has_head:
        return "the configuration does not tie the head, the file has none"
    return ""


def equal_bytes(files: list[Shard], first: Tensor, second: Tensor) -> bool:
    """Return whether two tensors hold the same bytes: start, middle and end, a MiB each."""
    if (first.type, first.shape) != (second.type, second.shape):
        return False
    for at in {0, max(first.size // 2 - PIECE // 2, 0), max(first.size - PIECE, 0)}:
        pieces = [files[t.shard].data[t.start + at : t.start + min(at + PIECE, t.size)] for t in (first, second)]
        if pieces[0] != pieces[1]:
            return False
    return True


def controls() -> list[dict[str, Any]]:
    """Return the decision for whole and split files, with and without a head."""
    with_head, without = {HEAD, EMBEDDING}, {EMBEDDING}
    cases = [
        ("one file with a head", "positive", not fault([with_head])),
        ("three shards without a head", "positive", not fault([without, {"a"}, {"b"}])),
        ("three shards with a head", "negative", fault([with_head, {"a"}, {"b"}])),
        ("a flag that ties a head that is there", "negative", bool(flag_fault(True, True, False))),  # noqa: FBT003
        ("a flag that frees a head that is not there", "negative", bool(flag_fault(False, False, False))),  # noqa: FBT003
    ]
    return [{"name": name, "kind": kind, "passed": passed} for name, kind, passed in cases]


def flag(given: str | None) -> bool | None:
    """Return tie_word_embeddings of a configuration; None where it does not say."""
    if not given:
        return None
    path = Path(given) / "config.json" if Path(given).is_dir() else Path(given)
    raw = json.loads(path.read_text("utf-8"))
    found = raw.get("text_config", {}).get("tie_word_embeddings", raw.get("tie_word_embeddings"))
    return None if found is None else bool(found)


def conclude(key: str, answer: str, why: str) -> dict[str, Any]:
    """Return one finding."""
    return {"hypothesis": key, "answer": answer, "why": why}


def measure(given: argparse.Namespace) -> dict[str, Any]:
    """Take the loader's decision and compare it with the file and with the configuration."""
    files = shards(given.model)
    tensors = {tensor.name: tensor for shard in files for tensor in shard.tensors}
    names = [{tensor.name for tensor in shard.tensors} for shard in files]
    if EMBEDDING not in tensors:
        raise Missing(f"--model: all shards, {EMBEDDING} is in none of these {len(files)}")
    has_head, tied = HEAD in tensors, flag(given.config)
    same = has_head and equal_bytes(files, tensors[HEAD], tensors[EMBEDDING])
    here = [shard.path.name for shard, held in zip(files, names) if HEAD in held]
    what = f"{HEAD} is in {here[0]} of {len(files)}" if here else f"there is no {HEAD}"
    what += ", the same bytes as the embedding" if same else ""
    wrong = flag_fault(tied, has_head, same)
    said = f"tie_word_embeddings is {tied}; {what}" if tied is not None else "no configuration that says (--config)"
    split = fault(names, same=same)
    what += ": missed by a loader that goes shard by shard, such as vLLM 0.17 to 0.23" if split else ""
    return {
        **state(files),
        "findings": [
            conclude("head-tied-by-split", "confirmed" if split else "refuted", what),
            conclude(
                "tie-flag-wrong", "confirmed" if wrong else "inconclusive" if tied is None else "refuted", wrong or said
            ),
        ],
        "measurements": [
            {"name": "shards", "value": len(files), "unit": "files"},
            {"name": "shards with a head", "value": len(here), "unit": "files"},
            {"name": "head tied by a loader that goes shard by shard", "value": tied_by_loader(names), "unit": ""},
            {"name": "tie_word_embeddings", "value": tied, "unit": ""},
        ],
        "controls": controls(),
        "sample": "the names of all shards; of head and embedding three pieces of 1 MiB",
        "worst": tensors[HEAD]._asdict() if has_head else None,
    }


if __name__ == "__main__":
    main(measure)
