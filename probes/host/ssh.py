"""Run exact requests on a host over ssh.

One connection, at most eight channels at once (OpenSSH allows ten by default and refuses the rest at once), no pty, no
agent or X11 forwarding, bytes instead of text (one invalid UTF-8 byte would end a text-mode connection). The far side
ends a command by its own ``timeout``; a deadline of our own, and every cancellation, ends its process group over a
second channel, since closing a channel leaves the process alive.
"""

import asyncio
import secrets
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path

import asyncssh

from probes.host import script
from probes.host.capture import Capture
from probes.host.outcomes import classify, missing_program
from probes.host.problems import translate
from probes.host.starting import whole
from probes.host.targets import Target
from sessions.errors import HostProblem
from sessions.models.command import Completed, Request

CHANNELS = 8
_CONNECT = 20.0
_HEARTBEAT = 15.0
"""Seconds between looks whether the host still answers; at the third look in vain the connection is lost."""
_LOCAL_GRACE = 5.0
_CLEAN_UP = 5.0
_PAUSES = (0.05, 0.1, 0.2, 0.4, 0.8)
_NOT_FOUND = 127
_CIPHERS = "^aes128-gcm@openssh.com,aes256-gcm@openssh.com"
"""Before the others: asyncssh makes four ciphers for every packet of its first choice, chacha20."""
_TROUBLE = (asyncssh.Error, OSError, TimeoutError)

Process = asyncssh.SSHClientProcess[bytes]


class SSHExecutor:
    """Runs requests over one connection."""

    def __init__(self, name: str, connection: asyncssh.SSHClientConnection) -> None:
        """Take over an open connection."""
        self.name = name
        self._connection = connection
        self._channels = asyncio.Semaphore(CHANNELS)
        self._spare = asyncio.Semaphore(1)

    async def run(self, request: Request) -> Completed:
        """Run one request to its end; host trouble is an outcome, not an exception."""
        mark = secrets.token_hex(8)
        async with self._channels:
            started = time.monotonic()
            try:
                process = await whole(
                    self._open(script.wrap(request, mark), request.stdin), partial(self._abandon, mark)
                )
            except _TROUBLE as error:
                return Completed("transport-lost", None, b"", b"", 0.0, detail=f"no channel: {error}")
            capture = Capture(mark, request.output_limit, request.heard, request.heard_errors)
            expired = await self._listen(process, capture, request)
            completed = classify(capture, _exit(process), time.monotonic() - started, request, expired=expired)
        if completed.exit_code == _NOT_FOUND:
            return await self._confirm_missing(completed, request)
        return completed

    async def put(self, content: bytes, path: str) -> None:
        """Write `content` to `path` on the host, readable by its user only. Raises HostProblem."""
        command = f"umask 077 && exec sh -c {script.quote(f'exec cat >{script.quote(path)}')}"
        status, stderr = await self._brief(command, content)
        if status != 0:
            reason = stderr.decode("utf-8", "replace").strip() or "the connection was lost"
            raise HostProblem(f"{self.name}: cannot write {path}: {reason}", outcome="permission-denied")

    async def close(self) -> None:
        """Give the connection back; wait for it at most a few seconds."""
        self._connection.close()
        with suppress(*_TROUBLE):
            await asyncio.wait_for(self._connection.wait_closed(), _CLEAN_UP)

    async def _open(self, command: str, stdin: bytes | None) -> Process:
        process: Process = await asyncio.wait_for(self._channel(command), _CONNECT)
        if stdin:
            process.stdin.write(stdin)
        process.stdin.write_eof()
        return process

    async def _channel(self, command: str) -> Process:
        """Open a channel; a server that is still busy closing others refuses at once, so ask again a few times."""
        for pause in _PAUSES:
            try:
                return await self._connection.create_process(command, encoding=None, request_pty=False)
            except asyncssh.ChannelOpenError:
                if self._connection.is_closed():
                    raise
                await asyncio.sleep(pause)
        return await self._connection.create_process(command, encoding=None, request_pty=False)

    async def _listen(self, process: Process, capture: Capture, request: Request) -> bool:
        """Read until the end; return whether our own deadline ended it."""
        deadline = request.timeout + script.GRACE + _LOCAL_GRACE
        try:
            async with asyncio.timeout(deadline):
                await self._drain(process, capture)
        except TimeoutError:
            await self._kill(process, capture)
            return True
        except asyncio.CancelledError:
            await asyncio.shield(self._kill(process, capture))
            raise
        except (asyncssh.Error, OSError):
            return False
        if capture.flooded:
            await self._kill(process, capture)
        return False

    async def _drain(self, process: Process, capture: Capture) -> None:
        await asyncio.gather(capture.drain("stdout", process.stdout), capture.drain("stderr", process.stderr))
        if not capture.flooded:
            await process.wait_closed()

    async def _kill(self, process: Process, capture: Capture) -> None:
        """End the remote process group; wait a little for its number if it has not been told yet."""
        listener = asyncio.create_task(capture.drain("stderr", process.stderr))
        with suppress(TimeoutError):
            await asyncio.wait_for(capture.told.wait(), _CLEAN_UP)
        listener.cancel()
        if capture.group is not None:
            with suppress(HostProblem):
                await self._brief(script.kill(capture.group, capture.mark))
        process.close()

    async def _abandon(self, mark: str, process: Process) -> None:
        """End a command that was cancelled before anybody listened to it."""
        await self._kill(process, Capture(mark, 0))

    async def _brief(self, command: str, stdin: bytes | None = None) -> tuple[int | None, bytes]:
        """Run a command of our own; return its exit status (None: the connection is lost) and standard error."""
        async with self._spare:
            try:
                process = await self._open(command, stdin)
                done = await asyncio.wait_for(process.wait(), _CONNECT)
            except _TROUBLE as error:
                return None, str(error).encode()
        return done.exit_status, done.stderr if isinstance(done.stderr, bytes) else b""

    async def _confirm_missing(self, completed: Completed, request: Request) -> Completed:
        """127 can come from inside a script: believe it only where a program really cannot be found."""
        for name in dict.fromkeys(script.programs(request)):
            status, _ = await self._brief(script.find_program(name))
            if status not in {0, None}:
                return missing_program(completed, name, self.name)
        return completed


