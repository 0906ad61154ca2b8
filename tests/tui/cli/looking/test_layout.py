"""What a person sees on a narrow terminal: what belongs to a line stands under it, indented."""

import subprocess
from collections.abc import Callable

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]


def lines(done: subprocess.CompletedProcess[str], width: int) -> list[str]:
    shown = [line.rstrip() for line in done.stdout.splitlines()]
    assert max(map(len, shown)) <= width
    return shown


@pytest.mark.parametrize("width", [60, 100])
def test_what_goes_on_of_a_candidate_stands_under_its_beginning(bundled: Run, width: int) -> None:
    done = bundled("show", "latest", "--candidates", env={"COLUMNS": str(width)})
    shown = lines(done, width)
    below = shown[shown.index("Candidates, by rank") + 1 :]
    assert len(below) > 12
    assert all(line.startswith(("  · C", "    ")) for line in below)


def test_what_goes_on_of_a_planned_command_stands_under_the_command(bundled: Run) -> None:
    done = bundled("replay", "latest", "--on", "sandbox", "--steps", "4,13", "--dry-run", env={"COLUMNS": "80"})
    head, *below = lines(done, 80)
    assert head == "Plan for sandbox (sandbox)"
    assert "  192.0.2.174 in the log is sandbox here" in below
    steps = [line[:12].strip() for line in below[1:] if line[:12].strip()]
    assert steps == ["4 ask", "13 run"]


def test_reasons_of_a_run_stand_under_their_step(bundled: Run) -> None:
    done = bundled("replay", "latest", "--on", "sandbox", "--steps", "6", "--yes")
    shown = lines(done, 120)
    place = shown.index("  step 6: refused")
    assert shown[place + 1] == "      curl -d: may change the state of a server"


def test_what_a_probe_takes_and_settles_stands_under_it(run: Run) -> None:
    head, needs, *below = lines(run("probe", "show", "gguf.namemap"), 120)
    assert head.startswith("gguf.namemap  ")
    assert needs == "needs model, gguf"
    assert "  model (path): a GGUF file, a shard of a split one, or its folder" in below
    assert all(line.startswith("  ") for line in below)


def test_help_tells_the_exit_codes(run: Run) -> None:
    told = " ".join(run("--help").stdout.split())
    assert "5 refused by policy, 6 undetermined, 70 a bug of ours, 130 after Ctrl-C." in told


def test_one_is_no_plural(run: Run, claude_line: Callable[..., str]) -> None:
    done = run("ingest", "-", input=claude_line(1, "The disk is full, I think."))
    assert "1 session taken, 0 logs unchanged." in done.stderr
