"""Nothing runs that two parsers have not read the same way."""

from pathlib import Path

import pytest

from replay.policy.judge import assess, judge
from replay.policy.lines import second
from sessions.shell.parse import parse

AGREED = [
    "ls -la /x",
    "cat 'a b' \"c\\$d\" e\\ f",
    "LC_ALL=C sort f 2>&1 | head -5 && ls; cd /x || echo no",
    "wc -l <f >/dev/null",
    "cat <<'EOF'\nbody $x\nEOF",
    "echo {} ] '*'",
    "a=1 b='2' ls # why",
    "for f in a b; do cat $f; done",
    "time ls | head && time -p id",
]
OTHERWISE = ["ls &", "! ls", "(ls)", "ls |& cat", "f() { ls; }", "[[ -f x ]]", "cat <(ls)", "echo $'a\\tb'", "ls 'x"]


@pytest.mark.parametrize("text", AGREED)
def test_both_come_to_the_same_calls(text: str) -> None:
    assert second.agrees(text, parse(text))


MORE = [
    "time (ls)", "time a=b ls", "a+=b ls", "a[0]=1 ls", "cat <<E\n$x\nE", "select x in a; do ls; done", "ls 'a' $((1))",
    "for ((;;)); do ls; done", "while ls; do id; done", "ls | (cat)", 'ls "a${x:-b}"', "{ ls; } 2>&1", "time",
    "ls `id`", 'echo $"a"', "cat <<-E\n\tx\n\tE", "ls ${x}y",
]  # fmt: skip


@pytest.mark.parametrize("text", [*MORE[:-1]])
def test_nothing_else_has_a_place_either(text: str) -> None:
    assert not second.agrees(text, parse(text))


def test_what_joins_lines_and_what_is_escaped_is_read_alike() -> None:
    for text in ("ls a\\\nb", "ls a\\*b", r'ls "a\$b\c"', MORE[-1], r"ls \\", 'ls "a\\\nb"', "cat <<'E' <f\nx\nE"):
        assert second.agrees(text, parse(text)), text


@pytest.mark.parametrize("other", ["ls &", "! ls", "(ls)", "a=(1) ls", "a+=1 ls", "ls $(x)", "if ls; then id; fi"])
def test_a_reading_that_has_no_outline_agrees_with_nothing(other: str) -> None:
    assert not second.agrees("ls", parse(other))


def test_a_command_on_which_the_parsers_differ_is_refused() -> None:
    judged = judge("echo $'a\\tb'")
    assert (judged.decision, judged.sent, judged.reasons) == ("refuse", None, ("two parsers read it differently",))
    assert assess("echo $'a\\tb'").decision == "run"


@pytest.mark.parametrize("text", OTHERWISE)
def test_what_an_outline_has_no_place_for_is_not_agreed_on(text: str) -> None:
    assert not second.agrees(text, parse(text))


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("ls a", "ls b"), ("ls '*'", "ls *"), ("ls; id", "ls && id"), ("ls 2>&1", "ls"), ("ls | id", "ls; id"),
        ("cat '~'", "cat ~"), ("cat $x", "cat '$x'"), ("cat $x", "cat $y"), ("A=b ls", "ls"), ("ls >a", "ls >>a"),
        ("ls 'a' 'b'", "ls 'a b'"), ("cat <<'E'\na\nE", "cat <<'E'\nb\nE"), ("cat <<'E'\na\nE", "cat <<E\na\nE"),
        ("for f in a; do ls; done", "for f in b; do ls; done"), ("for f in a; do ls; done", "for f in a; do id; done"),
    ],
)  # fmt: skip
def test_any_difference_is_seen(text: str, other: str) -> None:
    assert second.agrees(text, parse(text))
    assert not second.agrees(text, parse(other))


def test_without_the_second_parser_nothing_runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("sysconfig.get_path", lambda _: str(tmp_path))
    monkeypatch.setattr("sys.executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    second.program.cache_clear()
    try:
        judged = judge("ls a-folder-of-this-test-alone")
        assert second.read("ls another-folder-of-this-test-alone") is None
    finally:
        second.program.cache_clear()
        judge.cache_clear()
    assert (judged.decision, judged.sent) == ("refuse", None)
    assert judged.reasons == ("the second parser, shfmt, is not installed",)
    assert assess("ls a-folder-of-this-test-alone").decision == "run"
