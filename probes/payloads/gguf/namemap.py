#!/usr/bin/env python3
"""gguf.namemap: whether every tensor of a GGUF file finds its parameter, and every parameter its tensor.

A loader of vLLM's kind drops tensors that its map lacks without a word. By hand: ``python3 namemap.py --model FILE``;
needs the gguf package. Run it in a process of its own: building one architecture's map changes the next one's.
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
    "name": "gguf.namemap",
    "summary": "Map a GGUF file's tensor names to the model's parameters, both ways",
    "needs": ["model", "gguf"],
    "arguments": [
        {"name": "model", "kind": "path", "help": "a GGUF file, a shard of a split one, or its folder"},
        {"name": "names", "kind": "path", "help": "the parameter names: a JSON list, or model.safetensors.index.json"},
        {"name": "map", "kind": "path", "help": "the map that the loader built, as JSON; else vLLM's stock one"},
    ],
    "hypotheses": {
        "map-empty": {
            "statement": "gguf-py's name map recognises none of the file's tensors, so nothing can be mapped",
            "terms": ["name map", "tensor name map", "name mapping", "get_tensor_name_map", "returns none", "mapping"],
        },
        "map-misused": {
            "statement": "The name map is asked in the wrong direction, or with or without the suffix it wants",
            "terms": ["name map", "direction", "reversed", "suffix", "hf to gguf", "gguf to hf", "mapping"],
        },
        "tensors-dropped": {
            "statement": "The loader's name map drops tensors of the file or leaves parameters unset",
            "terms": ["name map", "unmapped", "not mapped", "mapping", "skipped tensor", "dropped tensor",
                      "uninitialized", "expert weight", "expert mapping", "weight loading", "weights not loaded",
                      "kv_b_proj", "kv_b"],
        },
        "names-foreign": {
            "statement": "The file's tensor names do not fit the architecture that its header names",
            "terms": ["tensor name", "wrong architecture", "unknown tensor", "block count", "newer gguf"],
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


LLAMA = "self_attn.q_proj self_attn.k_proj self_attn.v_proj self_attn.o_proj input_layernorm post_attention_layernorm"
NORMED = LLAMA + " self_attn.q_norm self_attn.k_norm"
MLA = "input_layernorm post_attention_layernorm self_attn.kv_a_proj_with_mqa self_attn.kv_a_layernorm "
MLA += "self_attn.kv_b_proj self_attn.o_proj"
QUERY = ("self_attn.q_proj", "self_attn.q_a_proj self_attn.q_a_layernorm self_attn.q_b_proj")
INDEXER = "self_attn.indexer.wq_b self_attn.indexer.wk self_attn.indexer.weights_proj self_attn.indexer.k_norm "
INDEXER += "self_attn.indexer.k_norm.bias"
LAYER = {
    "llama": LLAMA,
    "qwen2": LLAMA + " self_attn.q_proj.bias self_attn.k_proj.bias self_attn.v_proj.bias",
    "qwen3": NORMED, "qwen3moe": NORMED,
    "gemma3": NORMED + " pre_feedforward_layernorm post_feedforward_layernorm",
    "deepseek2": MLA, "glm-dsa": MLA + " " + INDEXER,
}  # fmt: skip
"""The parameters that every layer of an architecture has besides its feed-forward part."""
NEXTN = ("eh_proj.weight", "enorm.weight", "hnorm.weight", "shared_head.norm.weight")
STOCK = {"experts": {"deepseek2", "qwen2moe", "qwen3moe", "minimax-m2"}, "bias": {"deepseek2", "minimax-m2"}}
"""The architectures for which vLLM up to 0.23 and its plugin 0.0.5 map experts and their bias by hand."""
SUFFIXES = (".weight", ".bias")
MERGED = re.compile(r"kv_b_proj|gate_up_proj")
"""Parameters that two tensors make up."""


class Header(NamedTuple):
    """What the header says, as far as names depend on it."""

    arch: str
    layers: int
    dense: int
    nextn: int
    experts: int
    shared: bool
    scored: bool
    low_rank_query: bool


def header(fields: dict[str, Any], names: set[str]) -> Header:
    """Return what the first shard's header says."""
    arch = str(fields.get("general.architecture", ""))
    number = {key[len(arch) + 1 :]: int(v) for key, v in fields.items() if key.startswith(arch) and isinstance(v, int)}
    layers, experts = number.get("block_count", 0), number.get("expert_count", 0)
    dense = number.get("leading_dense_block_count", 0) if experts else layers
    scored = any(name.endswith("exp_probs_b.bias") for name in names)
    shared = number.get("expert_shared_count", 0) > 0
    low_rank = "blk.0.attn_q_a.weight" in names
    return Header(arch, layers, dense, number.get("nextn_predict_layers", 0), experts, shared, scored, low_rank)


