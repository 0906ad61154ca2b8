"""The executor of this machine: the same semantics as over ssh."""

import asyncio
from pathlib import Path

import pytest

from probes.host.local import LocalExecutor, connect
from sessions.errors import HostProblem
from sessions.models.command import Request


def request(*words: str, timeout: float = 60.0, stdin: bytes | None = None) -> Request:
    return Request(stages=(words,), timeout=timeout, stdin=stdin, output_limit=1000)


async def run(wanted: Request) -> tuple[str, int | None, bytes]:
    async with connect() as host:
        completed = await host.run(wanted)
    return completed.outcome, completed.exit_code, completed.stdout


async def test_words_are_exact() -> None:
    assert await run(request("printf", "%s|", "$HOME", "a b", "`id`")) == ("completed", 0, b"$HOME|a b|`id`|")


async def test_stdin_and_exit_code() -> None:
    assert await run(request("sh", "-c", "cat; exit 4", stdin=b"in")) == ("completed", 4, b"in")


async def test_missing_program() -> None:
    assert (await run(request("no-such-program-here")))[:2] == ("command-missing", 127)


async def test_output_is_capped() -> None:
    outcome, code, stdout = await run(request("head", "-c", "5000", "/dev/zero"))
    assert (outcome, code, len(stdout)) == ("output-limit", 0, 1000)


async def test_deadline_ends_the_whole_group(tmp_path: Path) -> None:
    script = f"sleep 60 & echo $! >{tmp_path}/pid; wait"
    assert (await run(request("sh", "-c", script, timeout=0.5)))[:2] == ("timed-out", None)
    await assert_gone(int((tmp_path / "pid").read_text()))


async def test_cancel_ends_the_whole_group(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    task = asyncio.create_task(LocalExecutor().run(request("sh", "-c", f"echo $$ >{pid}; sleep 61 & wait")))
    for _ in range(500):
        if pid.exists() and pid.read_text():
            break
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await assert_gone(int(pid.read_text()))


async def test_a_run_cancelled_while_it_starts_leaves_nothing_behind(tmp_path: Path) -> None:
    for turns in range(8):
        pid = tmp_path / f"pid{turns}"
        task = asyncio.create_task(LocalExecutor().run(request("sh", "-c", f"echo $$ >{pid}; sleep 61 & wait")))
        for _ in range(turns):
            await asyncio.sleep(0.001)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        if pid.exists():
            await assert_gone(int(pid.read_text()))


async def test_put(tmp_path: Path) -> None:
    await LocalExecutor().put(b"\x00x", str(tmp_path / "f"))
    assert (tmp_path / "f").read_bytes() == b"\x00x"
    with pytest.raises(HostProblem, match="cannot write"):
        await LocalExecutor().put(b"", str(tmp_path / "none" / "f"))


def is_gone(pid: int) -> bool:
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return True
    return status.rpartition(")")[2].split()[0] == "Z"


async def assert_gone(pid: int) -> None:
    for _ in range(200):
        if is_gone(pid):
            return
        await asyncio.sleep(0.02)
    raise AssertionError(f"process {pid} lives on")
