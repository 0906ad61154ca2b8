"""logprob.sequence: what a real vLLM answered for a whole small MLA model and a damaged copy, and where limits lie."""

import json
from pathlib import Path

import pytest

from probes.payloads.logprob import sequence

ANSWERED = json.loads((Path(__file__).parents[2] / "data" / "vllm" / "positions.json").read_text("utf-8"))
TOKENS = 258


def figures(run: str) -> dict[str, float]:
    """Return the figures of a run of tests/gpu/server.py with vLLM 0.32.0 on the CPU."""
    read = {name: [sequence.Position(*each) for each in positions] for name, positions in ANSWERED[run].items()}
    return sequence.figures(read, 4)


@pytest.mark.parametrize(("run", "seen"), [("healthy", "fine"), ("values_first", "wrong")])
def test_a_real_answer_is_taken_for_what_the_model_is(run: str, seen: str) -> None:
    assert sequence.pattern(figures(run), TOKENS) == seen


@pytest.mark.parametrize(
    ("changed", "seen"),
    [
        ({"copy": -0.6}, "unclear"),
        ({"copy": -1.6}, "wrong"),
        ({"order": -0.6}, "unclear"),
        ({"order": -1.6}, "partly-damaged"),
        ({"text": -3.9}, "unclear"),
        ({"text": -4.1}, "partly-damaged"),
        ({"copy, last third": -0.9}, "fine"),
        ({"copy, last third": -1.1}, "decays"),
        ({"not a number": 1}, "not-a-number"),
    ],
)
def test_only_what_lies_a_nat_past_its_limit_is_called_damage(changed: dict[str, float], seen: str) -> None:
    assert sequence.pattern(figures("healthy") | changed, TOKENS) == seen


def test_the_first_time_that_words_are_copied_stands_for_the_beginning() -> None:
    """However often they are said: a third of forty times is no beginning."""
    sure, lost = sequence.Position(-0.1, -0.1), sequence.Position(-2.0, -0.5)
    read = {name: [sure] * 20 for name in ("numbers", "alphabet", "days", "text")}
    read["copy"] = [sure] * 3 + [sure] * 10 * 3 + [lost] * 10 * 37
    told = sequence.figures(read, 40)
    assert (told["copy, first time"], told["copy, last third"]) == (-0.1, -2.0)
    assert sequence.pattern(told, TOKENS) == "decays"
