"""Every example that a program's grammar carries, and every option that it does not."""

import pytest

from replay.policy.judge import judge
from replay.policy.programs import catalogue

EXAMPLES = [(name, example) for name, program in sorted(catalogue().items()) for example in program.examples]
ASKED = [(name, example) for name, program in sorted(catalogue().items()) for example in program.asked]


def test_every_program_has_an_example() -> None:
    assert [name for name, program in catalogue().items() if not program.examples + program.asked] == []


def test_there_are_enough_programs() -> None:
    assert len(catalogue()) >= 80


@pytest.mark.parametrize(("name", "example"), EXAMPLES)
def test_examples_are_read(name: str, example: str) -> None:
    judged = judge(example)
    assert (judged.effect, judged.reasons) == ("read", ())
    again = judge(judged.sent or "")
    assert (again.effect, again.sent) == ("read", judged.sent)


@pytest.mark.parametrize(("name", "example"), ASKED)
def test_examples_that_are_more_than_reading_are_asked_about(name: str, example: str) -> None:
    judged = judge(example)
    assert judged.decision == "ask"
    assert judged.reasons
    again = judge(judged.sent or "")
    assert (again.effect, again.sent) == (judged.effect, judged.sent)


TEXT = {"echo", "printf"}
"""Programs that take any text."""


@pytest.mark.parametrize("name", sorted(set(catalogue()) - TEXT))
def test_an_unlisted_option_makes_any_example_unknown(name: str) -> None:
    program = catalogue()[name]
    for example in program.examples:
        words = example.split(" ", 1)
        changed = judge(f"{words[0]} --no-such-option {words[1] if len(words) > 1 else ''}")
        assert changed.decision != "run"
