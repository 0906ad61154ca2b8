"""What a shell makes of what is emitted, and what the wrapper tells."""

import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probes.host.script import emit, header, pipes_of, wrap
from sessions.models.command import Pipe, Request, Stage

WORDS = st.lists(st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), max_size=12), max_size=5)


@settings(max_examples=150, deadline=None)
@given(WORDS)
def test_every_word_reaches_the_program_as_it_is(words: list[str]) -> None:
    line = emit((Pipe(stages=(Stage(words=("printf", "%s\\0", "first", *words)),)),))
    out = subprocess.run(["sh", "-c", line], capture_output=True, check=True).stdout
    assert out.decode().split("\0")[1:-1] == words


def test_operators_and_streams() -> None:
    pipes = (
        Pipe(stages=(Stage(words=("a",), stderr="merge", drop_stdout=True, stdin="/f f"),)),
        Pipe(stages=(Stage(words=("b",)), Stage(words=("c",), stderr="drop")), after="||"),
        Pipe(stages=(Stage(words=("d",)),), after=";"),
    )
    assert emit(pipes) == "'a' < '/f f' 2>&1 >/dev/null || 'b' | 'c' 2>/dev/null; 'd'"


def test_a_request_of_words_is_one_pipeline() -> None:
    assert emit(pipes_of(Request(stages=(("a", "b"), ("c",))))) == "'a' 'b' | 'c'"


def test_a_variable_must_have_a_name() -> None:
    with pytest.raises(ValueError, match="no name of a variable"):
        wrap(Request(stages=(("id",),), env={"A=1;x": "y"}), "m")


def test_the_header_is_taken_off_and_nothing_else() -> None:
    assert header(b"m 123\nm 9\nrest", "m") == (9, False, b"rest")
    assert header(b"m 123\nm no-cwd\nx: m 1\n", "m") == (123, True, b"x: m 1\n")
    assert header(b"m 12", "m") == (None, False, b"m 12")
    assert header(b"other", "m") == (None, False, b"other")
