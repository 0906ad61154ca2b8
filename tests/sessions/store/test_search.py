"""Finding words."""

from collections.abc import Callable

import pytest

from sessions.models.session import Session
from sessions.store.finding.search import Phrase, parse
from sessions.store.intake import Stored
from sessions.store.reader import Reader

MakeSession = Callable[..., Session]
Put = Callable[..., Stored]


@pytest.fixture(autouse=True)
def session(make_session: MakeSession, put: Put) -> None:
    put(
        make_session(
            ("The dequantization kernel may be wrong on SM120", "vllm 10.1.230 has no such map"),
            (
                ("sed -n 29,70p /srv/vllm/attention/triton_mla.py", "class TritonMLABackend:\n    pass"),
                ("grep -c unmapped log", "noise " * 5000 + "blk.3.ffn_down_exps.weight is\nunmapped" + " tail" * 5000),
            ),
        )
    )


def places(reader: Reader, words: str) -> list[tuple[str, int]]:
    return [(hit.kind, hit.ordinal) for hit in reader.search(words)]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("triton_mla.py", [("command", 0)]),
        ("mla", [("command", 0)]),
        ("/srv/vllm/attention", [("command", 0)]),
        ("10.1.230", [("message", 1)]),
        ("1.230.10", []),
        ("TRITONMLABACKEND", [("output", 0)]),
        ("kernel dequantization", [("message", 0)]),
        ('"kernel dequantization"', []),
        ('"dequantization kernel"', [("message", 0)]),
        ("dequant", []),
        ("dequant*", [("message", 0)]),
        ("blk.3.ffn_down_exps.weight", [("output", 1)]),
        ("sm120 unmapped", []),
    ],
)
def test_words_find_their_place(reader: Reader, words: str, found: list[tuple[str, int]]) -> None:
    assert places(reader, words) == found


@pytest.mark.parametrize(
    "words", ["", "   ", '"', "*", "()", "-", "NEAR(", "^", "text:", "a OR", '"a" NOT', "{x} : y", "\0"]
)
def test_any_text_is_a_valid_question(reader: Reader, words: str) -> None:
    assert places(reader, words) == []


def test_words_of_the_query_language_are_words(reader: Reader) -> None:
    assert places(reader, "text: kernel") == []
    assert places(reader, "kernel OR nothing") == []
    assert places(reader, "may be wrong AND") == []


def test_the_line_shows_what_was_found(reader: Reader) -> None:
    (hit,) = reader.search("exps.weight unmapped")
    assert "ffn_down_exps.weight is unmapped tail" in hit.snippet
    assert hit.snippet.startswith("…")
    assert hit.snippet.endswith("…")
    assert "\n" not in hit.snippet
    assert (hit.session, hit.title) == ("ses_1", "Garbage")


def test_better_places_come_first_and_no_more_than_asked(make_session: MakeSession, put: Put, reader: Reader) -> None:
    texts = ("padding " * 200 + "rareword", "rareword rareword", "rareword once more")
    put(make_session(texts, id="ses_2", source="/logs/b.jsonl"))
    assert [hit.ordinal for hit in reader.search("rareword", limit=2)] == [1, 2]


def test_one_session_only(make_session: MakeSession, put: Put, reader: Reader) -> None:
    put(make_session(("a kernel",), (), id="ses_2", source="/logs/b.jsonl"))
    assert [hit.session for hit in reader.search("kernel", session="ses_2")] == ["ses_2"]
    assert {hit.session for hit in reader.search("kernel")} == {"ses_1", "ses_2"}


def test_changed_text_is_found_by_its_new_words_only(make_session: MakeSession, put: Put, reader: Reader) -> None:
    put(make_session(("The tokenizer",), ()), stamp="2")
    assert places(reader, "tokenizer") == [("message", 0)]
    assert places(reader, "dequantization") == places(reader, "unmapped") == []


def test_a_question_is_parsed_into_phrases() -> None:
    assert parse('triton_mla.py "out of" mem*') == (
        Phrase(("triton", "mla", "py"), open_ended=False),
        Phrase(("out", "of"), open_ended=False),
        Phrase(("mem",), open_ended=True),
    )
