"""``necropsy analyze`` with a real server whose model understands nothing: what it says is heard, and not believed."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import pytest

from sessions.hypotheses.model.answers import Opinion, Reading
from sessions.hypotheses.model.client import Client
from sessions.hypotheses.model.requests import Failure, Question, Reply, Shape

pytestmark = [pytest.mark.vllm, pytest.mark.timeout(1200)]

NECROPSY = Path(sys.executable).with_name("necropsy")
LOG = Path(__file__).parents[1] / "data" / "claude-code" / "results"

Run = Callable[..., subprocess.CompletedProcess[str]]


class Server(Protocol):
    url: str
    model: Path

    def ask(self, path: str, body: dict[str, Any] | None = None) -> Any: ...


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run necropsy with a home of its own, in whose store a short log lies."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "NECROPSY_"))}
    environment = kept | {"HOME": str(tmp_path), "NECROPSY_STORE": str(tmp_path / "store.db")}

    def necropsy(*words: str | Path) -> subprocess.CompletedProcess[str]:
        command = [NECROPSY, *words]
        return subprocess.run(
            command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )

    assert necropsy("ingest", LOG).returncode == 0
    return necropsy


def believed(run: Run) -> list[str]:
    """Return the statements of a model that stand in the tree, its root aside."""
    nodes = json.loads(run("show", "latest", "--json").stdout)
    return [node["statement"] for node in nodes if node["source"].startswith("model:") and not node["root"]]


def test_the_server_names_its_model(llama: Server) -> None:
    (model,) = llama.ask("/v1/models")["data"]
    assert (model["id"], model["max_model_len"]) == ("tiny", 32_768)


def test_a_schema_is_taken_and_enforced(llama: Server) -> None:
    """In its strictest shape, and from a model that has never seen one."""
    shapes: list[Shape] = []

    def body(shape: Shape) -> dict[str, Any]:
        shapes.append(shape)
        return Question("check:1", "You compare a claim", "1 2 3", Opinion, 200).body("tiny", shape)

    reply = Client(llama.url).chat(body)
    assert isinstance(reply, Reply)
    assert shapes == ["schema"]
    assert re.match(r'\{\s*"answer"\s*:\s*"(carries|does-not-carry|contradicts)"', reply.text)
    assert (reply.tokens_in > 20, reply.tokens_out > 10) == (True, True)


def test_a_question_that_is_too_long_is_known_as_such(llama: Server) -> None:
    question = Question("window:1", "You read one part", "1 2 3 " * 20_000, Reading, 200)
    failure = Client(llama.url).chat(lambda shape: question.body("tiny", shape))
    assert isinstance(failure, Failure)
    assert failure.too_long


def test_nonsense_is_read_and_nothing_of_it_believed(llama: Server, run: Run) -> None:
    done = run("analyze", "latest", "--llm", llama.url, "--context", "4096", "--yes", "--json")
    assert "tiny at http://127.0.0.1" in done.stderr
    told = json.loads(done.stdout)
    assert told["usage"]["tokens_out"] > 50
    assert told["dropped"]
    assert believed(run) == []


def test_a_batch_file_goes_through_run_batch(vllm_python: Path, models: Path, run: Run, tmp_path: Path) -> None:
    asked, answered = tmp_path / "asked.jsonl", tmp_path / "answered.jsonl"
    assert run("analyze", "latest", "--batch-out", asked, "--model", "tiny", "--context", "4096").returncode == 0
    options: list[str | Path] = ["--model", models / "llama", "--served-model-name", "tiny", "--enforce-eager"]
    command = [vllm_python, "-m", "vllm.entrypoints.openai.run_batch", "-i", asked, "-o", answered, *options]
    environment = os.environ | {"HF_HUB_OFFLINE": "1", "VLLM_CPU_KVCACHE_SPACE": "1", "VLLM_NO_USAGE_STATS": "1"}
    tidy = '{"backend": "xgrammar", "disable_any_whitespace": true}'
    served = subprocess.run(
        [*command, "--structured-outputs-config", tidy], env=environment, capture_output=True, text=True, check=False
    )
    assert served.returncode == 0, served.stderr[-3000:]
    questions, answers = ([*map(json.loads, path.read_text().splitlines())] for path in (asked, answered))
    assert {each["custom_id"] for each in answers} == {each["custom_id"] for each in questions}
    assert {each["response"]["status_code"] for each in answers} == {200}
    done = run("analyze", "latest", "--batch-in", answered, "--json")
    assert "could not be read" not in done.stderr
    assert "had failed" not in done.stderr
    told = json.loads(done.stdout)
    assert (told["model"], told["missing"]) == ("tiny", {})
    assert believed(run) == []
