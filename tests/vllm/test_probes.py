"""Probes of a running server, as a person runs them: damaged weights are found, and a healthy model is cleared."""

import contextlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

import pytest

pytestmark = [pytest.mark.vllm, pytest.mark.timeout(1200)]

NECROPSY = Path(sys.executable).with_name("necropsy")
ALL = ("logprob.sequence", "nan.logits", "cache.repeat", "kv.dtype_honoured", "prompt.tokens")
TWICE = "{{ bos_token }}{{ bos_token }}{% for m in messages %}{{ m['content'] }}{% endfor %}\nassistant:"
NEVER = "{% for m in messages %}{{ m['content'] }}{% endfor %}\nassistant:"
MLA = ("--attention-backend", "CPU_MLA")
ROTATED = ("--compilation-config", '{"custom_ops": ["all", "-rotary_embedding"]}')
"""vLLM 0.32.0 on the CPU rotates the wrong numbers of a query whose heads are a dimension of its own, as in MLA; so its
own reference is asked for instead."""
FORGETFUL = '''\
from vllm.v1.core import kv_cache_utils


def register():
    """Let the prefix cache take any block for any other in the same place."""
    right = kv_cache_utils.hash_block_tokens
    kv_cache_utils.hash_block_tokens = lambda hashed, parent, tokens, more=None: right(hashed, parent, [0], more)
'''


class Server(Protocol):
    url: str
    model: Path

    def damaged(self, kind: str) -> contextlib.AbstractContextManager[None]: ...


class Serve(Protocol):
    def __call__(self, model: Path, *options: str, **environment: str) -> contextlib.AbstractContextManager[Server]: ...


class Probe(Protocol):
    def __call__(self, server: Server, name: str, **arguments: str) -> tuple[int, dict[str, str]]: ...


@pytest.fixture
def probe(tmp_path: Path) -> Probe:
    """Run ``necropsy probe run`` against a server; return the exit code and the answer on each hypothesis."""

    def run(server: Server, name: str, **arguments: str) -> tuple[int, dict[str, str]]:
        if name == "kv.dtype_honoured":
            arguments = {"model": str(server.model), **arguments}
        sets = [word for key, value in arguments.items() for word in ("--set", f"{key}={value}")]
        command: list[str | Path] = [
            NECROPSY,
            "--store",
            tmp_path / "store.db",
            "probe",
            "run",
            name,
            "--server",
            server.url,
            *sets,
        ]
        done = subprocess.run([*command, "--json"], capture_output=True, text=True, check=False)
        document: dict[str, Any] = json.loads(done.stdout)["document"]
        assert (document["status"], document["detail"]) == ("ok", ""), document
        assert all(control["passed"] for control in document["controls"])
        return done.returncode, {each["hypothesis"]: each["answer"] for each in document["findings"]}

    return run


def confirmed(answers: dict[str, str]) -> set[str]:
    return {key for key, answer in answers.items() if answer == "confirmed"}


@pytest.mark.parametrize("name", ALL)
def test_a_healthy_model_is_cleared(llama: Server, probe: Probe, name: str) -> None:
    code, answers = probe(llama, name)
    assert (code, set(answers.values())) == (0, {"refuted"}), answers


@pytest.mark.parametrize(
    ("damage", "name", "expected"),
    [
        ("shuffled_head", "logprob.sequence", {"model-wrong", "sure-and-wrong"}),
        ("zeroed_head", "logprob.sequence", {"model-wrong", "logits-flat"}),
        ("zeroed_head", "nan.logits", {"token-zero"}),
        ("one_nan", "logprob.sequence", {"model-wrong", "not-a-number"}),
        ("one_nan", "nan.logits", {"logits-nan", "token-zero"}),
    ],
)
def test_a_damage_is_told_from_the_others(
    llama: Server, probe: Probe, damage: str, name: str, expected: set[str]
) -> None:
    with llama.damaged(damage):
        code, answers = probe(llama, name)
    assert (code, confirmed(answers)) == (1, expected), answers


def test_the_mended_model_is_cleared(llama: Server, probe: Probe) -> None:
    with llama.damaged("zeroed_head"):
        assert probe(llama, "logprob.sequence")[0] == 1
    assert probe(llama, "logprob.sequence")[0] == 0


