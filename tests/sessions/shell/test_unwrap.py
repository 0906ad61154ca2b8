"""What stands around a call, on one machine: directories, variables, loops, pipes, streams."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessions.models.command import Command
from sessions.shell.unwrap import unwrap
from sessions.shell.walk import MOST_COMMANDS


def only(text: str, cwd: str | None = None) -> Command:
    (command,) = unwrap(text, cwd)
    return command


def argvs(text: str) -> list[str]:
    return [" ".join(each.argv) for each in unwrap(text)]


def test_the_example_of_the_model() -> None:
    sed, head, tail = unwrap("cd /srv && ssh root@h 'sed -n 1,5p f | head -2' 2>&1 | tail -1", "/home/me")
    assert sed == Command(
        argv=("sed", "-n", "1,5p", "f"), text="sed -n 1,5p f", host="h", user="root", merge_stderr=True
    )
    assert head == Command(
        argv=("head", "-2"), text="head -2", host="h", user="root", stage=1, merge_stderr=True
    )  # fmt: skip
    assert tail == Command(argv=("tail", "-1"), text="tail -1", cwd="/srv", stage=2)


@pytest.mark.parametrize(
    ("text", "cwd"),
    [
        ("ls", "/home/me"),
        ("cd src && ls", "/home/me/src"),
        ("cd /srv; ls", "/srv"),
        ("cd /srv\ncd ../x/./y\nls", "/x/y"),
        ("cd ~/src && ls", "~/src"),
        ("cd && ls", "~"),
        ("cd $HOME && ls", "$HOME"),
        ("pushd /srv > /dev/null; ls", "/srv"),
        ("cd /a && cd /b && cd - && ls", "/a"),
        ("(cd /srv); ls", "/home/me"),
        ("{ cd /srv; }; ls", "/srv"),
        ("bash -c 'cd /srv'; ls", "/home/me"),
        ("D=/srv; cd $D/x && ls", "/srv/x"),
        ("cd -- '/a b' && ls", "/a b"),
        ("env -C /srv ls", "/srv"),
    ],
)
def test_directories(text: str, cwd: str) -> None:
    last = unwrap(text, "/home/me")[-1]
    assert last.argv == ("ls",)
    assert last.cwd == cwd
    assert last.unresolved is None


@pytest.mark.parametrize(
    ("text", "cwd", "why"),
    [
        ('cd "$(git rev-parse --show-toplevel)"; ls', "$(git rev-parse --show-toplevel)", "needs a shell"),
        ("cd $REPO && ls", "$REPO", "directory $REPO needs a shell"),
        ("cd /a || cd /b; ls", "/a", "depends on what came before"),
        ("test -d /a && cd /a; ls", "/a", "depends on what came before"),
        ("if x; then cd /a; fi; ls", "/home/me", "depends on what came before"),
        ("cd -; ls", "/home/me", "not known"),
    ],
)
def test_directories_that_are_not_certain_say_so(text: str, cwd: str, why: str) -> None:
    last = unwrap(text, "/home/me")[-1]
    assert last.cwd == cwd
    assert why in (last.unresolved or "")


def test_a_directory_behind_and_is_certain_within_its_list() -> None:
    assert unwrap("mkdir -p /a && cd /a && ls")[-1].unresolved is None


@pytest.mark.parametrize(
    ("text", "env"),
    [
        ("A=1 B='x y' cmd", {"A": "1", "B": "x y"}),
        ("env A=1 cmd", {"A": "1"}),
        ("env -i -u X A=1 cmd", {"A": "1"}),
        ("export A=1; B=2; cmd", {"A": "1"}),
        ("A=1; export A; A=2; cmd", {"A": "2"}),
        ("sudo A=1 cmd", {"A": "1"}),
        ("A=1; A+=2 cmd", {"A": "2"}),
        ("source /v/bin/activate && cmd", {"VIRTUAL_ENV": "/v"}),
        (". .venv/bin/activate; cmd", {"VIRTUAL_ENV": "/home/me/.venv"}),
        ("conda run -n e cmd", {"CONDA_DEFAULT_ENV": "e"}),
        ("bash -c 'A=1 cmd'", {"A": "1"}),
        ("(export A=1; x) | cmd", {}),
    ],
)
def test_variables_of_a_call(text: str, env: dict[str, str]) -> None:
    command = unwrap(text, "/home/me")[-1]
    assert command.argv == ("cmd",)
    assert command.env == env
    assert command.literal


def test_a_variable_that_needs_a_shell_stands_as_written() -> None:
    command = only('PATH="/x:$PATH" cmd')
    assert command.env == {"PATH": "/x:$PATH"}
    assert not command.literal


@pytest.mark.parametrize(
    ("text", "argv"),
    [
        ("A=x; cmd $A", ["cmd", "x"]),
        ("A='x y'; cmd $A \"$A\"", ["cmd", "x", "y", "x y"]),
        ("A='-l '; cmd ${A}f", ["cmd", "-l", "f"]),
        ("A=; cmd $A z", ["cmd", "z"]),
        ("A=x; B=$A/y; cmd $B", ["cmd", "x/y"]),
        ("export A=x && cmd $A", ["cmd", "x"]),
        ("A=x; bash -c 'cmd y'", ["cmd", "y"]),
        ("export A=x; bash -c 'cmd $A'", ["cmd", "x"]),
    ],
)
def test_variables_that_the_text_sets_are_filled_in(text: str, argv: list[str]) -> None:
    command = only(text)
    assert list(command.argv) == argv
    assert command.literal


@pytest.mark.parametrize(
    "text",
    [
        "cmd $A",
        "A=x; bash -c 'cmd $A'",
        "A=x; read A; cmd $A",
        "A=x; unset A; cmd $A",
        "A=x; . f; cmd $A",
        "test -f y && A=x; cmd $A",
        "if y; then A=x; fi; cmd $A",
        "A=x; while y; do cmd $A; A=z; done",
        "A=$(y); cmd $A",
        "(A=x); cmd $A",
        "A=*; cmd $A",
        "A=x; f() { A=y; }; f; cmd $A",
        "A=(x y); cmd $A",
        "A=x; ((A++)); cmd $A",
    ],
)
def test_variables_that_may_be_anything_are_not_filled_in(text: str) -> None:
    (command,) = [each for each in unwrap(text) if each.argv[:1] == ("cmd",)]
    assert not command.literal


def test_a_variable_set_behind_and_is_known_within_its_list() -> None:
    assert argvs("test -f y && A=x && cmd $A") == ["test -f y", "cmd x"]


def test_pipelines_stages_and_operators() -> None:
    commands = unwrap("a | b && c || d; e & f")
    assert [(each.argv[0], each.pipeline, each.stage, each.after) for each in commands] == [
        ("a", 0, 0, ""),
        ("b", 0, 1, ""),
        ("c", 1, 0, "&&"),
        ("d", 2, 0, "||"),
        ("e", 3, 0, ";"),
        ("f", 4, 0, "&"),
    ]
    assert [each.within for each in commands] == [(), (), (), (), ("background",), ()]


def test_streams() -> None:
    command = only("cmd 2>&1 > out.txt < in.txt")
    assert command.merge_stderr
    assert command.redirects == ("> out.txt", "< in.txt")
    assert only("cmd 2>/dev/null").redirects == ("2>/dev/null",)
    assert not only("cmd >&2").merge_stderr
    assert [each.merge_stderr for each in unwrap("a |& b")] == [True, False]
    assert [each.merge_stderr for each in unwrap("{ a; b; } 2>&1; c")] == [True, True, False]
    assert [each.redirects for each in unwrap("(a; b) > f; c")] == [("> f",), ("> f",), ()]


def test_standard_input_that_is_given_as_text() -> None:
    assert only("cat <<'EOF'\n$x\nEOF").stdin == "$x\n"
    assert only("cat <<EOF\nplain \\$x\nEOF").stdin == "plain $x\n"
    assert only("cat <<< 'a b'").stdin == "a b\n"
    assert unwrap("A=1\ncat <<EOF\n$A\nEOF")[-1].stdin == "1\n"
    assert [each.stdin for each in unwrap("cat <<'EOF' | b; c\nx\nEOF")] == ["x\n", None, None]
    assert [each.stdin for each in unwrap("{ a; b; } <<'EOF'\nx\nEOF")] == ["x\n", None]
    unknown = only("cat <<EOF\n$x\nEOF")
    assert (unknown.stdin, unknown.literal, unknown.unresolved) == ("$x\n", False, "standard input needs a shell")


def test_words_of_a_text_that_was_expanded_outside_are_never_exact() -> None:
    command = only("bash -c \"grep '$x' f\"")
    assert command.argv == ("grep", "$x", "f")
    assert not command.literal


def test_loops_over_literal_lists_are_unrolled() -> None:
    assert argvs("for f in a 'b c'; do cat \"$f\"; done") == ["cat a", "cat b c"]
    assert [each.within for each in unwrap("for f in a b; do cat $f; done")] == [(), ()]
    assert argvs("for a in 1 2; do for b in x y; do p $a$b; done; done") == ["p 1x", "p 1y", "p 2x", "p 2y"]
    assert [each.pipeline for each in unwrap("for f in a b; do cat $f | head; done; ls")] == [0, 0, 1, 1, 2]


@pytest.mark.parametrize(
    ("text", "within"),
    [
        ("for f in *; do cat $f; done", ("for",)),
        ("for f in $(ls); do cat $f; done", ("for",)),
        (f"for f in {' '.join(map(str, range(65)))}; do cat $f; done", ("for",)),
        ("while :; do cat $f; done", ("while",)),
        ("if x; then cat $f; fi", ("if",)),
        ("case $x in a) cat $f;; esac", ("case",)),
        ("f() { cat $f; }", ("function",)),
        ("if x; then while y; do cat $f; done; fi", ("if", "while")),
        ("x=$(cat $f)", ("substitution",)),
        ("diff <(cat $f) g", ("process",)),
        ("cat $f &", ("background",)),
    ],
)
def test_what_may_not_run_or_whose_output_goes_elsewhere_says_so(text: str, within: tuple[str, ...]) -> None:
    (cat,) = [each for each in unwrap(text) if each.argv[:1] == ("cat",)]
    assert cat.within == within
    assert not cat.literal


def test_a_substitution_comes_before_the_call_it_is_for() -> None:
    inner, outer = unwrap('echo "$(date -u)" x')
    assert (inner.argv, inner.within, inner.pipeline) == (("date", "-u"), ("substitution",), 0)
    assert (outer.argv, outer.literal, outer.pipeline) == (("echo", '"$(date -u)"', "x"), False, 1)


def test_a_word_that_needs_a_shell_stands_as_written() -> None:
    command = only("ls *.c \"$HOME/x\" '$y'")
    assert command.argv == ("ls", "*.c", '"$HOME/x"', "$y")
    assert not command.literal


def test_no_command_at_all() -> None:
    assert unwrap("") == ()
    assert unwrap("  \n# only a comment") == ()
    assert only("A=1").argv == ()
    assert only("> f").redirects == ("> f",)


def test_limits_are_said_and_not_overstepped() -> None:
    commands = unwrap("a\n" * (MOST_COMMANDS + 10))
    assert len(commands) == MOST_COMMANDS
    assert commands[-1].unresolved == f"more than {MOST_COMMANDS} calls"
    deep = "ls"
    for _ in range(6):
        deep = f"eval {deep}"
    assert unwrap(deep)[-1].argv == ("ls",)
    assert "nested deeper" in (unwrap("eval " * 40 + "ls")[-1].unresolved or "")
    assert unwrap("nice " * 100 + "ls")[-1].argv[0] == "nice"


PLAIN = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=12)


@settings(max_examples=200, deadline=None)
@given(words=st.lists(PLAIN, min_size=1, max_size=6))
def test_a_plain_call_has_exactly_its_words(words: list[str]) -> None:
    quoted = " ".join("'" + word.replace("'", "'\\''") + "'" for word in words)
    assert only(f"'prog' {quoted}").argv == ("prog", *words)


SHELLISH = st.lists(
    st.sampled_from([
        "ssh", "h", "-p", " ", " ", "\n", ";", "&&", "||", "|", "&", "'", '"', "\\", "$", "`", "(", ")", "{", "}", "<",
        ">", "<<E\n", "\nE\n", "$(", "2>&1", "if ", "then ", "fi", "for x in a b; do ", "; done", "while ", "sudo ",
        "docker exec c ", "bash -c ", "A=1 ", "cd ", "- ", "-", "timeout 5 ", "env ", "kubectl exec p -- ", "eval ",
        "f() { ", "export ", "$x", "$'", "*", "~", "scp a:b ", "su ", "source v/bin/activate", "\\\n",
        "\u00e9", "\ud800",
    ]),
    max_size=30,
).map("".join)  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(text=SHELLISH | st.text(max_size=60))
def test_any_text_gives_commands(text: str) -> None:
    for command in unwrap(text, "/home/me"):
        assert isinstance(command, Command)
        assert command.literal or command.argv or command.unresolved or command.env or command.redirects
