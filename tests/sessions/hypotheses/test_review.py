"""What waits for a person, and what their decisions become."""

from dataclasses import dataclass
from typing import Any

import pytest

from sessions.hypotheses import review
from sessions.hypotheses.edits import apply
from sessions.hypotheses.review import Change, queue
from sessions.hypotheses.tree import symptom
from sessions.models.hypothesis import Evidence, Hypothesis, Tree, Turn

ROOT = symptom("Every third upload fails.", source="rule:symptom", stated_in=0)


@dataclass(frozen=True)
class Edit:
    key: str
    action: str
    value: Any
    author: str = "ada"


@dataclass(frozen=True)
class Line:
    ordinal: int
    message: int | None


def node(number: int, **more: Any) -> Hypothesis:
    facts = {"id": f"H{number}", "key": f"m{number}", "parent": "H0", "statement": f"cause {number}", "stated_in": 4}
    return Hypothesis.model_validate(facts | {"source": "rule:maybe", "verdict": "abandoned"} | more)


def tree(*nodes: Hypothesis, candidates: tuple[Hypothesis, ...] = ()) -> Tree:
    return Tree(hypotheses=(ROOT, *nodes), candidates=candidates)


def after(before: Tree, changes: tuple[Change, ...], added: str = "person:1") -> Tree:
    return apply(before, [Edit(each.key or added, each.action, each.value) for each in changes])


def keys(one: Tree, also: tuple[str, ...] = ()) -> list[str]:
    return [item.hypothesis.key for item in queue(one, also)]


def test_unsettled_nodes_wait_first_then_candidates_by_rank() -> None:
    weak, strong = node(7, score=0.5), node(8, score=0.9)
    settled = node(2, history=(Turn(message=None, verdict="refuted", source="person:ada"),))
    one = tree(node(1), settled, node(3), candidates=(weak, strong))
    assert [(item.hypothesis.key, item.candidate) for item in queue(one)] == [
        ("m1", False), ("m3", False), ("m8", True), ("m7", True),
    ]  # fmt: skip
    assert keys(one, ("m2",)) == ["m1", "m2", "m3", "m8", "m7"]
    assert review.progress(one) == (1, 3)


def test_other_words_do_not_settle_a_verdict() -> None:
    before = tree(node(1))
    assert keys(after(before, review.restate(before.hypotheses[1], "the disk is full"))) == ["m1"]


def test_accepting_makes_the_proposed_verdict_the_persons_own() -> None:
    piece = Evidence(step=3, stance="refutes", quote="41% /srv", deciding=True, source="rule:x")
    before = tree(node(1, verdict="refuted", support="grounded", decided_in=9, evidence=(piece,)))
    one = after(before, review.accept(before.hypotheses[1])).hypotheses[1]
    assert (one.verdict, one.support, one.decided_in, one.source) == ("refuted", "grounded", 9, "person:ada")
    assert one.evidence == (piece,)
    assert review.is_settled(one)


@pytest.mark.parametrize(
    ("verdict", "support"), [("confirmed", "claimed"), ("refuted", "grounded"), ("open", "claimed")]
)
def test_another_verdict_is_grounded_where_evidence_speaks_for_it(verdict: Any, support: str) -> None:
    piece = Evidence(step=3, stance="refutes", quote="41% /srv", source="rule:x")
    before = tree(node(1, evidence=(piece,)))
    one = after(before, review.decide(before.hypotheses[1], verdict)).hypotheses[1]
    assert (one.verdict, one.support) == (verdict, support)


def test_a_candidate_that_is_accepted_or_decided_becomes_a_settled_node() -> None:
    before = tree(candidates=(node(7, verdict="open"), node(8, verdict="open")))
    first, second = before.candidates
    now = after(before, (*review.accept(first), *review.decide(second, "refuted")))
    assert [(one.key, one.verdict, one.parent) for one in now.hypotheses[1:]] == [
        ("m7", "open", "H0"), ("m8", "refuted", "H0"),
    ]  # fmt: skip
    assert keys(now) == []


def test_rejecting_takes_nodes_and_candidates_out() -> None:
    before = tree(node(1), candidates=(node(7),))
    now = after(before, (*review.reject(before.hypotheses[1]), *review.reject(before.candidates[0])))
    assert [one.key for one in (*now.hypotheses, *now.candidates)] == ["symptom"]


def test_hanging_and_merging_name_the_other_one() -> None:
    before = tree(node(1), node(2), node(3))
    now = after(before, (*review.hang(before.hypotheses[2], "m1"), *review.merge(before.hypotheses[3], "m1")))
    assert [(one.key, one.parent) for one in now.hypotheses] == [("symptom", None), ("m1", "H0"), ("m2", "H1")]


def test_splitting_leaves_the_evidence_and_adds_an_open_one_beside_it() -> None:
    piece = Evidence(step=3, stance="refutes", quote="41% /srv", source="rule:x")
    before = tree(node(1, statement="the disk is full or the proxy drops connections", evidence=(piece,)))
    one = before.hypotheses[1]
    assert review.halves(one.statement) == ("the disk is full", "the proxy drops connections")
    now = after(before, review.split(one, *review.halves(one.statement)))
    assert [(h.key, h.statement, h.parent, h.stated_in) for h in now.hypotheses[1:]] == [
        ("m1", "the disk is full", "H0", 4), ("person:1", "the proxy drops connections", "H0", 4),
    ]  # fmt: skip
    assert now.hypotheses[1].evidence == (piece,)
    assert keys(now, ("person:1",)) == ["m1", "person:1"]


def test_what_cannot_be_divided_is_proposed_twice() -> None:
    assert review.halves("the disk is full") == ("the disk is full", "the disk is full")


def test_evidence_is_seen_with_it_else_the_steps_around_its_statement() -> None:
    lines = [Line(n, n) for n in range(10)]
    cited = tuple(
        Evidence(step=step, stance="neutral", quote="", deciding=step == 8, source="rule:x") for step in (2, 8, 99)
    )
    assert review.nearby(node(1, evidence=cited), lines) == (8, 2)
    assert review.nearby(node(1), lines) == (2, 3, 4, 5)
    assert review.nearby(node(1, stated_in=None), lines) == ()
