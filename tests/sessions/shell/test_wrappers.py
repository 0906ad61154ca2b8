"""Programs that run another one on the same machine, and texts that cannot be taken apart."""

import pytest

from sessions.models.command import Command
from sessions.shell.unwrap import unwrap


def only(text: str) -> Command:
    (command,) = unwrap(text)
    return command


@pytest.mark.parametrize(
    ("text", "argv", "context"),
    [
        ("sudo -n cat f", "cat f", {"sudo": True, "user": "root"}),
        ("sudo -u app -H cat f", "cat f", {"sudo": True, "user": "app"}),
        ("sudo -iu app cat f", "cat f", {"sudo": True, "user": "app"}),
        ("sudo --user=app -- cat f", "cat f", {"sudo": True, "user": "app"}),
        ("sudo -E env A=1 cat f", "cat f", {"sudo": True, "env": {"A": "1"}}),
        ("doas -u app cat f", "cat f", {"sudo": True, "user": "app"}),
        ("su - app -c 'cat f'", "cat f", {"sudo": True, "user": "app"}),
        ("timeout 30 cat f", "cat f", {"timeout": 30.0}),
        ("timeout -k 5 -s KILL 1.5m cat f", "cat f", {"timeout": 90.0}),
        ("timeout 1h timeout 10 cat f", "cat f", {"timeout": 10.0}),
        ("nice -n 5 ionice -c2 -n7 stdbuf -oL nohup cat f", "cat f", {}),
        ("command cat f", "cat f", {}),
        ("exec cat f", "cat f", {}),
        ("time -p cat f", "cat f", {}),
        ("rtk cat f", "cat f", {}),
        ("bash -lc 'cat f'", "cat f", {}),
        ("/bin/sh -e -c 'cat f' name", "cat f", {}),
        ("bash -o pipefail -c 'cat f'", "cat f", {}),
        ("bash -euo pipefail -c 'cat f'", "cat f", {}),
        ("bash <<'EOF'\ncat f\nEOF", "cat f", {}),
        ("eval 'cat f'", "cat f", {}),
        ("bash -c \"sudo bash -c 'cat f'\"", "cat f", {"sudo": True}),
        ("python3 - <<'EOF'\nprint(1)\nEOF", "python3 -", {"stdin": "print(1)\n"}),
        ("bash script.sh", "bash script.sh", {}),
        ("bash -n script.sh", "bash -n script.sh", {}),
        ("command -v gcc", "command -v gcc", {}),
        ("set -euo pipefail; cat f", "cat f", {}),
        ("watch -n1 nvidia-smi", "watch -n1 nvidia-smi", {}),
        ("cd /srv", "cd /srv", {"cwd": "/srv"}),
        ("set -e", "set -e", {}),
    ],
)
def test_wrappers_come_off(text: str, argv: str, context: dict[str, object]) -> None:
    command = only(text)
    assert " ".join(command.argv) == argv
    assert command.unresolved is None
    assert command.literal
    assert command.model_dump(include=set(context)) == context


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("env -S 'cat f'", "option -S is not known"),
        ("sudo --frobnicate cat f", "option --frobnicate is not known"),
        ("$CMD f", "program $CMD needs a shell"),
        ("~/bin/x f", "program ~/bin/x needs a shell"),
        ("bash -s", "its script comes from elsewhere"),
        ('bash -c "cat $f"', "expanded by the shell outside"),
        ("cat 'open", "cannot be parsed"),
        ("f() { x; }; f", "a function of the text"),
        ("[[ -f x ]]", "a test of the shell"),
        ("timeout $T cat f", "no duration"),
        ("su - app", "su runs nothing"),
        ("bash -c '# nothing'", "a text without a command"),
    ],
)
def test_what_cannot_be_unwrapped_says_why(text: str, why: str) -> None:
    assert why in (unwrap(text)[-1].unresolved or "")


@pytest.mark.parametrize(
    ("text", "argv", "stdin"),
    [
        ("ssh h 'timeout 5 bash -s' <<'E'\necho 1\nE", ("bash", "-s"), "echo 1\n"),
        ("sudo sh -c 'echo 1; echo 2'", ("sh", "-c", "echo 1; echo 2"), None),
    ],
)
def test_a_shell_may_be_left_as_one_call(text: str, argv: tuple[str, ...], stdin: str | None) -> None:
    (call,) = unwrap(text, into_shells=False)
    assert (call.argv, call.stdin) == (argv, stdin)
    assert {inner.argv[0] for inner in unwrap(text)} == {"echo"}
