#!/usr/bin/env python3
"""gguf.settings: whether the configuration that a server uses agrees with the header of its GGUF file.

vLLM takes rope, experts and norms from a config.json of its own choice and ignores most of the header. By hand:
``python3 settings.py --model FILE --config FOLDER``, any Python from 3.8.
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
    "name": "gguf.settings",
    "summary": "Compare the header of a GGUF file with the config.json that the server uses, field by field",
    "needs": ["model", "config"],
    "arguments": [
        {"name": "model", "kind": "path", "help": "a GGUF file, a shard of a split one, or its folder"},
        {"name": "config", "kind": "path", "help": "the config.json that the server uses, or its folder"},
    ],
    "hypotheses": {
        "rope-differs": {
            "statement": "The rope settings that the server uses are not those of the GGUF file",
            "terms": ["rope", "rope_theta", "rotary", "position embedding", "yarn", "rope scaling", "context length"],
        },
        "config-differs": {
            "statement": "The configuration that the server uses describes another model than the GGUF file",
            "terms": ["config.json", "wrong config", "hf config", "model config", "expert count", "router", "gating",
                      "scoring function", "routed_scaling_factor", "rms norm", "epsilon"],
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


ROPE: dict[str, tuple[str, ...]] = {
    "rope.freq_base": ("rope_theta",),
    "rope.dimension_count": ("qk_rope_head_dim",),
    "rope.scaling.factor": ("rope_scaling.factor",),
    "rope.scaling.original_context_length": ("rope_scaling.original_max_position_embeddings",),
}
OTHERS: dict[str, tuple[str, ...]] = {
    "embedding_length": ("hidden_size",),
    "feed_forward_length": ("intermediate_size",),
    "expert_feed_forward_length": ("moe_intermediate_size",),
    "attention.head_count": ("num_attention_heads",),
    "attention.layer_norm_rms_epsilon": ("rms_norm_eps",),
    "attention.q_lora_rank": ("q_lora_rank",),
    "attention.kv_lora_rank": ("kv_lora_rank",),
    "attention.value_length_mla": ("v_head_dim",),
    "expert_count": ("n_routed_experts", "num_experts", "num_local_experts"),
    "expert_used_count": ("num_experts_per_tok",),
    "expert_shared_count": ("n_shared_experts",),
    "expert_weights_scale": ("routed_scaling_factor",),
    "expert_weights_norm": ("norm_topk_prob",),
    "expert_gating_func": ("scoring_func",),
    "leading_dense_block_count": ("first_k_dense_replace",),
}
"""Field of the header (behind the architecture's name) -> names that transformers gives it."""
GATING = {1: "softmax", 2: "sigmoid"}
CLOSE = 1e-5
"""Relative: the header holds 32-bit numbers."""


def flat(config: dict[str, Any]) -> dict[str, Any]:
    """Return a configuration with the text part on top, and rope settings under their older names."""
    found = dict(config, **config.get("text_config", {}))
    rope = dict(found.get("rope_scaling") or {}, **(found.get("rope_parameters") or {}))
    found.update({f"rope_scaling.{key}": value for key, value in rope.items()})
    found.setdefault("rope_theta", rope.get("rope_theta"))
    return found


def derived(numbers: dict[str, Any], config: dict[str, Any]) -> list[tuple[str, Any, Any]]:
    """Return (name, header, configuration) of values that are sums on one of the two sides."""
    pairs = []
    if "num_hidden_layers" in config:
        layers = config["num_hidden_layers"]
        blocks = numbers.get("block_count", 0) - numbers.get("nextn_predict_layers", 0)
        pairs.append(("layers without prediction layers", blocks, layers))
    if {"qk_nope_head_dim", "qk_rope_head_dim"} <= set(config) and "attention.key_length_mla" in numbers:
        pairs.append(
            ("key length", numbers["attention.key_length_mla"], config["qk_nope_head_dim"] + config["qk_rope_head_dim"])
        )
    if "num_key_value_heads" in config and "kv_lora_rank" not in config and "attention.head_count_kv" in numbers:
        pairs.append(("heads of keys", numbers["attention.head_count_kv"], config["num_key_value_heads"]))
    return pairs


def pairs_of(
    table: dict[str, tuple[str, ...]], numbers: dict[str, Any], config: dict[str, Any]
) -> list[tuple[str, Any, Any]]:
    """Return (name, header, configuration) of what both sides state."""
    pairs = []
    for field, names in table.items():
        theirs = next((config[name] for name in names if config.get(name) is not None), None)
        if field in numbers and theirs is not None:
            ours = GATING.get(numbers[field], numbers[field]) if field == "expert_gating_func" else numbers[field]
            pairs.append((field, ours, theirs))
    return pairs


def equal(ours: Any, theirs: Any) -> bool:
    """Return whether two values are the same to the precision of the header; a list is equal if all its members are."""
    if isinstance(ours, list):
        return all(equal(each, theirs) for each in ours)
    if isinstance(ours, (int, float)) and isinstance(theirs, (int, float)):
        return math.isclose(ours, theirs, rel_tol=CLOSE)
    return bool(ours == theirs)


def faults(pairs: list[tuple[str, Any, Any]]) -> list[str]:
    """Return what differs."""
    return [f"{name}: the file {ours}, the server {theirs}" for name, ours, theirs in pairs if not equal(ours, theirs)]


def controls() -> list[dict[str, Any]]:
    """Return the comparison of agreeing and differing values."""
    cases = [
        ("a 32-bit epsilon against its decimal", "positive", faults([("e", 9.999999747378752e-06, 1e-05)]) == []),
        ("a rope base left at 10,000", "negative", len(faults([("rope.freq_base", 1000000.0, 10000)])) == 1),
        ("sigmoid against softmax", "negative", len(faults([("gating", "sigmoid", "softmax")])) == 1),
    ]
    return [{"name": name, "kind": kind, "passed": passed} for name, kind, passed in cases]


def conclude(key: str, pairs: list[tuple[str, Any, Any]]) -> dict[str, Any]:
    """Return the answer; inconclusive where both sides state nothing in common."""
    found = faults(pairs)
    answer = "confirmed" if found else "refuted" if pairs else "inconclusive"
    return {"hypothesis": key, "answer": answer, "why": "; ".join(found) or f"{len(pairs)} values agree"}


def measure(given: argparse.Namespace) -> dict[str, Any]:
    """Compare what both the header and the configuration state."""
    files = shards(given.model)
    if not given.config:
        raise Missing("--config: the config.json that the server uses")
    path = Path(given.config) / "config.json" if Path(given.config).is_dir() else Path(given.config)
    config = flat(json.loads(path.read_text("utf-8")))
    arch = str(files[0].fields.get("general.architecture", ""))
    numbers = {key[len(arch) + 1 :]: value for key, value in files[0].fields.items() if key.startswith(arch + ".")}
    rope = pairs_of(ROPE, numbers, config)
    others = pairs_of(OTHERS, numbers, config) + derived(numbers, config)
    rows = [
        tensor.shape[1]
        for shard in files
        for tensor in shard.tensors
        if tensor.name == "token_embd.weight" and len(tensor.shape) > 1
    ]
    others += [("rows of the embedding", rows[0], config["vocab_size"])] if rows and "vocab_size" in config else []
    return {
        **state(files),
        "findings": [conclude("rope-differs", rope), conclude("config-differs", others)],
        "measurements": [
            {"name": "rope values compared", "value": len(rope), "unit": "values"},
            {"name": "other values compared", "value": len(others), "unit": "values"},
            {"name": "values that differ", "value": len(faults(rope + others)), "unit": "values"},
        ],
        "thresholds": [{"name": "values that differ", "limit": 0, "unit": "values", "passes": "equal"}],
        "controls": controls(),
        "sample": f"the header of {files[0].path.name} and {path.name}",
        "worst": {"differ": faults(rope + others)} if faults(rope + others) else None,
        "details": {"compared": {name: [ours, theirs] for name, ours, theirs in rope + others}},
    }


if __name__ == "__main__":
    main(measure)
