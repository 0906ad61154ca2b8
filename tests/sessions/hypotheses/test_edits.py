"""A person's edits: what they change, that they outlive an analysis, and that the tree stays a tree."""

from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessions.hypotheses.edits import ACTIONS, apply, problem
from sessions.hypotheses.tree import faults, symptom
from sessions.models.hypothesis import Evidence, Hypothesis, Tree

ROOT = symptom("The server answers nonsense.", source="rule:symptom", stated_in=0)


@dataclass(frozen=True)
class Edit:
    key: str
    action: str
    value: dict[str, Any] = field(default_factory=dict)
    author: str = "ana"


def node(number: int, parent: str | None = "H0", **more: Any) -> Hypothesis:
    fields = {"statement": f"cause {number}", "source": "rule:hedge", "verdict": "abandoned", **more}
    return Hypothesis(id=f"H{number}", key=f"m{number}.0", parent=parent, **fields)


def tree(*nodes: Hypothesis, candidates: tuple[Hypothesis, ...] = ()) -> Tree:
    return Tree(hypotheses=(ROOT, *nodes), candidates=candidates)


def by_key(one: Tree) -> dict[str, Hypothesis]:
    return {h.key: h for h in one.hypotheses}


def test_a_verdict_of_a_person_is_kept_with_its_author_and_its_line() -> None:
    value = {"verdict": "refuted", "step": 7, "quote": "max diff 0.00031", "message": 9}
    after = by_key(apply(tree(node(1)), [Edit("m1.0", "verdict", value)]))["m1.0"]
    assert (after.verdict, after.support, after.decided_in) == ("refuted", "grounded", 9)
    assert after.history[-1].source == "person:ana"
    assert after.evidence == (
        Evidence(step=7, stance="refutes", quote="max diff 0.00031", deciding=True, source="person:ana"),
    )


def test_a_verdict_without_a_line_of_output_is_only_claimed() -> None:
    after = by_key(apply(tree(node(1, support="grounded")), [Edit("m1.0", "verdict", {"verdict": "confirmed"})]))
    assert (after["m1.0"].verdict, after["m1.0"].support) == ("confirmed", "claimed")


@pytest.mark.parametrize("first", ["verdict", "evidence"])
def test_a_line_that_a_person_cites_beside_a_verdict_carries_it(first: str) -> None:
    edits = {
        "verdict": Edit("m1.0", "verdict", {"verdict": "refuted"}),
        "evidence": Edit("m1.0", "evidence", {"step": 7, "stance": "refutes", "quote": "max diff 0.00031"}),
    }
    rest = [each for name, each in edits.items() if name != first]
    after = by_key(apply(tree(node(1)), [edits[first], *rest]))["m1.0"]
    assert (after.verdict, after.support, after.by_person) == ("refuted", "grounded", True)


def test_a_line_for_the_other_side_carries_nothing() -> None:
    against = Edit("m1.0", "evidence", {"step": 7, "stance": "supports", "quote": "max diff 31"})
    after = by_key(apply(tree(node(1)), [Edit("m1.0", "verdict", {"verdict": "refuted"}), against]))["m1.0"]
    assert after.support == "claimed"


def test_the_verdict_that_stands_grounded_stays_so_when_a_person_says_it_too() -> None:
    before = tree(node(1, verdict="refuted", support="grounded"))
    after = by_key(apply(before, [Edit("m1.0", "verdict", {"verdict": "refuted"})]))["m1.0"]
    assert (after.support, after.source) == ("grounded", "person:ana")


def test_edits_survive_another_analysis_of_the_same_log() -> None:
    edits = [
        Edit("m1.0", "statement", {"statement": "the kernel is wrong"}),
        Edit("m1.0", "verdict", {"verdict": "refuted"}),
        Edit("m2.0", "parent", {"parent": "m1.0"}),
        Edit("person:4", "add", {"statement": "the cable is loose", "parent": "m2.0"}),
    ]
    newer = tree(node(1, statement="other words", verdict="confirmed"), node(5), node(2, verdict="open"))
    after = by_key(apply(newer, edits))
    assert (after["m1.0"].statement, after["m1.0"].verdict) == ("the kernel is wrong", "refuted")
    assert after["m2.0"].parent == "H1"
    assert after["person:4"].parent == "H2"
    assert after["m2.0"].verdict == "open"


