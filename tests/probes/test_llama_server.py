"""The server probes against llama.cpp's own server, on a model whose every log-probability is known beforehand."""

import contextlib
import importlib.util
import json
import os
import shutil
import socket
import subprocess
import types
import urllib.request
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest

from tests.probes.conftest import PAYLOADS, RunPayload

CONTEXT = 8192
SPECIAL = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]
UNKNOWN, CONTROL, BYTE, NORMAL = 2, 3, 6, 1
CHAT = "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}assistant:"


def prompts() -> list[str]:
    """Return what `logprob.sequence` says to a model."""
    specification = importlib.util.spec_from_file_location("sequence", PAYLOADS / "logprob" / "sequence.py")
    assert specification is not None
    assert specification.loader is not None
    payload = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(payload)
    return list(payload.prompts(types.SimpleNamespace(words=12, repeats=4, seed=1)).values())


class Vocabulary:
    """A token for every word of some texts, for each of its beginnings, and for every byte."""

    def __init__(self, texts: list[str]) -> None:
        words = sorted({"▁" + word for text in texts for word in text.split(" ")})
        beginnings = {word[:end] for word in words for end in range(1, len(word) + 1)}
        letters = {letter for word in words for letter in word}
        self.tokens = [*SPECIAL, *sorted(beginnings | letters, key=lambda each: (len(each), each))]
        self.number = {token: place for place, token in enumerate(self.tokens)}

    @property
    def scores(self) -> list[float]:
        """The longer a token, the sooner it is made."""
        return [float(len(token)) if place >= len(SPECIAL) else 0.0 for place, token in enumerate(self.tokens)]

    @property
    def types(self) -> list[int]:
        return [UNKNOWN, CONTROL, CONTROL, *[BYTE] * 256, *[NORMAL] * (len(self.tokens) - len(SPECIAL))]


