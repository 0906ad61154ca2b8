"""mla.kv_b: the right layout is cleared, each wrong one is named, and halves that do not fit are found."""

import json
import struct
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest

PLACE = "mla/kv_b.py"
H, P, V, L = 8, 64, 96, 128
FIELDS = {
    "general.architecture": "glm-dsa",
    "glm-dsa.block_count": 3,
    "glm-dsa.attention.head_count": H,
    "glm-dsa.attention.head_count_kv": 1,
    "glm-dsa.attention.kv_lora_rank": L,
    "glm-dsa.attention.key_length_mla": P + 32,
    "glm-dsa.attention.value_length_mla": V,
    "glm-dsa.rope.dimension_count": 32,
}
DICE = np.random.default_rng(3)
WHOLE = DICE.normal(0, 0.02, (H, P + V, L)).astype(np.float32)
"""kv_b_proj of layer 1, as the original checkpoint would have it."""


def halves(whole: Any) -> tuple[Any, Any]:
    """Return the two halves as llama.cpp's conversion makes them: K transposed, V as it is."""
    return np.ascontiguousarray(whole[:, :P].transpose(0, 2, 1)), np.ascontiguousarray(whole[:, P:])


@pytest.fixture
def model(write_gguf: Any, tmp_path: Path) -> Any:
    def write(*, kind: str = "Q8_0", fields: Any = FIELDS, **changed: Any) -> Path:
        tensors, types = {}, {}
        for layer in range(3):
            whole = WHOLE if layer == 1 else DICE.normal(0, 0.02, WHOLE.shape).astype(np.float32)
            for half, array in zip(("k_b", "v_b"), halves(whole), strict=True):
                array = changed.get(half, lambda array: array)(array) if layer == 1 else array  # noqa: PLW2901
                name = f"blk.{layer}.attn_{half}.weight"
                tensors[name] = gguf.quants.quantize(array, gguf.GGMLQuantizationType[kind])
                types[name] = kind
        path: Path = write_gguf(tmp_path / "m.gguf", tensors, fields, types=types)
        return path

    return write


def answers(document: Any) -> dict[str, str]:
    return {finding.hypothesis: finding.answer for finding in document.findings}


def dump(tmp_path: Path, array: Any) -> tuple[str, ...]:
    np.save(tmp_path / "dump.npy", array)
    return ("--layer", "1", "--fused", str(tmp_path / "dump.npy"))


def test_sound_halves_are_cleared_and_the_wrong_layouts_are_seen(run_payload: Any, model: Any) -> None:
    document = run_payload(PLACE, "--model", str(model()))
    assert document.status == "ok"
    assert answers(document) == {"kv-b-layout": "inconclusive", "kv-b-malformed": "refuted"}
    assert document.details["wanted"] == {"H": H, "P": P, "V": V, "L": L}
    assert [(control.kind, control.passed) for control in document.controls] == [("positive", True)] + [
        ("negative", True)
    ] * 4


def test_the_right_matrix_is_cleared(run_payload: Any, model: Any, tmp_path: Path) -> None:
    document = run_payload(PLACE, "--model", str(model()), *dump(tmp_path, WHOLE.reshape(-1, L)))
    assert answers(document) == {"kv-b-layout": "refuted", "kv-b-malformed": "refuted"}
    score = next(each.value for each in document.measurements if each.name.endswith("head by head, K then V"))
    assert 0.001 < score < 0.01


K, VALUES = halves(WHOLE)
WRONG = {
    "all K, then all V": np.concatenate([WHOLE[:, :P].reshape(-1, L), WHOLE[:, P:].reshape(-1, L)]),
    "K reshaped, not transposed": np.concatenate([K.reshape(H, P, L), VALUES], axis=1).reshape(-1, L),
    "V before K": np.concatenate([WHOLE[:, P:], WHOLE[:, :P]], axis=1).reshape(-1, L),
    "heads shifted by one": np.roll(WHOLE, 1, axis=0).reshape(-1, L),
}


@pytest.mark.parametrize("layout", WRONG)
def test_a_wrong_layout_is_named(run_payload: Any, model: Any, tmp_path: Path, layout: str) -> None:
    document = run_payload(PLACE, "--model", str(model()), *dump(tmp_path, WRONG[layout]))
    assert answers(document)["kv-b-layout"] == "confirmed"
    assert f"it is laid out as: {layout}" in document.findings[0].why


