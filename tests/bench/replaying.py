"""How many commands a second a replay carries out on a real sshd, its journal on the disk, beside bare asyncssh."""

import asyncio
import contextlib
import os
import tempfile
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, aclosing
from pathlib import Path
from unittest.mock import patch

import asyncssh

from probes.host import ssh
from probes.host.targets import Target
from replay import engine
from replay.journal import Journal
from replay.plan import Hosts, build_plan
from replay.progress import Done
from replay.recording import Recording, load
from sessions.ingest.source import Source
from sessions.models.replay import Plan
from sessions.models.session import Session, Step, Tally
from sessions.store.reader import Reader
from sessions.store.writer import Writer
from tests.bench.figures import Figure, measure, say, timed
from tests.conftest import Sshd, sshd_program, start_sshd

_STEPS = 240
_AT_ONCE = (1, 8, 32)
_SYNCS = 200
_ROUNDS = 3
_AGAIN = 0.005


def measure_replaying() -> list[Figure]:
    """Return commands per second with so many in flight, and what the disk and bare asyncssh can do."""
    program = sshd_program()
    if program is None:
        return [Figure("replay", "-", "needs OpenSSH's sshd")]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        figures = [Figure("disk", f"{_syncs(folder):.0f} fsync/s", "4 KiB appended and synced, one after the other")]
        with _server(folder, program) as server:
            return [*figures, *(_beside_bare(folder, server, at_once) for at_once in _AT_ONCE)]


def _syncs(folder: Path) -> float:
    with (folder / "synced").open("wb") as file:

        def append() -> None:
            for _ in range(_SYNCS):
                file.write(b"x" * 4096)
                file.flush()
                os.fsync(file.fileno())

        return _SYNCS / measure(append)


@contextlib.contextmanager
def _server(folder: Path, program: str) -> Iterator[Sshd]:
    (folder / "sshd").mkdir()
    server = start_sshd(folder / "sshd", program, noting=False)
    try:
        yield server
    finally:
        server.process.terminate()
        server.process.wait()


def _beside_bare(folder: Path, server: Sshd, at_once: int) -> Figure:
    say(f"replaying {_STEPS} steps, {at_once} at once")
    target = Target(
        name="bench", host="127.0.0.1", port=server.port, user=server.user, identity=server.identity,
        known_hosts=server.known_hosts, ssh_config=False,
    )  # fmt: skip
    store = folder / f"{at_once}.db"
    plan, recording = _recorded(store, target)
    rates = [asyncio.run(_both(store, plan, recording, target, at_once)) for _ in range(_ROUNDS)]
    ours, bare = (max(each) for each in zip(*rates, strict=True))  # of the moments at which the machine did least else
    about = f"{at_once} at once, {ours / bare:.2f} of the {bare:.0f}/s of bare asyncssh with the same commands"
    return Figure("replay", f"{ours:.0f}/s", about)


async def _both(store: Path, plan: Plan, recording: Recording, target: Target, at_once: int) -> tuple[float, float]:
    hosts = -(-at_once // ssh.CHANNELS)
    async with AsyncExitStack() as opened:
        executors = [await opened.enter_async_context(ssh.connect(target)) for _ in range(hosts)]
        journal = Journal(opened.enter_context(Writer.open(store)))
        parts = _divided(plan, hosts)

        async def replayed(place: int) -> None:
            events = engine.replay(parts[place], executors[place], journal, recording)
            async with aclosing(events):
                outcomes = [event.result.outcome async for event in events if isinstance(event, Done)]
            if set(outcomes) != {"completed"}:
                raise RuntimeError(f"not all steps ran: {set(outcomes)}")

        with patch.object(engine, "AT_ONCE", min(at_once, ssh.CHANNELS)):
            ours = await _rate(replayed, hosts)
    connections = [await ssh.open_connection(target) for _ in range(hosts)]

    async def bare(place: int) -> None:
        slots = asyncio.Semaphore(min(at_once, ssh.CHANNELS))

        async def one(command: str) -> None:
            async with slots:
                await _insisting(connections[place], command)

        await asyncio.gather(*(one(step.sent or "") for step in parts[place].steps))

    theirs = await _rate(bare, hosts)
    for connection in connections:
        connection.close()
        await connection.wait_closed()
    return ours, theirs


async def _insisting(connection: asyncssh.SSHClientConnection, command: str) -> None:
    """Run a command; a server that is still closing other channels refuses, and is asked again at once."""
    while True:
        try:
            await connection.run(command, encoding=None, check=True)
        except asyncssh.ChannelOpenError:
            await asyncio.sleep(_AGAIN)
        else:
            return


async def _rate(work: Callable[[int], Awaitable[None]], hosts: int) -> float:
    with timed() as watch:
        await asyncio.gather(*(work(place) for place in range(hosts)))
    return _STEPS / watch.seconds


def _divided(plan: Plan, parts: int) -> Sequence[Plan]:
    return [plan.model_copy(update={"steps": plan.steps[place::parts]}) for place in range(parts)]


def _recorded(store: Path, target: Target) -> tuple[Plan, Recording]:
    steps = tuple(
        Step(ordinal=n, kind="shell", tool="bash", command=f"ssh h 'echo line {n}'", output=f"line {n}\n", exit_code=0)
        for n in range(_STEPS)
    )
    session = Session(id="s", format="opencode", agent="opencode", source="/s", steps=steps)
    with Writer.open(store) as writer:
        writer.store(Source(Path("/s"), "opencode", "1"), [session], Tally(read=1))
    with Reader.open(store) as reader:
        return build_plan(reader, "s", target, None, Hosts({"h": target.name})), load(reader, "s")
