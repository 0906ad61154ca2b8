"""Every mark is explained: by a rule with its reason, a model, or a person."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from sessions.hypotheses.explain import explain
from sessions.hypotheses.reasons import FORMS, reason
from sessions.hypotheses.rules.find.score import ADJUST
from sessions.hypotheses.rules.table import ROWS
from sessions.models.hypothesis import Evidence, Hypothesis, Tree, Turn


@dataclass(frozen=True)
class Edit:
    key: str
    action: str
    value: dict[str, Any] = field(default_factory=dict)
    author: str = "ada"
    time: str = "2026-11-29T18:00:00.000Z"


def suspicion(**more: object) -> Hypothesis:
    facts = {"id": "H1", "key": "m1.0", "parent": "H0", "statement": "the disk is full", "source": "rule:maybe"}
    return Hypothesis.model_validate(facts | more)


def test_a_rule_of_the_table_is_explained_by_its_row() -> None:
    row = next(row for row in ROWS if row.name == "maybe")
    why = reason("rule:maybe")
    assert (why.kind, why.family, why.weight, why.text) == ("rule", "hedge", row.weight, row.reason)


def test_the_place_of_a_sentence_has_a_weight_and_a_reason() -> None:
    assert set(FORMS) == set(ADJUST)
    assert reason("rule:heading").weight == ADJUST["heading"]
    assert "headings" in reason("rule:heading").text


@pytest.mark.parametrize(("source", "kind"), [("model:some-7b", "model"), ("person:ada", "person"), ("", "unknown")])
def test_models_and_persons_are_named(source: str, kind: str) -> None:
    why = reason(source)
    assert why.kind == kind
    assert source.partition(":")[2] in why.text


def test_what_raised_it_is_apart_from_what_decided() -> None:
    turn = Turn(message=4, verdict="refuted", quote="The disk is fine.", source="rule:in-order")
    piece = Evidence(step=2, stance="refutes", quote="41% /srv", deciding=True, source="rule:figures-in-output")
    other = Evidence(step=1, stance="neutral", quote="df", source="rule:overlap")
    found = explain(
        suspicion(
            verdict="refuted", support="grounded", history=(turn,), evidence=(other, piece),
            rules=("rule:entity", "rule:maybe", "rule:in-order", "rule:does-its-job"),
        ), (),
    )  # fmt: skip
    assert [why.source for why in found.raised] == ["rule:maybe", "rule:entity"]
    assert [(mark.what, mark.message, mark.why.source) for mark in found.verdicts] == [
        ("refuted", 4, "rule:in-order"),
        ("the same again", None, "rule:does-its-job"),
    ]
    assert [(mark.what, mark.step, mark.quote) for mark in found.evidence] == [
        ("refutes, decides", 2, "41% /srv"),
        ("neutral", 1, "df"),
    ]
    assert "output" in found.carried


def test_a_verdict_by_default_says_so() -> None:
    (mark,) = explain(suspicion(verdict="abandoned"), ()).verdicts
    assert (mark.what, mark.why.source) == ("abandoned", "rule:undecided")
    assert "settles" in mark.why.text


def test_corrections_of_it_and_those_merged_into_it_are_told() -> None:
    edits = [
        Edit("m1.0", "verdict", {"verdict": "refuted"}),
        Edit("m2.0", "merge", {"into": "m1.0"}),
        Edit("m3.0", "remove"),
    ]
    assert [edit.action for edit in explain(suspicion(), edits).corrections] == ["verdict", "merge"]


def test_the_bundled_session_has_a_reason_for_every_mark(bundled: Any) -> None:
    tree: Tree = bundled.tree()
    bare = {
        why.source
        for one in (*tree.hypotheses, *tree.candidates)
        for found in [explain(one, ())]
        for why in (*found.raised, *(mark.why for mark in (*found.verdicts, *found.evidence)))
        if not (why.family and why.text)
    }
    assert bare == set()


def test_what_nobody_set_is_explained_by_its_source_alone(find: Callable[[Tree, str], Hypothesis]) -> None:
    tree = Tree(hypotheses=(suspicion(source="model:some-7b"),))
    assert [why.text for why in explain(find(tree, "disk full"), ()).raised] == ["the model some-7b says so"]
