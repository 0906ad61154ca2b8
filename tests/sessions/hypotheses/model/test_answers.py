"""What models really send instead of the JSON that was asked for."""

import json
from typing import Any

import pytest

from sessions.hypotheses.model.answers import Opinion, Reading, read_opinion, read_reading, schema

PIECE = {"step": 7, "stance": "refutes", "quote": "age: 0", "deciding": True}
ITEM = {
    "name": "N1", "statement": "the cache is stale", "stated_in": 3, "stated_quote": "the cache may be stale",
    "verdict": "refuted", "decided_in": 5, "decided_quote": "it is fresh", "parent": None,
    "evidence": [PIECE],
}  # fmt: skip


def answer(*items: Any) -> str:
    return json.dumps({"symptom": None, "hypotheses": list(items)})


def statements(text: str) -> list[str]:
    reading = read_reading(text)
    assert reading is not None
    return [h.statement for h in reading.hypotheses]


@pytest.mark.parametrize(
    "wrapped",
    [
        "{}",
        "```json\n{}\n```",
        "Here is the answer:\n\n{}\n\nI hope this helps.",
        '<think>It says {{"hypotheses": []}} maybe.</think>\n{}',
        "<think>\nunfinished {{ thoughts</think>```\n{}```",
    ],
)  # fmt: skip
def test_the_object_is_found_in_what_stands_around_it(wrapped: str) -> None:
    text = wrapped.replace("{{", "\0").replace("{}", answer(ITEM)).replace("\0", "{").replace("}}", "}")
    assert statements(text) == ["the cache is stale"]


@pytest.mark.parametrize(
    "text", ["", "I cannot help with that.", "[]", "null", '{"hypotheses": "none"}', "{", '{"a": 1}']
)
def test_what_is_no_answer_is_none(text: str) -> None:
    assert read_reading(text) is None


def test_of_an_answer_that_breaks_off_the_whole_items_stay() -> None:
    whole = answer(ITEM, ITEM | {"statement": "the clock is wrong"}, ITEM)
    reading = read_reading(whole[: whole.rindex('"verdict"')])
    assert reading is not None
    assert [h.statement for h in reading.hypotheses] == ["the cache is stale", "the clock is wrong"]
    assert reading.malformed == 1


@pytest.mark.parametrize(
    "broken",
    [ITEM | {"verdict": "probably"}, ITEM | {"statement": None}, "the cache", ITEM | {"stated_in": "somewhere"}],
)
def test_a_broken_item_costs_only_itself(broken: Any) -> None:
    reading = read_reading(answer(broken, ITEM))
    assert reading is not None
    assert (len(reading.hypotheses), reading.malformed) == (1, 1)


def test_a_broken_piece_of_evidence_costs_only_itself() -> None:
    pieces = [{"step": 7, "stance": "maybe", "quote": "x"}, PIECE]
    reading = read_reading(answer(ITEM | {"evidence": pieces}))
    assert reading is not None
    assert [e.step for e in reading.hypotheses[0].evidence] == [7]


@pytest.mark.parametrize("written", [12, "12", "step 12", "[12]", "message 12."])
def test_numbers_are_read_as_models_write_them(written: object) -> None:
    reading = read_reading(answer(ITEM | {"stated_in": written}))
    assert reading is not None
    assert reading.hypotheses[0].stated_in == 12


def test_opinions() -> None:
    opinion = read_opinion('```json\n{"answer": "contradicts", "step": "4", "quote": "1 failed"}\n```')
    assert opinion == Opinion(answer="contradicts", step=4, quote="1 failed")
    assert read_opinion('{"answer": "yes"}') is None
    assert read_opinion("yes") is None


@pytest.mark.parametrize("model", [Reading, Opinion])
def test_the_schema_is_as_strict_as_servers_ask_for(model: type[Reading] | type[Opinion]) -> None:
    """Strict schemas need every property required and no others, in every object."""
    document = schema(model)
    parts = [document, *document.get("$defs", {}).values()]
    objects = [part for part in parts if part.get("type") == "object"]
    assert objects
    for part in objects:
        assert part["additionalProperties"] is False
        assert part["required"] == list(part["properties"])
        assert "malformed" not in part["properties"]
