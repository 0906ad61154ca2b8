"""Taking corrections back."""

from collections.abc import Callable

import pytest

from sessions.errors import UnknownSession
from sessions.models.hypothesis import Hypothesis, Tree
from sessions.models.session import Session
from sessions.store.intake import Stored
from sessions.store.reader import Reader
from sessions.store.writer import Writer

MakeSession = Callable[..., Session]
Put = Callable[..., Stored]


@pytest.fixture(autouse=True)
def session(writer: Writer, make_session: MakeSession, put: Put) -> None:
    put(make_session())
    root = Hypothesis(id="H0", key="symptom", root=True, statement="garbage", source="rule:symptom")
    disk = Hypothesis(id="H1", key="m1", parent="H0", statement="the disk is full", source="rule:maybe")
    clock = Hypothesis(id="C1", key="m2", statement="the clock is off", source="rule:maybe")
    writer.save_tree("ses_1", Tree(hypotheses=(root, disk), candidates=(clock,)), "1")


def test_the_last_correction_goes_and_the_tree_is_as_before(writer: Writer, reader: Reader) -> None:
    before = reader.tree("ses_1")
    writer.edit("ses_1", "H1", "verdict", {"verdict": "refuted"}, "ada")
    first = reader.tree("ses_1")
    writer.edit("ses_1", "C1", "promote", {}, "ada")
    undone = writer.undo("ses_1")
    assert undone is not None
    assert (undone.key, undone.action, undone.author) == ("m2", "promote", "ada")
    assert reader.tree("ses_1") == first
    assert writer.undo("ses_1") is not None
    assert reader.tree("ses_1") == before
    assert writer.undo("ses_1") is None


def test_only_ones_own_are_taken_back(writer: Writer, reader: Reader) -> None:
    writer.edit("ses_1", "H1", "verdict", {"verdict": "refuted"}, "ada")
    writer.edit("ses_1", "H1", "statement", {"statement": "the disk has no room"}, "bob")
    undone = writer.undo("ses_1", "ada")
    assert undone is not None
    assert undone.action == "verdict"
    assert [(each.author, each.action) for each in reader.edits("ses_1")] == [("bob", "statement")]
    assert writer.undo("ses_1", "ada") is None


def test_what_is_added_after_an_undo_gets_a_key_of_its_own(writer: Writer, reader: Reader) -> None:
    writer.edit("ses_1", "", "add", {"statement": "one"}, "ada")
    assert writer.edit("ses_1", "", "add", {"statement": "two"}, "bob") == "person:2"
    writer.undo("ses_1", "ada")
    assert writer.edit("ses_1", "", "add", {"statement": "three"}, "ada") == "person:3"
    assert [each.statement for each in reader.tree("ses_1").hypotheses[2:]] == ["two", "three"]


def test_an_unknown_session_is_refused(writer: Writer) -> None:
    with pytest.raises(UnknownSession):
        writer.undo("ses_9")
