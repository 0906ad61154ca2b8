"""Consent as a person gives it: on a terminal step by step, or beforehand on the command line."""

import json
import os
import pty
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sessions.ingest.source import Source
from sessions.models.session import Session, Step, Tally
from sessions.shell.unwrap import unwrap
from sessions.store.writer import Writer

NECROPSY = Path(sys.executable).with_name("necropsy")

Run = Callable[..., subprocess.CompletedProcess[str]]

ON = ("replay", "s1", "--on", "local", "--map", "local=local")


@pytest.fixture
def session(run: Run, store: Path, tmp_path: Path) -> Run:
    """A session of three steps that are asked about, one that runs and one that is refused."""
    for name in ("a", "b"):
        (tmp_path / f"{name}_secret.txt").write_text(f"{name}\n")
    commands = [
        f"cat {tmp_path}/a_secret.txt", "uname -s", f"cat {tmp_path}/b_secret.txt", f"touch {tmp_path}/marker",
        f"head -n 1 {tmp_path}/a_secret.txt",
    ]  # fmt: skip
    steps = tuple(
        Step(ordinal=n, kind="shell", tool="bash", command=text, output="a\n") for n, text in enumerate(commands)
    )
    recorded = Session(id="s1", format="opencode", agent="opencode", source="/s", steps=steps)
    with Writer.open(store) as writer:
        writer.store(Source(Path("/s"), "opencode", "1"), [recorded], Tally(read=1))
    return run


def outcomes(done: subprocess.CompletedProcess[str]) -> list[str]:
    return [step["outcome"] for step in json.loads(done.stdout)["steps"]]


def test_beforehand(session: Run, tmp_path: Path) -> None:
    assert outcomes(session(*ON, "--yes", "--json")) == ["refused", "completed", "refused", "refused", "refused"]
    assert outcomes(session(*ON, "--yes", "--json", "--consent", "0,4")) == [
        "completed", "completed", "refused", "refused", "completed",
    ]  # fmt: skip
    assert not (tmp_path / "marker").exists()


@pytest.mark.parametrize("steps", ["1", "3", "9", "0-3"])
def test_what_is_not_asked_about_cannot_be_consented_to(session: Run, steps: str, tmp_path: Path) -> None:
    done = session(*ON, "--yes", "--json", "--consent", steps)
    assert (done.returncode, done.stdout) == (2, "")
    assert "cannot be consented to" in done.stderr
    assert not (tmp_path / "marker").exists()


def test_by_a_plan_that_was_read(session: Run, tmp_path: Path) -> None:
    plan = session(*ON, "--steps", "0,2", "--dry-run", "--json")
    file = tmp_path / "plan.json"
    file.write_text(plan.stdout)
    assert outcomes(session(*ON, "--yes", "--json", "--consent-file", file)) == [
        "completed", "completed", "completed", "refused", "refused",
    ]  # fmt: skip
    file.write_text(plan.stdout.replace("a_secret", "other_secret"))
    done = session(*ON, "--yes", "--json", "--consent-file", file)
    assert (done.returncode, done.stdout) == (2, "")


def on_a_terminal(store: Path, answers: str, *words: str) -> str:
    """Return all that is drawn while a person types `answers`, a line each."""
    environment: dict[str, Any] = {**os.environ, "TERM": "dumb", "NO_COLOR": "1", "COLUMNS": "200"}
    main, terminal = pty.openpty()
    with subprocess.Popen(
        [NECROPSY, "--store", store, *words], stdin=terminal, stdout=terminal, stderr=terminal, env=environment
    ) as process:
        os.close(terminal)
        os.write(main, answers.encode())
        drawn = b""
        while True:
            try:
                chunk = os.read(main, 65536)
            except OSError:
                break
            if not chunk:
                break
            drawn += chunk
        process.wait(60)
    os.close(main)
    return drawn.decode().replace("\r", "")


def ran(run: Run) -> list[int]:
    runs = json.loads(run("report", "s1", "--format", "json").stdout)["runs"]
    return [step["step"] for step in runs[-1]["steps"] if step["outcome"] == "completed"] if runs else []


def test_one_by_one(session: Run, store: Path) -> None:
    drawn = on_a_terminal(store, "y\nn\nwhat\nn\ny\n", *ON)
    assert ran(session) == [0, 1]
    assert "a_secret.txt may hold a secret" in drawn
    assert drawn.count("Run step 4?") == 2


