"""``necropsy closure`` as a person types it."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from sessions.ingest.source import Source
from sessions.models.session import Session, Step, Tally
from sessions.shell.unwrap import unwrap
from sessions.store.writer import Writer

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def session(run: Run, store: Path) -> Run:
    commands = ["cat > /w/t.py <<'E'\nimport lib\nE", "date > /w/lib.py", "python3 /w/t.py", "uname"]
    steps = tuple(
        Step(ordinal=n, kind="shell", tool="bash", command=text, commands=unwrap(text, "/w"))
        for n, text in enumerate(commands)
    )
    recorded = Session(id="s1", format="opencode", agent="opencode", source="/s", steps=steps)
    with Writer.open(store) as writer:
        writer.store(Source(Path("/s"), "opencode", "1"), [recorded], Tally(read=1))
    return run


def test_files_are_listed_with_their_origins_and_what_is_lost_with_the_reason(session: Run) -> None:
    done = session("closure", "s1", "2", "--json")
    script, lost = json.loads(done.stdout)
    assert done.returncode == 1
    assert (script["path"], script["rebuilt"], script["content"], script["origins"]) == (
        "/w/t.py", True, "import lib\n", [0],
    )  # fmt: skip
    assert (lost["path"], lost["rebuilt"], lost["origins"]) == ("/w/lib.py", False, [1])
    assert "what a program printed" in lost["reason"]
    drawn = session("closure", "s1", "2", "--content").stdout
    assert "import lib" in drawn
    assert "/w/lib.py" in drawn


def test_a_step_that_needs_nothing(session: Run) -> None:
    assert session("closure", "s1", "3").returncode == 0
    assert session("closure", "s1", "9").returncode == 3
