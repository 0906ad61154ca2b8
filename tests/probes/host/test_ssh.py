"""The ssh executor against a real OpenSSH server on loopback."""

import asyncio
import contextlib
import os
import signal
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Protocol

import pytest

from probes.host.ssh import SSHExecutor, connect
from probes.host.targets import Target
from sessions.errors import HostProblem
from sessions.models.command import Pipe, Request, Stage

pytestmark = pytest.mark.sshd


class Server(Protocol):
    def drop_connections(self) -> None: ...


@pytest.fixture
async def host(target: Target) -> AsyncIterator[SSHExecutor]:
    async with connect(target) as executor:
        yield executor


def request(*words: str, **settings: object) -> Request:
    return Request(stages=(words,), **settings)  # type: ignore[arg-type]  # the tests' own settings


def running(marker: str) -> list[int]:
    found = subprocess.run(["pgrep", "-f", f"[s]leep {marker}"], capture_output=True, check=False, text=True)
    return [int(number) for number in found.stdout.split()]


async def gone(marker: str) -> bool:
    for _ in range(100):
        if not running(marker):
            return True
        await asyncio.sleep(0.05)
    return False


async def until_running(marker: str) -> None:
    for _ in range(500):
        if running(marker):
            return
        await asyncio.sleep(0.02)
    raise AssertionError(f"sleep {marker} never started")


async def test_words_arrive_as_they_are(host: SSHExecutor) -> None:
    words = ("a b", "$HOME", "`id`", "it's", "*", "~", "\\", "new\nline", "", "-n", "é😀")
    completed = await host.run(request("printf", "%s\\0", *words))
    assert completed.outcome == "completed"
    assert completed.stdout.decode().split("\0")[:-1] == list(words)
    assert completed.exit_code == 0


async def test_exit_code_and_streams_stay_apart(host: SSHExecutor) -> None:
    completed = await host.run(request("sh", "-c", "echo out; echo err >&2; exit 3"))
    assert (completed.exit_code, completed.stdout, completed.stderr) == (3, b"out\n", b"err\n")


async def test_merged_streams_keep_their_order(host: SSHExecutor) -> None:
    completed = await host.run(request("sh", "-c", "echo 1; echo 2 >&2; echo 3", merge_stderr=True))
    assert (completed.stdout, completed.stderr) == (b"1\n2\n3\n", b"")


async def test_pipelines_join_and_redirect_per_stage(host: SSHExecutor) -> None:
    loud = Stage(words=("sh", "-c", "echo kept; echo lost >&2"), stderr="drop")
    pipes = (
        Pipe(stages=(loud, Stage(words=("wc", "-l")))),
        Pipe(stages=(Stage(words=("false",)),), after="&&"),
        Pipe(stages=(Stage(words=("echo", "else")),), after="||"),
        Pipe(stages=(Stage(words=("echo", "hidden"), drop_stdout=True),), after=";"),
    )
    completed = await host.run(Request(pipes=pipes))
    assert (completed.stdout, completed.stderr, completed.exit_code) == (b"1\nelse\n", b"", 0)


async def test_environment_is_clean_and_folder_is_set(host: SSHExecutor, tmp_path: Path) -> None:
    completed = await host.run(request("env", cwd=str(tmp_path), env={"CUDA_VISIBLE_DEVICES": "0,1"}))
    lines = dict(line.split("=", 1) for line in completed.stdout.decode().splitlines())
    assert lines["CUDA_VISIBLE_DEVICES"] == "0,1"
    assert lines["LC_ALL"] == "C.UTF-8"
    assert not [name for name in lines if name.startswith(("SSH_", "LD_", "PYENV"))]
    assert (await host.run(request("pwd", cwd=str(tmp_path)))).stdout.decode().strip() == str(tmp_path)


async def test_missing_folder_is_a_missing_path(host: SSHExecutor) -> None:
    completed = await host.run(request("ls", cwd="/no/such/folder"))
    assert (completed.outcome, completed.stdout) == ("path-missing", b"")
    assert "/no/such/folder" in completed.detail


async def test_stdin_arrives_and_is_empty_otherwise(host: SSHExecutor) -> None:
    assert (await host.run(request("cat", stdin=b"\x00\xff\n"))).stdout == b"\x00\xff\n"
    assert (await host.run(request("cat"))).stdout == b""


