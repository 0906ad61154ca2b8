"""gguf.namemap: the reference case's numbers, a map asked wrongly, names that fit and names that do not."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

PLACE = "gguf/namemap.py"
DROPPED = "tensors that no parameter takes"
UNSET = "parameters without a tensor"
ABSENT = "map entries that the file lacks"

LLAMA_FIELDS = {"general.architecture": "llama", "llama.block_count": 2}
LLAMA_PARTS = ("attn_norm", "attn_q", "attn_k", "attn_v", "attn_output", "ffn_norm", "ffn_gate", "ffn_up", "ffn_down")
LLAMA = ("token_embd", "output_norm", "output", *(f"blk.{n}.{part}" for n in range(2) for part in LLAMA_PARTS))


@pytest.fixture(scope="module")
def healthy(tmp_path_factory: pytest.TempPathFactory, write_gguf: Any) -> Path:
    path = tmp_path_factory.mktemp("llama") / "llama.gguf"
    done: Path = write_gguf(path, {f"{name}.weight": np.ones(1, np.float32) for name in LLAMA}, LLAMA_FIELDS)
    return done


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory, glm: Any) -> Path:
    path: Path = glm.write(tmp_path_factory.mktemp("glm") / "glm.gguf", shards=3)
    return path


def answers(document: Any) -> dict[str, str]:
    return {finding.hypothesis: finding.answer for finding in document.findings}


def why(document: Any, key: str) -> str:
    return next(str(finding.why) for finding in document.findings if finding.hypothesis == key)


def counts(document: Any) -> dict[str, Any]:
    return {each.name: each.value for each in document.measurements}


def test_the_reference_case_has_462_tensors_that_an_unpatched_loader_drops(run_payload: Any, reference: Path) -> None:
    document = run_payload(PLACE, "--model", str(reference))
    found = counts(document)
    assert (found[DROPPED], found[ABSENT], found[UNSET]) == (462, 79, 76 + 76 * 256 * 3)
    assert document.details["loader"][DROPPED] == {
        "blk.N.attn_k_b.weight": 79,
        "blk.N.attn_v_b.weight": 79,
        "blk.N.exp_probs_b.bias": 76,
        "blk.N.ffn_down_exps.weight": 76,
        "blk.N.ffn_gate_exps.weight": 76,
        "blk.N.ffn_up_exps.weight": 76,
    }
    assert document.details["loader"][ABSENT] == {"blk.N.attn_kv_b.weight": 79}
    assert document.details["with every special rule"] == {}
    assert answers(document) == {
        "map-empty": "refuted",
        "map-misused": "inconclusive",
        "tensors-dropped": "confirmed",
        "names-foreign": "refuted",
    }


def test_none_for_all_is_told_from_an_empty_map(run_payload: Any, reference: Path) -> None:
    document = run_payload(PLACE, "--model", str(reference))
    assert (counts(document)["recognised with suffix"], counts(document)["recognised with try_suffixes"]) == (0, 1809)
    assert "knows 0 of 1,809, with try_suffixes 1,809: a matter of how it is asked" in why(document, "map-empty")


def test_a_healthy_file_is_cleared(run_payload: Any, healthy: Path) -> None:
    document = run_payload(PLACE, "--model", str(healthy))
    assert document.status == "ok"
    assert answers(document) == {
        "map-empty": "refuted",
        "map-misused": "inconclusive",
        "tensors-dropped": "refuted",
        "names-foreign": "refuted",
    }
    assert [control.passed for control in document.controls] == [True] * 4


def test_a_renamed_tensor_is_found_on_both_sides(run_payload: Any, write_gguf: Any, tmp_path: Path) -> None:
    names = [f"{name}.weight".replace("blk.1.attn_v.", "blk.1.attn_value.") for name in LLAMA]
    path = write_gguf(tmp_path / "a.gguf", {name: np.ones(1, np.float32) for name in names}, LLAMA_FIELDS)
    document = run_payload(PLACE, "--model", str(path))
    assert answers(document)["tensors-dropped"] == answers(document)["names-foreign"] == "confirmed"
    assert document.worst == {DROPPED: ["blk.1.attn_value.weight"], ABSENT: ["blk.1.attn_v.weight"]}
    assert document.details["not recognised"] == {"tensors": {"blk.N.attn_value.weight": 1}}


def test_a_block_count_without_the_mtp_block_leaves_27(run_payload: Any, glm: Any, tmp_path: Path) -> None:
    tensors = {name: np.ones(1, np.float32) for name in glm.names}
    path = glm.write_gguf(tmp_path / "a.gguf", tensors, {**glm.fields, "glm-dsa.block_count": 78})
    document = run_payload(PLACE, "--model", str(path))
    assert sum(document.details["not recognised"]["tensors"].values()) == 27
    assert answers(document)["names-foreign"] == "confirmed"


PARTS = {"attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj", "attn_v": "self_attn.v_proj",
         "attn_output": "self_attn.o_proj", "attn_norm": "input_layernorm", "ffn_norm": "post_attention_layernorm",
         "ffn_gate": "mlp.gate_proj", "ffn_up": "mlp.up_proj", "ffn_down": "mlp.down_proj"}  # fmt: skip
RIGHT = {
    "token_embd.weight": "model.embed_tokens.weight",
    "output_norm.weight": "model.norm.weight",
    "output.weight": "lm_head.weight",
    **{
        f"blk.{n}.{ours}.weight": f"model.layers.{n}.{theirs}.weight"
        for n in range(2)
        for ours, theirs in PARTS.items()
    },
}


MISUSED = {
    "reversed": ({theirs: ours for ours, theirs in RIGHT.items()}, "direction is the reverse"),
    "reversed, no suffix": (
        {theirs.removesuffix(".weight"): ours.removesuffix(".weight") for ours, theirs in RIGHT.items()},
        "direction is the reverse",
    ),
    "no suffix": ({ours.removesuffix(".weight"): theirs for ours, theirs in RIGHT.items()}, "lack the suffix"),
    "foreign": ({"transformer.wte.weight": "model.embed_tokens.weight"}, "not one of its keys"),
}


@pytest.mark.parametrize("how", MISUSED)
def test_a_misused_map_is_told(run_payload: Any, healthy: Path, tmp_path: Path, how: str) -> None:
    pairs, words = MISUSED[how]
    (tmp_path / "map.json").write_text(json.dumps(pairs))
    document = run_payload(PLACE, "--model", str(healthy), "--map", str(tmp_path / "map.json"))
    assert answers(document)["map-misused"] == answers(document)["tensors-dropped"] == "confirmed"
    assert words in why(document, "map-misused")


def test_a_right_map_is_cleared(run_payload: Any, healthy: Path, tmp_path: Path) -> None:
    (tmp_path / "map.json").write_text(json.dumps(RIGHT))
    document = run_payload(PLACE, "--model", str(healthy), "--map", str(tmp_path / "map.json"))
    assert set(answers(document).values()) == {"refuted"}


def test_fused_expert_parameters_make_keys_that_end_in_a_dot(run_payload: Any, reference: Path, tmp_path: Path) -> None:
    names = [f"model.layers.{n}.mlp.experts.{part}" for n in range(3, 79) for part in ("gate_up_proj", "down_proj")]
    (tmp_path / "names.json").write_text(json.dumps(names))
    document = run_payload(PLACE, "--model", str(reference), "--names", str(tmp_path / "names.json"))
    assert counts(document)["map keys that end in a dot"] == 76
    left = document.details["with every special rule"].get(UNSET, {})
    assert left == {}


def test_an_architecture_without_a_template_wants_names(run_payload: Any, write_gguf: Any, tmp_path: Path) -> None:
    fields = {"general.architecture": "gptneox", "gptneox.block_count": 1}
    path = write_gguf(tmp_path / "a.gguf", {"token_embd.weight": np.ones(1, np.float32)}, fields)
    document = run_payload(PLACE, "--model", str(path))
    assert (document.status, document.detail) == (
        "blocked",
        "needs --names: the parameter names, there is no template for 'gptneox'",
    )
