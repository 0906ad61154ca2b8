"""A real vLLM server on loopback, in an environment of its own (``make test-vllm``); the tests run in the usual one."""

import contextlib
import hashlib
import json
import os
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PATIENCE = 400
"""Seconds until a server must have started: 40 on an idle machine."""
QUIET = {
    "HF_HUB_OFFLINE": "1",
    "VLLM_CPU_KVCACHE_SPACE": "1",
    "VLLM_NO_USAGE_STATS": "1",
    "VLLM_SERVER_DEV_MODE": "1",
}


@pytest.fixture(scope="session")
def vllm_python() -> Path:
    """The interpreter of the environment that has vLLM."""
    named = os.environ.get("NECROPSY_VLLM")
    if not named:
        pytest.skip("needs vLLM in an environment of its own: make test-vllm")
    return Path(named)


@pytest.fixture(scope="session")
def models(vllm_python: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the small models; made once per environment and script."""
    script = HERE / "make_models.py"
    digest = hashlib.sha256(script.read_bytes()).hexdigest()[:16]
    folder = vllm_python.parents[1] / "models" / digest
    if not folder.is_dir():
        made = tmp_path_factory.mktemp("models")
        subprocess.run([vllm_python, script, made], check=True, env=os.environ | QUIET)
        folder.parent.mkdir(exist_ok=True)
        subprocess.run(["mv", made, folder], check=True)
    return folder


@dataclass
class VLLM:
    """A started server: its address, and its weights, which can be changed for those of another folder."""

    url: str
    model: Path
    log: Path
    process: subprocess.Popen[bytes]

    def ask(self, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """Return the answer to a GET, or to a POST of `body`."""
        content = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, content, {"Content-Type": "application/json"})  # noqa: S310
        with urllib.request.urlopen(request, timeout=120) as answer:  # noqa: S310 - an address of ours
            return json.loads(answer.read() or b"null")

    @contextlib.contextmanager
    def damaged(self, kind: str) -> Iterator[None]:
        """Serve the weights of a damaged copy of the model for a while."""
        try:
            self.load(self.model.with_name(f"{self.model.name}-{kind}"))
            yield
        finally:
            self.load(self.model)

    def load(self, folder: Path) -> None:
        self.ask("/collective_rpc", {"method": "reload_weights", "kwargs": {"weights_path": str(folder)}})
        self.ask("/reset_prefix_cache", {})


class Serve(Protocol):
    def __call__(self, model: Path, *options: str, **environment: str) -> contextlib.AbstractContextManager[VLLM]: ...


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait(server: VLLM) -> None:
    for _ in range(PATIENCE * 2):
        if server.process.poll() is not None:
            break
        with contextlib.suppress(OSError, urllib.error.URLError):
            server.ask("/health")
            return
        time.sleep(0.5)
    pytest.fail(f"vLLM did not start:\n{server.log.read_text('utf-8', 'replace')[-4000:]}")


@pytest.fixture(scope="session")
def serve(vllm_python: Path, tmp_path_factory: pytest.TempPathFactory) -> Serve:
    """Start vLLM's server with a model; it is ended when the block is left."""

    @contextlib.contextmanager
    def start(model: Path, *options: str, **environment: str) -> Iterator[VLLM]:
        port, folder = _free_port(), tmp_path_factory.mktemp("vllm")
        server: list[str | Path] = [vllm_python, "-m", "vllm.entrypoints.openai.api_server"]
        place: list[str | Path] = [
            "--host",
            "127.0.0.1",
            "--port",
            str(port),
            "--model",
            model,
            "--served-model-name",
            "tiny",
        ]
        small = ["--dtype", "bfloat16", "--max-model-len", "32768", "--enforce-eager"]
        with (folder / "log").open("wb") as log:
            process = subprocess.Popen(
                [*server, *place, *small, *options],
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=folder,
                env=os.environ | QUIET | environment,
            )
        started = VLLM(f"http://127.0.0.1:{port}", model, folder / "log", process)
        try:
            _wait(started)
            yield started
        finally:
            process.terminate()
            process.wait()

    return start


@pytest.fixture(scope="session")
def llama(serve: Serve, models: Path) -> Iterator[VLLM]:
    """A server of the healthy small Llama; in white space, which a schema allows, a small model gets lost."""
    tidy = '{"backend": "xgrammar", "disable_any_whitespace": true}'
    with serve(models / "llama", "--enable-prompt-tokens-details", "--structured-outputs-config", tidy) as started:
        yield started
