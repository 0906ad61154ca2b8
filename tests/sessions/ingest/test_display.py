import re
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sessions.ingest import display

BIDI = [*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C]
UNSEEN = [
    0x200B,
    0x200C,
    0x200D,
    0x2028,
    0x2029,
    0x2060,
    0xFEFF,
    0xAD,
    0xE0001,
    0xE0041,
    0xE000,
    0xD800,
    0xDFFF,
    0x10FFFD,
]
C1 = range(0x80, 0xA0)

HOSTILE = st.sampled_from(
    [
        "\x1b", "[", "]", "P", "_", "\\", "\x07", "\x9b", "\x9d", "\x9c", "\x90", "31m", "52;c;aGk=", "\r", "\n", "\t",
        "a", "\u0301", "\ufe0f", "\ufe0e", "\u202e", "\u200d", "0;title", "é", "漢", "👩", " ", "\x00", "\x7f", "\x18",
    ]
)  # fmt: skip
TEXTS = st.one_of(st.text(), st.lists(HOSTILE, max_size=40).map("".join))


def forbidden(text: str, *, allowed: str) -> list[str]:
    """Return the characters of `text` that no reader may ever be shown."""
    unseen = {*BIDI, *UNSEEN, *C1}
    return [
        c
        for c in text
        if c not in allowed
        and (unicodedata.category(c) in {"Cc", "Co", "Cs"} or ord(c) in unseen or 0xE0000 <= ord(c) < 0xE1000)
    ]


@given(TEXTS)
@example("\x1b\x1b[m[31m")
@example("\r\x1b[K\n")
@example("e" + "\u0301" * 7 + "\ufe0f\u0301\ufe0f")
def test_nothing_hostile_is_left_and_a_second_pass_changes_nothing(text: str) -> None:
    stored = display.clean(text)
    assert forbidden(stored, allowed="\n\t") == []
    assert display.clean(stored) == stored
    drawn = display.safe(text)
    assert forbidden(drawn, allowed="\n") == []
    assert display.safe(drawn) == drawn == display.safe(stored)
    one = display.line(text)
    assert forbidden(one, allowed="") == []
    assert display.line(one) == one


@given(st.text(st.characters(codec="latin-1")))
def test_no_text_of_bytes_brings_a_control_through(text: str) -> None:
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]", display.clean(text))


@pytest.mark.parametrize(
    "text",
    [
        "plain words, 0.00012 and ± 0.009\n\tindented\n",
        "漢字 かな 한국어",
        "naïve café, e\u0301 decomposed",
        "привет мир, это обычный текст",
        "สวัสดีครับ ภาษาไทย",
        "हिन्दी में लिखा हुआ",
        "✓ ✗ ⊘ ? │├─ 🚀 ❤️ ⚠️",
        "",
    ],
)
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert display.clean(text) == text


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b[38;2;1;2;3mred\x1b[K", "red"),
        ("\x1b[2J\x1b[1;1Hover", "over"),
        ("\x1b]0;title\x07after", "after"),
        ("\x1b]52;c;ZWNobyBoaQ==\x1b\\after", "after"),
        ("\x1b]8;;http://example.org\x1b\\word\x1b]8;;\x1b\\", "word"),
        ("\x1bPq#0;2;0;0;0\x1b\\after", "after"),
        ("\x1b_Gf=24;AAAA\x1b\\after", "after"),
        ("\x1bPtmux;\x1b\x1b]52;c;aGk=\x07\x1b\\after", "after"),
        ("\x9b31mred", "red"),
        ("\x9d52;c;aGk=\x9cafter", "after"),
        ("\x1b(Bafter", "after"),
        ("\x1bcafter", "after"),
        ("\x1bOAafter", "after"),
        ("\x1b]0;never closed\nnext line\n", "\nnext line\n"),
        ("a\x9dstray", "a\\u{9d}stray"),
        ("end\x1b", "end␛"),
        ("bell\x07 null\x00 delete\x7f", "bell␇ null␀ delete␡"),
        ("a\u202eb\u2066c\u200bd", "a\\u{202e}b\\u{2066}c\\u{200b}d"),
        ("tag\U000e0041", "tag\\u{e0041}"),
        ("half\ud83d", "half\\u{d83d}"),
        ("👩\u200d💻", "👩\\u{200d}💻"),
        ("x\ufe0f\ufe0fy", "x\\u{fe0f}\\u{fe0f}y"),
    ],
)
def test_what_is_hostile_is_taken_out_or_shown(raw: str, shown: str) -> None:
    assert display.clean(raw) == shown


def test_line_ends_keep_both_lines_and_progress_frames_stay_apart() -> None:
    assert display.clean("a\r\nb\r\n") == "a\nb\n"
    assert display.clean("a\r\r\nb") == "a\nb"
    assert display.clean("10%\r20%\r100%\n") == "10%␍20%␍100%\n"


def test_frames_keep_the_last_one_of_each_line() -> None:
    assert display.frames("10%␍20%␍100%\ndone") == "100%\ndone"
    assert display.frames("10%␍100%␍\n") == "100%\n"
    assert display.frames("none here") == "none here"


def test_marks_are_capped_at_eight_for_each_base() -> None:
    assert display.clean("e" + "\u0301" * 500 + "f") == "e" + "\u0301" * 8 + "f"


def test_a_line_is_one_line_of_the_asked_width() -> None:
    assert display.line("one\ntwo\tthree\n") == "one⏎two three"
    assert display.line("abcdefgh", 5) == "abcd…"
    assert display.line("abcde", 5) == "abcde"
    assert display.line("漢字漢字", 5) == "漢字…"
    assert display.line("漢字", 4) == "漢字"
    assert display.line("abc", 0) == ""
    assert display.line("x" * 20_000) == "x" * 9_999 + "…"


@given(TEXTS, st.integers(0, 60), st.integers(0, 60))
def test_a_part_of_a_stored_text_is_found_in_what_is_drawn(text: str, start: int, length: int) -> None:
    stored = display.clean(text)
    assert display.safe(stored[start : start + length]) in display.safe(stored)