async def test_invalid_utf8_leaves_the_connection_usable(host: SSHExecutor) -> None:
    completed = await host.run(request("printf", "\\377\\376 raw"))
    assert (completed.outcome, completed.stdout) == ("completed", b"\xff\xfe raw")
    assert (await host.run(request("echo", "again"))).stdout == b"again\n"


async def test_large_output_is_capped_and_exit_still_known(host: SSHExecutor) -> None:
    completed = await host.run(request("head", "-c", "100000000", "/dev/zero", output_limit=1_000_000))
    assert (completed.outcome, completed.exit_code, completed.truncated) == ("output-limit", 0, True)
    assert len(completed.stdout) == 1_000_000
    assert "100,000," in completed.detail


async def test_missing_command_is_confirmed(host: SSHExecutor) -> None:
    completed = await host.run(request("no-such-program-here", "-x"))
    assert (completed.outcome, completed.exit_code) == ("command-missing", 127)
    assert "no-such-program-here" in completed.detail
    inside = await host.run(request("sh", "-c", "exit 127"))
    assert (inside.outcome, inside.exit_code) == ("completed", 127)


async def test_death_by_signal(host: SSHExecutor) -> None:
    inner = await host.run(request("sh", "-c", "kill -s SEGV $$"))
    assert (inner.outcome, inner.exit_code) == ("completed", 139)
    whole = await host.run(request("sh", "-c", "kill -s KILL 0"))
    assert (whole.outcome, whole.exit_code, whole.detail) == ("killed", None, "by SIGKILL")


async def test_hanging_command_is_dead_after_its_deadline(host: SSHExecutor) -> None:
    completed = await host.run(request("sh", "-c", "echo early; sleep 7141 & sleep 7141", timeout=1))
    assert (completed.outcome, completed.exit_code, completed.stdout) == ("timed-out", None, b"early\n")
    assert await gone("7141")


async def test_command_deaf_to_term_is_killed(host: SSHExecutor) -> None:
    completed = await host.run(request("sh", "-c", "trap '' TERM; sleep 7142; sleep 7142", timeout=1))
    assert completed.outcome == "timed-out"
    assert await gone("7142")


async def test_cancelled_run_leaves_nothing_behind(host: SSHExecutor) -> None:
    task = asyncio.create_task(host.run(request("sh", "-c", "sleep 7143 & sleep 7143", timeout=600)))
    await until_running("7143")
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
    assert task.cancelled()
    assert await gone("7143")


async def test_a_run_cancelled_while_it_starts_leaves_nothing_behind(host: SSHExecutor) -> None:
    for turns in range(1, 12):
        task = asyncio.create_task(host.run(request("sh", "-c", "sleep 7145 & sleep 7145", timeout=600)))
        for _ in range(turns):
            await asyncio.sleep(0.001)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert await gone("7145")


async def test_twenty_at_once_share_eight_channels(host: SSHExecutor) -> None:
    results = await asyncio.gather(*(host.run(request("echo", str(n))) for n in range(20)))
    assert [r.stdout.decode().strip() for r in results] == [str(n) for n in range(20)]


async def test_lost_connection_is_an_outcome(sshd: Server, target: Target) -> None:
    async with connect(target) as host:
        task = asyncio.create_task(host.run(request("sleep", "7144", timeout=30)))
        await until_running("7144")
        sshd.drop_connections()
        completed = await task
        assert (completed.outcome, completed.exit_code) == ("transport-lost", None)
        assert (await host.run(request("true"))).outcome == "transport-lost"
    for number in running("7144"):
        with contextlib.suppress(ProcessLookupError):
            os.kill(number, signal.SIGKILL)


async def test_put_writes_bytes(host: SSHExecutor, tmp_path: Path) -> None:
    place = tmp_path / "it's a file"
    await host.put(b"\x00\xff payload", str(place))
    assert place.read_bytes() == b"\x00\xff payload"
    assert place.stat().st_mode & 0o077 == 0
    with pytest.raises(HostProblem, match="cannot write"):
        await host.put(b"x", "/no/such/folder/f")
