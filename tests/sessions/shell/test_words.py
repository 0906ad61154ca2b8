import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sessions.shell.parse import parse
from sessions.shell.syntax import Simple
from sessions.shell.words import decode, decode_heredoc

BASH = shutil.which("bash")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("plain", "plain"),
        ("'single $HOME \"x\"'", 'single $HOME "x"'),
        ('"double"', "double"),
        (r'"\$HOME \` \" \\ \n \'"', "$HOME ` \" \\ \\n \\'"),
        ('"a\\\nb"', "ab"),
        ("a\\\nb", "ab"),
        (r"a\ b\$c\*\"", 'a b$c*"'),
        ("'it'\\''s'", "it's"),
        ("'it'\"'\"'s'", "it's"),
        ('--opt="x y"z', "--opt=x yz"),
        ("''", ""),
        (r"$'tab\there\x41\101\u00e9\cA\'\q'", "tab\there" + "AA\u00e9\x01'\\q"),
        (r"$'\xc3\xa9'", "\u00e9"),
        ('$"translated"', "translated"),
        ("{}", "{}"),
        ("{a}", "{a}"),
        ("'{a,b}'", "{a,b}"),
        ("[", "["),
        ("]", "]"),
        ("a$", "a$"),
        ('"a$"', "a$"),
        ("a~b", "a~b"),
        ("host:~/f", "host:~/f"),
        ("--prefix=~/x", "--prefix=~/x"),
        ("stash@{0}", "stash@{0}"),
        ("caf\u00e9", "caf\u00e9"),
        ("=ls", "=ls"),
        ("a#b", "a#b"),
        ("!x", "!x"),
    ],
)
def test_a_word_that_needs_no_shell_has_the_value_the_program_gets(text: str, value: str) -> None:
    assert decode(text).value == value


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("$HOME", "variable"),
        ('"${HOME}/x"', "variable"),
        ("$1", "variable"),
        ("${x:-y}", "expansion"),
        ("${x@P}", "expansion"),
        ("$((1+1))", "expansion"),
        ("$[1+1]", "expansion"),
        ("$(id)", "substitution"),
        ('"$(echo "a b")"', "substitution"),
        ("`id`", "substitution"),
        ("<(id)", "process"),
        ("*.txt", "glob"),
        ("a?", "glob"),
        ("[ab]", "glob"),
        ("{a,b}", "brace"),
        ("{1..3}", "brace"),
        ("{-exec,touch,m,\\;}", "brace"),
        ("~", "tilde"),
        ("~/x", "tilde"),
        ("A=~/x", "tilde"),
        ("P=a:~/x", "tilde"),
        ("$'a\\0b'", "bytes"),
        ("$'\\xff'", "bytes"),
        ("$'\\x{41}'", "bytes"),
        ("'open", "quote"),
        ('"open', "quote"),
        ('"$\\\n(touch m)"', "expansion"),
        ("$HO\\\nME", "expansion"),
    ],
)
def test_a_word_that_only_a_shell_could_finish_says_why(text: str, why: str) -> None:
    word = decode(text)
    assert word.value is None
    assert word.why == (why,)
    assert word.text == text


def test_parts_keep_what_is_exact_and_name_the_variable() -> None:
    kinds = [(part.text, part.kind, part.quoted, part.name) for part in decode('a"b $x"$(id)').parts]
    assert kinds == [
        ("a", "literal", False, ""),
        ("b ", "literal", True, ""),
        ("$x", "variable", True, "x"),
        ("$(id)", "substitution", False, ""),
    ]


def test_a_backslash_is_noted_where_it_took_part() -> None:
    assert decode(r"e\xec").escaped
    assert decode(r"e\xec").value == "exec"
    assert not decode(r"'e\xec'").escaped


@pytest.mark.parametrize(
    ("body", "value"),
    [
        ("plain\n", "plain\n"),
        ('say "hi" \\$x \\\\ \\n\n', 'say "hi" $x \\ \\n\n'),
        ("joined \\\nline\n", "joined line\n"),
        ("has $x\n", None),
        ("has `id`\n", None),
    ],
)
def test_a_heredoc_with_a_bare_delimiter_is_read_as_the_shell_does(body: str, value: str | None) -> None:
    assert decode_heredoc(body).value == value


PIECES = st.sampled_from([
    "'", '"', "\\", "$", "`", "a", "x", "u", "4", "\n", " ", "~", "=", ":", "{", "}", ",", "..", "*", "[", "]", "#",
    "!", "\u00e9", "-", "/", "$'", "\\\n", "@", "%", "''", '""',
])  # fmt: skip
TEXTS = st.lists(st.lists(PIECES, min_size=1, max_size=9).map("".join), min_size=40, max_size=60)


def literal_words(text: str) -> list[str] | None:
    """Our words of ``p text``, None unless it is one plain call of which every word is exact."""
    script = parse("p " + text)
    if script.error or len(script.pipelines) != 1 or len(script.pipelines[0].stages) != 1:
        return None
    stage = script.pipelines[0].stages[0]
    if not isinstance(stage, Simple) or stage.assignments or stage.redirects:
        return None
    values = [word.value for word in stage.words if word.value is not None]
    return values[1:] if len(values) == len(stage.words) else None


def bash_words(texts: list[str], folder: Path) -> list[list[str]]:
    """What the program ``p`` gets for each text, from one bash without any program."""
    lines = ["eval '" + ("p " + text).replace("'", "'\\''") + "'" for text in texts]
    script = 'p() { printf \'%s\\0\' "$#" "$@"; }\n' + "\n".join(lines)
    done = subprocess.run(
        [str(BASH), "-c", script],
        capture_output=True,
        check=False,
        cwd=folder,
        env={"LC_ALL": "C.UTF-8", "PATH": "/no"},
    )
    values = iter(done.stdout.decode("utf-8", "replace").split("\0")[:-1])
    return [[next(values) for _ in range(int(count))] for count in values]


@pytest.mark.skipif(BASH is None, reason="needs bash")
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=TEXTS)
def test_whatever_we_take_for_exact_bash_reads_the_same_way(texts: list[str], tmp_path: Path) -> None:
    ours = [(text, words) for text in texts if (words := literal_words(text)) is not None]
    assert bash_words([text for text, _ in ours], tmp_path) == [words for _, words in ours]
