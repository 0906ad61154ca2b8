"""What documents are made of, at widths that make them fold."""

import pytest
from textual.content import Content

from tui.screens.pages.marks import locate
from tui.widgets.blocks import Listing, Prose


def drawn(listing: Listing, width: int) -> list[str]:
    return [listing.line(index, width).plain for index in range(listing.height(width))]


def test_a_listing_numbers_its_lines_and_folds_long_ones() -> None:
    assert drawn(Listing(["abc", "0123456789" * 2], first=9), 14) == ["  9 abc", " 10 0123456789", "    0123456789"]


def test_wide_characters_are_never_cut_in_two() -> None:
    lines = drawn(Listing(["界" * 9]), 3 + 9)
    assert lines == [" 1 界界界界", "   界界界界", "   界"]


def test_an_empty_line_has_a_line() -> None:
    assert drawn(Listing(["", "x"]), 20) == [" 1 ", " 2 x"]


def test_a_mark_in_a_later_fold_is_found_there() -> None:
    text = "a" * 25 + "NEEDLE"
    listing = Listing(["x", text], marks={1: [(25, 31)]})
    assert listing.marked(3 + 10) == [3]
    line = listing.line(3, 13)
    assert [line.plain[span.start : span.end] for span in line.spans if span.style == ".ink--quote"] == ["NEEDL"]


def test_only_a_part_of_an_endless_line_is_kept_and_the_mark_is_in_it() -> None:
    text = "a" * 1_000_000 + "NEEDLE" + "b" * 1_000_000
    listing = Listing([text], marks={0: [(1_000_000, 1_000_006)]})
    assert listing.height(100) < 120
    row = listing.marked(100)[0]
    assert "NEEDLE" in listing.line(row, 100).plain + listing.line(row + 1, 100).plain[3:]
    assert drawn(listing, 100)[-1].endswith(" more characters]")


def test_prose_wraps_between_words_and_hangs() -> None:
    prose = Prose(Content("one two three four"), indent=1, hang=2)
    assert [prose.line(index, 12).plain for index in range(prose.height(12))] == [" one two", "   three", "   four"]


def test_a_quote_is_located_by_line() -> None:
    found = locate("one\ntwo three\nfour\n", ["three", "no such thing"])
    assert found.lines == ("one", "two three", "four")
    assert found.marks == {1: [(4, 9)]}


def test_a_quote_over_two_lines_is_marked_on_both() -> None:
    assert locate("ab\ncd", ["b\nc"]).marks == {0: [(1, 2)], 1: [(0, 1)]}


def test_progress_is_shown_as_it_ended_unless_a_quote_stands_in_an_earlier_frame() -> None:
    text = " 10%␍ 50%␍100%\ndone"
    assert locate(text, ["done"]).lines[0] == "100%"
    assert locate(text, ["50%"]).marks == {0: [(6, 9)]}


@pytest.mark.parametrize(("around", "expected"), [(1, (2, ("c", "d", "e"))), (9, (0, tuple("abcdef")))])
def test_an_excerpt_stands_around_the_first_mark(around: int, expected: tuple[int, tuple[str, ...]]) -> None:
    start, part = locate("a\nb\nc\nd\ne\nf", ["d"]).around(around)
    assert (start, part.lines) == expected
    assert part.marks == {3 - start: [(0, 1)]}