def parameters(head: Header) -> list[str]:
    """Return the parameter names that transformers gives a model of this shape, experts one by one."""
    names = ["model.embed_tokens.weight", "model.norm.weight", "lm_head.weight"]
    for layer in range(head.layers):
        parts = LAYER[head.arch].split() + feed_forward(head, layer)
        parts += QUERY[head.low_rank_query].split() if LAYER[head.arch].startswith(MLA) else []
        parts = [part if part.endswith(("bias", ".weight")) else part + ".weight" for part in parts]
        if layer >= head.layers - head.nextn:
            parts += NEXTN
        names += [f"model.layers.{layer}.{part}" for part in parts]
    return names


def feed_forward(head: Header, layer: int) -> list[str]:
    """Return the parameters of one layer's feed-forward part."""
    three = ("gate_proj", "up_proj", "down_proj")
    if layer < head.dense:
        return ["mlp." + part for part in three]
    parts = [f"mlp.experts.{expert}.{part}" for expert in range(head.experts) for part in three] + ["mlp.gate"]
    parts += ["mlp.shared_experts." + part for part in three] if head.shared else []
    return parts + (["mlp.gate.e_score_correction_bias"] if head.scored else [])


def split(name: str) -> tuple[str, str]:
    """Return a name's base and its suffix."""
    base, _, suffix = name.rpartition(".")
    return (base, "." + suffix) if "." + suffix in SUFFIXES else (name, "")


def stock_map(ask: Callable[[str], str | None], names: list[str], by_hand: set[str]) -> dict[str, str]:
    """Return GGUF name -> parameter as vLLM builds it from the parameter names; `by_hand`: experts, bias."""
    found: dict[str, str] = {}
    for name in names:
        base, suffix = split(name)
        target = ask(base)
        if target:
            found[target + (suffix or ".")] = name
        expert = re.match(r"model\.layers\.(\d+)\.mlp\.experts\.0\.(gate|up|down)_proj\.weight", name)
        if expert and "experts" in by_hand:
            found[f"blk.{expert[1]}.ffn_{expert[2]}_exps.weight"] = name
        if name.endswith("e_score_correction_bias") and "bias" in by_hand:
            found[f"blk.{name.split('.')[2]}.exp_probs_b.bias"] = name
    return found


def with_every_rule(found: dict[str, str], names: list[str], tensors: set[str]) -> dict[str, str]:
    """Return the map with what llama.cpp stores otherwise: kv_b in two halves, experts of all names in one tensor."""
    full = {key + "weight" if key.endswith(".") else key: name for key, name in found.items()}
    for key, name in found.items():
        halves = [key.replace("attn_kv_b", half) for half in ("attn_k_b", "attn_v_b")]
        if "attn_kv_b" in key and key not in tensors and tensors.issuperset(halves):
            del full[key]
            full.update(dict.fromkeys(halves, name))
    for name in names:
        if name.endswith("mlp.experts.gate_up_proj"):
            full.update({f"blk.{name.split('.')[2]}.ffn_{half}_exps.weight": name for half in ("gate", "up")})
    return full


def compare(found: dict[str, str], names: list[str], tensors: set[str]) -> dict[str, list[str]]:
    """Return what a loader with this map drops, leaves unset and looks for in vain."""
    mapped = set(found.values())
    experts = {re.sub(r"experts\.\d+", "experts.N", name) for name in mapped if "experts.0." in name}
    unset = [n for n in names if n not in mapped and re.sub(r"experts\.\d+", "experts.N", n) not in experts]
    tied = {"output.weight"} if "token_embd.weight" in tensors else set()
    return {
        "tensors that no parameter takes": sorted(tensors - set(found)),
        "parameters without a tensor": sorted(unset),
        "map entries that the file lacks": sorted(set(found) - tensors - tied),
        "map keys that end in a dot": sorted(key for key in found if key.endswith(".")),
        "parameters given twice": sorted(
            n for n, k in Counter(found.values()).items() if k > 1 and not MERGED.search(n)
        ),
    }


def misuse(found: dict[str, str], tensors: set[str]) -> str:
    """Return how a map's keys miss the file's names, if all of them do so in one way."""
    if not found or tensors & set(found):
        return ""
    if tensors & {str(value) for value in found.values()} or tensors & {
        f"{v}{s}" for v in found.values() for s in SUFFIXES
    }:
        return "its direction is the reverse: parameter names are the keys, GGUF names the values"
    if tensors & {key + suffix for key in found for suffix in SUFFIXES}:
        return "its keys lack the suffix .weight or .bias that the file's names have"
    return "not one of its keys is a tensor of the file"


