"""A session of commands, its plan with writes allowed, and its run."""

from collections.abc import Collection
from pathlib import Path

import pytest

from probes.host.targets import Target
from replay import consent
from replay.conduct import conduct
from replay.plan import Hosts, build_plan
from replay.progress import Done
from sessions.ingest.source import Source
from sessions.models.replay import Plan, RunStep
from sessions.models.session import Session, Step, Tally
from sessions.shell.unwrap import unwrap
from sessions.store.reader import Reader
from sessions.store.writer import Writer
from tests.replay.scratch.stage import HERE, Recorded, Runs, Server, Told


@pytest.fixture
def record(tmp_path: Path) -> Recorded:
    """Store a session of these commands, each with what it printed, and return its plan with writes allowed."""

    def recorded(*told: str | tuple[str, str], target: Target = HERE, writes: bool = True, code: bool = False) -> Plan:
        pairs = [each if isinstance(each, tuple) else (each, "") for each in told]
        steps = tuple(
            Step(
                ordinal=n, kind="shell", tool="bash", command=text, commands=unwrap(text, "/w"), cwd="/w",
                output=printed, exit_code=0,
            )
            for n, (text, printed) in enumerate(pairs)
        )  # fmt: skip
        session = Session(id="s", format="opencode", agent="opencode", source="/s", steps=steps)
        with Writer.open(tmp_path / "store.db") as writer:
            writer.store(Source(Path("/s"), "opencode", "1"), [session], Tally(read=1))
        hosts = Hosts({"local": target.name, "h": target.name})
        with Reader.open(tmp_path / "store.db") as reader:
            return build_plan(reader, "s", target, None, hosts, code=code, writes=writes)

    return recorded


@pytest.fixture
def run(tmp_path: Path) -> Runs:
    async def ran(
        plan: Plan,
        target: Target = HERE,
        agreed: Collection[int] | None = None,
        without: frozenset[str] = frozenset(),
        told: Told = lambda _: None,
    ) -> dict[int, RunStep]:
        asked = {step.step for step in consent.asked(plan)}
        granted = consent.grant(plan, asked if agreed is None else agreed, "ops")
        results = {}
        async for event in conduct(tmp_path / "store.db", target, granted, without):
            told(event)
            if isinstance(event, Done):
                results[event.result.step] = event.result
        return results

    return ran


@pytest.fixture
def bench(sshd: Server) -> Target:
    """A real sshd on a loopback port."""
    return Target(
        name="bench", host="127.0.0.1", port=sshd.port, user=sshd.user, identity=sshd.identity,
        known_hosts=sshd.known_hosts, ssh_config=False,
    )  # fmt: skip