def test_all_that_are_alike(session: Run, store: Path) -> None:
    on_a_terminal(store, "a\nn\ny\n", *ON)
    assert ran(session) == [0, 1, 2]


def test_quitting_runs_nothing(session: Run, store: Path) -> None:
    assert "Nothing was run." in on_a_terminal(store, "y\nq\n", *ON)
    assert ran(session) == []


def test_without_a_terminal_each_step_is_printed_once(session: Run) -> None:
    done = session(*ON, "--yes")
    for step in range(5):
        assert (done.stdout + done.stderr).count(f"step {step}:") == 1
    assert "nobody consented to it" in done.stdout


def test_what_is_refused_says_why_it_cannot_be_consented_to(session: Run) -> None:
    done = session(*ON, "--yes", "--consent", "3")
    assert "Step 3 cannot be consented to: it is refused (touch: writes files)." in done.stderr
    assert "--allow writes" in done.stderr
    assert "Step 1 cannot be consented to: it runs without." in session(*ON, "--yes", "--consent", "1").stderr


@pytest.fixture
def writing(run: Run, store: Path) -> Run:
    """A session that writes a long file, changes it, looks at it, and writes outside."""
    lines = "".join(f"value_{number} = {number}\n" for number in range(40))
    told = [
        (f"cat > /tmp/exp/settings.py <<'E'\n{lines}E", ""),
        ("sed -i 's/value_7 = 7/value_7 = 70/' /tmp/exp/settings.py", ""),
        ("grep -n value_7 /tmp/exp/settings.py", "8:value_7 = 70\n"),
        ("echo x > /srv/marker", ""),
        (f"python3 - <<'E'\n{lines}print(value_39)\nE", "39\n"),
    ]
    steps = tuple(
        Step(ordinal=n, kind="shell", tool="bash", command=text, output=printed, commands=unwrap(text), exit_code=0)
        for n, (text, printed) in enumerate(told)
    )
    recorded = Session(id="s1", format="opencode", agent="opencode", source="/s", steps=steps)
    with Writer.open(store) as writer:
        writer.store(Source(Path("/s"), "opencode", "1"), [recorded], Tally(read=1))
    return run


def test_a_plan_folds_what_is_long(writing: Run) -> None:
    allowed = (*ON, "--dry-run", "--allow", "writes", "--allow", "code")
    folded, full = writing(*allowed).stdout, writing(*allowed, "--full").stdout
    assert "value_4 = 4" in folded
    assert "value_20 = 20" not in folded
    assert "… 35 more lines; --full shows them" in folded
    assert full.count("value_20 = 20") == 2
    assert "--full" not in full
    assert len(full.splitlines()) > len(folded.splitlines()) + 60
    assert "which is /tmp/exp/settings.py in the log" in " ".join(folded.split())
    assert "/srv/marker lies outside the scratch folder" in " ".join(folded.split())


@pytest.mark.skipif(not shutil.which("bwrap"), reason="needs bubblewrap")
def test_writes_run_as_they_are_consented_to_and_are_shown_whole_before(writing: Run, store: Path) -> None:
    drawn = on_a_terminal(store, "y\ny\ny\n", *ON, "--allow", "writes", "--steps", "0-3")
    assert ran(writing) == [0, 1, 2]
    asked = drawn[drawn.index("Step 0 is asked about (writes)") :]
    assert "value_20 = 20" in asked
    assert "step 2: completed, identical" in drawn
    assert writing("journal", "verify").returncode == 0


@pytest.mark.skipif(not shutil.which("bwrap"), reason="needs bubblewrap")
def test_writes_by_a_plan_that_was_read(writing: Run, tmp_path: Path) -> None:
    allowed = (*ON, "--allow", "writes", "--steps", "0-3")
    file = tmp_path / "plan.json"
    file.write_text(writing(*allowed, "--dry-run", "--json").stdout)
    assert outcomes(writing(*allowed, "--yes", "--json", "--consent-file", file)) == ["completed"] * 3 + ["refused"]
    refused = writing(*ON, "--yes", "--json", "--consent-file", file)
    assert (refused.returncode, refused.stdout) == (2, "")
