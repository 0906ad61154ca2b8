"""The sieve finds what trying every rule finds."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessions.hypotheses.rules.table import ROWS
from sessions.hypotheses.rules.table.literals import literals
from sessions.hypotheses.rules.table.row import Row
from sessions.hypotheses.rules.table.sieve import Sieve

SENTENCES = [text for row in ROWS for text in (row.hit, row.miss)]
ALL = Sieve(ROWS)
PIECES = st.sampled_from(sorted({word for text in SENTENCES for word in re.findall(r"\S+\s?|\W", text)}))


def tried(text: str) -> list[str]:
    return [row.name for row in ROWS if row.compiled.search(text.lower())]


@pytest.mark.parametrize("text", SENTENCES)
def test_every_example_of_the_table(text: str) -> None:
    assert [row.name for row, _ in ALL.search(text)] == tried(text.replace("\u2019", "'"))


@settings(deadline=None)  # the first text compiles the patterns
@given(st.lists(PIECES, max_size=30).map("".join))
def test_any_text_made_of_their_words(text: str) -> None:
    assert [row.name for row, _ in ALL.search(text)] == tried(text.replace("\u2019", "'"))


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("maybe", ("maybe",)),
        (r"\b(?:may|might) be\b", ("may be", "might be")),
        (r"\bcauses?\b", ("cause",)),
        (
            r"\b(?:rule|ruling) (?:it |this )?out\b",
            ("rule it out", "rule out", "rule this out", "ruling it out", "ruling out", "ruling this out"),
        ),
        (r"is \w+ wrong", (" wrong",)),
        (r"(?:ab)+c", ("ab",)),
        (r"x?y*", ()),
        (r"left|r\w+", ("left", "r")),
        (r"left|\w+", ()),
        (r"(?<!un)known(?! to)", ("known",)),
    ],
)
def test_what_a_match_must_contain(pattern: str, expected: tuple[str, ...]) -> None:
    assert literals(pattern) == expected


def test_a_rule_without_such_words_is_tried_on_every_text() -> None:
    row = Row("short", "doubt", r"\bp\d\b", 1.0, "", "a p1", "a q1")
    assert [each.name for each, _ in Sieve([row]).search("P1")] == ["short"]


def test_a_curly_apostrophe_is_a_straight_one() -> None:
    row = Row("wont", "fails", r"\bwon't\b", 1.0, "", "it won't", "it will")
    ((_, match),) = Sieve([row]).search("It WON\u2019T")
    assert match.start() == 3
