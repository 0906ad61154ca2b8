"""How many commands a second a replay carries out on a real sshd, its journal on the disk, beside bare asyncssh."""

import asyncio
import contextlib
import os
import resource
import tempfile
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, aclosing
from pathlib import Path
from unittest.mock import patch

import asyncssh

from probes.host import ssh
from probes.host.targets import Target
from replay import engine
from replay.fleet import Member, conduct_all
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
from tests.replay.failing.hosts import serve

_STEPS = 240
_AT_ONCE = (1, 8, 32)
_SYNCS = 200
_ROUNDS = 3
_AGAIN = 0.005
_HOSTS = 200
_ON_HOST = 10


def measure_replaying() -> list[Figure]:
    """Return commands per second with so many in flight, and what the disk and bare asyncssh can do."""
    program = sshd_program()
    if program is None:
        return [Figure("replay", "-", "needs OpenSSH's sshd")]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        figures = [Figure("disk", f"{_syncs(folder):.0f} fsync/s", "4 KiB appended and synced, one after the other")]
        with _server(folder, program) as server:
            figures += [_beside_bare(folder, server, at_once) for at_once in _AT_ONCE]
        (folder / "fleet").mkdir()
        say(f"replaying on {_HOSTS} hosts")
        return [*figures, asyncio.run(_fleet(folder / "fleet.db", folder / "fleet"))]


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
    ours, bare, alike = (max(each) for each in zip(*rates, strict=True))  # of moments when the machine did least else
    about = (
        f"{at_once} at once, {ours / bare:.2f} of the {bare:.0f}/s of bare asyncssh with the same commands, "
        f"{ours / alike:.2f} of its {alike:.0f}/s with our cipher"
    )
    return Figure("replay", f"{ours:.0f}/s", about)


async def _both(
    store: Path, plan: Plan, recording: Recording, target: Target, at_once: int
) -> tuple[float, float, float]:
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
    plain = [await _plain(target) for _ in range(hosts)]
    theirs = await _bare(parts, plain, at_once)
    return ours, theirs, await _bare(parts, [await ssh.open_connection(target) for _ in range(hosts)], at_once)


async def _plain(target: Target) -> asyncssh.SSHClientConnection:
    """Open a connection as anybody does who knows nothing of ciphers."""
    return await asyncssh.connect(
        target.host, target.port or 22, username=target.user, client_keys=[str(target.identity)],
        known_hosts=str(target.known_hosts), config=None, agent_path=None,
    )  # fmt: skip


async def _bare(parts: Sequence[Plan], connections: Sequence[asyncssh.SSHClientConnection], at_once: int) -> float:
    """Return how many of the plans' commands a second go over the connections, which are closed then."""

    async def bare(place: int) -> None:
        slots = asyncio.Semaphore(min(at_once, ssh.CHANNELS))

        async def one(command: str) -> None:
            async with slots:
                await _insisting(connections[place], command)

        await asyncio.gather(*(one(step.sent or "") for step in parts[place].steps))

    found = await _rate(bare, len(connections))
    for connection in connections:
        connection.close()
        await connection.wait_closed()
    return found


async def _fleet(store: Path, folder: Path) -> Figure:
    """Replay on many hosts, asyncssh servers in this very process, of which some fail."""
    async with serve(folder, _HOSTS) as hosts:
        plan, _ = _recorded(store, hosts.targets[0], _ON_HOST)
        members = [Member(each, _for(plan, each)) for each in hosts.targets]
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        with timed() as watch:
            async with aclosing(conduct_all(store, members)) as events:
                told = [each.event.result.outcome async for each in events if isinstance(each.event, Done)]
        more = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    about = f"{_HOSTS} hosts x {_ON_HOST} steps, {told.count('completed')} ran, {hosts.most} connected at once, "
    return Figure("fleet", f"{watch.seconds:.0f} s", about + f"{more / 1024:.0f} MB more memory, servers included")


def _for(plan: Plan, target: Target) -> Plan:
    steps = tuple(step.model_copy(update={"target": target.name}) for step in plan.steps)
    return plan.model_copy(update={"target": target.name, "steps": steps})


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


def _recorded(store: Path, target: Target, number: int = _STEPS) -> tuple[Plan, Recording]:
    steps = tuple(
        Step(
            ordinal=n, kind="shell", tool="bash", command=f"ssh h 'echo trace-{n}'", output=f"trace-{n}\n", exit_code=0
        )
        for n in range(number)
    )
    session = Session(id="s", format="opencode", agent="opencode", source="/s", steps=steps)
    with Writer.open(store) as writer:
        writer.store(Source(Path("/s"), "opencode", "1"), [session], Tally(read=1))
    with Reader.open(store) as reader:
        return build_plan(reader, "s", target, None, Hosts({"h": target.name})), load(reader, "s")
