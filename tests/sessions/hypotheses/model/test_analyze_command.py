"""``necropsy analyze`` as a person runs it, against a server on loopback."""

import json
import os
import pty
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import pytest

import sessions.examples
from tui.cli.main import main

NECROPSY = Path(sys.executable).with_name("necropsy")

BUNDLED = Path(sessions.examples.__file__).parent / "glm5-blackwell.json"


@dataclass(frozen=True)
class Done:
    returncode: int
    stdout: str
    stderr: str


Run = Callable[..., Done]


class Server(Protocol):
    url: str
    oracle: Any
    script: Any
    bodies: list[dict[str, Any]]
    headers: list[dict[str, str]]

    def text(self, body: dict[str, Any]) -> str: ...


class Sshd(Protocol):
    port: int
    user: str
    identity: Path
    known_hosts: Path


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store that holds the bundled session."""
    folder = tmp_path_factory.mktemp("demo")
    command: list[str | Path] = [
        NECROPSY,
        "--store",
        folder / "store.db",
        "demo",
        "--print",
        "--output",
        folder / "page.html",
    ]
    subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=True)
    return folder / "store.db"


@pytest.fixture
def environment(demo: Path, tmp_path: Path) -> dict[str, str]:
    """A home of its own with a copy of that store in it."""
    shutil.copy(demo, tmp_path / "store.db")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "NECROPSY_"))}
    return {**kept, "HOME": str(tmp_path), "NECROPSY_STORE": str(tmp_path / "store.db")}


@pytest.fixture
def run(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command line of necropsy there, in this process: a fresh one for each would take half a minute in all."""

    def necropsy(*arguments: str | Path, **more: str) -> Done:
        with monkeypatch.context() as patched:
            for name in [n for n in os.environ if n.startswith(("XDG_", "NECROPSY_"))]:
                patched.delenv(name)
            for name, value in (environment | more).items():
                patched.setenv(name, value)
            capsys.readouterr()
            code = main([str(argument) for argument in arguments])
        told = capsys.readouterr()
        return Done(code, told.out, told.err)

    return necropsy


@pytest.fixture
def perfect(llm: Server, truths: tuple[dict[str, Any], ...]) -> Server:
    llm.oracle.truths = truths
    return llm


def tree(run: Run) -> dict[str, dict[str, Any]]:
    return {node["statement"]: node for node in json.loads(run("show", "latest", "--json").stdout)}


def cause(run: Run) -> dict[str, Any]:
    (found,) = [node for node in tree(run).values() if "expert weights of glm_moe_dsa" in node["statement"]]
    return found


def test_the_tree_is_made_by_the_model_and_the_figures_are_told(run: Run, perfect: Server) -> None:
    done = run("analyze", "latest", "--llm", perfect.url, "--yes", "--price", "1,2")
    assert done.returncode == 0, done.stderr
    assert "oracle at http://127.0.0.1" in done.stderr
    assert "known after the first run" in done.stderr
    assert "5 hypotheses" in done.stderr
    assert "tokens in, " in done.stderr
    assert "$0." in done.stderr
    assert "expert weights of glm_moe_dsa" in done.stdout
    assert cause(run)["source"] == "model:oracle"


def test_a_second_run_is_free_and_json_says_so(run: Run, perfect: Server) -> None:
    first = json.loads(run("analyze", "latest", "--llm", perfect.url, "--yes", "--json").stdout)
    second = json.loads(run("analyze", "latest", "--llm", perfect.url, "--yes", "--json").stdout)
    assert first["usage"]["requests"] == second["usage"]["cached"] > 0
    assert (second["usage"]["requests"], second["usage"]["tokens_in"]) == (0, 0)
    assert first["kept"] == second["kept"]
    fresh = json.loads(run("analyze", "latest", "--llm", perfect.url, "--yes", "--json", "--fresh").stdout)
    assert fresh["usage"]["requests"] == first["usage"]["requests"]