@asynccontextmanager
async def connect(target: Target) -> AsyncIterator[SSHExecutor]:
    """Open a connection to `target` and close it at the end.

    Raises HostProblem: unreachable, auth-failed, host-key-mismatch.
    """
    executor = SSHExecutor(target.name or target.host, await open_connection(target))
    try:
        yield executor
    finally:
        await asyncio.shield(executor.close())


async def open_connection(target: Target) -> asyncssh.SSHClientConnection:
    """Return an open connection to `target`, its host key verified. Raises HostProblem as `connect` does."""
    options = _options(target)
    try:
        return await asyncio.wait_for(
            asyncssh.connect(target.host, config=_config(target), options=options, known_hosts=options.known_hosts),
            _CONNECT,
        )
    except _TROUBLE as error:
        raise translate(error, target, key_known=_key_known(options)) from error


def _options(target: Target) -> asyncssh.SSHClientConnectionOptions:
    try:
        options = asyncssh.SSHClientConnectionOptions(**_settings(target))
        if not options.config.get("Ciphers"):
            options = asyncssh.SSHClientConnectionOptions(options, encryption_algs=_CIPHERS)
    except (*_TROUBLE, ValueError) as error:
        raise translate(error, target, key_known=False) from error
    if options.known_hosts is None:
        raise HostProblem(
            f"~/.ssh/config turns the check of host keys off for {target.host}",
            outcome="host-key-mismatch",
            hint="name a known_hosts file for it in the targets file",
        )
    return options


def _settings(target: Target) -> dict[str, object]:
    """Return asyncssh's options for a target: only what the person set, and nothing forwarded."""
    given: dict[str, object] = {"host": target.host, "config": _config(target)}
    given |= {"keepalive_interval": _HEARTBEAT, "keepalive_count_max": 3}
    given |= {"agent_forwarding": False, "x11_forwarding": False, "password_auth": False, "kbdint_auth": False}
    if target.port:
        given["port"] = target.port
    if target.user:
        given["username"] = target.user
    if target.identity:
        if not target.identity.is_file():
            raise HostProblem(f"there is no private key {target.identity} for {target.name}", outcome="auth-failed")
        given |= {"client_keys": [str(target.identity)], "agent_path": None}
    if target.known_hosts:
        if not target.known_hosts.exists():
            raise HostProblem(
                f"there is no known_hosts file {target.known_hosts} for {target.name}: nothing was sent",
                outcome="host-key-mismatch",
                hint="mend `known_hosts` of the target, or leave it out to use ~/.ssh/known_hosts",
            )
        given["known_hosts"] = str(target.known_hosts)
    return given


def _config(target: Target) -> tuple[()] | None:
    """Return asyncssh's word for ``~/.ssh/config`` (the empty tuple) or for no configuration at all (None)."""
    return () if target.ssh_config else None


def _key_known(options: asyncssh.SSHClientConnectionOptions) -> bool:
    """Tell whether known_hosts has any key for the host."""
    files = options.known_hosts or str(Path("~/.ssh/known_hosts").expanduser())
    try:
        keys = asyncssh.match_known_hosts(files, options.host, "", options.port)
    except (OSError, ValueError):
        return False
    return bool(keys[0])


def _exit(process: Process) -> tuple[int | None, str | None]:
    """Return exit status (None: never came) and the name of the signal that ended it."""
    signal = process.exit_signal
    if signal is not None:
        return None, signal[0]
    return process.exit_status, None
