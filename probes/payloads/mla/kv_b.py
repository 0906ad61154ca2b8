#!/usr/bin/env python3
"""mla.kv_b: whether kv_b_proj, rebuilt from the two halves that a GGUF file stores, has the right layout.

llama.cpp stores W_UK transposed per head (attn_k_b) and W_UV as it is (attn_v_b); a loader must put them together head
by head. Give it the matrix that the loader built (--fused, from a running engine) to judge that. Needs numpy and gguf.
By hand: ``python3 kv_b.py --model FILE --fused DUMP.npy --layer 3``.
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
    "name": "mla.kv_b",
    "summary": "Check the two halves of kv_b_proj in a GGUF file, and the layout of the matrix rebuilt from them",
    "needs": ["model", "numpy", "gguf"],
    "arguments": [
        {"name": "model", "kind": "path", "help": "a GGUF file, a shard of a split one, or its folder"},
        {"name": "config", "kind": "path", "help": "the config.json that the server uses, or its folder"},
        {"name": "fused", "kind": "path", "help": "the loaded kv_b_proj of --layer: .npy, or .safetensors:TENSOR"},
        {"name": "layer", "kind": "int", "help": "one layer; else the first, the middle and the last"},
        {"name": "tp", "kind": "int", "default": 1, "help": "tensor parallel size of the engine --fused is from"},
        {"name": "rank", "kind": "int", "default": 0, "help": "the rank that --fused is from"},
        {"name": "seed", "kind": "int", "default": 0, "help": "of the random vectors"},
    ],
    "hypotheses": {
        "kv-b-layout": {
            "statement": "The rebuilt kv_b_proj has its heads or halves in the wrong layout",
            "terms": ["kv_b_proj", "kv_b", "k_b", "v_b", "reassembly", "interleaved", "head layout",
                      "transpose", "reassembled"],
        },
        "kv-b-malformed": {
            "statement": "attn_k_b and attn_v_b of the GGUF file do not have the shapes or values that MLA needs",
            "terms": ["kv_b_proj", "kv_b", "attn_k_b", "attn_v_b", "attn_kv_b", "kv_lora_rank", "head_count_kv"],
        },
    },
    "architectures": ["mla", "deepseek", "glm-5", "glm5", "glm-4.7", "kimi", "gguf"],
    "never_run": ["a dump of a running engine's kv_b_proj"],
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


LIMITS = {"given kv_b_proj against the file, 4 bit": 0.1, "the same, 8 bit and more": 0.01, "function test": 1e-5}
WRONG = 0.5
"""What a wrong layout scores at least: 0.9 to 1.4 with random weights."""
FAINT, APART = 0.05, 5.0
"""A head this faint against the median, and halves this far apart in scale, are damage."""
RIGHT = "head by head, K then V"


def layouts(k: Any, v: Any) -> dict[str, Any]:
    """Return kv_b_proj [H (P + V), L] from k [H, L, P] and v [H, V, L]: as it must be, and four common mistakes."""
    import numpy as np  # noqa: PLC0415 - optional on the host

    heads, rank, nope = k.shape
    turned = k.transpose(0, 2, 1)
    right = np.concatenate([turned, v], axis=1)
    return {
        RIGHT: right.reshape(-1, rank),
        "all K, then all V": np.concatenate([turned.reshape(-1, rank), v.reshape(-1, rank)]),
        "K reshaped, not transposed": np.concatenate([k.reshape(heads, nope, rank), v], axis=1).reshape(-1, rank),
        "V before K": np.concatenate([v, turned], axis=1).reshape(-1, rank),
        "heads shifted by one": np.roll(right, 1, axis=0).reshape(-1, rank),
    }


def distance(found: Any, right: Any) -> float:
    """Return the relative L2 distance."""
    import numpy as np  # noqa: PLC0415 - optional on the host

    return float(np.linalg.norm(found - right) / (np.linalg.norm(right) or 1.0))


def function_error(fused: Any, k: Any, v: Any, seed: int) -> float:
    """Return how far q (c W_UK) and c W_UV through `fused` are from those through the halves, 16 random vectors."""
    import numpy as np  # noqa: PLC0415 - optional on the host

    heads, rank, nope = k.shape
    dice = np.random.default_rng(seed)
    c, q = dice.standard_normal((16, rank)), dice.standard_normal((16, heads, nope))
    parts = fused.reshape(heads, -1, rank).astype(np.float64)
    errors = []
    for ours, theirs in (
        (
            np.einsum("hpl,nl,nhp->nh", parts[:, :nope], c, q, optimize=True),
            np.einsum("hlp,nhp,nl->nh", k, q, c, optimize=True),
        ),
        (np.einsum("hvl,nl->nhv", parts[:, nope:], c, optimize=True), np.einsum("hvl,nl->nhv", v, c, optimize=True)),
    ):
        errors.append(float(np.abs(ours - theirs).max() / (np.abs(theirs).max() or 1.0)))
    return max(errors)


def controls(dims: tuple[int, int, int, int], seed: int) -> list[dict[str, Any]]:
    """Return the checks on the right layout and on the four wrong ones, of random halves with (H, P, V, L)."""
    import numpy as np  # noqa: PLC0415 - optional on the host

    heads, nope, value, rank = dims
    dice = np.random.default_rng(seed)
    k, v = dice.standard_normal((heads, rank, nope)), dice.standard_normal((heads, value, rank))
    made, limit = layouts(k, v), LIMITS["function test"]
    right = made.pop(RIGHT)
    good = function_error(right, k, v, seed)
    checked = [{"name": RIGHT, "kind": "positive", "passed": good <= limit, "detail": f"function test {good:.1e}"}]
    for name, wrong in made.items():
        score = distance(wrong, right)
        passed = score > WRONG and function_error(wrong, k, v, seed) > limit
        checked.append({"name": name, "kind": "negative", "passed": passed, "detail": f"relative L2 {score:.3g}"})
    return checked


def expected(fields: dict[str, Any], config: str | None) -> dict[str, int]:
    """Return H, P, V and L as far as configuration or header tell; the header's head_count_kv is 1 and no help."""
    if config:
        path = Path(config) / "config.json" if Path(config).is_dir() else Path(config)
        raw = json.loads(path.read_text("utf-8"))
        raw = raw.get("text_config", raw)
        names = {"H": "num_attention_heads", "P": "qk_nope_head_dim", "V": "v_head_dim", "L": "kv_lora_rank"}
        return {key: int(raw[name]) for key, name in names.items() if name in raw}
    arch = str(fields.get("general.architecture", "")) + "."
    names = {"H": "attention.head_count", "V": "attention.value_length_mla", "L": "attention.kv_lora_rank"}
    found = {key: int(fields[arch + name]) for key, name in names.items() if arch + name in fields}
    if arch + "attention.key_length_mla" in fields and arch + "rope.dimension_count" in fields:
        found["P"] = int(fields[arch + "attention.key_length_mla"]) - int(fields[arch + "rope.dimension_count"])
    return found


