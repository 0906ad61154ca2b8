"""Texts that would cost a careless pattern hours: a pasted page, a blob in base64. It matters that the tests end."""

import pytest

from sessions.hypotheses.rules import engine
from sessions.hypotheses.rules.text.segment import segment
from sessions.models.session import Message


@pytest.mark.parametrize(
    "unit",
    ["a/b", "aB3/+", "\\u{202e}", "<div>", "<div><span>", "x", "a: ", "`a", "http://a/b?c&", "1. ", "so 1. ", "A: "],
)
@pytest.mark.parametrize("role", ["user", "agent"])
def test_a_text_of_one_endless_word(unit: str, role: str) -> None:
    said = Message.model_validate({"ordinal": 0, "role": role, "text": "It is slow.\n" + unit * (100_000 // len(unit))})
    told = "".join(sentence.text for sentence in segment([said]))
    assert told.startswith("It is slow." if role == "agent" else "")
    assert all(node.root for node in engine.analyze([said], []).hypotheses)


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("It is slow.\n<note>The cache is broken.</note>\nSo it goes.", ["It is slow.", "So it goes."]),
        ("It is slow.\n\n<note> The cache is broken.", ["It is slow.", "<note> The cache is broken."]),
        ("<note>One.</note>\n\nTwo.\n\n<note>Three.\n\n<other>Four.</other> Five.", ["Two.", "<note>Three.", "Five."]),
        ("src/cache.py:12 is where it fails", []),
        ("The path src/cache.py:12 is where it fails", ["The path src/cache.py:12 is where it fails"]),
        ("see:12/cache is no place", ["see:12/cache is no place"]),
    ],
)
def test_elements_and_places_in_files_are_not_read(text: str, sentences: list[str]) -> None:
    said = Message(ordinal=0, role="agent", text=text)
    assert [sentence.text for sentence in segment([said])] == sentences
