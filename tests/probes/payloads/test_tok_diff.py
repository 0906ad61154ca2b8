"""tok.diff: a byte-level tokenizer trained here, written to a GGUF as it is and with one fault each."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

PLACE = "tok/diff.py"
WORDS = r"(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])|[^\r\n\p{L}\p{N}]?\p{L}+|"
QWEN2 = WORDS + r"\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
TEXTS = [
    "it's 2024 and we'll count 1 2 3 42 42 42 1234567",
    "for i in range(10): a_b->c[0] != nullptr;  two  spaces",
] * 20


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with tokenizer.json and tokenizer_config.json, as a server has them."""
    made = Tokenizer(models.BPE())
    level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    made.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(QWEN2), "isolated"), level])
    trainer = trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=["<|begin|>", "<|end|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    made.train_from_iterator(TEXTS, trainer)
    folder = tmp_path_factory.mktemp("tokenizer")
    made.save(str(folder / "tokenizer.json"))
    config = {
        "bos_token": "<|begin|>",
        "eos_token": {"content": "<|end|>"},
        "add_bos_token": False,
        "chat_template": "{{ x }}",
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(config))
    return folder


@pytest.fixture
def compare(run_payload: Any, write_gguf: Any, tokenizer: Path, tmp_path: Path) -> Any:
    """Write the tokenizer into a GGUF, changed, and compare."""
    raw = json.loads((tokenizer / "tokenizer.json").read_text())
    vocab = sorted(raw["model"]["vocab"], key=raw["model"]["vocab"].get)

    def run(change: Callable[[dict[str, Any]], None]) -> Any:
        fields = {
            "general.architecture": "qwen2",
            "tokenizer.ggml.model": "gpt2",
            "tokenizer.ggml.pre": "qwen2",
            "tokenizer.ggml.tokens": list(vocab),
            "tokenizer.ggml.token_type": [3, 3] + [1] * (len(vocab) - 2),
            "tokenizer.ggml.merges": [" ".join(pair) for pair in raw["model"]["merges"]],
            "tokenizer.ggml.bos_token_id": 0,
            "tokenizer.ggml.eos_token_id": 1,
            "tokenizer.ggml.add_bos_token": False,
            "tokenizer.chat_template": "{{ x }}\n",
        }
        change(fields)
        path = write_gguf(tmp_path / "m.gguf", {"token_embd.weight": np.ones(1, np.float32)}, fields)
        return run_payload(PLACE, "--model", str(path), "--tokenizer", str(tokenizer))

    return run


def answers(document: Any) -> dict[str, str]:
    return {finding.hypothesis: finding.answer for finding in document.findings}


def test_the_same_tokenizer_is_cleared(compare: Any) -> None:
    document = compare(lambda _: None)
    assert (document.status, answers(document)) == (
        "ok",
        {"tokenizer-differs": "refuted", "special-tokens-differ": "refuted"},
    )
    assert document.findings[0].why.endswith("tokens and 200 strings agree")
    assert len(document.controls) == 4


def test_padding_that_only_the_file_has_is_no_difference(compare: Any) -> None:
    def pad(fields: dict[str, Any]) -> None:
        fields["tokenizer.ggml.tokens"] += ["[PAD400]", "[PAD401]"]
        fields["tokenizer.ggml.token_type"] += [1, 1]

    assert answers(compare(pad))["tokenizer-differs"] == "refuted"


def test_another_pre_tokenizer_is_seen_in_the_strings_alone(compare: Any) -> None:
    def drop_pre(fields: dict[str, Any]) -> None:
        fields["tokenizer.ggml.pre"] = "gpt-2"

    document = compare(drop_pre)
    assert answers(document)["tokenizer-differs"] == "confirmed"
    assert "strings differ" in document.findings[0].why
    assert "ids differ" not in document.findings[0].why
    assert document.worst["file"] != document.worst["server"]


def test_two_swapped_ids_are_named(compare: Any) -> None:
    def swap(fields: dict[str, Any]) -> None:
        tokens = fields["tokenizer.ggml.tokens"]
        tokens[260], tokens[261] = tokens[261], tokens[260]

    document = compare(swap)
    assert document.findings[0].why.startswith("2 ids differ, the first 260: ")
    assert document.findings[0].answer == "confirmed"


def test_a_lost_merge_is_named(compare: Any) -> None:
    document = compare(lambda fields: fields["tokenizer.ggml.merges"].pop(5))
    assert answers(document)["tokenizer-differs"] == "confirmed"
    assert "merge 5: " in document.findings[0].why


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("tokenizer.ggml.bos_token_id", 1, "bos: the file has id 1 (<|end|>), the server <|begin|>"),
        ("tokenizer.ggml.add_bos_token", True, "begin is added: the file says True, the server False"),
        ("tokenizer.chat_template", "{{ y }}", "the chat templates differ"),
    ],
)
def test_special_tokens_that_differ_are_named(compare: Any, field: str, value: Any, words: str) -> None:
    document = compare(lambda fields: fields.update({field: value}))
    assert answers(document) == {"tokenizer-differs": "refuted", "special-tokens-differ": "confirmed"}
    assert document.findings[1].why == words


def test_a_tokenizer_that_is_not_rebuilt_is_degraded(compare: Any) -> None:
    document = compare(lambda fields: fields.update({"tokenizer.ggml.model": "llama"}))
    assert (document.status, answers(document)["tokenizer-differs"]) == ("degraded", "inconclusive")
    assert "is not rebuilt here" in document.detail