def test_what_was_edited_and_sank_below_the_threshold_comes_back() -> None:
    sunk = tree(node(1), candidates=(node(9, parent=None),))
    after = apply(sunk, [Edit("m9.0", "verdict", {"verdict": "confirmed"})])
    assert by_key(after)["m9.0"].verdict == "confirmed"
    assert after.candidates == ()
    assert faults(after) == ()


def test_an_edit_of_a_hypothesis_that_is_gone_changes_nothing_and_an_added_one_stays() -> None:
    before = tree(node(1))
    gone = [Edit("m8.0", "verdict", {"verdict": "confirmed"}), Edit("m8.0", "parent", {"parent": "m1.0"})]
    assert apply(before, gone) == before
    after = apply(tree(), [Edit("person:1", "add", {"statement": "a loose cable", "parent": "m1.0"})])
    assert by_key(after)["person:1"].parent == "H0"


def test_a_promoted_candidate_hangs_under_the_symptom_and_keeps_its_id() -> None:
    after = apply(
        tree(node(1), candidates=(node(4, parent=None),)),
        [Edit("m4.0", "promote"), Edit("person:2", "add", {"statement": "x"})],
    )
    assert [(h.id, h.parent) for h in after.hypotheses[2:]] == [("H4", "H0"), ("H5", "H0")]


def test_children_of_a_removed_hypothesis_hang_under_its_parent() -> None:
    after = by_key(apply(tree(node(1), node(2, "H1"), node(3, "H2")), [Edit("m2.0", "remove")]))
    assert set(after) == {"symptom", "m1.0", "m3.0"}
    assert after["m3.0"].parent == "H1"


def test_merging_moves_children_and_evidence_and_later_edits() -> None:
    first = node(1, evidence=(Evidence(step=3, stance="supports", quote="a", deciding=True, source="rule:x"),))
    edits = [Edit("m1.0", "merge", {"into": "m2.0"}), Edit("m1.0", "statement", {"statement": "both"})]
    after = by_key(apply(tree(first, node(2), node(3, "H1")), edits))
    assert set(after) == {"symptom", "m2.0", "m3.0"}
    assert after["m3.0"].parent == "H2"
    assert after["m2.0"].statement == "both"
    assert [(e.step, e.deciding) for e in after["m2.0"].evidence] == [(3, False)]


def test_merging_a_hypothesis_into_one_below_it_keeps_the_branch() -> None:
    after = by_key(apply(tree(node(1), node(2, "H1"), node(3, "H2")), [Edit("m1.0", "merge", {"into": "m3.0"})]))
    assert (after["m3.0"].parent, after["m2.0"].parent) == ("H0", "H3")


def test_a_parent_below_the_hypothesis_takes_its_branch_out_first() -> None:
    after = by_key(apply(tree(node(1), node(2, "H1"), node(3, "H2")), [Edit("m1.0", "parent", {"parent": "m3.0"})]))
    assert (after["m1.0"].parent, after["m2.0"].parent, after["m3.0"].parent) == ("H3", "H0", "H2")


def test_no_parent_means_the_symptom() -> None:
    assert (
        by_key(apply(tree(node(1), node(2, "H1")), [Edit("m2.0", "parent", {"parent": None})]))["m2.0"].parent == "H0"
    )


def test_evidence_of_a_person_replaces_what_a_rule_said_of_that_step() -> None:
    ruled = node(1, evidence=(Evidence(step=3, stance="supports", quote="a", source="rule:x"),))
    cited = by_key(apply(tree(ruled), [Edit("m1.0", "evidence", {"step": 3, "stance": "refutes"})]))["m1.0"].evidence
    assert cited == (Evidence(step=3, stance="refutes", quote="a", source="person:ana"),)
    assert by_key(apply(tree(ruled), [Edit("m1.0", "unevidence", {"step": 3})]))["m1.0"].evidence == ()


