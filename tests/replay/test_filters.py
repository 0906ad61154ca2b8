"""The filters that run in process, held against the real programs."""

import os
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replay.filters import apply, unsupported
from replay.regex import translate

TEXTS = [
    "",
    "one\n",
    "no newline",
    "b\na\nb\nb\n\na b\nB2\nfoo.bar\nfoo1bar\n(x|y)\n[z]\na\\b\n^start\nend$\na+b\naab\n",
]
STAGES = [
    ("head",),
    ("head", "-n", "2"),
    ("head", "-n", "-2"),
    ("head", "-n", "0"),
    ("tail",),
    ("tail", "-n", "3"),
    ("tail", "-n", "+3"),
    ("tail", "-n", "0"),
    ("wc", "-l"),
    ("cat",),
    ("sort",),
    ("sort", "-u"),
    ("sort", "-r"),
    ("uniq",),
    ("uniq", "-c"),
    ("grep", "--", "b"),
    ("grep", "-v", "--", "b"),
    ("grep", "-n", "-i", "--", "B"),
    ("grep", "-c", "--", "a"),
    ("grep", "-E", "--", "^(a|b)$"),
    ("grep", "--", "a\\|B2"),
    ("grep", "--", "(x|y)"),
    ("grep", "-E", "--", "a+b"),
    ("grep", "--", "a+b"),
    ("grep", "-F", "--", "foo.bar"),
    ("grep", "--", "foo.bar"),
    ("grep", "-w", "--", "b"),
    ("grep", "--", "[0-9]"),
    ("grep", "--", "[]z]"),
    ("grep", "--", "\\[z"),
    ("grep", "--", "absent"),
    ("grep", "--", "end\\$"),
]


def real(words: tuple[str, ...], text: str) -> tuple[str, int]:
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
    done = subprocess.run(words, input=text, capture_output=True, text=True, check=False, env=environment)
    return done.stdout, done.returncode


@pytest.mark.parametrize("words", STAGES, ids=" ".join)
def test_each_filter_prints_what_the_program_prints(words: tuple[str, ...]) -> None:
    for text in TEXTS:
        whole = text if text.endswith("\n") or not text else text + "\n"
        filtered = apply([words], text)
        assert (filtered.text, filtered.exit_code) == real(words, whole)


@settings(max_examples=200, deadline=None)
@given(
    pattern=st.text(alphabet="ab.*^$[]()|+?\\{}12", min_size=1, max_size=8),
    extended=st.booleans(),
    text=st.text(alphabet="ab1(|+.^$", max_size=8),
)
def test_a_translated_pattern_matches_what_grep_matches(pattern: str, text: str, *, extended: bool) -> None:
    source = translate(pattern, "extended" if extended else "basic")
    if source is None:
        return
    words = ("grep", "-E" if extended else "-G", "-c", "--", pattern)
    printed, code = real(words, text + "\n")
    if code > 1:
        return
    mode = ("grep", "-E", "-c", "--", pattern) if extended else ("grep", "-c", "--", pattern)
    assert apply([mode], text + "\n").text == printed


@pytest.mark.parametrize("pattern", ["1+?", "a*+", "a?+", "a{1}?", "a**", r"\<*a", r"\b+"])
def test_a_repetition_of_a_repetition_is_not_translated(pattern: str) -> None:
    assert translate(pattern, "extended") is None


def test_stages_follow_each_other() -> None:
    assert apply([("grep", "--", "a"), ("head", "-n", "1")], "xa\nya\n").text == "xa\n"


@pytest.mark.parametrize(
    "words", [("jq", "."), ("head", "-c", "5"), ("grep", "-o", "--", "x"), ("sort", "-n"), ("cat", "--", "f"), ("wc",)]
)
def test_other_forms_are_named(words: tuple[str, ...]) -> None:
    assert unsupported([("head",), words]) == " ".join(words)
    with pytest.raises(ValueError, match="cannot run"):
        apply([words], "x")


@pytest.mark.parametrize(
    "pattern", ["(a+)+$", "(a|a)*b", "((a*)b?){9}", "(x?){30}x{30}", "x*x*x*x*y", "((a|b)c)+", "(a{2}){3}"]
)
def test_what_takes_forever_for_some_line_is_left_to_the_host(pattern: str) -> None:
    assert translate(pattern, "extended") is None


@pytest.mark.parametrize("pattern", ["(ab)+c", "a.*b.*c", "x{3}", "(a|b)c", "(a+|b)c", r"\(a+\)+", "error|warn|fail"])
def test_what_ends_for_every_line_is_not(pattern: str) -> None:
    assert translate(pattern, "extended") is not None
