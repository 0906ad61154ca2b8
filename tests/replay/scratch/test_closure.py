"""Files that a session wrote, rebuilt in the order in which it wrote and changed them, or named as lost."""

from collections.abc import Sequence
from typing import Any

import pytest

from replay.scratch import closure as closure_module
from replay.scratch.changes import Change, Place
from replay.scratch.closure import Closure, Files, Rebuilt, Unbuilt
from sessions.models.session import Step
from sessions.shell.unwrap import unwrap


def shell(text: str, output: str = "", *, code: int | None = 0, cwd: str = "/w") -> Step:
    return Step(
        ordinal=0,
        kind="shell",
        tool="bash",
        command=text,
        commands=unwrap(text, cwd),
        output=output,
        exit_code=code,
        cwd=cwd,
    )


def tool(name: str, text: str, *, output: str = "") -> Step:
    kind = "read" if name in {"Read", "read"} else "edit"
    return Step(ordinal=0, kind=kind, tool=name, command=text, output=output, cwd="/w")  # type: ignore[arg-type]


def closure(*steps: Step) -> Closure:
    """Return the closure of the last step."""
    numbered = [step.model_copy(update={"ordinal": number}) for number, step in enumerate(steps)]
    return Files(numbered).closure(numbered[-1])


def only(found: Closure) -> Rebuilt:
    assert found.absent == ()
    (file,) = found.files
    return file


def lost(found: Closure) -> Unbuilt:
    assert found.files == ()
    (file,) = found.absent
    return file


RUN = shell("python t.py")


@pytest.mark.parametrize(
    "text",
    [
        "cat > t.py <<'EOF'\nprint(1)\nEOF",
        "cat >/w/t.py <<EOF\nprint(1)\nEOF",
        "tee t.py <<'EOF'\nprint(1)\nEOF",
        "echo 'print(1)' > t.py",
        "printf 'print(1)\\n' >| t.py",
        "cat > a.py <<'EOF'\nprint(1)\nEOF\ncp a.py t.py",
        "cd /w/../w && cat > ./t.py <<'EOF'\nprint(1)\nEOF",
        "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: t.py\n+print(1)\n*** End Patch\nEOF",
    ],
)
def test_a_file_that_a_shell_wrote(text: str) -> None:
    file = only(closure(shell("ls"), shell(text), RUN))
    assert (file.place, file.content, file.origins) == (Place("/w/t.py"), "print(1)\n", (1,))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Write", "/w/t.py\nprint(1)\n"),
        ("write", "/w/t.py\nprint(1)\n"),
        ("apply_patch", "*** Begin Patch\n*** Add File: t.py\n+print(1)\n*** End Patch"),
    ],
)
def test_a_file_that_an_agents_tool_wrote(name: str, text: str) -> None:
    assert only(closure(tool(name, text), RUN)).content == "print(1)\n"


START = tool("Write", "/w/t.py\nfirst\nsecond\nthird\n")


MARKED = "<<<<<<<\n{}\n=======\n{}\n>>>>>>>"
TWO = MARKED.format("first", "1") + "\n" + MARKED.format("third", "3")
HUNKS = "@@\n first\n-second\n+2\n+2.5\n@@\n-third\n+3\n*** End Patch"


@pytest.mark.parametrize(
    ("step", "content"),
    [
        (tool("Edit", "/w/t.py\n" + MARKED.format("second", "2")), "first\n2\nthird\n"),
        (tool("MultiEdit", "/w/t.py\n" + TWO), "1\nsecond\n3\n"),
        (tool("edit", "/w/t.py\n-first\n-second\n+1\n+2"), "1\n2\nthird\n"),
        (tool("apply_patch", "*** Begin Patch\n*** Update File: t.py\n" + HUNKS), "first\n2\n2.5\n3\n"),
        (shell("echo more >> t.py"), "first\nsecond\nthird\nmore\n"),
        (shell("tee -a t.py <<'E'\nmore\nE"), "first\nsecond\nthird\nmore\n"),
        (shell("cat t.py", "first\nnew\n"), "first\nnew\n"),
    ],
)
def test_changes_are_applied_in_order(step: Step, content: str) -> None:
    file = only(closure(START, step, RUN))
    assert (file.content, file.origins[-1]) == (content, 1)


def test_a_file_that_was_only_read_is_the_targets_own_until_it_is_changed() -> None:
    seen = tool("Read", "/w/t.py", output="     1→a\n     2→b\n")
    assert closure(seen, shell("ls t.py")).files == ()
    assert only(closure(seen, tool("Edit", "/w/t.py\n<<<<<<<\nb\n=======\nc\n>>>>>>>"), RUN)).content == "a\nc\n"
    part = tool("Read", "/w/t.py", output="    10→a\n    11→b\n")
    assert "not known" in lost(closure(part, tool("Edit", "/w/t.py\n<<<<<<<\nb\n=======\nc\n>>>>>>>"), RUN)).reason


