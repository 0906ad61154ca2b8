"""Many ssh servers in one process, each on a loopback port of its own; some of them fail, each kind in its own way.

The account on them may run what reads the session's files and nothing else: it may not look at layers and fingerprints.
"""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import asyncssh

from probes.host.targets import Target

EVERY = 20
"""So many hosts have one of each kind of failure among them."""
KINDS = {3: "closed", 6: "slow", 9: "silent", 12: "locked", 15: "full", 18: "dying"}
SLOW = 1.0


@dataclass
class Hosts:
    """What serves, and what it has seen."""

    folder: Path
    targets: list[Target] = field(default_factory=list)
    connected: int = 0
    most: int = 0
    ran: dict[str, list[str]] = field(default_factory=dict)
    """The commands that ran, by the name of the host."""

    def kind(self, target: str) -> str:
        """Return in which way a host fails; empty for one that is well."""
        return KINDS.get(int(target.removeprefix("gpu")) % EVERY, "")

    def joined(self, change: int) -> None:
        self.connected += change
        self.most = max(self.most, self.connected)


class _Server(asyncssh.SSHServer):
    def __init__(self, hosts: Hosts, name: str) -> None:
        self._hosts, self._name = hosts, name

    def connection_made(self, _: asyncssh.SSHServerConnection) -> None:
        self._hosts.joined(1)

    def connection_lost(self, _: Exception | None) -> None:
        self._hosts.joined(-1)

    async def begin_auth(self, _: str) -> bool:
        if self._hosts.kind(self._name) == "slow":
            await asyncio.sleep(SLOW)
        return True


@asynccontextmanager
async def serve(folder: Path, number: int) -> AsyncIterator[Hosts]:
    """Start the servers; the first is well."""
    hosts = Hosts(folder)
    host_key, client, stranger = (asyncssh.generate_private_key("ssh-ed25519") for _ in range(3))
    client.write_private_key(folder / "client")
    (folder / "client").chmod(0o600)
    known: list[str] = []
    async with AsyncExitStack() as opened:
        for n in range(number):
            name = f"gpu{n}"
            allowed = stranger if hosts.kind(name) == "locked" else client
            port = await _listen(opened, hosts, name, host_key, allowed)
            known.append(f"[127.0.0.1]:{port} {host_key.export_public_key().decode().strip()}\n")
            hosts.targets.append(_target(folder, name, port))
        (folder / "known_hosts").write_text("".join(known))
        yield hosts


def _target(folder: Path, name: str, port: int) -> Target:
    return Target(
        name=name, host="127.0.0.1", port=port, user="ops", identity=folder / "client",
        known_hosts=folder / "known_hosts", ssh_config=False, recorded=("h",),
    )  # fmt: skip


async def _listen(
    opened: AsyncExitStack, hosts: Hosts, name: str, host_key: asyncssh.SSHKey, allowed: asyncssh.SSHKey
) -> int:
    kind = hosts.kind(name)
    if kind == "closed":
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            return int(probe.getsockname()[1])
    if kind == "silent":
        mute = opened.enter_context(contextlib.closing(socket.create_server(("127.0.0.1", 0))))
        return int(mute.getsockname()[1])
    keys = asyncssh.import_authorized_keys(allowed.export_public_key().decode())
    server = await asyncssh.listen(
        "127.0.0.1", 0, server_factory=lambda: _Server(hosts, name), server_host_keys=[host_key],
        authorized_client_keys=keys, encoding=None,
        process_factory=None if kind == "full" else lambda process: _run(hosts, name, process),
    )  # fmt: skip
    opened.callback(server.close)
    return int(server.get_port())


async def _run(hosts: Hosts, name: str, process: asyncssh.SSHServerProcess[bytes]) -> None:
    command = process.command or ""
    if "trace-" not in command:
        process.exit(126)
        return
    hosts.ran.setdefault(name, []).append(command)
    if hosts.kind(name) == "dying":
        process.channel.get_connection().abort()
        return
    child = await asyncio.create_subprocess_exec(
        "sh", "-c", command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE, start_new_session=True
    )
    out, err = await child.communicate()
    process.stdout.write(out)
    process.stderr.write(err)
    process.exit(child.returncode or 0)
