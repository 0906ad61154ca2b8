from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessions.shell.parse import LONGEST, parse
from sessions.shell.syntax import Compound, Script, Simple, Stage


def calls(text: str) -> list[list[str]]:
    """The words of the calls of every pipeline, stage by stage."""
    return [words(stage) for pipeline in parse(text).pipelines for stage in pipeline.stages]


def words(stage: Stage) -> list[str]:
    return [word.text if word.value is None else word.value for word in stage.words]


def only(text: str) -> Simple:
    script = parse(text)
    assert script.error is None
    stage = script.pipelines[0].stages[0]
    assert isinstance(stage, Simple)
    return stage


def compound(text: str) -> Compound:
    stage = parse(text).pipelines[0].stages[0]
    assert isinstance(stage, Compound)
    return stage


def shape(script: Script) -> list[tuple[str, int]]:
    return [(pipeline.after, len(pipeline.stages)) for pipeline in script.pipelines]


def test_operators_and_pipes() -> None:
    assert shape(parse("a | b && c || d; e\nf & g")) == [
        ("", 2), ("&&", 1), ("||", 1), (";", 1), (";", 1), ("&", 1),
    ]  # fmt: skip
    assert [each.background for each in parse("a && b & c").pipelines] == [True, True, False]
    assert [each.negated for each in parse("! a | b; c").pipelines] == [True, False]


def test_a_redirection_belongs_to_the_last_call_before_it() -> None:
    script = parse("a && b > f | c 2>&1")
    assert shape(script) == [("", 1), ("&&", 2)]
    assert [stage.redirects and stage.redirects[0].text for each in script.pipelines for stage in each.stages] == [
        (), "> f", "2>&1",
    ]  # fmt: skip


def test_words_behind_a_redirection_are_words() -> None:
    call = only("a b > f c 2>&1 d")
    assert words(call) == ["a", "b", "c", "d"]
    assert [(each.operator, each.fd, each.target and each.target.value) for each in call.redirects] == [
        (">", None, "f"),
        (">&", "2", "1"),
    ]


def test_both_streams_into_a_pipe() -> None:
    first = parse("a |& b").pipelines[0].stages[0]
    assert [(each.operator, each.fd, each.target and each.target.value) for each in first.redirects] == [
        (">&", "2", "1")
    ]


def test_assignments_before_a_call_and_alone() -> None:
    call = only("A=1 B='x y' cmd C=3")
    assert [(each.name, each.value and each.value.value) for each in call.assignments] == [("A", "1"), ("B", "x y")]
    assert words(call) == ["cmd", "C=3"]
    assert [each.name for each in only("A=1 B=(2 3) C+=4").assignments] == ["A", "B", "C"]
    assert only("B=(2 3)").assignments[0].value is None
    assert [each.value and each.value.value for each in only("A=*.c B={a,b}").assignments] == ["*.c", "{a,b}"]
    assert words(only("\u00e9=1 x")) == ["\u00e9=1", "x"]


def test_declarations_are_calls() -> None:
    assert words(only("export A=b C")) == ["export", "A=b", "C"]
    assert words(only("unset A")) == ["unset", "A"]


def test_comments_are_dropped() -> None:
    assert calls("# first\na b # then 'x\n# more\nc") == [["a", "b"], ["c"]]


@pytest.mark.parametrize(
    ("text", "body", "expected"),
    [
        ("ssh h bash -s <<'EOF' 2>&1 | tail -20\nls\nEOF\n", "ls\n", [["ssh", "h", "bash", "-s"], ["tail", "-20"]]),
        ("cat <<'EOF'; echo done\nx 'y\nEOF\n", "x 'y\n", [["cat"], ["echo", "done"]]),
        ("<<'EOF' > f cat\nx\nEOF\n", "x\n", [["cat"]]),
        ("cat <<'EOF' > f && ls\nx\nEOF\nid", "x\n", [["cat"], ["ls"], ["id"]]),
        ("cat <<\\EOF\n$x\nEOF", "$x\n", [["cat"]]),
        ("cat <<-EOF\n\tx\n\tEOF\nls", "x\n", [["cat"], ["ls"]]),
        ("cat <<EOF\nno end", "no end", [["cat"]]),
        ("cat <<'A B'\nx\nA B\nls", "x\n", [["cat"], ["ls"]]),
        ("cat <<EOF # it's\nx\nEOF\nls", "x\n", [["cat"], ["ls"]]),
    ],
)
def test_heredocs_wherever_they_stand(text: str, body: str, expected: list[list[str]]) -> None:
    script = parse(text)
    assert script.error is None
    heredoc = script.pipelines[0].stages[0].heredoc
    assert heredoc is not None
    assert heredoc.body == body
    assert calls(text) == expected


def test_two_heredocs_on_one_call_come_in_order() -> None:
    call = only("cat <<A 3<<'B'\n1\nA\n2\nB\n")
    assert [(each.fd, each.body, each.quoted) for each in call.redirects] == [(None, "1\n", False), ("3", "2\n", True)]
    assert call.heredoc is not None
    assert call.heredoc.body == "1\n"


def test_what_only_looks_like_a_heredoc() -> None:
    assert only("echo $((1<<2)) '<<E' \"<<E\"").heredoc is None
    assert parse("(( x = 1 << 2 ))\nls").error is None
    here = only("cat <<< 'a b'").heredoc
    assert here is not None
    assert here.target is not None
    assert here.target.value == "a b"


def test_a_heredoc_within_a_substitution() -> None:
    assert calls("git commit -m \"$(cat <<'EOF'\nit's (done\nEOF\n)\" && ls")[-1] == ["ls"]