def test_another_layers_matrix_is_no_layout_at_all(run_payload: Any, model: Any, tmp_path: Path) -> None:
    other = np.random.default_rng(9).normal(0, 0.02, (H * (P + V), L)).astype(np.float32)
    document = run_payload(PLACE, "--model", str(model()), *dump(tmp_path, other))
    assert answers(document)["kv-b-layout"] == "confirmed"
    assert document.findings[0].why.startswith("relative L2 1.4 from the right layout, nearest: ")


def test_a_rank_holds_its_own_heads(run_payload: Any, model: Any, tmp_path: Path) -> None:
    rank = dump(tmp_path, WHOLE[4:6].reshape(-1, L))
    right = run_payload(PLACE, "--model", str(model()), *rank, "--tp", "4", "--rank", "2")
    wrong = run_payload(PLACE, "--model", str(model()), *rank, "--tp", "4", "--rank", "1")
    assert (answers(right)["kv-b-layout"], answers(wrong)["kv-b-layout"]) == ("refuted", "confirmed")


def test_an_original_in_safetensors_is_read(run_payload: Any, model: Any, tmp_path: Path) -> None:
    values = (WHOLE.reshape(-1, L).view(np.uint32) >> 16).astype(np.uint16).tobytes()
    entry = {"dtype": "BF16", "shape": [H * (P + V), L], "data_offsets": [0, len(values)]}
    head = json.dumps({"a.kv_b_proj.weight": entry}).encode()
    (tmp_path / "o.safetensors").write_bytes(struct.pack("<Q", len(head)) + head + values)
    words = ("--layer", "1", "--fused", f"{tmp_path}/o.safetensors:a.kv_b_proj.weight")
    document = run_payload(PLACE, "--model", str(model()), *words)
    assert answers(document)["kv-b-layout"] == "refuted"


def test_head_count_kv_is_not_taken_for_the_heads(run_payload: Any, model: Any, tmp_path: Path) -> None:
    config = {"num_attention_heads": 1, "qk_nope_head_dim": P, "v_head_dim": V, "kv_lora_rank": L}
    (tmp_path / "config.json").write_text(json.dumps(config))
    document = run_payload(PLACE, "--model", str(model()), "--config", str(tmp_path))
    assert answers(document)["kv-b-malformed"] == "confirmed"
    assert "blk.0.attn_k_b.weight: H is 8, not 1" in document.findings[1].why


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"k_b": lambda k: np.ascontiguousarray(k.transpose(0, 2, 1))}, "blk.1.attn_k_b.weight: P is 128, not 64"),
        ({"v_b": lambda v: np.concatenate([v[:3], v[3:4] * 0, v[4:]])}, "blk.1 v_b: heads [3] are nearly zero"),
        ({"k_b": lambda k: k * 50}, "blk.1: k_b is 50 times as wide as v_b"),
        ({"v_b": lambda v: v[:4]}, "blk.1.attn_k_b.weight: H is 4, not 8"),
    ],
    ids=["not transposed", "zeroed head", "scaled", "half the heads"],
)
def test_halves_that_do_not_fit_are_named(run_payload: Any, model: Any, changed: Any, words: str) -> None:
    document = run_payload(PLACE, "--model", str(model(**changed)))
    assert answers(document)["kv-b-malformed"] == "confirmed"
    assert words in document.findings[1].why
    assert len(document.controls) == 5


def test_a_file_with_the_whole_matrix_needs_no_rebuilding(run_payload: Any, write_gguf: Any, tmp_path: Path) -> None:
    path = write_gguf(tmp_path / "old.gguf", {"blk.0.attn_kv_b.weight": WHOLE.reshape(-1, L)}, FIELDS)
    document = run_payload(PLACE, "--model", str(path))
    assert (document.status, document.findings) == ("blocked", ())
    assert "there is nothing to rebuild" in document.detail


def test_a_layer_that_is_not_there_is_said(run_payload: Any, model: Any) -> None:
    document = run_payload(PLACE, "--model", str(model()), "--layer", "9")
    assert (document.status, document.detail) == ("blocked", "needs --layer: one of [0, 1, 2]")
