#!/usr/bin/env python3
"""dequant.k_quants: hold this host's decoding of Q2_K to Q6_K blocks against gguf-py's, and name who is wrong.

By hand: ``python3 k_quants.py --bench 268``; needs torch and gguf, looks at Triton, vLLM and a GPU where they are.
"""
# ruff: noqa: PLR0913, PLR0917 - what a kernel takes lies in registers

from __future__ import annotations

import argparse
import contextlib
import json
import math
import mmap
import os
import platform
import re
import struct
import sys
import time
import traceback
from collections import Counter
from importlib import import_module, metadata
from pathlib import Path
from typing import Any, Callable, Iterator, NamedTuple

PROBE: dict[str, Any] = {
    "name": "dequant.k_quants",
    "summary": "Decode K-quants by gguf-py, torch, Triton and vLLM, and let them vote on who is wrong",
    "needs": ["torch", "gguf", "gpu", "file"],
    "arguments": [
        {"name": "model", "kind": "path", "help": "a GGUF file to sample besides random blocks"},
        {"name": "types", "kind": "text", "help": "only these, e.g. Q4_K,Q6_K"},
        {"name": "rows", "kind": "int", "default": 32, "help": "rows of each tensor"},
        {"name": "seed", "kind": "int", "default": 1, "help": "of the random choice"},
        {"name": "bench", "kind": "int", "default": 0, "help": "time over so many million weights; 0: do not"},
    ],
    "hypotheses": {
        "kernel-wrong": {
            "statement": "vLLM's GGUF dequantization kernel gives wrong weights on this GPU",
            "terms": ["dequant", "dequantization", "dequantize", "ggml_dequantize", "kernel", "k-quant", "q4_k", "q5_k",
                      "q6_k", "q2_k", "q3_k", "nibble", "quantization"],
        },
        "device-wrong": {
            "statement": "This GPU, its driver or the Triton compiler computes dequantization wrongly",
            "terms": ["dequant", "dequantization", "compiler", "ptxas", "driver", "gpu memory", "miscompile"],
        },
    },
    "architectures": [],
    "never_run": ["sm100", "sm120"],
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


# >>> dequantization: the same lines in every payload that compares dequantizations
tl: Any = None
constexpr = Any
tensor = Any
LIMITS = {"float32": (1e-6, 1e-6), "float16": (5e-4, 3e-4), "bfloat16": (4e-3, 2.5e-3)}
"""What passes: the worst error as a part of its block's largest weight, and relL2."""
IN_HALF = {"float32": (3e-3, 1e-3), "float16": (3e-3, 1e-3), "bfloat16": (7e-3, 2.7e-3)}
"""The same for vLLM's kernels, which compute in half whatever they put out."""
FAILS = 0.05
SUMS = 1e-5
TINY = {"float32": 0.0, "float16": 2.0**-24, "bfloat16": 0.0}
"""An output's smallest step, which no kernel can beat where a block holds next to nothing."""
VLLM_READS = {2, 3, 6, 7, 8, *range(10, 15), *range(16, 24), 29}
COLUMNS = 4096
MEASURES = ("relL2", "of_block_max", "ulps")
OUTPUTS = ("bfloat16", "float16", "float32")


class Kind(NamedTuple):
    """A quantisation type: weights and bytes of a block, where its fp16 scales are, how its kernel divides the work.

    A thread of the kernel decodes `groups` runs of 8 weights, `width` apart, of bytes that it sees as `unit`.
    """

    block: int
    size: int
    halves: tuple[int, ...]
    unit: str = "int16"
    groups: int = 1
    width: int = 8
    chunks: int = 256
    warps: int = 4
    adding: tuple[int, int] = (2048, 4)
    """Chunks and warps of a program of the kernel that only adds up."""


class Sample(NamedTuple):
    """Rows of raw blocks (a tensor of bytes), and where they are from."""

    kind: str
    origin: str
    rows: list[int]
    raw: Any


def load(name: str) -> Any:
    """Return a module. Raises Missing, with the reason, where it cannot be had."""
    try:
        return import_module(name)
    except (ImportError, OSError, RuntimeError) as error:
        raise Missing(f"{name} ({(str(error).splitlines() or ['no reason'])[0]})") from error


def bind() -> Any:
    """Return triton, the kernels of this file bound to it: only now, for the sake of hosts without it."""
    names, triton = globals(), load("triton")
    if names["tl"] is None:
        names.update(tl=triton.language, constexpr=triton.language.constexpr, tensor=triton.language.tensor)
        for name in ["half_at", "words", "place", "part", "emit", "finish", *DEVICE, *map(str.lower, KINDS)]:
            # told that a pointer is aligned, Triton loads 16 bytes a thread and pays for it in shared memory
            names[name] = triton.jit(names[name], do_not_specialize_on_alignment=["x"])
    return triton


def half_at(word: tensor, shift: constexpr) -> tensor:
    """Return the fp16 number that begins at a bit of words, as fp32."""
    return ((word >> shift) & 0xFFFF).to(tl.int16).to(tl.float16, bitcast=True).to(tl.float32)


def words(here: tensor) -> tensor:
    """Return the 8 bytes at pointers to 2-byte units as two words."""
    low = (tl.load(here).to(tl.int32) & 0xFFFF) | (tl.load(here + 1).to(tl.int32) << 16)
    return low, (tl.load(here + 2).to(tl.int32) & 0xFFFF) | (tl.load(here + 3).to(tl.int32) << 16)


def place(chunks: tensor, size: constexpr) -> tensor:
    """Return the numbers of a program's chunks; the last program begins early rather than end late."""
    return tl.minimum(tl.program_id(0) * size, chunks - size) + tl.arange(0, size)


def part(word: tensor, k: constexpr, mask: constexpr, zero: constexpr, chunks: tensor) -> tensor:
    """Return byte `k` of words, masked, minus `zero`, as fp32: as the last bits of 2^23, where every step is exact."""
    # were 2^23 a constant to the compiler, it would mask by one instruction and set by another
    magic = 0x4B000000 + (chunks >> 31)
    if (mask << (8 * k)) < 8388608:  # noqa: PLR2004 - a kernel cannot read a module's constant
        bits = (word & (mask << (8 * k))) | magic
        return bits.to(tl.float32, bitcast=True) * (1.0 / (1 << (8 * k))) - (8388608.0 / (1 << (8 * k)) + zero)
    bits = ((word >> (8 * k)) & mask) | magic
    return bits.to(tl.float32, bitcast=True) - (8388608.0 + zero)


def emit(
    out: tensor, at: tensor, low: tensor, high: tensor, scale: tensor, shift: tensor, chunks: tensor,
    group: constexpr, mask: constexpr, zero: constexpr, digest: constexpr,
) -> tensor:  # fmt: skip
    """Store 8 weights a chunk; or return their sum, each weighted by its place."""
    a, b = part(low, 0, mask, zero, chunks), part(low, 1, mask, zero, chunks)
    c, d = part(low, 2, mask, zero, chunks), part(low, 3, mask, zero, chunks)
    e, f = part(high, 0, mask, zero, chunks), part(high, 1, mask, zero, chunks)
    g, h = part(high, 2, mask, zero, chunks), part(high, 3, mask, zero, chunks)
    total = scale
    if digest:  # the scale and the shift are the same for all 8: they come last
        early = (8 * group + 1) * a + (8 * group + 2) * b + (8 * group + 3) * c + (8 * group + 4) * d
        late = (8 * group + 5) * e + (8 * group + 6) * f + (8 * group + 7) * g + (8 * group + 8) * h
        total = scale * (early + late) + shift * (64.0 * group + 36.0)
    else:
        even, odd = tl.join(tl.join(a, e), tl.join(c, g)), tl.join(tl.join(b, f), tl.join(d, h))
        y = scale[:, None] * tl.join(even, odd).reshape([low.shape[0], 8]) + shift[:, None]
        tl.store(out + (at[:, None] + tl.arange(0, 8)[None, :]), y.to(out.dtype.element_ty))
    return total


def finish(out: tensor, total: tensor, chunks: tensor, size: constexpr, digest: constexpr) -> None:
    """Store a program's sum, where only that is wanted."""
    if digest:
        c, first = place(chunks, size), tl.program_id(0) * size
        tl.store(out + tl.program_id(0), tl.sum(tl.where(c >= first, total * ((c & 63) + 1).to(tl.float32), 0.0), 0))


def bits(raw: Any, shifts: Any, mask: int, width: int) -> Any:
    """Return runs of `width` bytes, each run once for each shift, masked."""
    each = load("torch").tensor(list(shifts), dtype=raw.dtype, device=raw.device).view(1, 1, -1, 1)
    return ((raw.reshape(len(raw), -1, 1, width) >> each) & mask).flatten(1, 2)


def half(raw: Any, at: int) -> Any:
    """Return the fp16 number at byte `at` of each block, as fp32."""
    torch = load("torch")
    return raw[:, at : at + 2].contiguous().view(torch.float16).float()


def by_torch(kind: str, raw: Any) -> Any:
    """Return rows of weights in fp32 by this file's torch arithmetic, exact to the bit where gguf-py's is."""
    blocks = raw.reshape(-1, KINDS[kind].size)
    return globals()["torch_" + kind.lower()](blocks).reshape(len(raw), -1)


def by_gguf(kind: str, raw: Any) -> Any:
    """Return rows of weights in fp32 by gguf-py, on the CPU."""
    quants, torch = load("gguf.quants"), load("torch")
    return torch.from_numpy(quants.dequantize(raw.cpu().numpy(), load("gguf").GGMLQuantizationType[kind]).copy())


def shaped(spec: Kind, count: int, *, digest: bool, tile: tuple[int, int] = (0, 0)) -> tuple[int, int]:
    """Return how many chunks and warps a program has; one that only adds up has more, to spread the cost of its end."""
    chunks, warps = tile if tile[0] else spec.adding if digest else (spec.chunks, spec.warps)
    return min(chunks, 1 << (count.bit_length() - 1)), warps


def launch(kind: str, raw: Any, out: Any, *, digest: bool, tile: tuple[int, int] = (0, 0)) -> None:
    """Run this file's Triton kernel over contiguous blocks; into `out` go weights, or one sum a program."""
    spec, triton, torch = KINDS[kind], bind(), load("torch")
    count = raw.numel() // spec.size * spec.block // (8 * spec.groups)
    size, warps = shaped(spec, count, digest=digest, tile=tile)
    x = raw.reshape(-1).view(getattr(torch, spec.unit))
    more, grid = TABLES.get(kind, lambda *_: ())(kind, raw.device), (triton.cdiv(count, size),)
    globals()[kind.lower()][grid](x, out, count, size, digest, *more, num_warps=warps)


def by_triton(kind: str, raw: Any, dtype: Any) -> Any:
    """Return rows of weights by this file's Triton kernel."""
    spec, torch = KINDS[kind], load("torch")
    out = torch.full((len(raw), raw.shape[1] // spec.size * spec.block), math.nan, dtype=dtype, device=raw.device)
    launch(kind, raw, out, digest=False)
    return out


def find_vllm() -> Any:
    """Return vLLM's dequantization, or that of its plugin. Raises Missing where there is neither."""
    reasons: list[str] = []
    for name, ops in (("vllm._C_stable_libtorch", "_C"), ("vllm._C", "_C"), ("vllm_gguf_plugin.ops", "")):
        with tried(reasons):
            module = load(name)
            return getattr(load("torch").ops, ops).ggml_dequantize if ops else module.ggml_dequantize
    raise Missing("; ".join(reasons))


@contextlib.contextmanager
def tried(reasons: list[str]) -> Iterator[None]:
    """Go on without what is missing, and keep the reason."""
    try:
        yield
    except (Missing, AttributeError) as missing:
        reasons.append(str(missing))


def number(kind: str) -> int:
    """Return the number of a type in GGUF files."""
    return next(key for key, (name, *_) in TYPES.items() if name == kind)


def candidates() -> tuple[dict[str, Any], list[str]]:
    """Return the implementations that there are, each (kind, raw, dtype) -> weights, and what is missing."""
    gpu = load("torch").cuda.is_available()
    missing = [] if gpu else ["a GPU"]
    found: dict[str, Any] = {"torch": lambda kind, raw, dtype: by_torch(kind, raw).to(dtype)}
    with tried(missing):
        bind()
        if gpu or os.environ.get("TRITON_INTERPRET") == "1":
            found["triton"] = by_triton
    if gpu:
        with tried(missing):
            op = find_vllm()
            found["vllm"] = lambda kind, raw, dtype: op(
                raw, number(kind), len(raw), raw.shape[1] // KINDS[kind].size * KINDS[kind].block, dtype
            )
    return found, missing


def random_rows(kind: str, rows: int, seed: int, columns: int = COLUMNS) -> Any:
    """Return random blocks of a type: any bits but the scales, which are small."""
    torch, spec = load("torch"), KINDS[kind]
    draw = torch.Generator().manual_seed(seed)
    raw = torch.randint(0, 256, (rows * columns // spec.block, spec.size), dtype=torch.uint8, generator=draw)
    scales = (0.01 * torch.randn(len(raw), len(spec.halves), generator=draw)).half().view(torch.uint8)
    for n, at in enumerate(spec.halves):
        raw[:, at : at + 2] = scales[:, 2 * n : 2 * n + 2]
    MENDS.get(kind, lambda _: None)(raw)
    return raw.reshape(rows, -1)


def from_model(model: str, rows: int, seed: int) -> Iterator[Sample]:
    """Yield rows of the first, middle and last tensor of each role and type that this payload reads."""
    torch, files = load("torch"), shards(model)
    peers: dict[tuple[str, str], list[Tensor]] = {}
    for each in (each for shard in files for each in shard.tensors if each.type in KINDS):
        peers.setdefault((role(each.name), each.type), []).append(each)
    draw = torch.Generator().manual_seed(seed)
    for (_, kind), group in peers.items():
        for each in {0: group[0], len(group) // 2: group[len(group) // 2], len(group) - 1: group[-1]}.values():
            width = each.shape[0] // each.block * KINDS[kind].size
            total = each.size // width
            picked = sorted({*torch.randint(0, total, (rows,), generator=draw).tolist(), total - 1})
            data = next(shard.data for shard in files if each in shard.tensors)
            raw = b"".join(data[each.start + row * width : each.start + (row + 1) * width] for row in picked)
            yield Sample(kind, each.name, picked, torch.frombuffer(bytearray(raw), dtype=torch.uint8).view(-1, width))


def steps(values: Any) -> Any:
    """Return floats as their places on the line of all floats of their type: a difference counts ulps."""
    torch = load("torch")
    kind = {2: torch.int16, 4: torch.int32}[values.element_size()]
    places = values.contiguous().view(kind).long()
    return torch.where(places < 0, -(places & torch.iinfo(kind).max), places)


def compare(got: Any, want: Any, block: int, tiny: float = 0.0) -> dict[str, Any]:
    """Return how far weights are from fp32 ones: relL2, the worst error in parts of its block's maximum, ulps."""
    torch, dtype = load("torch"), got.dtype
    name, x, r = str(dtype).rpartition(".")[2], got.float().cpu(), want.float().cpu()
    off = ((x - r).abs().nan_to_num(math.inf, math.inf) - max(tiny, TINY[name])).clamp_min(0)
    peak = r.reshape(len(r), -1, block).abs().amax(2, keepdim=True).clamp_min(1e-30)
    excess = off.reshape(len(r), -1, block) / peak
    row, column = divmod(int(excess.flatten().argmax()), r.shape[1])
    return {
        "relL2": float(torch.linalg.vector_norm(off.double()) / torch.linalg.vector_norm(r.double()).clamp_min(1e-30)),
        "of_block_max": float(excess.max()),
        "ulps": int((steps(got.cpu()) - steps(r.to(dtype))).abs().max()),
        "non_finite": int((~x.isfinite() & r.isfinite()).sum()),
        "dtype": name,
        "worst": {"row": row, "column": column, "got": float(x[row, column]), "want": float(r[row, column])},
    }


def verdict(found: dict[str, Any], name: str, asked: str) -> str:
    """Return ``pass``, ``fail`` or ``between`` for a comparison of implementation `name`."""
    limits = (IN_HALF if name == "vllm" else LIMITS)[asked]
    worst = (found["of_block_max"], found["relL2"])
    if found["non_finite"] or found["dtype"] != asked or max(worst) > FAILS:
        return "fail"
    return "pass" if worst[0] <= limits[0] and worst[1] <= limits[1] else "between"


def vote(values: dict[str, Any], block: int) -> list[str]:
    """Return who stands against the majority; where there is none, against gguf-py's reference."""
    near = {name: [other for other in values if alike(values[name], values[other], block)] for name in sorted(values)}
    most = max(near, key=lambda name: (len(near[name]), "gguf" in near[name]))
    return [name for name in values if name not in near[most]]


def alike(one: Any, other: Any, block: int) -> bool:
    """Tell whether two implementations mean the same weights."""
    found = compare(one.float(), other, block)
    return not found["non_finite"] and max(found["of_block_max"], found["relL2"]) <= FAILS


def spoil(kind: str, raw: Any, what: str) -> Any:
    """Return blocks with a fault: the sign of their scales turned, or one bit of one code of one block."""
    spec, blocks = KINDS[kind], raw.clone().reshape(-1, KINDS[kind].size)
    if what == "scales":
        at, bit = SCALES.get(kind, ([byte + 1 for byte in spec.halves], 0x80))
        blocks[:, at] ^= bit
    else:
        blocks[len(blocks) // 2, CODES[kind]] ^= 0x0C
    return blocks.reshape(raw.shape)


def controls(kind: str, raw: Any, names: list[str]) -> list[dict[str, Any]]:
    """Return whether the judgement clears the reference, sees a fault of each sort, and names whoever has it."""
    block, want = KINDS[kind].block, by_gguf(kind, raw)
    wrong = {what: by_gguf(kind, spoil(kind, raw, what)) for what in ("scales", "one code")}
    same = verdict(compare(want, want, block), "gguf", "float32")
    cases = [("the reference against itself", "positive", same == "pass", "")]
    for what, values in wrong.items():
        seen = compare(values, want, block)
        passed = verdict(seen, "gguf", "float32") in (["fail"] if what == "scales" else ["fail", "between"])
        cases.append((f"{what} spoiled", "negative", passed, f"block maximum x {seen['of_block_max']:.2g}"))
    for name in names:
        named = vote({**dict.fromkeys(["gguf", *names], want), name: wrong["scales"]}, block)
        cases.append((f"{name} alone spoiled", "negative", named == [name], f"the vote names {', '.join(named)}"))
    return [{"name": f"{kind}: {n}", "kind": k, "passed": ok, "detail": more} for n, k, ok, more in cases]


def sums(kind: str, weights: Any, size: int) -> Any:
    """Return what the programs of a verifying kernel must find: the sum of weights, each times its place."""
    torch, spec = load("torch"), KINDS[kind]
    run = weights.double().reshape(-1, spec.groups, spec.width // 8, 8)
    place = torch.arange(1, 8 * spec.groups + 1, device=weights.device).double().view(1, spec.groups, 1, 8)
    chunk = (run * place).sum((1, 3)).flatten()
    chunk *= (torch.arange(len(chunk), device=weights.device) & 63) + 1
    return torch.nn.functional.pad(chunk, (0, -len(chunk) % size)).view(-1, size).sum(1)


def digest_error(kind: str, raw: Any) -> float:
    """Return how far the sums of the verifying kernel are from torch's, in parts of the sum of magnitudes."""
    torch, spec = load("torch"), KINDS[kind]
    weights = by_torch(kind, raw)
    size, _ = shaped(spec, weights.numel() // (8 * spec.groups), digest=True)
    wanted = sums(kind, weights, size)
    out = torch.full((len(wanted),), math.nan, device=raw.device)
    launch(kind, raw, out, digest=True)
    return float(((out.double() - wanted).abs() / sums(kind, weights.abs(), size)).nan_to_num(math.inf).max())


def judge(sample: Sample, found: dict[str, Any], device: str) -> tuple[list[dict[str, Any]], list[str]]:
    """Return a line for each implementation and output type, and whom the vote names."""
    torch, kind, block = load("torch"), sample.kind, KINDS[sample.kind].block
    raw, lines = sample.raw.to(device), []
    values = {"gguf": by_gguf(kind, sample.raw)}
    for name, run in found.items():
        if name == "vllm" and number(kind) not in VLLM_READS:
            continue
        # Triton's interpreter cuts to bfloat16 where a GPU rounds
        for asked in OUTPUTS[1:] if run is by_triton and device == "cpu" else OUTPUTS:
            line: dict[str, Any] = {"type": kind, "from": sample.origin, "by": name, "asked": asked}
            lines.append(line)
            try:
                got = run(kind, raw, getattr(torch, asked))
            except (RuntimeError, ValueError, NotImplementedError) as error:
                line.update(verdict="refused", of_block_max=0.0, error=str(error)[:300])
                continue
            line.update(compare(got, values["gguf"], block, TINY["float16"] if name == "vllm" else 0.0))
            line["verdict"] = verdict(line, name, asked)
            line["worst"]["row"] = sample.rows[line["worst"]["row"]]
            values[name] = got.float().cpu()
    if found.get("triton") is by_triton:
        off = digest_error(kind, raw)
        lines.append({"type": kind, "from": sample.origin, "by": "triton", "asked": "digest", "of_block_max": off,
                      "verdict": "pass" if off < SUMS else "fail"})  # fmt: skip
    return lines, vote(values, block)


def answer(key: str, lines: list[dict[str, Any]], otherwise: str) -> dict[str, Any]:
    """Return the finding that the lines of the implementations at stake support."""
    verdicts = Counter(line["verdict"] for line in lines)
    bad = [f"{each['by']} {each['type']} to {each['asked']}" for each in lines if each["verdict"] == "fail"]
    if otherwise or not lines:
        return {"hypothesis": key, "answer": "inconclusive", "why": otherwise or "no type here that it reads"}
    if bad:
        return {"hypothesis": key, "answer": "confirmed", "why": "wrong: " + ", ".join(sorted(set(bad))[:8])}
    told = f"{verdicts['pass']} within limits, {verdicts['between']} above, {verdicts['refused']} refused, none wrong"
    sound = verdicts["pass"] and not verdicts["between"]
    return {"hypothesis": key, "answer": "refuted" if sound else "inconclusive", "why": told}


def milliseconds(run: Callable[[], Any], times: int = 20) -> float:
    """Return the median time of a call on the GPU, by events."""
    torch, spent = load("torch"), []
    for warm in [False] * 3 + [True] * times:
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        run()
        end.record()
        end.synchronize()
        spent += [start.elapsed_time(end)] if warm else []
    return float(sorted(spent)[times // 2])


def copying() -> float:
    """Return the GPU's copy bandwidth in GB/s, read and written."""
    torch = load("torch")
    one, other = (torch.randint(0, 256, (1 << 30,), dtype=torch.uint8, device="cuda") for _ in range(2))
    return float(2 * one.numel() / milliseconds(lambda: other.copy_(one)) / 1e6)


def bench(kinds: list[str], found: dict[str, Any], million: int, device: str = "cuda") -> list[dict[str, Any]]:
    """Return a line for each type and implementation: time, bandwidth (read and written) and its part of a copy's."""
    torch, copy = load("torch"), copying()
    lines: list[dict[str, Any]] = [{"type": "-", "by": "copy", "GB/s": copy, "of copy": 1.0}]
    for kind in kinds:
        some = random_rows(kind, 256, 1, 8192).to(device)
        raw = some.repeat(max(1, million * 10**6 // (256 * 8192)), 1)
        count, read = raw.shape[0] * 8192, raw.numel()
        out = torch.empty(len(raw), 8192, dtype=torch.float16, device=device)
        runs: dict[str, Any] = {"triton": (lambda: launch(kind, raw, out, digest=False), 2 * count)}  # noqa: B023
        runs["triton digest"] = (lambda: launch(kind, raw, out.view(-1).view(torch.float32), digest=True), 0)  # noqa: B023
        if "vllm" in found and number(kind) in VLLM_READS:
            runs["vllm"] = (lambda: found["vllm"](kind, raw, torch.float16), 2 * count)  # noqa: B023
        for name, (run, written) in runs.items():
            spent = milliseconds(run)
            speed = (read + written) / spent / 1e6
            lines.append({"type": kind, "by": name, "ms": spent, "GB/s": speed, "of copy": speed / copy,
                          "G weights/s": count / spent / 1e6})  # fmt: skip
    return lines


def measure(given: argparse.Namespace) -> dict[str, Any]:
    """Decode samples by every implementation there is, hold each against gguf-py's and let them vote."""
    torch, quants = load("torch"), load("gguf.quants")
    found, missing = candidates()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    kinds = [kind for kind in KINDS if kind in (given.types or ",".join(KINDS)).split(",")]
    missing += [f"a gguf that decodes {kind}" for kind in kinds if kind != "F16" and not hasattr(quants, kind)]
    kinds = [kind for kind in kinds if kind == "F16" or hasattr(quants, kind)]
    samples = [Sample(k, "random", list(range(given.rows)), random_rows(k, given.rows, given.seed)) for k in kinds]
    checks = [check for each in samples for check in controls(each.kind, each.raw[:2], list(found))]
    if given.model:
        samples += [each for each in from_model(given.model, given.rows, given.seed) if each.kind in kinds]
    results = [judge(each, found, device) for each in samples]
    guilty = {f"{each.kind} {each.origin}": names for each, (_, names) in zip(samples, results) if names}
    times = bench(kinds, found, given.bench) if given.bench and device == "cuda" else []
    return {
        "status": "degraded" if missing else "ok",
        "detail": "without " + "; ".join(missing) if missing else "",
        "controls": checks,
        "sample": f"seed {given.seed}, {given.rows} rows each: " + ", ".join(f"{s.kind} {s.origin}" for s in samples),
        **told([line for some, _ in results for line in some], times, gpu=device == "cuda"),
        "details": {"device": torch.cuda.get_device_name() if device == "cuda" else "cpu", "guilty": guilty,
                    "lines": [line for some, _ in results for line in some], "bench": times},
    }  # fmt: skip


def measured(line: dict[str, Any], key: str) -> dict[str, Any]:
    """Return one number of a line as a measurement."""
    name = " ".join((line["type"], line["from"], line["by"], line["asked"], key))
    return {"name": name, "value": line[key], "unit": "ulp" if key == "ulps" else ""}


def told(lines: list[dict[str, Any]], times: list[dict[str, Any]], *, gpu: bool) -> dict[str, Any]:
    """Return the findings, measurements, thresholds and worst case that the lines amount to."""
    theirs = [line for line in lines if line["by"] == "vllm"]
    here = "" if gpu else "no GPU here: only the CPU's arithmetic was looked at"
    gone = here or ("" if theirs else "neither vLLM's kernel nor its plugin's was here for these types")
    limits = [*LIMITS.items(), *((f"vllm {name}", pair) for name, pair in IN_HALF.items()), ("fails", (FAILS, FAILS))]
    return {
        "findings": [answer("kernel-wrong", theirs, gone),
                     answer("device-wrong", [line for line in lines if line["by"] != "vllm"], here)],
        "measurements": [measured(each, key) for each in lines for key in MEASURES if key in each]
        + [{"name": f"{each['type']} {each['by']}", "value": each["GB/s"], "unit": "GB/s"} for each in times],
        "thresholds": [{"name": f"{name} {what}", "limit": limit}
                       for name, pair in limits for what, limit in zip(("of_block_max", "relL2"), pair)],
        "worst": max(lines, key=lambda line: float(line["of_block_max"]), default=None),
    }  # fmt: skip


# <<< dequantization


KINDS = {
    "Q2_K": Kind(256, 84, (80, 82), "int32"),
    "Q3_K": Kind(256, 110, (108,)),
    "Q4_K": Kind(256, 144, (0, 2), "int64", groups=2, width=32, chunks=128),
    "Q5_K": Kind(256, 176, (0, 2), "int64", groups=2, width=32, chunks=128),
    "Q6_K": Kind(256, 210, (208,), groups=2, width=64),
}
CODES = {"Q2_K": 40, "Q3_K": 40, "Q4_K": 60, "Q5_K": 90, "Q6_K": 30}
"""A byte of each type's blocks that holds codes of weights."""
SCALES: dict[str, tuple[list[int], int]] = {}
MENDS: dict[str, Any] = {}
TABLES: dict[str, Any] = {}
DEVICE = ["pairs"]


def six_bits(raw: Any) -> tuple[Any, Any]:
    """Return the eight scales and eight minimums that 12 bytes hold."""
    torch = load("torch")
    low, least, high = raw.reshape(-1, 3, 4).unbind(1)
    scale = torch.cat([low & 63, (high & 15) | ((low >> 2) & 48)], 1)
    return scale.float(), torch.cat([least & 63, (high >> 4) | ((least >> 2) & 48)], 1).float()


def torch_q2_k(raw: Any) -> Any:
    """Return the weights of Q2_K blocks."""
    codes = bits(raw[:, 16:80], (0, 2, 4, 6), 3, 32).reshape(-1, 16, 16).float()
    scale, least = half(raw, 80) * (raw[:, :16] & 15).float(), half(raw, 82) * (raw[:, :16] >> 4).float()
    return scale[:, :, None] * codes - least[:, :, None]


def torch_q3_k(raw: Any) -> Any:
    """Return the weights of Q3_K blocks."""
    codes = bits(raw[:, 32:96], (0, 2, 4, 6), 3, 32).float() - 4 * (1 - bits(raw[:, :32], range(8), 1, 32).float())
    low = bits(raw[:, 96:104], (0, 4), 15, 8).flatten(1)
    scale = (low | (bits(raw[:, 104:108], (0, 2, 4, 6), 3, 4).flatten(1) << 4)).float() - 32
    return (half(raw, 108) * scale)[:, :, None] * codes.reshape(-1, 16, 16)


def torch_q4_k(raw: Any) -> Any:
    """Return the weights of Q4_K blocks."""
    scale, least = six_bits(raw[:, 4:16])
    codes = bits(raw[:, 16:], (0, 4), 15, 32).float()
    return (half(raw, 0) * scale)[:, :, None] * codes - (half(raw, 2) * least)[:, :, None]


def torch_q5_k(raw: Any) -> Any:
    """Return the weights of Q5_K blocks."""
    scale, least = six_bits(raw[:, 4:16])
    codes = (bits(raw[:, 48:], (0, 4), 15, 32) | (bits(raw[:, 16:48], range(8), 1, 32) << 4)).float()
    return (half(raw, 0) * scale)[:, :, None] * codes - (half(raw, 2) * least)[:, :, None]


def torch_q6_k(raw: Any) -> Any:
    """Return the weights of Q6_K blocks."""
    low = bits(raw[:, :128], (0, 4), 15, 64).reshape(-1, 8, 32)
    codes = (low | (bits(raw[:, 128:192], (0, 2, 4, 6), 3, 32) << 4)).float() - 32
    scale = raw[:, 192:208].view(load("torch").int8).float()
    return (half(raw, 208) * scale)[:, :, None] * codes.reshape(-1, 16, 16)


def pairs(first: tensor, second: tensor, third: tensor, j: tensor) -> tensor:
    """Return the two scales and the two minimums of the j-th pair of runs, in the low bytes of words."""
    near, two = j < 2, 16 * (j & 1)  # noqa: PLR2004 - the first four scales lie apart from the last four
    scale = tl.where(near, first & 0x3F3F3F3F, (third & 0x0F0F0F0F) | ((first >> 2) & 0x30303030))
    least = tl.where(near, second & 0x3F3F3F3F, ((third >> 4) & 0x0F0F0F0F) | ((second >> 2) & 0x30303030))
    return scale >> two, least >> two


def q4_k(x: tensor, out: tensor, chunks: tensor, size: constexpr, digest: constexpr) -> None:
    """Decode 8 bytes a thread: 8 weights of their low nibbles, and 8 of the run after those of their high ones."""
    c = place(chunks, size)
    block = x + (c >> 4) * 18
    first, second, codes = tl.load(block), tl.load(block + 1), tl.load(block + 2 + (c & 15))
    head, third = first.to(tl.int32), (second >> 32).to(tl.int32)
    scale, least = pairs((first >> 32).to(tl.int32), second.to(tl.int32), third, (c >> 2) & 3)
    d, dmin = half_at(head, 0), -half_at(head, 16)
    low, high, at = codes.to(tl.int32), (codes >> 32).to(tl.int32), (c >> 2).to(tl.int64) * 64 + (c & 3) * 8
    a, b = d * part(scale, 0, 63, 0, chunks), dmin * part(least, 0, 63, 0, chunks)
    total = emit(out, at, low, high, a, b, chunks, 0, 15, 0, digest)
    a, b = d * part(scale, 1, 63, 0, chunks), dmin * part(least, 1, 63, 0, chunks)
    total += emit(out, at + 32, low >> 4, high >> 4, a, b, chunks, 1, 15, 0, digest)
    finish(out, total, chunks, size, digest)


def q5_k(x: tensor, out: tensor, chunks: tensor, size: constexpr, digest: constexpr) -> None:
    """Decode as `q4_k` does, with a fifth bit of each weight from 8 bytes that all runs share."""
    c = place(chunks, size)
    block, j = x + (c >> 4) * 22, (c >> 2) & 3
    first, second, codes = tl.load(block), tl.load(block + 1), tl.load(block + 6 + (c & 15))
    fifth = tl.load(block + 2 + (c & 3)) >> (2 * j).to(tl.int64)
    head, third = first.to(tl.int32), (second >> 32).to(tl.int32)
    scale, least = pairs((first >> 32).to(tl.int32), second.to(tl.int32), third, j)
    d, dmin = half_at(head, 0), -half_at(head, 16)
    low, high, at = codes.to(tl.int32), (codes >> 32).to(tl.int32), (c >> 2).to(tl.int64) * 64 + (c & 3) * 8
    near, far = fifth.to(tl.int32), (fifth >> 32).to(tl.int32)
    a, b = d * part(scale, 0, 63, 0, chunks), dmin * part(least, 0, 63, 0, chunks)
    one, other = (low & 0x0F0F0F0F) | ((near & 0x01010101) << 4), (high & 0x0F0F0F0F) | ((far & 0x01010101) << 4)
    total = emit(out, at, one, other, a, b, chunks, 0, 31, 0, digest)
    a, b = d * part(scale, 1, 63, 0, chunks), dmin * part(least, 1, 63, 0, chunks)
    one, other = (
        ((low >> 4) & 0x0F0F0F0F) | ((near & 0x02020202) << 3),
        ((high >> 4) & 0x0F0F0F0F) | ((far & 0x02020202) << 3),
    )
    total += emit(out, at + 32, one, other, a, b, chunks, 1, 31, 0, digest)
    finish(out, total, chunks, size, digest)


def q6_k(x: tensor, out: tensor, chunks: tensor, size: constexpr, digest: constexpr) -> None:
    """Decode 8 weights a thread of the low nibbles of 8 bytes, and 8 of their high ones, 64 weights on."""
    c = place(chunks, size)
    block, n, g, t = x + (c >> 4) * 105, (c >> 3) & 1, (c >> 2) & 1, c & 3
    low, high = words(block + (n * 32 + g * 16 + t * 4))
    near, far = words(block + 64 + (n * 16 + t * 4))
    first, second = tl.load(block + 96 + (n * 4 + g)).to(tl.int32), tl.load(block + 98 + (n * 4 + g)).to(tl.int32)
    d = tl.load(block + 104).to(tl.float16, bitcast=True).to(tl.float32)
    at, up, near, far = (c >> 3).to(tl.int64) * 128 + (c & 7) * 8, 24 - (t >> 1) * 8, near >> g * 2, far >> g * 2
    scale = d * ((first << up) >> 24).to(tl.float32)
    one, other = (low & 0x0F0F0F0F) | ((near & 0x03030303) << 4), (high & 0x0F0F0F0F) | ((far & 0x03030303) << 4)
    total = emit(out, at, one, other, scale, scale * 0, chunks, 0, 63, 32, digest)
    scale = d * ((second << up) >> 24).to(tl.float32)
    one, other = ((low >> 4) & 0x0F0F0F0F) | (near & 0x30303030), ((high >> 4) & 0x0F0F0F0F) | (far & 0x30303030)
    total += emit(out, at + 64, one, other, scale, scale * 0, chunks, 1, 63, 32, digest)
    finish(out, total, chunks, size, digest)


def q2_k(x: tensor, out: tensor, chunks: tensor, size: constexpr, digest: constexpr) -> None:
    """Decode 8 weights a thread."""
    c = place(chunks, size)
    block, n, g, t = x + (c >> 5) * 21, (c >> 4) & 1, (c >> 2) & 3, c & 3
    here = block + 4 + (n * 8 + t * 2)
    low, high, heads = tl.load(here) >> g * 2, tl.load(here + 1) >> g * 2, tl.load(block + 20)
    which = n * 8 + g * 2 + (t >> 1)
    scale = tl.load(block + (which >> 2)) >> (which & 3) * 8
    a, b = half_at(heads, 0) * (scale & 15).to(tl.float32), -half_at(heads, 16) * ((scale >> 4) & 15).to(tl.float32)
    total = emit(out, c.to(tl.int64) * 8, low, high, a, b, chunks, 0, 3, 0, digest)
    finish(out, total, chunks, size, digest)


def q3_k(x: tensor, out: tensor, chunks: tensor, size: constexpr, digest: constexpr) -> None:
    """Decode 8 weights a thread: their third bit says that 4 is not to be taken away."""
    c = place(chunks, size)
    block, n, g, t = x + (c >> 5) * 55, (c >> 4) & 1, (c >> 2) & 3, c & 3
    low, high = words(block + 16 + (n * 16 + t * 4))
    near, far = words(block + t * 4)
    low, high = (low >> g * 2) & 0x03030303, (high >> g * 2) & 0x03030303
    near, far = ((near >> n * 4 + g) & 0x01010101) << 2, ((far >> n * 4 + g) & 0x01010101) << 2
    which = n * 8 + g * 2 + (t >> 1)
    four = tl.load(block + 48 + ((which & 7) >> 1)).to(tl.int32) >> (which & 1) * 8 + (which >> 3) * 4
    two = tl.load(block + 52 + ((which & 3) >> 1)).to(tl.int32) >> (which & 1) * 8 + (which >> 2) * 2
    d = tl.load(block + 54).to(tl.float16, bitcast=True).to(tl.float32)
    scale = d * (((four & 15) | ((two & 3) << 4)) - 32).to(tl.float32)
    total = emit(out, c.to(tl.int64) * 8, low | near, high | far, scale, scale * 0, chunks, 0, 7, 4, digest)
    finish(out, total, chunks, size, digest)


if __name__ == "__main__":
    main(measure)