def test_the_symptom_can_be_reworded_but_neither_judged_nor_moved_nor_removed() -> None:
    before = tree(node(1))
    firm = [
        Edit("symptom", "verdict", {"verdict": "confirmed"}),
        Edit("symptom", "parent", {"parent": "m1.0"}),
        Edit("symptom", "merge", {"into": "m1.0"}),
        Edit("symptom", "remove"),
    ]
    assert apply(before, firm) == before
    reworded = apply(before, [Edit("symptom", "statement", {"statement": "It hangs."})])
    assert reworded.hypotheses[0].statement == "It hangs."


@pytest.mark.parametrize(
    ("action", "value", "words"),
    [
        ("burn", {}, "there is no edit burn"),
        ("statement", {"statement": "x" * 201}, "200 characters"),
        ("statement", {"statement": "  "}, "at least 1 character"),
        ("verdict", {"verdict": "maybe"}, "'open', 'refuted', 'confirmed' or 'abandoned'"),
        ("merge", {}, "into"),
    ],
)
def test_an_edit_that_does_not_fit_is_told_and_has_no_effect(action: str, value: dict[str, Any], words: str) -> None:
    assert words in (problem(action, value) or "")
    assert apply(tree(node(1)), [Edit("m1.0", action, value)]) == tree(node(1))


KEYS = st.sampled_from([*(f"m{i}.0" for i in range(1, 9)), "symptom", "person:1", "person:2", "nowhere"])
VALUES: dict[str, st.SearchStrategy[dict[str, Any]]] = {
    "statement": st.fixed_dictionaries({"statement": st.text(max_size=210)}),
    "verdict": st.fixed_dictionaries({"verdict": st.sampled_from(["open", "refuted", "confirmed", "odd"])}),
    "parent": st.fixed_dictionaries({"parent": st.none() | KEYS}),
    "evidence": st.fixed_dictionaries({"step": st.integers(0, 3), "stance": st.just("neutral")}),
    "predicate": st.fixed_dictionaries({"step": st.integers(0, 3), "predicate": st.sampled_from(["a < 1", "odd"])}),
    "unevidence": st.fixed_dictionaries({"step": st.integers(0, 3)}),
    "add": st.fixed_dictionaries({"statement": st.just("another"), "parent": st.none() | KEYS}),
    "merge": st.fixed_dictionaries({"into": KEYS}),
    "remove": st.just({}),
    "promote": st.just({}),
}


@st.composite
def edits(draw: st.DrawFn) -> list[Edit]:
    names = draw(st.lists(st.sampled_from(sorted(ACTIONS)), max_size=12))
    return [Edit(draw(KEYS), name, draw(VALUES[name])) for name in names]


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    parents = [draw(st.integers(0, i)) for i in range(draw(st.integers(0, 6)))]
    nodes = [node(i + 1, f"H{parent}") for i, parent in enumerate(parents)]
    return tree(*nodes, candidates=(node(8, parent=None),))


@settings(max_examples=300, deadline=None)
@given(trees(), edits())
def test_whatever_is_edited_the_tree_stays_one_tree(before: Tree, changes: list[Edit]) -> None:
    assert faults(before) == ()
    after = apply(before, changes)
    assert faults(after) == ()
    assert Tree.model_validate(after.model_dump()) == after


@settings(max_examples=100, deadline=None)
@given(trees(), edits())
def test_edits_one_at_a_time_give_the_same_tree_as_all_at_once(before: Tree, changes: list[Edit]) -> None:
    verdicts = [e for e in changes if e.action in {"verdict", "statement", "parent"}]
    stepwise = before
    for change in verdicts:
        stepwise = apply(stepwise, [change])
    assert {h.key: h.parent for h in stepwise.hypotheses} == {
        h.key: h.parent for h in apply(before, verdicts).hypotheses
    }


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        (Tree(hypotheses=(ROOT, node(1, "H7"))), "H1 hangs under H7, which is not there"),
        (Tree(hypotheses=(ROOT, node(1, "H2"), node(2, "H1"))), "H1 hangs under itself"),
        (Tree(hypotheses=(node(1),)), "0 roots"),
        (Tree(hypotheses=(ROOT, ROOT)), "two hypotheses have the id H0"),
        (Tree(hypotheses=(ROOT,), candidates=(ROOT,)), "two hypotheses have the key symptom"),
    ],
)
def test_faults_of_a_tree_are_named(broken: Tree, words: str) -> None:
    assert words in faults(broken)