def test_a_model_past_the_length_that_it_was_trained_for_decays(llama: Server, probe: Probe) -> None:
    code, answers = probe(llama, "logprob.sequence", repeats="20")
    assert (code, confirmed(answers)) == (1, {"model-wrong", "decays"}), answers


def test_another_kv_dtype_than_asked_for_is_found(llama: Server, probe: Probe) -> None:
    code, answers = probe(llama, "kv.dtype_honoured", asked="fp8")
    assert (code, answers) == (1, {"kv-dtype-ignored": "confirmed"})


@pytest.fixture(scope="module")
def faulty(serve: Serve, models: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server of the small Llama with another rope base, a first token too many, and a careless prefix cache."""
    folder = tmp_path_factory.mktemp("faulty")
    (folder / "twice.jinja").write_text(TWICE)
    (folder / "forgetful.py").write_text(FORGETFUL)
    (folder / "forgetful-1.dist-info").mkdir()
    (folder / "forgetful-1.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: forgetful\nVersion: 1\n")
    points = "[vllm.general_plugins]\nforgetful = forgetful:register\n"
    (folder / "forgetful-1.dist-info" / "entry_points.txt").write_text(points)
    rope = '{"rope_parameters": {"rope_type": "default", "rope_theta": 500.0}}'
    options = ["--chat-template", str(folder / "twice.jinja"), "--hf-overrides", rope, "--enable-prompt-tokens-details"]
    with serve(models / "llama", *options, PYTHONPATH=str(folder)) as started:
        yield started


def test_a_careless_prefix_cache_is_found(faulty: Server, probe: Probe) -> None:
    code, answers = probe(faulty, "cache.repeat")
    assert (code, answers) == (1, {"cache-changes-answers": "confirmed", "not-deterministic": "refuted"})


def test_a_first_token_too_many_is_found(faulty: Server, probe: Probe) -> None:
    code, answers = probe(faulty, "prompt.tokens")
    assert (code, confirmed(answers)) == (1, {"bos-doubled"})


@pytest.fixture(scope="module")
def deepseek(serve: Serve, models: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server of the small model with MLA and experts, whose chat template forgets the first token."""
    template = tmp_path_factory.mktemp("deepseek") / "never.jinja"
    template.write_text(NEVER)
    with serve(models / "deepseek", *MLA, *ROTATED, "--chat-template", str(template)) as started:
        yield started


@pytest.mark.parametrize("name", ["logprob.sequence", "nan.logits", "kv.dtype_honoured"])
def test_a_healthy_model_with_mla_is_cleared(deepseek: Server, probe: Probe, name: str) -> None:
    code, answers = probe(deepseek, name)
    assert (code, set(answers.values())) == (0, {"refuted"}), answers


@pytest.mark.parametrize(
    ("damage", "expected"),
    [
        ("values_first", {"model-wrong"}),
        ("swapped_experts", {"model-wrong"}),
        ("rolled_heads", {"model-wrong", "partly-damaged"}),
    ],
)
def test_a_damage_to_mla_or_experts_is_found(
    serve: Serve, models: Path, probe: Probe, damage: str, expected: set[str]
) -> None:
    """Each by a server of its own: what vLLM has packed for the CPU it does not load again rightly."""
    with serve(models / f"deepseek-{damage}", *MLA, *ROTATED) as started:
        code, answers = probe(started, "logprob.sequence")
    assert (code, confirmed(answers)) == (1, expected), answers


def test_a_fault_of_the_server_is_found_where_the_weights_are_whole(serve: Serve, models: Path, probe: Probe) -> None:
    """A real one, see ROTATED."""
    with serve(models / "deepseek", *MLA) as started:
        code, answers = probe(started, "logprob.sequence")
    assert (code, confirmed(answers)) == (1, {"model-wrong"}), answers


def test_a_missing_first_token_is_found(deepseek: Server, probe: Probe) -> None:
    code, answers = probe(deepseek, "prompt.tokens")
    assert (code, confirmed(answers)) == (1, {"bos-missing"})


def test_a_cache_that_is_not_used_is_not_cleared(deepseek: Server, probe: Probe) -> None:
    """MLA on the CPU goes without a prefix cache."""
    code, answers = probe(deepseek, "cache.repeat")
    assert (code, answers) == (6, {"cache-changes-answers": "inconclusive", "not-deterministic": "refuted"})
