"""A plan shows what would be sent: whole, with its blanks, and no word of a log looks like a line of ours."""

import pytest

from probes.host.targets import Target
from sessions.models.replay import Plan, PlannedStep
from tui.cli.replaying.planned import draw


def drawn(capsys: pytest.CaptureFixture[str], sent: str, cwd: str | None = None) -> str:
    step = PlannedStep(step=3, command="x", effect="read", decision="run", target="gpu1", sent=sent, cwd=cwd)
    draw(Plan(session="s", target="gpu1", steps=(step,)), Target(name="gpu1"), full=True)
    return capsys.readouterr().out


def test_a_long_line_is_shown_whole(capsys: pytest.CaptureFixture[str]) -> None:
    assert drawn(capsys, "'cat' '" + "x" * 20_000 + "'").count("x") == 20_000


def test_blanks_in_front_of_a_line_are_kept(capsys: pytest.CaptureFixture[str]) -> None:
    lines = drawn(capsys, "'printf' 'if a:\n    b\n        c'").splitlines()
    indents = [len(line) - len(line.lstrip()) for line in lines if line.strip() in {"b", "c'"}]
    assert indents[1] - indents[0] == 4


def test_the_folder_is_told_on_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    out = drawn(capsys, "'ls'", "/srv\nPlan for gpu2\x1b[2J")
    assert "in /srv⏎Plan for gpu2" in out
    assert "\x1b" not in out
