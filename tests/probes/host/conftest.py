"""What the tests of hosts share."""

from pathlib import Path
from typing import Protocol

import pytest

from probes.host.targets import Target


class Server(Protocol):
    port: int
    user: str
    identity: Path
    known_hosts: Path


@pytest.fixture
def target(sshd: Server) -> Target:
    """The sshd of the tests as a target."""
    return Target(
        name="bench",
        host="127.0.0.1",
        port=sshd.port,
        user=sshd.user,
        identity=sshd.identity,
        known_hosts=sshd.known_hosts,
        ssh_config=False,
    )
