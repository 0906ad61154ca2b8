"""A port of a host, brought to a loopback port of this machine over one verified ssh connection."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import asyncssh

from probes.host.ssh import open_connection
from probes.host.targets import Target
from sessions.errors import HostProblem

_CLOSING = 5.0
_LOOPBACK = "127.0.0.1"


@asynccontextmanager
async def forward(target: Target, port: int) -> AsyncIterator[int]:
    """Return the loopback port that leads to `port` on the target's own loopback address, until the end.

    Nothing is started there, and nobody else on the network can use it. Raises HostProblem.
    """
    connection = await open_connection(target)
    try:
        listener = await _listen(connection, target, port)
        try:
            yield listener.get_port()
        finally:
            listener.close()
    finally:
        connection.close()
        with suppress(asyncssh.Error, OSError, TimeoutError):
            await asyncio.wait_for(asyncio.shield(connection.wait_closed()), _CLOSING)


async def _listen(connection: asyncssh.SSHClientConnection, target: Target, port: int) -> asyncssh.SSHListener:
    try:
        return await connection.forward_local_port(_LOOPBACK, 0, _LOOPBACK, port)
    except (asyncssh.Error, OSError) as error:
        raise HostProblem(f"no port can be opened here for port {port} of {target.name}: {error}") from error
