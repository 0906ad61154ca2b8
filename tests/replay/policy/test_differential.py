"""What the policy calls reading, and what the kernel sees of it."""

import shutil
import subprocess
from pathlib import Path

import pytest

from replay.policy.judge import judge
from replay.policy.judgement import Judgement
from sessions.models.command import Pipe, Stage
from tests.replay.policy.differential import generate, trace, watch


@pytest.fixture(autouse=True)
def sandbox() -> None:
    if shutil.which("bwrap") is None or shutil.which("strace") is None:
        pytest.skip("needs bubblewrap and strace: apt-get install bubblewrap strace")
    if subprocess.run(["bwrap", "--ro-bind", "/", "/", "--unshare-net", "true"], check=False).returncode:
        pytest.skip("needs a kernel that lets bubblewrap make namespaces")


def test_three_hundred_generated_commands_do_nothing_but_read(tmp_path: Path) -> None:
    commands = generate(300, seed=20)
    assert len({judged.pipes[0].stages[0].words[0] for judged in commands}) > 30
    assert trace(commands, tmp_path) == []


@pytest.mark.parametrize(
    "words",
    [("touch", "m"), ("sed", "-n", "w m", "f"), ("find", ".", "-exec", "true", ";"), ("git", "status"),
     ("uniq", "f", "m"), ("git", "diff"), ("sort", "-o", "m", "f"), ("bash", "-c", ": <>/dev/tcp/127.0.0.1/9")],
)  # fmt: skip
def test_the_trace_sees_what_is_more_than_reading(words: tuple[str, ...], tmp_path: Path) -> None:
    pipe = Pipe(stages=(Stage(words=words),))
    sent = " ".join(f"'{word}'" for word in words)
    judged = Judgement(sent, "read", pipes=(pipe,), sent=sent)
    assert trace([judged], tmp_path)


@pytest.mark.parametrize(
    "command", ["git log -m -p", "git show -m", "git log -m --stat", "git reflog show -m", "git log -p --stat"]
)
def test_a_repository_of_hostile_settings_runs_nothing(command: str, tmp_path: Path) -> None:
    judged = judge(command)
    assert judged.decision == "run"
    assert trace([judged], tmp_path) == []


def test_what_is_late_is_told_from_what_does_more_than_reading(tmp_path: Path) -> None:
    slow, both = "'sleep' '4'", "'touch' 'm'; 'sleep' '4'"
    commands = [
        Judgement(sent, "read", pipes=(Pipe(stages=(Stage(words=("sleep", "4")),)),), sent=sent)
        for sent in (slow, both)
    ]
    seen, late = watch(commands, tmp_path, patience=1)
    assert {judged.sent for judged in late} == {slow, both}
    assert {each.command for each in seen} == {both}
    assert not any("kill(" in each.call for each in seen)
