"""Several targets side by side: what came out the same shares a column, the last run on a target counts."""

import pytest

from sessions.models.replay import EvidenceStanding, HypothesisStanding, RunStep, Standing, Worth
from sessions.reports.fleet import matrix
from sessions.store.rows import RunRow


def run(number: int, target: str, standing: Standing = "holds", worth: Worth = "upheld") -> RunRow:
    step = RunStep(step=7, outcome="completed", comparison="identical" if standing == "holds" else "changed")
    stood = EvidenceStanding(hypothesis="H2", step=7, standing=standing)
    judged = HypothesisStanding(hypothesis="H2", worth=worth)
    return RunRow(number, "s1", target, "2026-11-29T18:00:00Z", None, {}, (), (step,), (stood,), (judged,))


def test_targets_that_came_out_the_same_are_folded() -> None:
    found = matrix([run(1, "gpu1"), run(2, "gpu2", "contradicted", "overturned"), run(3, "gpu3")])
    assert found is not None
    assert found.rows == (("H2", None), ("H2", 7))
    assert [(each.targets, each.cells) for each in found.columns] == [
        (("gpu1", "gpu3"), ("upheld", "holds (identical)")),
        (("gpu2",), ("overturned", "contradicted (changed)")),
    ]
    described = found.describe()
    assert described["alike"] == [["gpu1", "gpu3"], ["gpu2"]]


def test_the_last_run_on_a_target_counts() -> None:
    found = matrix([run(1, "gpu1", "contradicted", "overturned"), run(2, "gpu2"), run(3, "gpu1")])
    assert found is not None
    assert [each.targets for each in found.columns] == [("gpu1", "gpu2")]


@pytest.mark.parametrize("runs", [[], [run(1, "gpu1")], [run(1, "gpu1"), run(2, "gpu1")]])
def test_one_target_is_no_fleet(runs: list[RunRow]) -> None:
    assert matrix(runs) is None