def shape_faults(k: Tensor, v: Tensor, wanted: dict[str, int]) -> list[str]:
    """Return how the shapes (ggml order: [P, L, H] and [L, V, H]) miss what is wanted, or each other."""
    if len(k.shape) != 3 or len(v.shape) != 3:  # noqa: PLR2004 - three dimensions
        return [f"{k.name} {list(k.shape)} and {v.name} {list(v.shape)} are not both three-dimensional"]
    found = {"P": (k.shape[0],), "L": (k.shape[1], v.shape[0]), "H": (k.shape[2], v.shape[2]), "V": (v.shape[1],)}
    faults = [
        f"{k.name}: {key} is {value}, not {wanted[key]}"
        for key, values in found.items()
        for value in set(values)
        if value != wanted.get(key, value)
    ]
    faults += [
        f"{k.name}: {key} differs between the halves: {values}" for key, values in found.items() if len(set(values)) > 1
    ]
    return faults


def value_faults(name: str, k: Any, v: Any) -> list[str]:
    """Return heads that are nearly zero, values that are not finite, and halves far apart in scale."""
    import numpy as np  # noqa: PLC0415 - optional on the host

    faults = []
    for half, values in (("k_b", k), ("v_b", v)):
        norms = np.linalg.norm(values.reshape(len(values), -1), axis=1)
        faint = [int(n) for n in np.flatnonzero(norms < FAINT * np.median(norms))]
        faults += [f"{name} {half}: heads {faint[:8]} are nearly zero"] if faint else []
        faults += [] if np.isfinite(norms).all() else [f"{name} {half}: values that are not finite"]
    ratio = float(k.std() / (v.std() or 1e-30))
    return faults + ([] if 1 / APART < ratio < APART else [f"{name}: k_b is {ratio:.2g} times as wide as v_b"])


