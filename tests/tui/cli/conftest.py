"""The installed command, run as a person would run it."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

NECROPSY = Path(sys.executable).with_name("necropsy")

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store.sqlite"


@pytest.fixture
def run(store: Path, tmp_path: Path) -> Run:
    """Run ``necropsy --store STORE ARGUMENTS…`` with an empty home and return what came of it."""
    return _runner(store, tmp_path)


def _runner(store: Path, folder: Path) -> Run:
    def necropsy(*arguments: str | Path, **options: Any) -> subprocess.CompletedProcess[str]:
        home = folder / "home"
        home.mkdir(exist_ok=True)
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "NECROPSY_"))},
            "HOME": str(home),
            "TZ": "UTC",
            **options.pop("env", {}),
        }
        return subprocess.run(
            [NECROPSY, "--store", store, *arguments],
            capture_output=True,
            text=True,
            env=environment,
            timeout=120,
            check=False,
            **({"stdin": subprocess.DEVNULL} | options if "input" not in options else options),
        )

    return necropsy


@pytest.fixture(scope="session")
def demonstrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store that ``necropsy demo`` made."""
    folder = tmp_path_factory.mktemp("demonstrated")
    done = _runner(folder / "store.sqlite", folder)("demo", "--print", "--output", folder / "page.html")
    assert done.returncode == 0, done.stderr
    return folder / "store.sqlite"


@pytest.fixture
def bundled(run: Run, store: Path, demonstrated: Path) -> Run:
    """The same, with the bundled session in the store."""
    for file in demonstrated.parent.glob("store.sqlite*"):
        shutil.copyfile(file, store.with_name(file.name))
    return run


@pytest.fixture
def claude_line() -> Callable[[int, str], str]:
    """Writes one line of a Claude Code log in which the user says something."""
    return _claude_line


def _claude_line(number: int, text: str) -> str:
    record = {
        "type": "user",
        "uuid": f"00000000-0000-4000-8000-{number:012d}",
        "parentUuid": f"00000000-0000-4000-8000-{number - 1:012d}" if number > 1 else None,
        "sessionId": "5e551011-0000-4000-8000-000000000001",
        "timestamp": f"2026-11-29T10:{number % 60:02d}:00.000Z",
        "cwd": "/srv/app",
        "version": "2.1.0",
        "message": {"role": "user", "content": text},
    }
    return json.dumps(record)
