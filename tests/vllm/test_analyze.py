"""``necropsy analyze`` with a real server whose model understands nothing: what it says is heard, and not believed."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import pytest

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


def test_the_server_names_its_model(llama: Server) -> None:
    (model,) = llama.ask("/v1/models")["data"]
    assert (model["id"], model["max_model_len"]) == ("tiny", 32_768)
