"""Small GGUF files by gguf's own writer, with or without a fault, and payloads run as a person would run them."""

import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import gguf
import numpy as np
import pytest

from probes import envelope
from sessions.models.probe import ProbeDocument

PAYLOADS = Path(__file__).parents[2] / "probes" / "payloads"

Tensors = dict[str, np.ndarray[Any, Any]]


class RunPayload(Protocol):
    def __call__(self, place: str, *words: str, python: tuple[str, ...] = ()) -> ProbeDocument: ...


@pytest.fixture(scope="session")
def run_payload() -> RunPayload:
    """Run a payload file in an interpreter of its own and return what it printed."""

    def run(place: str, *words: str, python: tuple[str, ...] = ()) -> ProbeDocument:
        command = [*(python or (sys.executable, "-I")), str(PAYLOADS / place), *words]
        done = subprocess.run(command, capture_output=True, check=False)
        document = envelope.read(done.stdout)
        assert document is not None, done.stderr.decode()
        assert done.returncode == 0
        return document

    return run


class WriteGGUF(Protocol):
    def __call__(
        self, path: Path, tensors: Tensors, fields: Mapping[str, Any], *, types: Mapping[str, str] = {}, shards: int = 1
    ) -> Path: ...


def _add_fields(writer: gguf.GGUFWriter, fields: Mapping[str, Any]) -> None:
    for key, value in fields.items():
        if isinstance(value, bool):
            writer.add_bool(key, value)
        elif isinstance(value, int):
            writer.add_uint32(key, value)
        elif isinstance(value, float):
            writer.add_float32(key, value)
        elif isinstance(value, str):
            writer.add_string(key, value)
        else:
            writer.add_array(key, value)


@pytest.fixture(scope="session")
def write_gguf() -> WriteGGUF:
    """Write tensors (numpy order) as a GGUF file; return its path, or that of its first shard.

    A type in `types` says as what a tensor's raw bytes are declared; without one the array's own dtype is.
    """

    def write(
        path: Path, tensors: Tensors, fields: Mapping[str, Any], *, types: Mapping[str, str] = {}, shards: int = 1
    ) -> Path:
        most = -(-len(tensors) // shards) if shards > 1 else 0
        rest = {key: value for key, value in fields.items() if key != "general.architecture"}
        writer = gguf.GGUFWriter(path, str(fields["general.architecture"]), split_max_tensors=most)
        _add_fields(writer, rest)
        for name, array in tensors.items():
            raw = gguf.GGMLQuantizationType[types[name]] if name in types else None
            writer.add_tensor(name, array, raw_dtype=raw)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()
        return path if shards == 1 else path.with_name(f"{path.stem}-00001-of-{shards:05}.gguf")

    return write


GLM_FIELDS: dict[str, Any] = {
    "general.architecture": "glm-dsa",
    "glm-dsa.block_count": 79,
    "glm-dsa.leading_dense_block_count": 3,
    "glm-dsa.nextn_predict_layers": 1,
    "glm-dsa.expert_count": 256,
    "glm-dsa.expert_used_count": 8,
    "glm-dsa.expert_shared_count": 1,
    "glm-dsa.expert_gating_func": 2,
    "glm-dsa.attention.q_lora_rank": 2048,
}
"""The header of the reference model, as far as the probes read it."""

_ATTENTION = (
    "attn_norm", "attn_q_a", "attn_q_a_norm", "attn_q_b", "attn_kv_a_mqa", "attn_kv_a_norm", "attn_k_b",
    "attn_v_b", "attn_output", "ffn_norm", "indexer.k_norm", "indexer.proj", "indexer.attn_k", "indexer.attn_q_b",
)  # fmt: skip
_EXPERTS = ("gate_inp", "gate_exps", "up_exps", "down_exps", "gate_shexp", "up_shexp", "down_shexp")


def _glm_block(number: int) -> list[str]:
    parts = [f"{part}.weight" for part in _ATTENTION] + ["indexer.k_norm.bias"]
    if number < 3:
        parts += [f"ffn_{part}.weight" for part in ("gate", "up", "down")]
    else:
        parts += [f"ffn_{part}.weight" for part in _EXPERTS] + ["exp_probs_b.bias"]
    if number == 78:
        parts += [f"nextn.{part}.weight" for part in ("eh_proj", "enorm", "hnorm", "shared_head_norm")]
    return [f"blk.{number}.{part}" for part in parts]


def _glm_names() -> tuple[str, ...]:
    names = ["token_embd.weight", "output_norm.weight", "output.weight"]
    return tuple(names + [name for number in range(79) for name in _glm_block(number)])


@dataclass(frozen=True)
class Glm:
    """The reference model's header and its 1,809 names, written down apart from the probes; one number each."""

    write_gguf: WriteGGUF
    names: tuple[str, ...] = field(default_factory=_glm_names)
    fields: Mapping[str, Any] = field(default_factory=lambda: dict(GLM_FIELDS))

    def write(self, path: Path, *, lost: tuple[str, ...] = (), added: tuple[str, ...] = (), shards: int = 1) -> Path:
        names = [name for name in (*self.names, *added) if name not in lost]
        tensors: Tensors = {name: np.ones(1, np.float32) for name in names}
        return self.write_gguf(path, tensors, GLM_FIELDS, shards=shards)


@pytest.fixture(scope="session")
def glm(write_gguf: WriteGGUF) -> Glm:
    """The reference model, where only names count."""
    return Glm(write_gguf)
