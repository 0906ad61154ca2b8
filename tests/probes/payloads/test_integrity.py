"""gguf.integrity against a whole file, one that ends early, one with an infinite scale, one with a hole."""

from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest

PLACE = "gguf/integrity.py"
FIELDS = {"general.architecture": "llama", "llama.block_count": 2}


@pytest.fixture
def model(tmp_path: Path, write_gguf: Any) -> Path:
    chance = np.random.default_rng(3)
    kind = gguf.GGMLQuantizationType.Q8_0
    tensors = {
        f"blk.{n}.attn_q.weight": gguf.quants.quantize(chance.normal(0, 1, (64, 1024)).astype(np.float32), kind)
        for n in range(2)
    }
    tensors["output.weight"] = gguf.quants.quantize(chance.normal(0, 1, (4096, 1024)).astype(np.float32), kind)
    path: Path = write_gguf(tmp_path / "m.gguf", tensors, FIELDS, types=dict.fromkeys(tensors, "Q8_0"))
    return path


def finding(run_payload: Any, model: Path, *words: str) -> tuple[str, str]:
    document = run_payload(PLACE, "--model", str(model), *words)
    (found,) = document.findings
    return found.answer, found.why


def place_of(model: Path, name: str) -> int:
    tensor = next(each for each in gguf.GGUFReader(model).tensors if each.name == name)
    return int(tensor.data_offset)


def test_a_whole_file_is_cleared(run_payload: Any, model: Path) -> None:
    assert finding(run_payload, model) == ("refuted", "3 tensors lie whole; the scales of 3 are finite")


def test_a_download_that_broke_off_is_named_with_what_is_missing(run_payload: Any, model: Path) -> None:
    whole = model.read_bytes()
    model.write_bytes(whole[:-10_000])
    assert finding(run_payload, model) == (
        "confirmed", "output.weight: 10,000 bytes of it lie behind the file's end",
    )  # fmt: skip


def test_an_infinite_scale_is_named_with_its_block(run_payload: Any, model: Path) -> None:
    data = bytearray(model.read_bytes())
    start = place_of(model, "blk.1.attn_q.weight") + 77 * 34
    data[start : start + 2] = b"\x00\xfc"
    model.write_bytes(bytes(data))
    answer, why = finding(run_payload, model, "--blocks", "0")
    assert (answer, why) == ("confirmed", "blk.1.attn_q.weight: the scale of block 77 is not finite")


def test_a_hole_of_zeros_leaves_it_open(run_payload: Any, model: Path) -> None:
    data = bytearray(model.read_bytes())
    start = place_of(model, "output.weight")
    data[start : start + (1 << 20)] = bytes(1 << 20)
    model.write_bytes(bytes(data))
    answer, why = finding(run_payload, model)
    assert answer == "inconclusive"
    assert why.endswith("output.weight: a MiB of nothing but zeros")