def write(path: Path, vocabulary: Vocabulary, after: np.ndarray[Any, Any]) -> Path:
    """Write a model that says, after token a, token b with log-probability ``after[a, b]``, whatever came before."""
    size = len(vocabulary.tokens)
    width = -(-size // 64) * 64  # a place for every token, in heads of 64
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(width)
    writer.add_block_count(1)
    writer.add_feed_forward_length(64)
    writer.add_head_count(width // 64)
    writer.add_head_count_kv(1)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_rope_dimension_count(64)
    writer.add_vocab_size(size)
    writer.add_tokenizer_model("llama")
    writer.add_token_list(vocabulary.tokens)
    writer.add_token_scores(vocabulary.scores)
    writer.add_token_types(vocabulary.types)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)
    writer.add_add_bos_token(value=True)
    writer.add_chat_template(CHAT)
    for name, tensor in _tensors(size, width, after).items():
        writer.add_tensor(name, tensor)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _tensors(size: int, width: int, after: np.ndarray[Any, Any]) -> dict[str, np.ndarray[Any, Any]]:
    """Return one layer that adds nothing, between an embedding of ones and a head that looks the token up."""
    shapes = {
        "attn_q": (width, width), "attn_k": (64, width), "attn_v": (64, width), "attn_output": (width, width),
        "ffn_gate": (64, width), "ffn_up": (64, width), "ffn_down": (width, 64),
    }  # fmt: skip
    head = np.zeros((size, width), np.float32)
    head[:, :size] = after.T / np.sqrt(width)  # the norm before the head makes sqrt(width) of a single one
    return {
        "token_embd.weight": np.eye(size, width, dtype=np.float32),
        "output_norm.weight": np.ones(width, np.float32),
        "output.weight": head,
        "blk.0.attn_norm.weight": np.ones(width, np.float32),
        "blk.0.ffn_norm.weight": np.ones(width, np.float32),
        **{f"blk.0.{name}.weight": np.zeros(shape, np.float32) for name, shape in shapes.items()},
    }


def learned(vocabulary: Vocabulary, texts: list[str]) -> np.ndarray[Any, Any]:
    """Return how likely each token follows each, as the texts have it."""
    counts = np.full((len(vocabulary.tokens),) * 2, 1e-6)
    for text in texts:
        numbers = [1, *(vocabulary.number["▁" + word] for word in text.split(" "))]
        for one, other in pairwise(numbers):
            counts[one, other] += 1
        counts[numbers[-1], numbers[1]] += 1
        counts[:, numbers[1]] += 1e-6  # after what no text has, one of their beginnings
    likely: np.ndarray[Any, Any] = np.log(counts / counts.sum(axis=1, keepdims=True))
    return likely.astype(np.float32)


@contextlib.contextmanager
def served(model: Path) -> Iterator[str]:
    """Start llama.cpp's server on a model and yield its address."""
    program = shutil.which("llama-server")
    if program is None:
        pytest.skip("needs llama.cpp's llama-server on PATH")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    place = ["--host", "127.0.0.1", "--port", str(port)]
    words = [program, "-m", str(model), *place, "-c", str(CONTEXT), "-t", "1", "-ngl", "0", "--no-warmup"]
    with model.with_suffix(".log").open("wb") as log:
        process = subprocess.Popen(words, stdout=log, stderr=log, env={**os.environ, "HF_HUB_OFFLINE": "1"})
    try:
        url = f"http://127.0.0.1:{port}"
        _await_ready(url, process)
        yield url
    finally:
        process.terminate()
        process.wait()


def _await_ready(url: str, process: subprocess.Popen[bytes]) -> None:
    for _ in range(600):
        assert process.poll() is None, "the server ended"
        with contextlib.suppress(OSError), urllib.request.urlopen(f"{url}/health", timeout=5) as answer:  # noqa: S310 - ours
            if json.loads(answer.read())["status"] == "ok":
                return
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(0.1)
    pytest.fail("the server never became ready")


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    return Vocabulary(prompts())


@pytest.fixture(scope="module")
def healthy(vocabulary: Vocabulary, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    model = tmp_path_factory.mktemp("healthy") / "knows.gguf"
    with served(write(model, vocabulary, learned(vocabulary, prompts()))) as url:
        yield url


def answers(document: Any) -> dict[str, str]:
    return {finding.hypothesis: finding.answer for finding in document.findings}


def test_a_model_that_knows_the_texts_is_fine(healthy: str, run_payload: RunPayload, vocabulary: Vocabulary) -> None:
    document = run_payload("logprob/sequence.py", f"--server={healthy}")
    assert document.details["pattern"] == "fine", document.detail
    assert document.details["vocabulary"] == len(vocabulary.tokens)
    assert set(answers(document).values()) == {"refuted"}


def test_its_prompt_is_whole(healthy: str, run_payload: RunPayload) -> None:
    document = run_payload("prompt/tokens.py", f"--server={healthy}")
    assert set(answers(document).values()) == {"refuted"}
    assert len(document.findings) == 4


def test_its_cache_changes_nothing(healthy: str, run_payload: RunPayload) -> None:
    document = run_payload("cache/repeat.py", f"--server={healthy}")
    assert answers(document) == {"cache-changes-answers": "refuted", "not-deterministic": "refuted"}
    told = {one.name: one.value for one in document.measurements}
    cached = told["tokens from the cache"]
    assert isinstance(cached, int)
    assert cached > 0


def test_its_logits_are_numbers(healthy: str, run_payload: RunPayload) -> None:
    document = run_payload("nan/logits.py", f"--server={healthy}")
    assert answers(document) == {"logits-nan": "refuted", "token-zero": "refuted"}


def test_it_tells_no_dtype_of_its_cache(healthy: str, run_payload: RunPayload) -> None:
    document = run_payload("kv/dtype_honoured.py", f"--server={healthy}")
    assert (document.status, document.findings) == ("blocked", ())


@pytest.mark.parametrize("damage", ["logits-flat", "sure-and-wrong", "not-a-number"])
def test_a_damaged_model_is_taken_for_what_it_is(
    damage: str, vocabulary: Vocabulary, tmp_path: Path, run_payload: RunPayload
) -> None:
    after = learned(vocabulary, prompts())
    if damage == "logits-flat":
        after[:] = -np.log(after.shape[1])
    elif damage == "sure-and-wrong":
        after = after[:, np.random.default_rng(3).permutation(after.shape[1])]
    else:
        after[:, 9] = np.nan
    with served(write(tmp_path / "damaged.gguf", vocabulary, after)) as url:
        document = run_payload("logprob/sequence.py", f"--server={url}")
        numbers = run_payload("nan/logits.py", f"--server={url}")
    assert document.details["pattern"] == damage, document.detail
    assert (answers(numbers)["logits-nan"] == "confirmed") == (damage == "not-a-number"), numbers.detail
