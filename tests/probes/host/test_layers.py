"""The layers on a real host, over a real sshd and as an account without rights: what is told is what holds."""

import asyncio
import os
import shutil
import socket
import subprocess
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Protocol

import pytest

from probes.host import cage, layers, local
from probes.host.confined import Confined
from probes.host.connection import connect
from probes.host.layers import Held
from probes.host.targets import Target
from sessions.errors import HostProblem
from sessions.models.command import Completed, Request

pytestmark = pytest.mark.skipif(
    os.geteuid() != 0 or not shutil.which("bwrap"), reason="needs root, to be root and somebody else, and bubblewrap"
)


class Server(Protocol):
    port: int


@pytest.fixture(params=["bwrap", "unshare"])
async def held(sshd: Server, target: Target, request: pytest.FixtureRequest) -> AsyncIterator[Held]:
    """The target by both kinds of cage for code."""
    assert sshd.port
    async with connect(target) as executor:
        found = await layers.hold(executor, target)
        assert found.bubblewrap
        yield replace(found, bubblewrap=request.param == "bwrap")


@pytest.fixture
def scratch() -> Iterator[str]:
    place = Path(f"/var/tmp/necropsy-{os.urandom(8).hex()}")
    place.mkdir(mode=0o700)
    yield str(place)
    subprocess.run(["rm", "-rf", place], check=True)


def there(*places: str) -> bool:
    return any(Path(place).exists() for place in places)


def in_force(held: Held) -> dict[str, bool]:
    return {layer.name: layer.in_force for layer in held.layers}


async def said(held: Held, scratch: str, script: str, timeout: float = 20.0) -> Completed:  # noqa: ASYNC109 - as Request
    return await held.coding(scratch).run(Request((("sh", "-c", script),), cwd=scratch, timeout=timeout))


async def test_root_over_ssh(held: Held) -> None:
    assert in_force(held) == {
        "read-only view": True, "read-only mounts": True, "no network": True, "unprivileged account": False,
        "limits": True, "deadline": True,
    }  # fmt: skip
    assert (
        next(layer.how for layer in held.layers if layer.name == "unprivileged account") == "the login is user 0: root"
    )


