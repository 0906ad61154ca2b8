"""A port of a host, brought here over ssh."""

import asyncio
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from probes.host.forward import forward
from probes.host.targets import Target
from sessions.errors import HostProblem

pytestmark = pytest.mark.sshd


@pytest.fixture
async def echo() -> AsyncIterator[int]:
    """The port of a server that says everything back."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(await reader.read(100))
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    yield int(server.sockets[0].getsockname()[1])
    server.close()
    await server.wait_closed()


async def say(port: int, text: bytes) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(text)
    said = await reader.read()
    writer.close()
    return said


async def test_what_is_said_here_is_heard_there(target: Target, echo: int) -> None:
    async with forward(target, echo) as port:
        assert port != echo
        assert await asyncio.gather(*(say(port, b"ping %d" % n) for n in range(5))) == [
            b"ping %d" % n for n in range(5)
        ]


async def test_nothing_listens_afterwards(target: Target, echo: int) -> None:
    async with forward(target, echo) as port:
        pass
    with pytest.raises(OSError, match="refused"), socket.create_connection(("127.0.0.1", port), 5):
        pass


async def test_a_closed_port_there_is_a_closed_connection_here(target: Target) -> None:
    async with forward(target, 9) as port:
        assert await say(port, b"anyone?") == b""


async def test_an_unknown_host_key_forwards_nothing(target: Target, tmp_path: Path) -> None:
    (tmp_path / "known").write_text("")
    with pytest.raises(HostProblem, match="is not known"):
        async with forward(target.model_copy(update={"known_hosts": tmp_path / "known"}), 9):
            pass
