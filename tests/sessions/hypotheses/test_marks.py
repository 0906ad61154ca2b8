"""What an output shows by itself, and what it does not."""

import pytest

from sessions.hypotheses.rules.judge.marks import marks
from sessions.hypotheses.rules.judge.record import is_fix, is_run
from sessions.models.session import Step, StepKind


def step(command: str = "", output: str = "", kind: StepKind = "shell") -> Step:
    return Step(ordinal=0, kind=kind, tool="sh", command=command, output=output)


@pytest.mark.parametrize(
    ("line", "showing"),
    [
        ("max diff 0.0004", {"agrees"}),
        ("max abs diff 1.2e-03, mean abs diff 9.1e-05", {"agrees"}),
        ("max diff 0.5", {"differs"}),
        ("max diff 0.004 (tol 0.001)", {"differs"}),
        ("max diff 0.04 (tol 0.1)", {"agrees"}),
        ("cosine similarity 0.9998", {"agrees"}),
        ("cosine similarity 0.41", {"differs"}),
        ("relative error: 5.3 %", set()),
        ("allclose: True", {"agrees"}),
        ("allclose: False", {"differs"}),
        ("mismatched elements: 0 / 4096", {"agrees"}),
        ("mismatched elements: 17 / 4096", {"differs"}),
        ("64 of 64 rows match", {"agrees"}),
        ("reviewed 2 out of 2 changed files", set()),
        ("--- PASS: TestReader (0.01s)", {"passes"}),
        ("Pass --force only where it is safe", set()),
        ("12 passed, 1 failed in 0.4s", {"passes", "fails"}),
        ("nan: 0", set()),
        ("loss nan", {"differs"}),
        ("  region.map   76  unmapped", {"lacks"}),
    ],
)
def test_a_line_shows_what_a_reader_would_see(line: str, showing: set[str]) -> None:
    assert {mark.showing for mark in marks(step(output=line))} == showing


def test_a_mark_keeps_its_line_and_those_above() -> None:
    (mark,) = marks(step(output="reader 3\n\n   checksum: identical  \n"))
    assert (mark.line, mark.above) == ("checksum: identical", "reader 3")


@pytest.mark.parametrize(
    ("command", "run"),
    [
        ("python3 check.py", True),
        ("cd /srv && pytest -q | tail -3", True),
        ("grep -rn identical src", False),
        ("ssh host 'sed -n 1,20p reader.py' 2>&1", False),
        ("cd '/srv/my app' && git diff", False),
        ("tail -n 3 /var/log/check.log", True),
    ],
)
def test_showing_a_file_is_no_run(command: str, *, run: bool) -> None:
    assert is_run(step(command)) is run


@pytest.mark.parametrize(("path", "fix"), [("src/reader.py", True), ("NOTES.md", False), ("docs/a.rst\n-x\n+y", False)])
def test_editing_notes_mends_nothing(path: str, *, fix: bool) -> None:
    assert is_fix(step(path, kind="edit")) is fix