async def test_an_account_without_rights_has_no_view_but_a_cage_for_code() -> None:
    async with local.connect() as here:
        nobody = Confined(here, ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"))
        held = await layers.hold(nobody, Target(name="other"))
    found = in_force(held)
    assert (found["read-only view"], found["unprivileged account"]) == (False, True)
    assert found["read-only mounts"] == found["no network"]


async def test_where_no_tool_is_there_each_layer_says_why(tmp_path: Path) -> None:
    bare = tmp_path / "bin"
    bare.mkdir()
    for name in ("sh", "id", "true", "env"):
        (bare / name).symlink_to(shutil.which(name) or "")
    async with local.connect() as here:
        poor = Confined(here, ("env", f"PATH={bare}"))
        held = await layers.hold(poor, Target(name="poor"))
        assert [layer.name for layer in held.layers if layer.in_force] == ["deadline"]
        assert all(layer.how for layer in held.layers)
        assert held.reading is poor
        with pytest.raises(HostProblem, match="no sandbox"):
            await layers.hold(poor, Target(name="sandbox"))


async def test_root_needs_no_bubblewrap(tmp_path: Path, scratch: str) -> None:
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    async with local.connect() as here:
        path = f"PATH={tmp_path}:/usr/bin:/usr/sbin:/bin:/sbin"
        held = await layers.hold(Confined(here, ("env", path)), Target(name="poor"))
        assert not held.bubblewrap
        assert held.missing(layers.CODE_NEEDS) == ()
        assert (await said(held, scratch, "echo x >f; cat f; touch /etc/marker")).stdout == b"x\n"


async def test_a_reading_command_sees_all_and_changes_nothing(held: Held, tmp_path: Path) -> None:
    (tmp_path / "f").write_text("kept\n")
    script = f"cat {tmp_path}/f; echo lost >{tmp_path}/f; rm {tmp_path}/f; touch /dev/shm/necropsy-x; echo $?"
    completed = await held.reading.run(Request((("sh", "-c", script),)))
    assert completed.stdout == b"kept\n1\n"
    assert (tmp_path / "f").read_text() == "kept\n"
    assert not there("/dev/shm/necropsy-x")


async def test_a_view_shows_the_host_as_it_is(held: Held) -> None:
    words = ("sh", "-c", "id; ls -ln /etc /var; cat /proc/1/comm /proc/net/dev | cut -d: -f1; uname -a")
    plain = await held.executor.run(Request((words,)))
    viewed = await held.reading.run(Request((words,)))
    assert viewed.stdout == plain.stdout


async def test_what_a_view_lacks_is_told_apart_from_what_a_script_lacks(held: Held) -> None:
    missing = await held.reading.run(Request((("no-such-program",),)))
    assert (missing.outcome, missing.detail) == ("command-missing", "no-such-program is not installed on bench")
    inside = await held.reading.run(Request((("sh", "-c", "exit 127"),)))
    assert (inside.outcome, inside.exit_code) == ("completed", 127)


async def test_code_writes_to_its_scratch_only(held: Held, scratch: str, tmp_path: Path) -> None:
    script = f"""
        echo in >kept; ln -s {tmp_path} out; echo x >out/marker; echo x >../marker; echo x >/etc/marker
        ln -s / root; echo x >root{tmp_path}/marker; mkdir sub; echo x >sub/../../../..{tmp_path}/marker
        mount -o remount,rw / ; mount --bind {scratch} /etc; umount /tmp; chroot / true; echo end
    """
    completed = await said(held, scratch, script)
    assert completed.stdout == b"end\n"
    assert (await said(held, scratch, "cat kept")).stdout == b"in\n"
    assert not there(f"{tmp_path}/marker", "/etc/marker", "/var/tmp/marker")


async def test_code_reaches_no_network(held: Held, scratch: str) -> None:
    with socket.socket() as listening, socket.socket(socket.AF_UNIX) as abstract:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        abstract.bind("\0necropsy-test")
        abstract.listen()
        port = listening.getsockname()[1]
        source = f"""
import socket
for kind, place in ((socket.AF_INET, ("127.0.0.1", {port})), (socket.AF_UNIX, "\\0necropsy-test")):
    try:
        socket.socket(kind).connect(place)
        print("reached", place)
    except OSError as error:
        print(type(error).__name__)
"""
        completed = await held.coding(scratch).run(Request((("python3", "-I", "-c", source),)))
    assert completed.stdout.split()[1] == b"ConnectionRefusedError"
    assert completed.stdout.split()[0] in {b"ConnectionRefusedError", b"OSError"}  # a loopback that is down, or empty


async def test_code_meets_no_other_process_and_no_socket_of_others(held: Held, scratch: str) -> None:
    script = "ls /run /tmp /var/tmp; kill -9 1; kill -9 $PPID; kill -9 0; echo alive"
    completed = await said(held, scratch, script)
    assert completed.stdout.startswith(f"/run:\n\n/tmp:\n\n/var/tmp:\n{Path(scratch).name}\n".encode())
    processes = await said(held, scratch, "ls /proc | grep -c '^[0-9]'")
    assert int(processes.stdout) < 8


def running(mark: str) -> list[str]:
    return subprocess.run(["pgrep", "-f", mark], capture_output=True, text=True, check=False).stdout.split()


async def test_what_code_leaves_behind_ends_with_it(held: Held, scratch: str) -> None:
    seconds = f"{1000 + os.getpid() % 1000}.{time.time_ns() % 10**6}"
    daemon = f"setsid sh -c 'trap \"\" HUP TERM; exec env -i sleep {seconds}' >/dev/null 2>&1 </dev/null"
    completed = await said(held, scratch, f"({daemon} &) ; sleep 0.3; echo left")
    assert completed.stdout == b"left\n"
    assert running(f"sleep {seconds}") == []


async def test_a_deadline_ends_a_daemon_that_is_deaf(held: Held, scratch: str) -> None:
    seconds = f"{2000 + os.getpid() % 1000}.{time.time_ns() % 10**6}"
    script = f"trap '' TERM HUP; setsid sh -c 'trap \"\" TERM HUP; while :; do sleep {seconds}; done'"
    completed = await said(held, scratch, script, timeout=1.0)
    assert completed.outcome == "timed-out"
    assert await gone(f"sleep {seconds}")


async def test_cancelling_ends_code_with_all_that_it_started(held: Held, scratch: str) -> None:
    seconds = f"{3000 + os.getpid() % 1000}.{time.time_ns() % 10**6}"
    task = asyncio.create_task(said(held, scratch, f"setsid sleep {seconds} & setsid sleep {seconds}"))
    for _ in range(200):
        if running(f"sleep {seconds}"):
            break
        await asyncio.sleep(0.05)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert await gone(f"sleep {seconds}")


async def gone(mark: str) -> bool:
    for _ in range(100):
        if not running(mark):
            return True
        await asyncio.sleep(0.05)
    return False


async def test_limits_hold(held: Held, scratch: str) -> None:
    big = cage.Limits().file // (1 << 20) + 10
    completed = await said(held, scratch, f"dd if=/dev/zero of=big bs=1M count={big} 2>/dev/null; echo $?")
    assert (await said(held, scratch, "stat -c %s big")).stdout.split() == [b"%d" % cage.Limits().file]
    assert completed.stdout.strip() != b"0"
    hungry = "try:\n    x = bytearray(40 << 30)\nexcept MemoryError:\n    print('no memory')"
    completed = await held.coding(scratch).run(Request((("python3", "-I", "-c", hungry),)))
    assert completed.stdout == b"no memory\n"


async def test_a_flood_is_cut_and_its_status_arrives(held: Held, scratch: str) -> None:
    request = Request((("sh", "-c", "head -c 30000000 /dev/zero; exit 3"),), cwd=scratch, output_limit=1000)
    completed = await held.coding(scratch).run(request)
    assert (completed.outcome, len(completed.stdout)) == ("output-limit", 1000)


@pytest.mark.parametrize(
    "place", ["/", "/etc", "/var/tmp/necropsy-x", "/var/tmp/necropsy-0123456789abcdef/..", "/root"]
)
async def test_nothing_else_can_be_a_scratch(held: Held, place: str) -> None:
    with pytest.raises(ValueError, match="no scratch"):
        held.coding(place)


async def test_a_sandbox_hides_homes_but_for_what_is_named(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("shown\n")
    target = Target(name="sandbox", paths=(("/root/x", str(tmp_path)),))
    async with connect(target) as executor:
        held = await layers.hold(executor, target)
        completed = await held.reading.run(
            Request(
                (("sh", "-c", f"ls -A /root /home /tmp | grep -c ssh; cat {tmp_path}/f; touch {tmp_path}/g /etc/g"),)
            )
        )
    assert completed.stdout == b"0\nshown\n"
    assert in_force(held)["sandbox"]
    assert not (tmp_path / "g").exists()
