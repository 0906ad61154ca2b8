"""A session of steps that can be counted on the target, a server of its own, and what must hold after any accident."""

import os
import random
import sqlite3
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass, replace
from pathlib import Path

from probes.host.targets import Target
from replay.conduct import conduct
from replay.plan import Hosts, Selection, build_plan
from replay.progress import Done
from sessions.ingest.source import Source
from sessions.models.hypothesis import Evidence, Hypothesis, Tree
from sessions.models.replay import RunStep
from sessions.models.session import Session, Step, Tally
from sessions.store.reader import Reader
from sessions.store.rows import RunRow
from sessions.store.tables import journal
from sessions.store.writer import Writer
from tests.conftest import Sshd, sshd_program

STEPS = 12
SEED = int(os.environ.get("NECROPSY_SEED", "20261129"))


def moments(usual: int) -> int:
    """Return how many moments a test tries: `usual`, or what NECROPSY_MOMENTS says."""
    return int(os.environ.get("NECROPSY_MOMENTS", usual))


def chance(kind: str, moment: int) -> random.Random:
    """Return what decides about one moment; the same for the same seed."""
    return random.Random(f"{SEED}-{kind}-{moment}")  # noqa: S311 - a moment is no secret


@dataclass(frozen=True)
class Stage:
    """A store with one session, and a server that notes what it receives."""

    store: Path
    server: Sshd
    folder: Path
    before: int
    """Commands that the server had received when this began."""

    @classmethod
    def set(cls, folder: Path, server: Sshd, pause: str = "0.02", steps: int = STEPS) -> "Stage":
        """Store a session of steps that each read a file of their own, the recorded outputs being what is there."""
        stage = cls(folder / "store.db", server, folder, len(server.received()))
        for n in range(steps):
            stage.trace(n).write_text(f"trace {n}\n")
        recorded = tuple(
            Step(
                ordinal=n, kind="shell", tool="bash", output=f"trace {n}\n", exit_code=0,
                command=f"ssh h 'sleep {pause} && cat {stage.trace(n)}'",
            )
            for n in range(steps)
        )  # fmt: skip
        session = Session(id="s", format="opencode", agent="opencode", source="/s", steps=recorded)
        with Writer.open(stage.store) as writer:
            writer.store(Source(Path("/s"), "opencode", "1"), [session], Tally(read=1))
            writer.save_tree("s", _tree(steps), "1")
        return stage

    @property
    def target(self) -> Target:
        return Target(
            name="gpu", host=self.server.address, port=self.server.port, user=self.server.user,
            identity=self.server.identity, known_hosts=self.server.known_hosts, ssh_config=False,
        )  # fmt: skip

    def trace(self, step: int) -> Path:
        return self.folder / f"trace-{step}.txt"

    def arrived(self) -> list[str]:
        """Return the command lines that the server has received since this began."""
        return self.server.received()[self.before :]

    def counted(self) -> Counter[int]:
        """Return how often the command of each step has arrived."""
        lines = self.arrived()
        steps = range(len(list(self.folder.glob("trace-*.txt"))))
        return Counter({step: sum(str(self.trace(step)) in line for line in lines) for step in steps})

    async def run(self, steps: frozenset[int] | None = None) -> list[RunStep]:
        """Replay the session, or these steps of it, to its end."""
        with Reader.open(self.store) as reader:
            plan = build_plan(reader, "s", self.target, Selection(steps), Hosts({"h": "gpu"}))
        async with aclosing(conduct(self.store, self.target, plan)) as events:
            return [event.result async for event in events if isinstance(event, Done)]

    def runs(self) -> tuple[RunRow, ...]:
        with Reader.open(self.store) as reader:
            return tuple(reader.runs("s"))

    def check_journal(self) -> None:
        """The journal is whole, says of every run what the store says, and knows of everything that arrived."""
        checked = self.checked()
        assert checked.problems == ()
        rows = {(run.number, step.step): step for run in self.runs() for step in run.steps}
        assert set(checked.unknown) == {place for place, step in rows.items() if step.outcome == "unknown"}
        known = {step for _, step in rows}
        assert {step for step, count in self.counted().items() if count} <= known
        for (_, step), result in rows.items():
            if result.outcome == "completed":
                assert (result.output, result.comparison) == (f"trace {step}\n", "identical")
                assert self.counted()[step]

    def checked(self) -> journal.Checked:
        connection = sqlite3.connect(self.store)
        try:
            return journal.check(connection, self.store)
        finally:
            connection.close()

    def check_nothing_ran_twice(self) -> None:
        assert {step: count for step, count in self.counted().items() if count > 1} == {}

    def never_sent(self) -> frozenset[int]:
        """Return the steps that the journal knows nothing of, or knows as never sent."""
        tried = {step.step for run in self.runs() for step in run.steps if step.outcome != "unreachable"}
        return frozenset(self.counted()) - tried

    async def go_on(self) -> None:
        """The next run, of what the first one never sent, ends well, and sends nothing a second time."""
        left = self.never_sent()
        if left:
            results = await self.run(left)
            assert {result.outcome for result in results} == {"completed"}
            assert self.runs()[-1].finished is not None
        self.check_nothing_ran_twice()
        self.check_journal()
        assert {step for step, count in self.counted().items() if not count} <= self.unsure()

    def unsure(self) -> frozenset[int]:
        """Return the steps that were about to be sent, and of which nobody can say whether they were."""
        unsure = {"unknown", "transport-lost", "killed"}
        return frozenset(step.step for run in self.runs() for step in run.steps if step.outcome in unsure)


def restarted(server: Sshd) -> Sshd:
    """Start a server that was ended, at the same address."""
    with (server.folder / "log").open("ab") as log:
        process = subprocess.Popen([str(sshd_program()), "-D", "-e", "-f", server.folder / "sshd_config"], stderr=log)
    again = replace(server, process=process)
    again.await_listening()
    return again


def until(met: Callable[[], bool], seconds: float = 30.0) -> None:
    """Wait until something holds; it must within `seconds`."""
    end = time.monotonic() + seconds
    while not met():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.002)


def _tree(steps: int) -> Tree:
    beliefs = (
        Hypothesis(
            id=f"H{n + 1}", key=f"k{n + 1}", parent="H0", statement=f"suspicion {n}", verdict="refuted",
            support="grounded", source="rule:test",
            evidence=(Evidence(step=n, stance="refutes", quote=f"trace {n}", deciding=True, source="rule:test"),),
        )
        for n in range(steps)
    )  # fmt: skip
    root = Hypothesis(id="H0", key="k0", root=True, statement="symptom", source="rule:test")
    return Tree(hypotheses=(root, *beliefs))
