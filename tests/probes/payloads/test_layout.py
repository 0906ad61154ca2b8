"""gguf.types, gguf.tied_head, gguf.tp_alignment and gguf.mixed_fused: one injected fault and one sound file each."""

import json
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest


def raw(rows: int, columns: int, kind: str) -> Any:
    """Return bytes of a quantized matrix; what they mean does not matter here."""
    block, size = gguf.GGML_QUANT_SIZES[gguf.GGMLQuantizationType[kind]]
    return np.zeros((rows, columns // block * size), np.uint8)


@pytest.fixture
def run(run_payload: Any, write_gguf: Any, tmp_path: Path) -> Any:
    """Write a model of the given (rows, columns, type) matrices and run a payload on it."""

    def look(place: str, matrices: dict[str, tuple[int, int, str]], *words: str, shards: int = 1) -> Any:
        tensors = {f"{name}.weight": raw(*matrix) for name, matrix in matrices.items()}
        types = {f"{name}.weight": matrix[2] for name, matrix in matrices.items()}
        fields = {"general.architecture": "llama", "llama.block_count": 1}
        path = write_gguf(tmp_path / "m.gguf", tensors, fields, types=types, shards=shards)
        return run_payload(place, "--model", str(path), *words)

    return look


def answers(document: Any) -> dict[str, str]:
    return {finding.hypothesis: finding.answer for finding in document.findings}


def measured(document: Any, name: str) -> Any:
    return next(each.value for each in document.measurements if each.name == name)


MODEL = {
    "token_embd": (4, 512, "Q6_K"),
    "blk.0.attn_q": (4, 512, "Q4_K"),
    "blk.0.attn_k": (4, 512, "Q5_0"),
    "blk.0.ffn_gate_exps": (4, 512, "Q4_K"),
    "blk.0.ffn_up_exps": (4, 512, "Q4_K"),
    "blk.0.ffn_down_exps": (4, 512, "IQ4_XS"),
}


def test_types_that_vllm_reads_are_cleared(run: Any) -> None:
    document = run("gguf/tensor_types.py", MODEL)
    assert (document.name, document.status) == ("gguf.types", "ok")
    assert answers(document) == {"type-unreadable": "refuted", "rows-misfit": "refuted"}
    assert document.details["types by role and layer"]["blk.N.ffn_down_exps.weight"] == {"IQ4_XS": "0"}
    assert (measured(document, "Q4_K"), measured(document, "Q6_K")) == (3, 1)


@pytest.mark.parametrize("kind", ["TQ1_0", "TQ2_0", "MXFP4", "NVFP4"])
def test_a_type_without_a_kernel_is_named(run: Any, kind: str) -> None:
    document = run("gguf/tensor_types.py", {**MODEL, "blk.0.ffn_down": (2, 512, kind)})
    assert answers(document) == {"type-unreadable": "confirmed", "rows-misfit": "refuted"}
    assert document.findings[0].why == f"1 x blk.N.ffn_down.weight {kind}"
    assert (
        answers(run("gguf/tensor_types.py", {"a": (2, 512, kind)}, "--loader", "llama.cpp"))["type-unreadable"]
        == "refuted"
    )


def test_rows_that_are_no_whole_blocks_are_named(run_payload: Any, write_gguf: Any, tmp_path: Path) -> None:
    tensors = {"blk.0.attn_k_b.weight": raw(4, 256, "Q4_K")}
    fields = {"general.architecture": "glm-dsa"}
    path = write_gguf(tmp_path / "m.gguf", tensors, fields, types={"blk.0.attn_k_b.weight": "Q4_K"})
    content = path.read_bytes()
    at = content.index(b"blk.0.attn_k_b.weight") + len(b"blk.0.attn_k_b.weight") + 4
    path.write_bytes(content[:at] + (192).to_bytes(8, "little") + content[at + 8 :])
    document = run_payload("gguf/tensor_types.py", "--model", str(path))
    assert answers(document)["rows-misfit"] == "confirmed"
    assert document.worst["shape"] == [192, 4]


HEADED = {"token_embd": (4, 512, "Q6_K"), "blk.0.attn_q": (4, 512, "Q4_K"), "output": (4, 512, "Q8_0")}


def config(tmp_path: Path, fields: dict[str, Any]) -> tuple[str, str]:
    (tmp_path / "config.json").write_text(json.dumps(fields))
    return "--config", str(tmp_path)


def test_a_split_file_with_a_head_meets_the_mistake(run: Any) -> None:
    document = run("gguf/tied_head.py", HEADED, shards=3)
    assert answers(document) == {"head-tied-by-split": "confirmed", "tie-flag-wrong": "inconclusive"}
    assert document.findings[0].why.startswith("output.weight is in m-00003-of-00003.gguf of 3: missed by")


def test_the_same_model_in_one_file_is_cleared(run: Any, tmp_path: Path) -> None:
    document = run("gguf/tied_head.py", HEADED, *config(tmp_path, {"tie_word_embeddings": False}))
    assert answers(document) == {"head-tied-by-split": "refuted", "tie-flag-wrong": "refuted"}


def test_a_split_file_without_a_head_is_cleared(run: Any, tmp_path: Path) -> None:
    tied = {name: matrix for name, matrix in HEADED.items() if name != "output"}
    document = run(
        "gguf/tied_head.py", tied, *config(tmp_path, {"text_config": {"tie_word_embeddings": True}}), shards=2
    )
    assert answers(document) == {"head-tied-by-split": "refuted", "tie-flag-wrong": "refuted"}


def test_a_head_equal_to_the_embedding_may_be_tied(run: Any) -> None:
    document = run("gguf/tied_head.py", {**HEADED, "output": (4, 512, "Q6_K")}, shards=3)
    assert answers(document)["head-tied-by-split"] == "refuted"
    assert "the same bytes as the embedding" in document.findings[0].why


@pytest.mark.parametrize(("tied", "head"), [(True, True), (False, False)])
def test_a_flag_that_contradicts_the_file_is_named(run: Any, tmp_path: Path, *, tied: bool, head: bool) -> None:
    model = {name: matrix for name, matrix in HEADED.items() if head or name != "output"}
    document = run("gguf/tied_head.py", model, *config(tmp_path, {"tie_word_embeddings": tied}))
    assert answers(document)["tie-flag-wrong"] == "confirmed"


def test_a_shard_that_is_not_here_degrades_the_answer(run: Any, run_payload: Any, tmp_path: Path) -> None:
    run("gguf/tied_head.py", HEADED, shards=3)
    (tmp_path / "m-00002-of-00003.gguf").unlink()
    document = run_payload("gguf/tied_head.py", "--model", str(tmp_path))
    assert (document.status, document.detail) == ("degraded", "only 2 of 3 shards are here")


DOWN = {"blk.0.ffn_down": (4, 9728, "Q4_K"), "blk.0.attn_output": (4, 4096, "Q4_K"), "blk.0.ffn_up": (4, 256, "Q4_K")}


def test_38_blocks_cannot_be_cut_in_four(run: Any) -> None:
    document = run("gguf/tp_alignment.py", DOWN, "--tp", "4")
    assert answers(document) == {"tp-cuts-block": "confirmed"}
    assert document.findings[0].why == (
        "blk.N.ffn_down.weight Q4_K: 9728 / 4 is no multiple of 256; sizes that fit every tensor: 1, 2"
    )
    assert document.worst["name"] == "blk.0.ffn_down.weight"


def test_38_blocks_can_be_cut_in_two(run: Any) -> None:
    document = run("gguf/tp_alignment.py", DOWN, "--tp", "2")
    assert answers(document) == {"tp-cuts-block": "refuted"}
    assert document.details["sizes that fit"] == {
        "blk.N.attn_output.weight Q4_K 4096": [2, 4, 8, 16],
        "blk.N.ffn_down.weight Q4_K 9728": [2],
    }


def test_the_reference_model_takes_eight_ranks_not_sixteen(run: Any) -> None:
    rows = {"ffn_down": 12288, "ffn_down_exps": 2048, "ffn_down_shexp": 2048, "attn_output": 16384}
    document = run(
        "gguf/tp_alignment.py", {f"blk.0.{part}": (1, row, "Q4_K") for part, row in rows.items()}, "--tp", "8"
    )
    assert answers(document) == {"tp-cuts-block": "refuted"}
    assert measured(document, "largest size that fits") == 8


def test_without_a_size_there_is_only_a_table(run: Any) -> None:
    document = run("gguf/tp_alignment.py", DOWN)
    assert answers(document) == {"tp-cuts-block": "inconclusive"}


def test_quantized_types_side_by_side_are_cleared(run: Any) -> None:
    assert answers(run("gguf/mixed_fused.py", MODEL)) == {"fused-mixed": "refuted", "experts-mixed": "refuted"}


def test_an_unquantized_part_is_named(run: Any) -> None:
    document = run("gguf/mixed_fused.py", {**MODEL, "blk.0.attn_k": (4, 512, "F16")})
    assert answers(document) == {"fused-mixed": "confirmed", "experts-mixed": "refuted"}
    assert document.findings[0].why == "layer 0: attn_q Q4_K, attn_k F16"


def test_experts_of_two_types_are_named(run: Any) -> None:
    document = run("gguf/mixed_fused.py", {**MODEL, "blk.0.ffn_up_exps": (4, 512, "Q5_K")})
    assert answers(document) == {"fused-mixed": "refuted", "experts-mixed": "confirmed"}
    assert document.findings[1].why == "layer 0: ffn_gate_exps Q4_K, ffn_up_exps Q5_K"
