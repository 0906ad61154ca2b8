"""weights.stats: eight layers alike are cleared; a scaled, zeroed, holed or spiked tensor among them is named."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest

PLACE = "weights/stats.py"
FIELDS = {"general.architecture": "llama", "llama.block_count": 8}
LAYERS = range(8)


def k_blocks(rows: int, columns: int, seed: int) -> Any:
    """Return random Q4_K blocks with scales of an ordinary size."""
    blocks = np.random.default_rng(seed).integers(0, 256, (rows, columns // 256, 144), dtype=np.uint8)
    blocks[..., 0:4] = np.array([0.0005, 0.004], np.float16).view(np.uint8)
    return blocks.reshape(rows, -1)


def healthy() -> tuple[dict[str, Any], dict[str, str]]:
    """Return tensors and their types: F32, F16, BF16, a legacy type and a K type."""
    dice = np.random.default_rng(7)
    tensors: dict[str, Any] = {"token_embd.weight": dice.normal(0, 0.009, (64, 256)).astype(np.float32)}
    types: dict[str, str] = {}
    for n in LAYERS:
        made = dice.normal(0, 0.02 + 0.001 * n, (16, 256)).astype(np.float32)
        tensors[f"blk.{n}.attn_norm.weight"] = dice.normal(1, 0.1, 256).astype(np.float32)
        tensors[f"blk.{n}.attn_q.weight"] = made.astype(np.float16)
        for part, kind in (("attn_k", "BF16"), ("ffn_up", "Q8_0")):
            tensors[f"blk.{n}.{part}.weight"] = gguf.quants.quantize(made, gguf.GGMLQuantizationType[kind])
            types[f"blk.{n}.{part}.weight"] = kind
        tensors[f"blk.{n}.ffn_down.weight"] = k_blocks(16, 512, n)
        types[f"blk.{n}.ffn_down.weight"] = "Q4_K"
    return tensors, types


@pytest.fixture
def look(run_payload: Any, write_gguf: Any, tmp_path: Path) -> Any:
    def run(change: Callable[[dict[str, Any]], None], *words: str, shards: int = 1) -> Any:
        tensors, types = healthy()
        change(tensors)
        path = write_gguf(tmp_path / "m.gguf", tensors, FIELDS, types=types, shards=shards)
        return run_payload(PLACE, "--model", str(path), *words)

    return run


def test_peers_alike_are_cleared(look: Any) -> None:
    document = look(lambda _: None, shards=3)
    assert (document.status, document.findings[0].answer) == ("ok", "refuted")
    assert document.details["stand out"] == {}
    assert document.findings[0].why == "41 tensors are like their peers; this clears corruption, not misplacement"
    roles = document.details["roles"]
    assert roles["token_embd.weight"]["std"] == pytest.approx(0.009, rel=0.02)
    for part in ("attn_q", "attn_k", "ffn_up"):
        assert roles[f"blk.N.{part}.weight"]["std"] == pytest.approx(0.0235, rel=0.05)
    assert 0.001 < roles["blk.N.ffn_down.weight"]["std"] < 0.5


def scale(tensors: dict[str, Any]) -> None:
    tensors["blk.3.attn_q.weight"] = tensors["blk.3.attn_q.weight"] * np.float16(50)


def zero(tensors: dict[str, Any]) -> None:
    tensors["blk.3.attn_q.weight"] = np.zeros_like(tensors["blk.3.attn_q.weight"])


def spike(tensors: dict[str, Any]) -> None:
    tensors["blk.3.attn_q.weight"][9, 99] = 3000


def hole(tensors: dict[str, Any]) -> None:
    tensors["blk.3.ffn_down.weight"][4, 144:146] = np.array([np.nan], np.float16).view(np.uint8)


@pytest.mark.parametrize(
    ("change", "name", "words"),
    [
        (scale, "blk.3.attn_q.weight", "times off its peers' median"),
        (zero, "blk.3.attn_q.weight", "100% zeros, peers 0%"),
        (spike, "blk.3.attn_q.weight", "absmax 3e+03 is"),
        (hole, "blk.3.ffn_down.weight", "256 of 8,192 weights are not finite"),
    ],
)
def test_a_damaged_tensor_is_named(look: Any, change: Any, name: str, words: str) -> None:
    document = look(change)
    assert document.findings[0].answer == "confirmed"
    assert list(document.details["stand out"]) == [name]
    assert words in document.details["stand out"][name]
    assert document.worst["tensor"] == name


def test_a_seed_takes_the_same_rows_again(look: Any) -> None:
    first, again, other = (look(lambda _: None, "--sample", "1024", "--seed", seed) for seed in ("1", "1", "2"))
    assert first.details == again.details
    assert first.details != other.details


def test_a_cut_file_is_degraded_not_lost(look: Any, run_payload: Any, tmp_path: Path) -> None:
    look(lambda _: None)
    path = tmp_path / "m.gguf"
    path.write_bytes(path.read_bytes()[:-3000])
    document = run_payload(PLACE, "--model", str(path))
    assert document.status == "degraded"
    assert document.detail.startswith("1 tensors could not be read, e.g. blk.7.ffn_down.weight")
