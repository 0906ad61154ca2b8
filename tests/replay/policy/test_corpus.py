"""The policy on the commands that agents really sent to other machines."""

import json
from pathlib import Path

import pytest

from replay.policy.judge import judge
from replay.policy.programs import catalogue

pytestmark = pytest.mark.corpus


@pytest.fixture(scope="module")
def commands(corpus: Path) -> list[str]:
    lines = (corpus / "commands" / "remote_commands.jsonl").read_text().splitlines()
    return [json.loads(line)["command"] for line in lines]


def test_whatever_is_sent_is_a_stable_list_of_known_readers(commands: list[str]) -> None:
    known = {*catalogue(), "cd"}
    for command in commands:
        judged = judge(command)
        if judged.decision != "run":
            assert judged.reasons
            continue
        again = judge(judged.sent or "")
        assert (again.decision, again.sent, again.pipes) == ("run", judged.sent, judged.pipes)
        programs = {stage.words[0].rpartition("/")[2] for pipe in judged.pipes for stage in pipe.stages}
        assert programs <= known


def test_a_fair_part_of_plain_reading_comes_through(commands: list[str]) -> None:
    decisions = [judge(command).decision for command in commands]
    assert decisions.count("run") >= 190