@pytest.mark.parametrize(
    ("step", "reason"),
    [
        (shell("sed -i s/a/b/ t.py"), "step 1: sed -i changed it"),
        (shell("date > t.py"), "step 1: it holds what a program printed"),
        (shell("cat > t.py <<EOF\n$HOME\nEOF"), "standard input needs a shell"),
        (shell("for i in $(ls); do echo x > t.py; done"), "inside for"),
        (shell("rm t.py"), "step 1 removed it"),
        (shell("rm -rf /w"), "step 1 removed it"),
        (shell("false && echo x > t.py", code=1), "the step failed"),
        (tool("Edit", "/w/t.py\n<<<<<<<\nabsent\n=======\n2\n>>>>>>>"), "what step 1 replaces does not stand"),
        (tool("Write", "/w/t.py\nkey = '<redacted:token:ab12>'\n"), "held a secret that was not kept"),
        (tool("edit", "/w/t.py\n-first"), "does not tell what was replaced"),
        (shell("cp other.py t.py"), "copied it from /w/other.py, of which the content is not known"),
    ],
)  # fmt: skip
def test_what_cannot_be_rebuilt_is_named_with_the_reason(step: Step, reason: str) -> None:
    assert reason in lost(closure(START, step, RUN)).reason


def test_an_edit_that_failed_changed_nothing() -> None:
    failed = tool("Edit", "/w/t.py\n<<<<<<<\nsecond\n=======\n2\n>>>>>>>").model_copy(update={"status": "error"})
    assert only(closure(START, failed, RUN)).content == "first\nsecond\nthird\n"


def test_a_script_that_no_step_wrote() -> None:
    assert lost(closure(shell("ls"), RUN)).reason == "no earlier step of the session wrote it"
    assert closure(shell("ls"), shell("cat t.py")) == Closure()


def test_a_text_that_a_remote_list_is_given() -> None:
    there = shell("ssh root@h 'mkdir -p /root/d && cat > /root/d/t.py' <<'EOF'\nprint(5)\nEOF")
    assert only(closure(there, shell("ssh root@h 'python3 /root/d/t.py'"))).content == "print(5)\n"


def test_machines_are_told_apart() -> None:
    there = shell("ssh root@h 'cat > /root/t.py' <<'EOF'\nprint(2)\nEOF")
    assert only(closure(there, shell("ssh root@h 'python3 ~/t.py'"))).content == "print(2)\n"
    assert lost(closure(there, shell("ssh root@g 'python3 /root/t.py'"))).origins == ()
    copied = closure(START, shell("scp -P 22 t.py root@h:"), shell("ssh root@h 'cd /root && python3 t.py'"))
    assert (only(copied).content, only(copied).origins) == ("first\nsecond\nthird\n", (0, 1))


def test_what_a_needed_file_needs_is_needed() -> None:
    steps = [
        tool("Write", "/w/lib/tables.py\nSIZES = open('/w/sizes.json')\n"),
        tool("Write", "/w/lib/__init__.py\n\n"),
        tool("Write", "/w/sizes.json\n[1]\n"),
        tool("Write", "/w/unused.py\nx\n"),
        tool("Write", "/w/run.sh\npython t.py | tee run.log\n"),
        tool("Write", "/w/t.py\nfrom lib.tables import SIZES\n"),
    ]
    found = closure(*steps, shell("bash run.sh"))
    assert {file.place.path for file in found.files} >= {"/w/run.sh", "/w/t.py", "/w/lib/tables.py", "/w/sizes.json"}
    assert "/w/unused.py" not in {file.place.path for file in found.files}


def test_a_name_inside_another_name_is_no_mention() -> None:
    assert closure(START, shell("cat /w/t.py.orig /x/w/t.py at.py t.pyc")).files == ()


def test_a_step_that_writes_what_it_runs() -> None:
    file = only(closure(shell("cat > t.py <<'E'\nprint(3)\nE\npython t.py; rm t.py")))
    assert (file.content, file.origins) == ("print(3)\n", (0,))


def test_each_change_is_followed_once_whatever_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    followed: list[int] = []
    apply = closure_module._apply

    def counted(states: Any, number: int, change: Change) -> Sequence[Place]:
        followed.append(number)
        return apply(states, number, change)

    monkeypatch.setattr(closure_module, "_apply", counted)
    steps = [shell("echo 1 > a"), shell("echo 2 >> a"), shell("python a"), shell("echo 3 >> a"), shell("python a")]
    files = Files([step.model_copy(update={"ordinal": number}) for number, step in enumerate(steps)])
    found = [only(files.closure(steps[4].model_copy(update={"ordinal": n}))) for n in (4, 2, 4)]
    assert [file.content for file in found] == ["1\n2\n3\n", "1\n2\n", "1\n2\n3\n"]
    assert followed == [0, 1, 3]


def test_every_file_that_sed_changes_in_place_is_lost() -> None:
    written = "echo 1 > a.py; echo 2 > b.py"
    for edit in ("sed -i s/1/2/ a.py b.py", "sed -i -e s/1/2/ b.py", "patch b.py fix.diff"):
        found = closure(shell(written), shell(edit), shell("python b.py"))
        assert "changed it" in lost(found).reason