def load(given: str) -> Any:
    """Return a matrix from .npy, or from .safetensors:TENSOR, as float32."""
    import numpy as np  # noqa: PLC0415 - optional on the host

    if given.endswith(".npy"):
        return np.load(given).astype(np.float32)
    path, _, name = given.rpartition(".safetensors:")
    with Path(path + ".safetensors").open("rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        entry = json.loads(file.read(length))[name]
        file.seek(8 + length + entry["data_offsets"][0])
        raw = file.read(entry["data_offsets"][1] - entry["data_offsets"][0])
    kind = {"F32": "<f4", "F16": "<f2", "BF16": "<u2"}[entry["dtype"]]
    values = np.frombuffer(raw, kind)
    values = (
        (values.astype(np.uint32) << 16).view(np.float32) if entry["dtype"] == "BF16" else values.astype(np.float32)
    )
    return values.reshape(entry["shape"])


def judge_given(given: argparse.Namespace, k: Any, v: Any, kind: str) -> tuple[dict[str, Any], dict[str, float]]:
    """Return the finding on the matrix of --fused, and its distance from every layout."""
    part = slice(given.rank * len(k) // given.tp, (given.rank + 1) * len(k) // given.tp)
    made, found = layouts(k[part], v[part]), load(given.fused)
    if found.shape != made[RIGHT].shape:
        why = f"its shape is {list(found.shape)}, not {list(made[RIGHT].shape)}"
        return {"hypothesis": "kv-b-layout", "answer": "confirmed", "why": why}, {}
    scores = {name: distance(found, wanted) for name, wanted in made.items()}
    best = min(scores, key=lambda name: scores[name])
    limit = LIMITS[
        "given kv_b_proj against the file, 4 bit" if re.search("[2345]", kind) else "the same, 8 bit and more"
    ]
    if scores[RIGHT] <= limit:
        answer, why = "refuted", f"relative L2 {scores[RIGHT]:.2g} from the right layout"
    elif scores[best] <= limit:
        answer, why = (
            "confirmed",
            f"it is laid out as: {best} (relative L2 {scores[best]:.2g}, right {scores[RIGHT]:.2g})",
        )
    else:
        answer = "confirmed" if scores[RIGHT] > WRONG else "inconclusive"
        why = f"relative L2 {scores[RIGHT]:.2g} from the right layout, nearest: {best} {scores[best]:.2g}"
    return {"hypothesis": "kv-b-layout", "answer": answer, "why": why}, scores


def halves_of(tensors: dict[str, Tensor]) -> dict[int, list[Tensor | None]]:
    """Return layer -> k_b and v_b."""
    numbers = sorted(int(name.split(".")[1]) for name in tensors if name.endswith(".attn_k_b.weight"))
    if not numbers:
        whole = any(name.endswith("attn_kv_b.weight") for name in tensors)
        here = "this one has attn_kv_b, there is nothing to rebuild" if whole else "this one has no MLA"
        raise Missing(f"a file with attn_k_b: {here}")
    return {n: [tensors.get(f"blk.{n}.attn_{half}.weight") for half in ("k_b", "v_b")] for n in numbers}


def measure(given: argparse.Namespace) -> dict[str, Any]:
    """Check shapes of all layers, values of some, and the layout of what was given."""
    files = shards(given.model)
    halves = halves_of({tensor.name: tensor for shard in files for tensor in shard.tensors})
    numbers = list(halves)
    wanted = expected(files[0].fields, given.config)
    faults = [f"blk.{n}: there is no attn_v_b" for n, (_, v) in halves.items() if v is None]
    faults += [fault for k, v in halves.values() if k and v for fault in shape_faults(k, v, wanted)]
    chosen = sorted({numbers[0], numbers[len(numbers) // 2], numbers[-1]})
    chosen = chosen if given.layer is None else [given.layer]
    if not set(chosen) <= set(numbers):
        raise Missing(f"--layer: one of {numbers}")
    kinds = {n: "/".join(each.type for each in halves[n] if each) for n in chosen}
    finding = {"hypothesis": "kv-b-layout", "answer": "inconclusive", "why": "no rebuilt matrix was given (--fused)"}
    scores: dict[str, float] = {}
    for n in [] if faults else chosen:
        k, v = (read_rows(files[each.shard], each, slice(None)).reshape(each.shape[::-1]) for each in halves[n] if each)
        faults += value_faults(f"blk.{n}", k, v)
        if given.fused and n == chosen[0]:
            finding, scores = judge_given(given, k, v, kinds[n])
    sound = f"shapes of {len(numbers)} layers and values of layers {chosen} are as they must be"
    answer, why = ("confirmed", "; ".join(faults[:6])) if faults else ("refuted", sound)
    return {
        **state(files),
        "findings": [finding, {"hypothesis": "kv-b-malformed", "answer": answer, "why": why}],
        "measurements": [
            {"name": "layers with both halves", "value": len(numbers), "unit": "layers"},
            *({"name": f"given against: {name}", "value": s, "unit": "relative L2"} for name, s in scores.items()),
        ],
        "thresholds": [{"name": name, "limit": limit, "unit": "relative"} for name, limit in LIMITS.items()],
        "controls": controls((8, wanted.get("P", 192), wanted.get("V", 256), wanted.get("L", 512)), given.seed),
        "sample": f"shapes of all layers, values of layers {chosen} ({kinds}); random vectors of seed {given.seed}",
        "worst": {"faults": faults[:20]} if faults else None,
        "details": {"wanted": wanted},
    }


if __name__ == "__main__":
    main(measure)
