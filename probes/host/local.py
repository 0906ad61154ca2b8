"""Run exact requests on this machine, with the same wrapper, deadline and outcomes as over ssh."""

import asyncio
import os
import secrets
import signal
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from probes.host import script
from probes.host.capture import Capture, Stream
from probes.host.outcomes import classify, missing_program
from probes.host.starting import whole
from probes.host.targets import LOCAL
from sessions.errors import HostProblem
from sessions.models.command import Completed, Request

_AT_ONCE = 4
_LOCAL_GRACE = 5.0
_NOT_FOUND = 127


class LocalExecutor:
    """Runs requests here; a person asks for it by the target name ``local``, nothing else does."""

    def __init__(self, name: str = LOCAL) -> None:
        """Start with nothing running."""
        self.name = name
        self._slots = asyncio.Semaphore(_AT_ONCE)

    async def run(self, request: Request) -> Completed:
        """Run one request to its end; trouble is an outcome, not an exception."""
        mark = secrets.token_hex(8)
        async with self._slots:
            started = time.monotonic()
            process = await whole(_start(script.wrap(request, mark)), _end)
            capture = Capture(mark, request.output_limit, request.heard, request.heard_errors)
            expired = await _listen(process, capture, request)
            completed = classify(capture, _exit(process), time.monotonic() - started, request, expired=expired)
        if completed.exit_code == _NOT_FOUND:
            return await self._confirm_missing(completed, request)
        return completed

    async def put(self, content: bytes, path: str) -> None:
        """Write `content` to `path`, readable by its owner only. Raises HostProblem."""
        try:
            await asyncio.to_thread(_write, Path(path), content)
        except OSError as error:
            reason = error.strerror or str(error)
            raise HostProblem(f"local: cannot write {path}: {reason}", outcome="permission-denied") from error

    async def close(self) -> None:
        """There is nothing to give back."""

    async def _confirm_missing(self, completed: Completed, request: Request) -> Completed:
        for name in dict.fromkeys(script.programs(request)):
            process = await _start(script.find_program(name))
            await process.communicate()
            if process.returncode != 0:
                return missing_program(completed, name, self.name)
        return completed


@asynccontextmanager
async def connect(name: str = LOCAL) -> AsyncIterator[LocalExecutor]:
    """Yield the executor of this machine, called `name`."""
    yield LocalExecutor(name)


async def _start(command: str) -> asyncio.subprocess.Process:
    pipe = asyncio.subprocess.PIPE
    return await asyncio.create_subprocess_exec(
        "sh", "-c", command, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True, limit=1 << 20
    )


async def _listen(process: asyncio.subprocess.Process, capture: Capture, request: Request) -> bool:
    """Read until the end; return whether our own deadline ended it."""
    try:
        async with asyncio.timeout(request.timeout + script.GRACE + _LOCAL_GRACE):
            await _drain(process, capture, request.stdin)
    except TimeoutError:
        return True
    finally:
        await asyncio.shield(_end(process))
    return False


async def _end(process: asyncio.subprocess.Process) -> None:
    """End a process with all that it started, if it still runs."""
    if process.returncode is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()


async def _drain(process: asyncio.subprocess.Process, capture: Capture, stdin: bytes | None) -> None:
    streams: tuple[tuple[str, Stream | None], ...] = (("stdout", process.stdout), ("stderr", process.stderr))
    readers = [capture.drain(name, stream) for name, stream in streams if stream is not None]
    await asyncio.gather(_feed(process, stdin), *readers)
    if not capture.flooded:
        await process.wait()


async def _feed(process: asyncio.subprocess.Process, stdin: bytes | None) -> None:
    if process.stdin is None:
        return
    with suppress(BrokenPipeError, ConnectionResetError):
        process.stdin.write(stdin or b"")
        await process.stdin.drain()
        process.stdin.close()


def _exit(process: asyncio.subprocess.Process) -> tuple[int | None, str | None]:
    code = process.returncode
    if code is None or code >= 0:
        return code, None
    return None, signal.Signals(-code).name.removeprefix("SIG")


def _write(path: Path, content: bytes) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(content)
