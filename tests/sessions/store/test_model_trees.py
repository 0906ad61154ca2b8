"""A model's tree in the store: rules leave it alone, a log that grows keeps it, corrections go with the person."""

from collections.abc import Callable

import pytest

from sessions.models.hypothesis import Hypothesis, Tree
from sessions.models.session import Session
from sessions.store.intake import Stored
from sessions.store.reader import Reader
from sessions.store.writer import Writer

MakeSession = Callable[..., Session]
Put = Callable[..., Stored]

TEXTS = ("it fails", "perhaps the cache")


def node(id_: str, key: str, source: str = "model:m", **fields: object) -> Hypothesis:
    facts = {"id": id_, "key": key, "statement": f"statement of {key}", "source": source, "root": id_ == "H0"}
    return Hypothesis.model_validate(facts | {"parent": None if id_ == "H0" else "H0"} | fields)


BY_MODEL = Tree(hypotheses=(node("H0", "symptom"), node("H1", "m1.0", verdict="refuted")))
BY_RULES = Tree(
    hypotheses=(node("H0", "symptom", "rule:symptom"), node("H1", "m1.4", "rule:may"), node("H2", "m1.5", "rule:may"))
)


@pytest.fixture(autouse=True)
def session(make_session: MakeSession, put: Put) -> None:
    put(make_session(TEXTS))


def keys(reader: Reader) -> list[str]:
    return [h.key for h in reader.tree("ses_1").hypotheses]


def test_new_rules_do_not_ask_for_a_session_that_a_model_read(writer: Writer) -> None:
    assert writer.unanalysed("rules 1") == ("ses_1",)
    writer.save_tree("ses_1", BY_MODEL, "model:m")
    assert writer.unanalysed("rules 2") == ()
    assert writer.unanalysed("rules 2", ["ses_1"]) == ()
    writer.save_tree("ses_1", BY_RULES, "rules 1")
    assert writer.unanalysed("rules 2") == ("ses_1",)


def test_a_log_that_goes_on_keeps_the_models_tree_and_says_so(
    writer: Writer, reader: Reader, make_session: MakeSession, put: Put
) -> None:
    writer.save_tree("ses_1", BY_MODEL, "model:m")
    put(make_session((*TEXTS, "more")), stamp="2")
    assert writer.unanalysed("rules 1") == ()
    assert keys(reader) == ["symptom", "m1.0"]
    assert "`necropsy analyze` reads it again" in reader.tree("ses_1").note


def test_a_log_that_was_rewritten_goes_back_to_the_rules(writer: Writer, make_session: MakeSession, put: Put) -> None:
    """What the model's tree cites may stand nowhere now."""
    writer.save_tree("ses_1", BY_MODEL, "model:m")
    put(make_session(("it works", "perhaps not")), stamp="2")
    assert writer.unanalysed("rules 1") == ("ses_1",)


def test_what_a_person_corrected_stays_in_a_tree_that_has_it_not(writer: Writer, reader: Reader) -> None:
    writer.save_tree("ses_1", BY_RULES, "rules 1")
    writer.edit("ses_1", "H1", "verdict", {"verdict": "confirmed"}, "ada")
    writer.edit("ses_1", "H2", "merge", {"into": "H1"}, "ada")
    before = {h.id: h for h in reader.tree("ses_1").hypotheses}
    writer.save_tree("ses_1", BY_MODEL, "model:m")
    after = {h.id: h for h in reader.tree("ses_1").hypotheses}
    assert (after["H1"].key, after["H1"].verdict, after["H1"].source) == ("m1.4", "confirmed", "person:ada")
    assert after["H1"].statement == before["H1"].statement
    assert sorted(h.key for h in after.values()) == ["m1.0", "m1.4", "symptom"]


def test_what_was_not_corrected_goes_with_its_analysis(writer: Writer, reader: Reader) -> None:
    writer.save_tree("ses_1", BY_RULES, "rules 1")
    writer.edit("ses_1", "H1", "remove", {}, "ada")
    writer.save_tree("ses_1", BY_MODEL, "model:m")
    tree = reader.tree("ses_1")
    assert [h.key for h in (*tree.hypotheses, *tree.candidates)] == ["symptom", "m1.0"]
    writer.save_tree("ses_1", BY_RULES, "rules 1")
    assert keys(reader) == ["symptom", "m1.5"]
