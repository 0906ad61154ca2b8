"""From results to standings, and from standings to what a verdict is worth."""

import pytest

from replay.recording import Recording
from replay.verdict import standings
from sessions.models.hypothesis import Evidence, Hypothesis, Tree
from sessions.models.replay import RunStep
from sessions.models.session import Step


def piece(step: int, quote: str = "tensors 1809", *, deciding: bool = True) -> Evidence:
    return Evidence(step=step, stance="refutes", quote=quote, deciding=deciding, source="rule:x")


@pytest.mark.parametrize(
    ("comparison", "output", "standing", "worth"),
    [
        ("changed", "tensors 1810\nmax diff 0.002", "holds-with-drift", "upheld"),
        ("identical", "max diff 0.002", "holds", "upheld"),
        ("drift", "max diff 0.2", "contradicted", "overturned"),
        ("changed", "no such thing", "undetermined", "undetermined"),
    ],
)
def test_a_predicate_decides_alone(comparison: str, output: str, standing: str, worth: str) -> None:
    required = piece(1).model_copy(update={"predicate": "max diff < 0.01"})
    assert judged(recording(required), result(1, comparison=comparison, output=output)) == (standing, worth)
    cut_short = result(1, "timed-out", output="max diff 0.002")
    assert judged(recording(required), cut_short) == ("undetermined", "undetermined")


def recording(*evidence: Evidence, output: str = "at 18:02:11 tensors 1809\nother 5\n") -> Recording:
    steps = {n: Step(ordinal=n, kind="shell", tool="bash", command="cat f", output=output) for n in range(4)}
    root = Hypothesis(id="H0", key="k0", root=True, statement="s", evidence=(piece(0),), source="rule:x")
    suspicion = Hypothesis(id="H1", key="k1", parent="H0", statement="s", evidence=evidence, source="rule:x")
    return Recording(steps, Tree(hypotheses=(root, suspicion)))


def result(step: int, outcome: str = "completed", comparison: str | None = None, output: str = "") -> RunStep:
    return RunStep.model_validate({"step": step, "outcome": outcome, "comparison": comparison, "output": output})


def judged(record: Recording, *results: RunStep) -> tuple[str, str]:
    found, worths = standings(record, results)
    assert [worth.hypothesis for worth in worths] == ["H1"]
    return next(each.standing for each in found if each.hypothesis == "H1"), worths[0].worth


@pytest.mark.parametrize(
    ("comparison", "standing", "worth"),
    [
        ("identical", "holds", "upheld"),
        ("equivalent", "holds", "upheld"),
        ("reordered", "holds", "upheld"),
        ("moved", "holds", "upheld"),
        ("drift", "holds-with-drift", "upheld"),
        ("not-comparable", "undetermined", "undetermined"),
        ("recording-truncated", "undetermined", "undetermined"),
    ],
)
def test_comparisons(comparison: str, standing: str, worth: str) -> None:
    assert judged(recording(piece(1)), result(1, comparison=comparison)) == (standing, worth)


@pytest.mark.parametrize(
    ("outcome", "standing"),
    [
        ("path-missing", "not-applicable"),
        ("command-missing", "not-applicable"),
        ("refused", "undetermined"),
        ("not-replayable", "undetermined"),
        ("unreachable", "undetermined"),
        ("timed-out", "undetermined"),
        ("killed", "undetermined"),
        ("output-limit", "undetermined"),
        ("transport-lost", "undetermined"),
        ("permission-denied", "undetermined"),
        ("unknown", "undetermined"),
    ],
)
def test_what_did_not_complete_never_upholds(outcome: str, standing: str) -> None:
    assert judged(recording(piece(1)), result(1, outcome)) == (standing, "undetermined")


@pytest.mark.parametrize("comparison", ["changed", "exit-status-changed"])
def test_a_change_contradicts_only_what_is_cited(comparison: str) -> None:
    record = recording(piece(1))
    gone = result(1, comparison=comparison, output="at 18:02:11 tensors 1808\nother 5\n")
    kept = result(1, comparison=comparison, output="at 18:02:11 tensors 1809\nother 6\n")
    assert judged(record, gone) == ("contradicted", "overturned")
    assert judged(record, kept) == ("holds-with-drift", "upheld")


def test_a_cited_line_may_have_another_time() -> None:
    record = recording(piece(1, "at 18:02:11 tensors 1809"))
    assert judged(record, result(1, comparison="changed", output="at 09:00:00 tensors 1809\nx"))[1] == "upheld"
    assert judged(record, result(1, comparison="changed", output="at 09:00:00 tensors 1810\nx"))[1] == "overturned"


@pytest.mark.parametrize("quote", ["", "cat f"])
def test_a_change_of_what_is_not_cited_by_output_is_undetermined(quote: str) -> None:
    assert judged(recording(piece(1, quote)), result(1, comparison="changed", output="new"))[0] == "undetermined"


def test_every_deciding_piece_must_stand() -> None:
    both = recording(piece(1), piece(2), piece(3, deciding=False))
    same = result(1, comparison="identical")
    assert standings(both, [same])[1][0].worth == "undetermined"
    assert standings(both, [same, result(2, comparison="identical")])[1][0].worth == "upheld"
    assert standings(both, [same, result(2, "timed-out")])[1][0].worth == "undetermined"
    assert standings(both, [same, result(2, comparison="changed", output="x")])[1][0].worth == "overturned"


def test_without_a_deciding_piece_all_count() -> None:
    record = recording(piece(1, deciding=False), piece(2, deciding=False))
    assert standings(record, [result(1, comparison="identical")])[1][0].worth == "undetermined"


def test_hypotheses_that_were_not_touched_are_not_judged() -> None:
    assert standings(recording(piece(1)), [result(3, comparison="identical")]) == ((), ())
