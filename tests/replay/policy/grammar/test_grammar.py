"""What the manuals say of each program, against what the policy says and what the kernel sees."""

import random
import shutil
import subprocess
from pathlib import Path

import pytest

from probes.host.script import quote
from replay.policy.judge import assess, judge
from replay.policy.judgement import Judgement
from sessions.models.command import Pipe, Stage
from tests.replay.policy.differential import SLOW_OR_SERVED, make_files, trace
from tests.replay.policy.grammar.cases import FAMILIES, Case, around, base

OUTCOMES = {"run": "run", "ask": "ask", "more": "refuse"}


@pytest.mark.parametrize("family", FAMILIES)
def test_each_call_by_itself_has_the_decision_of_its_manual(family: str) -> None:
    wrong = [case for case in base(family) if assess(case.command).decision != OUTCOMES[case.expected]]
    assert wrong == []


@pytest.mark.parametrize("family", FAMILIES)
def test_what_stands_around_a_call_counts_as_it_should(family: str) -> None:
    cases = around(family, 500, seed=1)
    assert len({case.command for case in cases}) == 500
    assert [case for case in cases if assess(case.command).decision != OUTCOMES[case.expected]] == []


@pytest.mark.parametrize("family", FAMILIES)
def test_two_parsers_come_to_the_same_decision(family: str) -> None:
    for case in around(family, 25, seed=2):
        judged = judge(case.command)
        assert judged.decision == OUTCOMES[case.expected], case
        if judged.sent is not None:
            again = judge(judged.sent)
            assert (again.decision, again.sent, again.pipes) == (judged.decision, judged.sent, judged.pipes)


@pytest.mark.parametrize("family", FAMILIES)
def test_an_option_that_no_manual_has_is_refused(family: str) -> None:
    for case in base(family):
        program, _, rest = case.command.partition(" ")
        if case.expected != "more" and program not in {"echo", "printf", "test"}:
            assert assess(f"{program} --zzz {rest}").decision == "refuse", case


@pytest.fixture
def sandbox() -> None:
    if shutil.which("bwrap") is None or shutil.which("strace") is None:
        pytest.skip("needs bubblewrap and strace: apt-get install bubblewrap strace")
    if subprocess.run(["bwrap", "--ro-bind", "/", "/", "--unshare-net", "true"], check=False).returncode:
        pytest.skip("needs a kernel that lets bubblewrap make namespaces")


def _here(case: Case) -> bool:
    program = case.command.split()[0]
    return shutil.which(program) is not None and program not in SLOW_OR_SERVED


@pytest.mark.usefixtures("sandbox")
def test_the_kernel_sees_that_reading_only_reads(tmp_path: Path) -> None:
    cases = [case for family in FAMILIES for case in base(family) if case.expected == "run" and _here(case)]
    chosen = random.Random(3).sample(cases, 300)  # noqa: S311 -- the same ones each time
    assert trace([assess(case.command) for case in chosen], tmp_path) == []


HARMFUL = [case.command for family in FAMILIES for case in base(family) if case.shown]


@pytest.mark.usefixtures("sandbox")
@pytest.mark.parametrize("command", HARMFUL)
def test_the_kernel_sees_that_what_is_refused_does_more(command: str, tmp_path: Path) -> None:
    program = command.split(maxsplit=1)[0]
    if shutil.which(program) is None:
        pytest.skip(f"needs {program}")
    pipe = Pipe(stages=(Stage(words=(program,)),))
    judged = Judgement(command, "read", pipes=(pipe,), sent=f"bash -c {quote(command)}")
    assert trace([judged], tmp_path, make_files)
