"""A split model of 10 GB (sparse on disk), 1,809 tensors, 154,880 tokens: static probes read it in little memory."""

import struct
import sys
from collections.abc import Iterable, Iterator
from math import prod
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest

LAUNCHER = """
import re, runpy, sys
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
with open("memory", "w") as file:
    file.write(re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())[1])  # ru_maxrss counts the parent
"""
KINDS = {"F32": 0, "Q8_0": 8, "Q4_K": 12, "Q6_K": 14}
SHAPES = {
    "token_embd": ((1024, 154880), "Q6_K"),
    "output": ((1024, 154880), "Q6_K"),
    "attn_k_b": ((192, 512, 8), "Q8_0"),
    "attn_v_b": ((512, 256, 8), "Q8_0"),
}


def shape_of(name: str) -> tuple[tuple[int, ...], str]:
    part = name.removesuffix(".weight").split(".", 2)[-1]
    if part in SHAPES:
        return SHAPES[part]
    if "norm" in part or part.startswith("exp_probs"):
        return (1024,), "F32"
    return ((1024, 512, 128) if part.endswith("_exps") else (1024, 2048)), "Q4_K"


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value.encode())) + value.encode()


def field(key: str, value: Any) -> bytes:
    if isinstance(value, list):
        return text(key) + struct.pack("<IIQ", 9, 8, len(value)) + b"".join(map(text, value))
    return text(key) + (struct.pack("<I", 8) + text(value) if isinstance(value, str) else struct.pack("<II", 4, value))


def placed(names: Iterable[str]) -> Iterator[tuple[str, tuple[int, ...], str, int, int]]:
    """Yield name, shape, type, offset and size, one tensor behind the other."""
    offset = 0
    for name in names:
        shape, kind = shape_of(name)
        block, width = gguf.GGML_QUANT_SIZES[gguf.GGMLQuantizationType[kind]]
        size = prod(shape) // block * width
        yield name, shape, kind, offset, size
        offset += -(-size // 32) * 32


def write_shard(path: Path, names: Iterable[str], fields: dict[str, Any]) -> None:
    tensors = list(placed(names))
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(fields))
    head += b"".join(field(key, value) for key, value in fields.items())
    for name, shape, kind, offset, _ in tensors:
        head += text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, KINDS[kind], offset)
    start = -(-len(head) // 32) * 32
    values = np.random.default_rng(1).normal(0, 0.02, (1 << 15, 32)).astype(np.float32)
    filling = gguf.quants.quantize(values, gguf.GGMLQuantizationType.Q8_0).tobytes()
    with path.open("wb") as file:
        file.write(head)
        for name, _, kind, offset, size in tensors:
            if kind == "Q8_0" or name == "output.weight":  # what is looked at in full must not be empty
                file.seek(start + offset)
                file.write(filling[:size])
        file.truncate(start + tensors[-1][3] + tensors[-1][4])


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory, glm: Any) -> Path:
    folder = tmp_path_factory.mktemp("large")
    for number in range(3):
        fields: dict[str, Any] = {"general.architecture": "glm-dsa", "split.no": number, "split.count": 3}
        if number == 0:
            fields = {**glm.fields, **fields, "split.tensors.count": 1809}
            fields["tokenizer.ggml.tokens"] = [f"token{n}" for n in range(154880)]
            fields["tokenizer.ggml.merges"] = [f"to{n} ken{n}" for n in range(321649)]
        write_shard(folder / f"l-{number + 1:05}-of-00003.gguf", glm.names[number * 603 : (number + 1) * 603], fields)
    assert sum(path.stat().st_size for path in folder.iterdir()) > 10e9
    return folder


PROBES = {
    "gguf/counts.py": {"tensors-missing": "refuted", "tensors-stray": "refuted"},
    "gguf/namemap.py": {"map-empty": "refuted", "tensors-dropped": "confirmed", "names-foreign": "refuted"},
    "gguf/tensor_types.py": {"type-unreadable": "refuted", "rows-misfit": "refuted"},
    "gguf/tied_head.py": {"head-tied-by-split": "confirmed"},
    "gguf/tp_alignment.py": {"tp-cuts-block": "inconclusive"},
    "gguf/mixed_fused.py": {"fused-mixed": "refuted", "experts-mixed": "refuted"},
    "weights/stats.py": {},
    "mla/kv_b.py": {"kv-b-malformed": "refuted"},
}


@pytest.mark.parametrize("place", PROBES)
def test_it_is_read_in_little_memory(
    run_payload: Any, large: Path, place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    document = run_payload(place, "--model", str(large), python=(sys.executable, "-c", LAUNCHER))
    assert document.status == "ok"
    found = {finding.hypothesis: finding.answer for finding in document.findings}
    assert {key: found[key] for key in PROBES[place]} == PROBES[place]
    assert int((tmp_path / "memory").read_text()) < 300_000  # KiB
