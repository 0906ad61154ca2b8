import pytest

from sessions.models.hypothesis import Cost
from sessions.reports import wording
from sessions.reports.excerpts import Part, excerpt, mark


def test_an_excerpt_shows_the_lines_around_a_quote_and_says_what_it_leaves_out() -> None:
    rows = excerpt("".join(f"line {n}\n" for n in range(1, 101)), ["line 50"])
    assert [row.number for row in rows] == [0, 47, 48, 49, 50, 51, 52, 53, 0]
    assert [row.skipped for row in rows if not row.number] == [46, 47]
    assert rows[4].parts == (Part("line 50", marked=True),)


def test_lines_near_two_quotes_are_shown_once() -> None:
    rows = excerpt("a\nb\nc\nd\n", ["a", "c"])
    assert [row.text for row in rows] == ["a", "b", "c", "d"]
    assert [part.text for row in rows for part in row.parts if part.marked] == ["a", "c"]


def test_an_output_without_a_quote_shows_its_beginning() -> None:
    rows = excerpt("".join(f"{n}\n" for n in range(40)), [])
    assert [row.text for row in rows[:-1]] == [str(n) for n in range(12)]
    assert rows[-1].skipped == 28
    assert excerpt(" \n", ["x"]) == ()


def test_progress_frames_and_escapes_do_not_reach_an_excerpt() -> None:
    assert [row.text for row in excerpt("1%\r2%\r99%\n\x1b[31mdone\x1b[0m\tok\n", ["done"])] == ["99%", "done    ok"]


def test_a_long_line_is_cut_about_its_quote() -> None:
    parts = mark("x" * 10_000 + "here" + "y" * 10_000, ["here"])
    assert Part("here", marked=True) in parts
    assert sum(len(part.text) for part in parts) == 602
    assert parts[0].text.startswith("…")
    assert parts[-1].text.endswith("…")


def test_overlapping_quotes_mark_the_longest() -> None:
    assert mark("max abs diff: 0.1", ["diff", "max abs diff: 0.1"]) == (Part("max abs diff: 0.1", marked=True),)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (None, ""), (0.04, "0.0 s"), (9.96, "10.0 s"), (42, "42 s"), (59.7, "1 min"), (185, "3 min 5 s"),
        (4320, "1 h 12 min"), (90_000, "1 d 1 h"),
    ],
)  # fmt: skip
def test_a_duration_in_words(seconds: float | None, words: str) -> None:
    assert wording.duration(seconds) == words


def test_what_was_spent_in_words() -> None:
    assert wording.costs(Cost(steps=1, seconds=62, tokens=1200)) == ("1 step", "1 min 2 s", "1,200 tokens")
    assert wording.costs(Cost(steps=2)) == ("2 steps",)