def test_a_later_input_redirection_replaces_the_heredoc() -> None:
    assert only("cat <<E < f\nx\nE").heredoc is None


@pytest.mark.parametrize(
    ("text", "kind", "inner"),
    [
        ("for h in a 'b c'; do ssh $h x; done", "for", [["ssh", "$h", "x"]]),
        ("for ((i=0;i<3;i++)); do x; done", "loop", [["x"]]),
        ("while read l; do x; done < f", "while", [["read", "l"], ["x"]]),
        ("until a; do b; done", "until", [["a"], ["b"]]),
        ("if a; then b; elif c; then d; else e; fi", "if", [["a"], ["b"], ["c"], ["d"], ["e"]]),
        ("case $x in a|b) one;; *) two;; esac", "case", [["one"], ["two"]]),
        ("(a; b)", "subshell", [["a"], ["b"]]),
        ("{ a; b; }", "group", [["a"], ["b"]]),
        ("select x in a; do b; done", "select", [["b"]]),
    ],
)
def test_compounds_hold_their_commands_in_order(text: str, kind: str, inner: list[list[str]]) -> None:
    stage = compound(text)
    assert stage.kind == kind
    assert stage.text == text
    assert stage.body is not None
    assert [words(each.stages[0]) for each in stage.body.pipelines] == inner


def test_what_else_compounds_say() -> None:
    loop = compound("for h in a 'b c'; do x; done > f")
    assert (loop.subject, words(loop)) == ("h", ["a", "b c"])
    assert [each.text for each in loop.redirects] == ["> f"]
    assert compound("f() { a; }").subject == "f"
    assert words(compound("case $x in a) b;; esac")) == ["$x"]
    assert compound("[[ -f x && $y == z* ]]").kind == "test"
    assert compound("((i++))").kind == "arithmetic"


def test_brackets_are_a_call_with_its_words() -> None:
    assert words(only("[ ! -f 'a b' -a x = y ]")) == ["[", "!", "-f", "a b", "-a", "x", "=", "y", "]"]


def test_the_grammar_reads_over_a_line_end_and_we_do_not() -> None:
    text = 'ps | grep x | grep -v y\necho "=== z ===" && ls'
    assert calls(text) == [["ps"], ["grep", "x"], ["grep", "-v", "y"], ["echo", "=== z ==="], ["ls"]]
    assert shape(parse(text)) == [("", 3), (";", 1), ("&&", 1)]


def test_the_grammar_loses_a_dash_and_we_do_not() -> None:
    assert calls("rails runner - 2>&1 | tail") == [["rails", "runner", "-"], ["tail"]]


def test_a_continued_line_joins_or_separates_as_in_the_shell() -> None:
    assert calls("a b\\\nc \\\n  d\\\n e") == [["a", "bc", "d", "e"]]


def test_ansi_c_quotes_end_where_the_shell_ends_them() -> None:
    assert calls("a $'x\\\\' 'y'") == [["a", "x\\", "y"]]
    assert calls("a $'it\\'s' b") == [["a", "it's", "b"]]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("a 'open", "cannot be parsed"),
        ("a ; ) b", "cannot be parsed"),
        ("if a; then", "cannot be parsed"),
        ("a\0b", "NUL"),
        ("x" * (LONGEST + 1), "longer than"),
        ("{ " * 9 + "a; " + "}; " * 9, "nested deeper"),
        ("a=(" * 300 + ")" * 300, "too many open brackets"),
        ("<" * 1000, "too many open brackets"),
    ],
)
def test_what_cannot_be_parsed_says_so(text: str, error: str) -> None:
    assert error in (parse(text).error or "")


def test_what_was_recognised_of_a_broken_text_is_there() -> None:
    script = parse("ls -l; ) x")
    assert script.error == "cannot be parsed at line 1, near ') x'"
    assert words(script.pipelines[0].stages[0]) == ["ls", "-l"]


def test_long_texts_are_parsed_whole() -> None:
    assert len(parse("a && " * 20_000 + "b").pipelines) == 20_001
    assert len(parse("a | " * 10_000 + "b").pipelines[0].stages) == 10_001
    assert len(parse("echo 'x y'\n" * 10_000).pipelines) == 10_000


def stages(script: Script | None) -> Iterator[Stage]:
    for pipeline in script.pipelines if script else ():
        for stage in pipeline.stages:
            yield stage
            if isinstance(stage, Compound):
                yield from stages(stage.body)


SHELLISH = st.lists(
    st.sampled_from([
        "a", "bc", " ", " ", "\n", ";", "&&", "||", "|", "&", "'", '"', "\\", "$", "`", "(", ")", "{", "}", "<", ">",
        "<<E", "\nE\n", "<<'E'", "$(", "${x}", "2>&1", "> f", "if ", "then ", "fi", "for x in ", "do ", "done",
        "while ", "case ", " in ", "esac", ";;", "[[ ", " ]]", "[ ", " ]", "! ", "A=1 ", "=", "#", "- ", "-", "((",
        "))", "\u00e9", "\r", "\t", "*", "function f ", "f() ", "export ", "ssh h ", "$'", "\\\n", "<<<", "|&", "&>",
    ]),
    max_size=40,
).map("".join)  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(text=SHELLISH | st.text(max_size=60))
def test_any_text_is_parsed_and_every_position_is_right(text: str) -> None:
    script = parse(text)
    for stage in stages(script):
        assert stage.text == text[stage.start : stage.end]
        for word in stage.words:
            assert word.text == text[word.start : word.end]
        for redirect in stage.redirects:
            assert redirect.text == text[redirect.start : redirect.end]
