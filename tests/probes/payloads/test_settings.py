"""gguf.settings: a configuration that agrees with the header, and one that differs in each way that garbles answers."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

PLACE = "gguf/settings.py"
FIELDS = {
    "block_count": 5,
    "nextn_predict_layers": 1,
    "embedding_length": 64,
    "attention.head_count": 8,
    "attention.head_count_kv": 1,
    "attention.kv_lora_rank": 32,
    "attention.key_length_mla": 24,
    "attention.value_length_mla": 16,
    "attention.layer_norm_rms_epsilon": 1e-5,
    "rope.freq_base": 1000000.0,
    "rope.dimension_count": 8,
    "rope.scaling.factor": 40.0,
    "expert_count": 4,
    "expert_gating_func": 2,
    "expert_weights_norm": True,
    "expert_weights_scale": 2.5,
}
CONFIG = {
    "num_hidden_layers": 4,
    "hidden_size": 64,
    "num_attention_heads": 8,
    "num_key_value_heads": 8,
    "kv_lora_rank": 32,
    "qk_nope_head_dim": 16,
    "qk_rope_head_dim": 8,
    "v_head_dim": 16,
    "rms_norm_eps": 1e-05,
    "rope_parameters": {"rope_theta": 1000000, "factor": 40.0},
    "n_routed_experts": 4,
    "scoring_func": "sigmoid",
    "norm_topk_prob": True,
    "routed_scaling_factor": 2.5,
    "vocab_size": 100,
}


@pytest.fixture
def compare(run_payload: Any, write_gguf: Any, tmp_path: Path) -> Any:
    def run(config: dict[str, Any]) -> Any:
        fields = {"general.architecture": "deepseek2", **{f"deepseek2.{key}": value for key, value in FIELDS.items()}}
        path = write_gguf(tmp_path / "m.gguf", {"token_embd.weight": np.ones((100, 64), np.float32)}, fields)
        (tmp_path / "config.json").write_text(json.dumps(config))
        return run_payload(PLACE, "--model", str(path), "--config", str(tmp_path))

    return run


def answers(document: Any) -> dict[str, str]:
    return {finding.hypothesis: finding.answer for finding in document.findings}


def test_a_configuration_that_agrees_is_cleared(compare: Any) -> None:
    document = compare(CONFIG)
    assert (document.status, answers(document)) == ("ok", {"rope-differs": "refuted", "config-differs": "refuted"})
    assert [finding.why for finding in document.findings] == ["3 values agree", "12 values agree"]


def test_older_names_and_a_text_part_are_read(compare: Any) -> None:
    older = {key: value for key, value in CONFIG.items() if key != "rope_parameters"}
    document = compare({"text_config": {**older, "rope_theta": 1000000.0, "rope_scaling": {"factor": 40}}})
    assert answers(document) == {"rope-differs": "refuted", "config-differs": "refuted"}
    assert document.findings[0].why == "3 values agree"


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        (
            {"rope_parameters": {"rope_theta": 10000, "factor": 40.0}},
            "rope.freq_base: the file 1000000.0, the server 10000",
        ),
        (
            {"rope_parameters": {"rope_theta": 1000000, "factor": 4.0}},
            "rope.scaling.factor: the file 40.0, the server 4.0",
        ),
    ],
)
def test_other_rope_settings_are_named(compare: Any, changed: dict[str, Any], words: str) -> None:
    document = compare({**CONFIG, **changed})
    assert answers(document) == {"rope-differs": "confirmed", "config-differs": "refuted"}
    assert document.findings[0].why == words


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"scoring_func": "softmax"}, "expert_gating_func: the file sigmoid, the server softmax"),
        ({"norm_topk_prob": False}, "expert_weights_norm: the file True, the server False"),
        ({"num_hidden_layers": 5}, "layers without prediction layers: the file 4, the server 5"),
        ({"num_attention_heads": 1}, "attention.head_count: the file 8, the server 1"),
        ({"qk_nope_head_dim": 24}, "key length: the file 24, the server 32"),
        ({"rms_norm_eps": 1e-06}, "attention.layer_norm_rms_epsilon: the file 9.99"),
        ({"vocab_size": 128}, "rows of the embedding: the file 100, the server 128"),
    ],
)
def test_another_model_is_named(compare: Any, changed: dict[str, Any], words: str) -> None:
    document = compare({**CONFIG, **changed})
    assert answers(document) == {"rope-differs": "refuted", "config-differs": "confirmed"}
    assert document.findings[1].why.startswith(words)


def test_nothing_in_common_is_inconclusive(compare: Any) -> None:
    document = compare({"model_type": "x"})
    assert answers(document) == {"rope-differs": "inconclusive", "config-differs": "inconclusive"}