def test_nothing_is_sent_without_a_yes(run: Run, perfect: Server) -> None:
    done = run("analyze", "latest", "--llm", perfect.url)
    assert done.returncode == 2
    assert "--yes" in done.stderr
    assert perfect.bodies == []


@pytest.mark.parametrize(("answer", "code", "asked"), [(b"n\n", 2, False), (b"y\n", 0, True)])
def test_a_terminal_is_asked(
    perfect: Server, environment: dict[str, str], answer: bytes, code: int, *, asked: bool
) -> None:
    parent, child = pty.openpty()
    command: list[str | Path] = [NECROPSY, "analyze", "latest", "--llm", perfect.url]
    with subprocess.Popen(command, stdin=child, stderr=child, stdout=subprocess.PIPE, env=environment) as process:
        os.write(parent, answer)
        process.communicate()
    os.close(parent)
    os.close(child)
    assert process.returncode == code
    assert bool(perfect.bodies) is asked


def test_a_models_tree_outlives_another_ingest_and_goes_back_on_demand(run: Run, perfect: Server) -> None:
    run("analyze", "latest", "--llm", perfect.url, "--yes")
    assert run("ingest", BUNDLED).returncode == 0
    assert cause(run)["source"] == "model:oracle"
    assert run("analyze", "latest", "--rules").returncode == 0
    assert {node["source"].partition(":")[0] for node in tree(run).values()} == {"rule"}


def test_what_a_person_set_survives_the_model_and_the_way_back(run: Run, perfect: Server) -> None:
    run("edit", "latest", "H2", "--verdict", "confirmed", "--statement", "it was the kernel", "--author", "ada")
    run("edit", "latest", "H3", "--verdict", "open", "--author", "ada")
    for command in (["--llm", perfect.url, "--yes"], ["--rules"]):
        assert run("analyze", "latest", *command).returncode == 0
        kept = tree(run)
        assert (kept["it was the kernel"]["verdict"], kept["it was the kernel"]["source"]) == (
            "confirmed",
            "person:ada",
        )
        assert [n["verdict"] for n in kept.values() if n["source"] == "person:ada"] == ["confirmed", "open"]


def test_rules_and_model_are_compared(run: Run, perfect: Server) -> None:
    told = json.loads(run("analyze", "latest", "--llm", perfect.url, "--yes", "--json", "--compare").stdout)
    assert (told["both"], told["same_verdict"]) == (5, 5)
    assert [node["statement"] for node in told["only_tree"]] == []
    assert len(told["only_rules"]) == 3
    shown = run("analyze", "latest", "--compare")
    assert "Both have 5 hypotheses, 5 with the same verdict" in shown.stdout
    assert "KV cache dtype" in shown.stdout


def test_batch_files_go_out_and_results_come_in(run: Run, perfect: Server, tmp_path: Path) -> None:
    asked, answered = tmp_path / "asked.jsonl", tmp_path / "answered.jsonl"

    def answer(lines: str) -> None:
        with answered.open("a") as file:
            for request in map(json.loads, reversed(lines.splitlines())):
                choice = {"message": {"content": perfect.text(request["body"])}, "finish_reason": "stop"}
                body = {"model": "oracle", "choices": [choice]}
                response = {"status_code": 200, "body": body}
                file.write(json.dumps({"custom_id": request["custom_id"], "response": response, "error": None}) + "\n")

    done = run("analyze", "latest", "--batch-out", asked, "--model", "oracle", "--context", "8192")
    assert done.returncode == 0, done.stderr
    assert "questions written" in done.stderr
    assert tree(run).keys() != {"model"}
    answer(asked.read_text())
    assert run("analyze", "latest", "--batch-in", answered, "--batch-out", asked).returncode == 0
    assert cause(run)["support"] == "claimed"
    answer(asked.read_text())
    told = json.loads(run("analyze", "latest", "--batch-in", answered, "--json").stdout)
    assert (told["model"], told["unanswered"], told["missing"]) == ("oracle", 0, {})
    assert cause(run)["support"] == "grounded"


