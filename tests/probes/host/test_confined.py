"""Commands in a cage, and commands that something else ended: what is not their own end is not told as such."""

import pytest

from probes.host.confined import Confined
from probes.host.local import LocalExecutor
from sessions.models.command import Request

BROKEN = ("sh", "-c", "echo no namespace for you >&2; exit 125", "sh")
SOUND = ("sh", "-c", 'echo a warning >&2; exec "$@"', "sh")


async def test_a_cage_that_cannot_be_put_up_is_no_result_of_the_command() -> None:
    completed = await Confined(LocalExecutor(), BROKEN).run(Request((("echo", "ran"),)))
    assert (completed.outcome, completed.exit_code, completed.stdout) == ("not-replayable", None, b"")
    assert "no namespace for you" in completed.detail


@pytest.mark.parametrize("status", [0, 3, 125])
async def test_in_a_cage_a_commands_own_status_and_streams_are_its_own(status: int) -> None:
    request = Request((("sh", "-c", f"echo out; echo err >&2; exit {status}"),))
    completed = await Confined(LocalExecutor(), SOUND).run(request)
    assert (completed.outcome, completed.exit_code) == ("completed", status)
    assert (completed.stdout, completed.stderr) == (b"out\n", b"err\n")


async def test_in_a_cage_merged_streams_keep_their_order_and_nothing_else_comes() -> None:
    heard: list[bytes] = []
    words = ("sh", "-c", "echo 1; echo 2 >&2; echo 3")
    completed = await Confined(LocalExecutor(), SOUND).run(Request((words,), merge_stderr=True, heard=heard.append))
    assert (completed.stdout, completed.stderr) == (b"1\n2\n3\n", b"")
    assert b"".join(heard) == b"1\n2\n3\n"


@pytest.mark.parametrize("name", ["KILL", "TERM", "HUP"])
async def test_a_command_that_a_signal_ended_is_killed(name: str) -> None:
    request = Request((("sh", "-c", f"echo part; kill -s {name} $$"),))
    completed = await LocalExecutor().run(request)
    assert (completed.outcome, completed.exit_code, completed.stdout) == ("killed", None, b"part\n")
    assert f"SIG{name}" in completed.detail


async def test_a_crash_of_its_own_is_a_result() -> None:
    completed = await LocalExecutor().run(Request((("sh", "-c", "kill -s SEGV $$"),)))
    assert (completed.outcome, completed.exit_code) == ("completed", 139)
