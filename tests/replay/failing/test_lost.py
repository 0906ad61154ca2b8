"""The server, the network or the process on the target ends at any moment of a replay: what is known is told."""

import asyncio
import os
import secrets
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from unittest.mock import patch

import pytest

from probes.host import ssh
from sessions.models.replay import RunStep
from tests.conftest import Sshd, sshd_program, start_sshd
from tests.replay.failing.stage import Stage, chance, moments, restarted

pytestmark = pytest.mark.sshd

SERVERS = moments(8)
PROCESSES = moments(12)
LINKS = moments(4)
ENDINGS = {"completed", "transport-lost", "unreachable"}


async def interrupted(stage: Stage, kind: str, moment: int, accident: Callable[[], None]) -> list[RunStep]:
    """Replay the session, and let the accident happen when some of its commands have arrived."""
    random = chance(kind, moment)
    running = asyncio.create_task(stage.run())
    at = random.randint(1, len(stage.counted()) - 1)
    while sum(stage.counted().values()) < at and not running.done():  # noqa: ASYNC110 - another process counts
        await asyncio.sleep(0.002)
    await asyncio.sleep(random.uniform(0, 0.04))
    accident()
    return await running


def check(stage: Stage, results: list[RunStep]) -> None:
    """Every step has an outcome that is true: what is called completed arrived and printed what was there."""
    assert [result.step for result in results] == sorted(stage.counted())
    assert stage.runs()[-1].finished is not None
    assert stage.checked().unknown == ()
    stage.check_nothing_ran_twice()
    stage.check_journal()


@pytest.mark.parametrize("moment", range(SERVERS))
@pytest.mark.usefixtures("server")
async def test_the_server_may_die_at_any_moment(tmp_path: Path, moment: int) -> None:
    own = start_sshd(tmp_path, str(sshd_program()))
    stage = Stage.set(tmp_path, own)

    def die() -> None:
        for process in [process for process in everything(own) if words_of(process).startswith(b"sshd")]:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        own.process.kill()
        own.process.wait()

    results = await interrupted(stage, "server", moment, die)
    check(stage, results)
    assert {result.outcome for result in results} <= ENDINGS
    again = restarted(own)
    try:
        await replace(stage, server=again).go_on()
    finally:
        again.process.kill()
        again.process.wait()


@pytest.fixture
def link(tmp_path: Path) -> Iterator["Link"]:
    """A server in a network namespace of its own, and the one link to it."""
    program, name = sshd_program(), f"ncr{secrets.token_hex(3)}"
    if program is None:
        pytest.skip("needs OpenSSH's sshd: apt-get install openssh-server")
    try:
        ip("netns", "add", name)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("needs leave to make a network namespace (root), and iproute2")
    try:
        ip("link", "add", f"{name}a", "type", "veth", "peer", "name", f"{name}b", "netns", name)
        ip("address", "add", f"{HERE}/30", "dev", f"{name}a")
        ip("link", "set", f"{name}a", "up")
        ip("-n", name, "address", "add", f"{THERE}/30", "dev", f"{name}b")
        ip("-n", name, "link", "set", f"{name}b", "up")
        server = start_sshd(tmp_path, program, address=THERE, around=("ip", "netns", "exec", name))
        yield Link(f"{name}a", server)
        server.process.kill()
        server.process.wait()
    finally:
        ip("netns", "delete", name)


HERE, THERE = "192.0.2.229", "192.0.2.230"
"""Addresses for documentation: no route leads there but this test's own."""


@dataclass(frozen=True)
class Link:
    """Our end of the link to a namespace."""

    device: str
    server: Sshd

    def down(self) -> None:
        ip("link", "set", self.device, "down")

    def up(self) -> None:
        ip("link", "set", self.device, "up")


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


@pytest.mark.parametrize("moment", range(LINKS))
async def test_the_network_may_go_at_any_moment(link: Link, tmp_path: Path, moment: int) -> None:
    stage = Stage.set(tmp_path, link.server)
    with patch.object(ssh, "_HEARTBEAT", 0.3):
        results = await interrupted(stage, "network", moment, link.down)
    check(stage, results)
    assert {result.outcome for result in results} <= ENDINGS
    link.up()
    await stage.go_on()


async def test_a_network_that_comes_back_soon_is_not_noticed(link: Link, tmp_path: Path) -> None:
    stage = Stage.set(tmp_path, link.server)

    def blink() -> None:
        link.down()
        time.sleep(1)
        link.up()

    results = await interrupted(stage, "blink", 0, blink)
    check(stage, results)
    assert {result.outcome for result in results} == {"completed"}


@pytest.mark.parametrize("moment", range(PROCESSES))
async def test_a_process_on_the_target_may_die_at_any_moment(server: Sshd, tmp_path: Path, moment: int) -> None:
    stage = Stage.set(tmp_path, server, pause="0.2")
    hit: list[str] = []

    def die() -> None:
        running = [process for process in everything(server) if str(tmp_path).encode() in words_of(process)]
        chosen = chance("process", moment).choice(running) if running else None
        if chosen is not None:
            hit.append(words_of(chosen).decode())
            with suppress(ProcessLookupError):
                os.kill(chosen, signal.SIGKILL)

    results = await interrupted(stage, "process", moment, die)
    check(stage, results)
    outcomes = [result.outcome for result in results]
    assert set(outcomes) <= {"completed", "killed", "not-replayable", "unknown", "transport-lost"}
    assert outcomes.count("completed") >= len(outcomes) - len(hit)
    assert not [each for each in stage.runs()[-1].standings if each.standing == "contradicted"]


def everything(server: Sshd) -> list[int]:
    """Return every process that the server has started, and theirs."""
    found: list[int] = []
    children = children_of(server.process.pid)
    while children:
        found += children
        children = [child for process in children for child in children_of(process)]
    return found


def words_of(process: int) -> bytes:
    with suppress(OSError):
        return Path(f"/proc/{process}/cmdline").read_bytes()
    return b""


def children_of(process: int) -> list[int]:
    with suppress(OSError):
        return [int(child) for child in Path(f"/proc/{process}/task/{process}/children").read_text().split()]
    return []
