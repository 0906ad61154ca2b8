"""Trees, corrections and ids that stay."""

from collections.abc import Callable

import pytest

from sessions.errors import BadInput, UnknownHypothesis, UnknownSession
from sessions.models.hypothesis import Cost, Evidence, Hypothesis, Tree, Turn
from sessions.models.session import Session
from sessions.store.intake import Stored
from sessions.store.reader import Reader
from sessions.store.writer import Writer

MakeSession = Callable[..., Session]
Put = Callable[..., Stored]


@pytest.fixture(autouse=True)
def session(make_session: MakeSession, put: Put) -> None:
    put(make_session())


def hypothesis(id_: str, key: str, parent: str | None = None, **fields: object) -> Hypothesis:
    facts = {"statement": f"statement of {key}", "source": "rule:cue", "root": id_ == "H0"}
    return Hypothesis.model_validate({"id": id_, "key": key, "parent": parent} | facts | fields)


SYMPTOM = hypothesis("H0", "m0")
FULL = hypothesis(
    "H1", "m1", "H0", verdict="refuted", support="grounded", stated_in=1, decided_in=2, score=1.5,
    rules=("cue", "turn"),
    history=(Turn(message=2, verdict="refuted", quote="no", source="rule:turn"),), cost=Cost(steps=2, seconds=3.5),
    evidence=(Evidence(step=0, stance="refutes", quote="GPU 0", deciding=True, source="rule:x"),),
)  # fmt: skip


def ids(tree: Tree) -> list[tuple[str, str, str | None]]:
    return [(each.id, each.key, each.parent) for each in (*tree.hypotheses, *tree.candidates)]


def test_a_tree_comes_back_equal(writer: Writer, reader: Reader) -> None:
    tree = Tree(hypotheses=(SYMPTOM, FULL), candidates=(hypothesis("C1", "m9", "H0"),), note="English only")
    writer.save_tree("ses_1", tree, "v1")
    assert reader.tree("ses_1") == tree
    assert writer.unanalysed("v1") == ()
    assert writer.unanalysed("v2") == ("ses_1",)


def test_a_listing_counts_the_tree_without_its_root(writer: Writer, reader: Reader) -> None:
    others = (hypothesis("H2", "m2", "H0", verdict="abandoned"), hypothesis("H3", "m3", "H1", verdict="confirmed"))
    writer.save_tree("ses_1", Tree(hypotheses=(SYMPTOM, FULL, *others), note="n"), "v1")
    (row,) = reader.sessions()
    assert (row.hypotheses, row.dead_ends, row.causes, row.note) == (3, 2, 1, "n")


def test_ids_stay_with_their_keys(writer: Writer, reader: Reader) -> None:
    writer.save_tree("ses_1", Tree(hypotheses=(SYMPTOM, FULL, hypothesis("H2", "m2", "H1"))), "v1")
    later = (SYMPTOM, hypothesis("H1", "new", "H0"), hypothesis("H2", "m2", "H1"))
    writer.save_tree("ses_1", Tree(hypotheses=later), "v2")
    assert ids(reader.tree("ses_1")) == [("H0", "m0", None), ("H3", "new", "H0"), ("H2", "m2", "H3")]


def test_corrections_lie_on_every_analysis(writer: Writer, reader: Reader) -> None:
    writer.save_tree("ses_1", Tree(hypotheses=(SYMPTOM, FULL)), "v1")
    writer.edit("ses_1", "h1", "verdict", {"verdict": "confirmed"}, "ada")
    writer.save_tree("ses_1", Tree(hypotheses=(SYMPTOM, FULL, hypothesis("H2", "m2", "H0"))), "v2")
    assert [each.verdict for each in reader.tree("ses_1").hypotheses] == ["open", "confirmed", "open"]
    (edit,) = reader.edits("ses_1")
    assert (edit.key, edit.action, edit.value, edit.author) == ("m1", "verdict", {"verdict": "confirmed"}, "ada")


def test_an_added_hypothesis_gets_an_id_and_a_parent(writer: Writer, reader: Reader) -> None:
    writer.save_tree("ses_1", Tree(hypotheses=(SYMPTOM, FULL)), "v1")
    value = {"statement": "the map is empty", "verdict": "open", "parent": "H1"}
    assert writer.edit("ses_1", "", "add", value, "ada") == "person:1"
    assert ids(reader.tree("ses_1"))[2] == ("H2", "person:1", "H1")
    assert writer.edit("ses_1", "", "add", {"statement": "another", "verdict": "open"}, "ada") == "person:2"
    writer.edit("ses_1", "H3", "parent", {"parent": "H2"}, "ada")
    assert ids(reader.tree("ses_1"))[3] == ("H3", "person:2", "H2")


def test_a_promoted_candidate_becomes_a_node_with_a_new_id(writer: Writer, reader: Reader) -> None:
    writer.save_tree("ses_1", Tree(hypotheses=(SYMPTOM,), candidates=(hypothesis("C1", "m9", "H0"),)), "v1")
    writer.edit("ses_1", "C1", "promote", {}, "ada")
    assert ids(reader.tree("ses_1")) == [("H0", "m0", None), ("H1", "m9", "H0")]


def test_what_cannot_be_corrected_is_refused_and_leaves_no_trace(writer: Writer, reader: Reader) -> None:
    writer.save_tree("ses_1", Tree(hypotheses=(SYMPTOM, FULL)), "v1")
    with pytest.raises(UnknownHypothesis, match="H7"):
        writer.edit("ses_1", "H7", "remove", {}, "ada")
    with pytest.raises(UnknownHypothesis, match="H8"):
        writer.edit("ses_1", "H1", "parent", {"parent": "H8"}, "ada")
    with pytest.raises(BadInput, match="verdict"):
        writer.edit("ses_1", "H1", "verdict", {"verdict": "perhaps"}, "ada")
    with pytest.raises(UnknownSession):
        writer.edit("ses_9", "H1", "remove", {}, "ada")
    assert reader.edits("ses_1") == ()


def test_trees_of_an_unknown_session_are_refused(writer: Writer) -> None:
    with pytest.raises(UnknownSession, match="ses_9"):
        writer.save_tree("ses_9", Tree(), "v1")