def test_results_that_answer_nothing_change_nothing(run: Run, tmp_path: Path) -> None:
    before = tree(run)
    (tmp_path / "empty.jsonl").write_text("{}\n")
    done = run("analyze", "latest", "--batch-in", tmp_path / "empty.jsonl", "--model", "m")
    assert done.returncode == 4
    assert "answered nothing" in done.stderr
    assert tree(run) == before


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        ([], 2, "Which model?"),
        (["--llm", "gpu7"], 2, "no address"),
        (["--llm", "ssh://gpu7"], 2, "no host and port"),
        (["--llm", "http://127.0.0.1:9", "--yes"], 4, "does not answer"),
        (["--llm", "http://127.0.0.1:9", "--rules"], 2, "Choose one"),
        (["--batch-out", "q.jsonl"], 2, "Which model"),
        (["--batch-in", "no-such-file", "--model", "m"], 3, "cannot be read"),
    ],
)
def test_what_cannot_be_done_is_said(run: Run, arguments: list[str], code: int, told: str) -> None:
    done = run("analyze", "latest", *arguments)
    assert (done.returncode, told in done.stderr) == (code, True), done.stderr


def test_a_model_that_the_server_has_not_is_named_with_those_it_has(run: Run, perfect: Server) -> None:
    done = run("analyze", "latest", "--llm", perfect.url, "--model", "other", "--yes")
    assert done.returncode == 3
    assert "It has oracle." in done.stderr


def test_a_key_does_not_go_over_an_open_network(run: Run) -> None:
    done = run("analyze", "latest", "--llm", "http://192.0.2.7:8000", "--yes", NECROPSY_LLM_KEY="k")
    assert done.returncode == 2
    assert "unencrypted" in done.stderr


def test_the_key_comes_from_the_environment(run: Run, perfect: Server) -> None:
    run("analyze", "latest", "--llm", perfect.url, "--yes", NECROPSY_LLM_KEY="k-9")
    assert {headers["Authorization"] for headers in perfect.headers} == {"Bearer k-9"}


def test_a_model_that_says_nothing_of_use_leaves_the_tree(run: Run, perfect: Server) -> None:
    before = tree(run)
    perfect.script = lambda _: "As a language model I cannot."
    done = run("analyze", "latest", "--llm", perfect.url, "--yes")
    assert done.returncode == 4
    assert tree(run) == before


def test_ctrl_c_ends_it_at_once_and_changes_nothing(run: Run, environment: dict[str, str]) -> None:
    before = tree(run)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        command: list[str | Path] = [NECROPSY, "analyze", "latest", "--llm", url, "--yes"]
        with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as process:
            connection, _ = silent.accept()
            time.sleep(0.1)
            process.send_signal(signal.SIGINT)
            _, told = process.communicate(timeout=60)
        connection.close()
    assert process.returncode == 130
    assert b"Traceback" not in told
    assert tree(run) == before


@pytest.mark.sshd
def test_a_server_behind_ssh_is_reached(run: Run, perfect: Server, sshd: Sshd, tmp_path: Path) -> None:
    targets = tmp_path / "targets.toml"
    targets.write_text(
        f'[targets.gpu7]\nhost = "127.0.0.1"\nport = {sshd.port}\nuser = "{sshd.user}"\n'
        f'identity = "{sshd.identity}"\nknown_hosts = "{sshd.known_hosts}"\nssh_config = false\n'
    )
    port = perfect.url.rpartition(":")[2]
    done = run("analyze", "latest", "--llm", f"ssh://gpu7:{port}", "--targets", targets, "--yes")
    assert done.returncode == 0, done.stderr
    assert cause(run)["support"] == "grounded"
    assert {headers["Host"].partition(":")[0] for headers in perfect.headers} == {"127.0.0.1"}
    assert {headers["Host"] for headers in perfect.headers} != {f"127.0.0.1:{port}"}
