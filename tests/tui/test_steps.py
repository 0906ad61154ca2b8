"""How the step list names a step."""

import pytest

from sessions.store.rows import StepLine
from tui.widgets.steps import told


def line(command: str, kind: str = "shell") -> StepLine:
    return StepLine(
        ordinal=0,
        message=None,
        kind=kind,
        tool="bash",
        command=command,
        output_size=0,
        status="ok",
        exit_code=0,
        started=None,
        duration=None,
        truncated=False,
        continues=None,
        child=None,
        abandoned=False,
    )


@pytest.mark.parametrize(
    ("command", "named"),
    [
        ("df -h", ("$", "df -h")),
        ("cd /srv/app && go test ./...", ("$", "go test ./...")),
        ("cd /srv/app\ngo test", ("$", "go test")),
        ("cd /srv/app", ("$", "cd /srv/app")),
        ("ssh root@192.0.2.7 'nvidia-smi -L'", ("ssh", "nvidia-smi -L")),
        ("ssh root@192.0.2.7 'cd /srv; ls'", ("ssh", "ls")),
    ],
)
def test_what_stands_in_front_of_a_command_is_left_out(command: str, named: tuple[str, str]) -> None:
    assert told(line(command)) == named


def test_other_kinds_keep_their_text() -> None:
    assert told(line("cd /srv && x", kind="search")) == ("search", "cd /srv && x")