def controls(ask: Callable[[str], str | None], head: Header) -> list[dict[str, Any]]:
    """Return the comparison for names that fit, for one tensor renamed, for a map turned round and one cut short."""
    plain = Header(head.arch if head.arch in LAYER else "llama", 1, 1, 0, 0, False, False, False)  # noqa: FBT003
    names = parameters(plain)
    halves = {"blk.0.attn_k_b.weight", "blk.0.attn_v_b.weight"}
    full = with_every_rule(stock_map(ask, names, set()), names, halves)
    sound = set(full)
    lost = min(sound)
    renamed = compare(full, names, sound - {lost} | {"blk.0.strange.weight"})
    cases = [
        ("names that fit", "positive", not any(compare(full, names, sound).values()) and not misuse(full, sound)),
        ("a tensor renamed", "negative", renamed["tensors that no parameter takes"] == ["blk.0.strange.weight"]),
        ("a map turned round", "negative", "reverse" in misuse({v: k for k, v in full.items()}, sound)),
        ("a map without suffixes", "negative", "suffix" in misuse({split(k)[0]: v for k, v in full.items()}, sound)),
    ]
    return [{"name": name, "kind": kind, "passed": bool(passed)} for name, kind, passed in cases]


def by_role(groups: dict[str, list[str]]) -> dict[str, dict[str, int]]:
    """Return the groups with counts per role instead of names."""
    return {group: dict(Counter(map(role, names)).most_common()) for group, names in groups.items() if names}


def told(groups: dict[str, list[str]]) -> str:
    """Return the groups as one line."""
    return "; ".join(f"{len(names):,} {group}" for group, names in groups.items() if names)


def conclude(key: str, faults: str, sound: str) -> dict[str, Any]:
    """Return the answer: confirmed if there are faults, inconclusive where nothing was given to look at."""
    answer = "confirmed" if faults else "inconclusive" if sound.startswith("no map given") else "refuted"
    return {"hypothesis": key, "answer": answer, "why": faults or sound}


def parameter_names(given: str | None, head: Header) -> list[str]:
    """Return the parameter names of a file that was given, else those of the template of the architecture."""
    if given:
        raw = json.loads(Path(given).read_text("utf-8"))
        return list(raw.get("weight_map", raw)) if isinstance(raw, dict) else list(raw)
    if head.arch not in LAYER:
        raise Missing(f"--names: the parameter names, there is no template for {head.arch!r}")
    return parameters(head)


def own_map(head: Header) -> Any:
    """Return gguf's own map of the architecture."""
    import gguf  # noqa: PLC0415 - optional on the host

    enum = {name: key for key, name in gguf.MODEL_ARCH_NAMES.items()}.get(head.arch)
    if enum is None:
        raise Missing(f"a newer gguf: {metadata.version('gguf')} does not know {head.arch!r}")
    return gguf.get_tensor_name_map(enum, head.layers)


def measure(given: argparse.Namespace) -> dict[str, Any]:
    """Ask gguf's own map for every name, build the loader's map, and compare both ways."""
    files = shards(given.model)
    tensors = {tensor.name for shard in files for tensor in shard.tensors}
    head = header(files[0].fields, tensors)
    lookup = own_map(head)
    names = parameter_names(given.names, head)
    by_hand = {part for part, known in STOCK.items() if head.arch in known}
    found = stock_map(lookup.get_name, names, by_hand)
    loader = json.loads(Path(given.map).read_text("utf-8")) if given.map else found
    wrong = misuse(loader, tensors)
    full = with_every_rule(stock_map(lookup.get_name, names, {"experts", "bias"}), names, tensors)
    dropped, foreign = compare(loader, names, tensors), compare(full, names, tensors)
    raw = sum(lookup.get_name(name) is not None for name in tensors)
    strange = sorted(name for name in tensors if lookup.get_name(name, try_suffixes=SUFFIXES) is None)
    known = len(tensors) - len(strange)
    asked = f"asked with .weight or .bias it knows {raw:,} of {len(tensors):,}, with try_suffixes {known:,}"
    faults, whose = wrong or told(dropped), "the given map: " if given.map else f"vLLM's stock map for {head.arch!r}: "
    counts = {"tensors": len(tensors), "parameters": len(names)}
    counts.update({"recognised with suffix": raw, "recognised with try_suffixes": known})
    sizes = {group: len(each) for group, each in dropped.items()}
    return {
        **state(files),
        "findings": [
            conclude("map-empty", asked if known == 0 else "", asked + ": a matter of how it is asked" * (known > raw)),
            conclude("map-misused", wrong, "its keys are tensors" if given.map else "no map given (--map); " + asked),
            conclude("tensors-dropped", whose + faults if faults else "", whose + "complete"),
            conclude("names-foreign", told({"tensors that gguf's map does not know": strange, **foreign}), asked),
        ],
        "measurements": [{"name": key, "value": value, "unit": "names"} for key, value in {**counts, **sizes}.items()],
        "thresholds": [{"name": group, "limit": 0, "unit": "names", "passes": "equal"} for group in sizes],
        "controls": controls(lookup.get_name, head),
        "sample": f"all names of {len(files)} files; shapes are not compared",
        "worst": {group: each[:20] for group, each in dropped.items() if each} or None,
        "details": {
            "architecture": head.arch,
            "loader": by_role(dropped),
            "with every special rule": by_role(foreign),
            "not recognised": by_role({"tensors": strange}),
        },
    }


if __name__ == "__main__":
    main(measure)
