"""The light commands stay light: what a fresh interpreter loads for them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = ("textual", "asyncssh", "numpy", "torch", "vllm", "gguf", "mcp", "anyio")

PROBE = """
import contextlib, io, json, sys
from tui.cli.main import main
with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO())):
    try:
        code = main(sys.argv[1:])
    except SystemExit as stop:
        code = stop.code
print(json.dumps({"code": code, "loaded": sorted({name.partition(".")[0] for name in sys.modules})}))
"""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("light") / "store.sqlite"
    page = path.with_suffix(".html")
    command = ["--store", str(path), "demo", "--print", "--output", str(page)]
    subprocess.run([sys.executable, "-c", PROBE, *command], check=True, capture_output=True)
    return path


@pytest.mark.parametrize(
    "command",
    [
        ["--help"],
        ["list"],
        ["show", "latest"],
        ["explain", "latest", "H1"],
        ["report", "latest"],
        ["report", "latest", "--format", "html"],
        ["report", "latest", "--format", "json"],
        ["steps", "latest"],
        ["search", "tensor"],
        ["recall", "kernel"],
    ],
    ids=" ".join,
)
def test_a_light_command_loads_nothing_heavy(store: Path, command: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROBE, "--store", str(store), *command], check=True, capture_output=True, text=True
    )
    answer = json.loads(done.stdout.splitlines()[-1])
    assert answer["code"] == 0, done.stderr
    assert set(answer["loaded"]) & set(HEAVY) == set()
