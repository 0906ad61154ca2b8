"""What counts as standing in the log."""

from typing import Any

import pytest

from sessions.hypotheses.model.answers import Found
from sessions.hypotheses.model.ground import Ground, locate
from sessions.models.hypothesis import Stance
from sessions.models.session import Message, Step

MESSAGES = (
    Message(ordinal=0, role="user", text="The build fails.\nPlease find out why."),
    Message(ordinal=1, role="agent", text="Perhaps the cache in build_cache.py is stale."),
    Message(ordinal=2, role="agent", text="The cache is fresh, so it is not that."),
)
STEPS = (
    Step(ordinal=0, message=1, kind="shell", tool="sh", command="ls -l cache", output="age:   0 days\nsize\t12\n"),
    Step(ordinal=1, message=2, kind="shell", tool="sh", command="make", output="1 failed\n0\n"),
)


@pytest.mark.parametrize(
    ("quote", "there"),
    [
        ("age: 0 days", "age:   0 days"),
        ("  size 12 ", "size\t12"),
        ("| age: 0 days", "age:   0 days"),
        ("`age: 0 days`", "age:   0 days"),
        ("“age:   0 days…", "age:   0 days"),
        ("age: 0 days\nsize 12", "age:   0 days"),
        ("AGE: 0 days", None),
        ("age: 1 days", None),
        ("", None),
        ("…", None),
        ("si", None),
    ],
)
def test_a_quote_is_found_but_for_white_space(quote: str, there: str | None) -> None:
    assert locate(quote, STEPS[0].output) == there


def test_a_short_quote_must_be_a_whole_line() -> None:
    assert locate("0", STEPS[1].output) == "0"
    assert locate("1", STEPS[1].output) is None


def found(**changes: Any) -> Found:
    fields: dict[str, Any] = {
        "name": "N1", "statement": "The cache is stale.", "stated_in": 1, "stated_quote": "the cache in build_cache.py",
        "verdict": "refuted", "decided_in": 2, "decided_quote": "The cache is fresh", "parent": None,
        "evidence": [{"step": 0, "stance": "refutes", "quote": "age: 0 days", "deciding": True}],
    }  # fmt: skip
    return Found.model_validate(fields | changes)


def cited(step: int, quote: str, stance: Stance = "refutes") -> dict[str, Any]:
    return {"step": step, "stance": stance, "quote": quote, "deciding": False}


def ground() -> Ground:
    return Ground(MESSAGES, STEPS, "model:m")


ALL = ({0, 1, 2}, {0, 1})


def test_what_stands_is_kept_as_the_log_has_it() -> None:
    held = ground().hold(found(), *ALL)
    assert held is not None
    assert held.stated is not None
    assert held.stated.message == 1
    assert held.decided is not None
    assert held.decided.quote == "The cache is fresh"
    assert [(e.step, e.quote, e.source) for e in held.evidence] == [(0, "age:   0 days", "model:m")]


@pytest.mark.parametrize(
    ("piece", "reason"),
    [
        (cited(9, "age: 0 days"), "evidence: no such step"),
        (cited(1, "age: 0 days"), "evidence: its quote does not stand in the step"),
        (cited(0, "age: 7 days"), "evidence: its quote does not stand in the step"),
    ],
)
def test_evidence_that_does_not_stand_is_dropped_and_counted(piece: dict[str, Any], reason: str) -> None:
    held_by = ground()
    held = held_by.hold(found(evidence=[piece, cited(1, "1 failed")]), *ALL)
    assert held is not None
    assert [e.step for e in held.evidence] == [1]
    assert dict(held_by.account.dropped) == {reason: 1}


def test_a_step_that_the_model_was_not_shown_cannot_be_cited() -> None:
    held_by = ground()
    held = held_by.hold(found(), {0, 1, 2}, {1})
    assert held is not None
    assert held.evidence == ()
    assert dict(held_by.account.dropped) == {"evidence: a step that was not shown": 1}


@pytest.mark.parametrize(
    ("changes", "shown"),
    [
        ({"stated_quote": "the cache is rotten"}, {0, 1, 2}),
        ({"stated_in": 2}, {0, 1, 2}),
        ({}, {0, 2}),
        ({"stated_in": 77}, {0}),
    ],
)
def test_a_statement_must_have_been_made_where_it_is_said(changes: dict[str, Any], shown: set[int]) -> None:
    held = ground().hold(found(**changes), shown, {0, 1})
    assert held is not None
    assert held.stated is None


def test_a_statement_is_one_safe_line_of_bounded_length() -> None:
    held = ground().hold(found(statement="The \x1b[31mcache\x1b[0m\nis\u202e stale " + "and old " * 60), *ALL)
    assert held is not None
    assert len(held.statement) <= 200
    assert "\x1b" not in held.statement
    assert "\n" not in held.statement
    assert "\u202e" not in held.statement


@pytest.mark.parametrize(
    ("statement", "kept"),
    [
        ("build_cache.py keeps stale entries", True),
        ("BuildCache keeps stale entries", True),
        ("zeta_pool.py keeps stale entries", False),
        ("the cache keeps stale entries", True),
        ("", False),
    ],
)
def test_a_statement_about_names_that_the_log_never_has_is_dropped(statement: str, *, kept: bool) -> None:
    assert (ground().hold(found(statement=statement), *ALL) is not None) is kept
