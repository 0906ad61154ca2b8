"""A store with sessions made by hand, for the tests of the app."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.worker import WorkerCancelled

from sessions.ingest.source import Source
from sessions.models.command import Command
from sessions.models.hypothesis import Cost, Evidence, Hypothesis, Tree, Turn
from sessions.models.session import Message, Session, Step, Tally
from sessions.store.writer import Writer

QUOTE = "worker 3: certificate expired 2026-11-28"

HYPOTHESES = (
    Hypothesis(
        id="H0", key="m0", root=True, statement="Every third upload fails with a timeout", stated_in=0, source="rule:a",
    ),
    Hypothesis(
        id="H1", key="m2", parent="H0", statement="The disk of the upload host is full", verdict="refuted",
        support="grounded", stated_in=2, decided_in=4, cost=Cost(steps=2, seconds=95.0), source="rule:b",
        history=(Turn(message=4, verdict="refuted", quote="plenty of room", source="rule:b"),),
        evidence=(Evidence(step=0, stance="refutes", quote="41% /srv", deciding=True, source="rule:b"),),
    ),
    Hypothesis(
        id="H2", key="m5", parent="H0", statement="The proxy drops idle connections", verdict="abandoned",
        support="claimed", stated_in=5, cost=Cost(steps=1), source="rule:c",
    ),
    Hypothesis(
        id="H3", key="m7", parent="H0", statement="One worker has an expired certificate", verdict="confirmed",
        support="grounded", stated_in=7, decided_in=9, source="rule:b",
        evidence=(
            Evidence(step=2, stance="neutral", quote="worker", source="rule:b"),
            Evidence(step=3, stance="supports", quote=QUOTE, deciding=True, source="rule:b"),
        ),
    ),
    Hypothesis(id="H4", key="m8", parent="H3", statement="The renewal job never ran", stated_in=8, source="rule:c"),
)  # fmt: skip


def _step(ordinal: int, command: str, output: str, **more: object) -> Step:
    fields = {"ordinal": ordinal, "message": ordinal, "kind": "shell", "tool": "bash", "duration": 1.5, **more}
    fields |= {"started": f"2026-11-29T18:{ordinal % 60:02d}:00.000Z"}
    return Step.model_validate({"command": command, "output": output, "exit_code": 0, **fields})


def uploads() -> Session:
    """A short session: a failing upload, two dead ends, one cause."""
    df = Command(argv=("df", "-h", "/srv"), text="df -h /srv", host="192.0.2.40", user="ops")
    log = "\n".join(QUOTE if line == 640 else f"worker {line % 4}: ok {line}" for line in range(1, 1001))
    return Session(
        id="ses_uploads",
        format="opencode",
        agent="opencode",
        title="Uploads time out",
        model="some-model",
        started="2026-11-29T18:00:00.000Z",
        source="/logs/uploads.json",
        messages=tuple(
            Message(ordinal=n, role="user" if n == 0 else "agent", text=f"Message number {n} about uploads")
            for n in range(12)
        ),
        steps=(
            _step(0, "ssh ops@192.0.2.40 'df -h /srv'", "Filesystem Use%\n41% /srv\n", commands=(df,)),
            _step(1, "curl -sS https://up.example.org/health", "timeout", exit_code=28),
            _step(2, "ls /srv/workers", "worker0\nworker1\n"),
            _step(3, "cat /srv/workers/log", log),
        ),
    )


Fill = Callable[..., Path]


@pytest.fixture
def fill(tmp_path: Path) -> Fill:
    """Make a store of sessions; the first gets `tree`."""

    def make(*sessions: Session, tree: Tree | None = None) -> Path:
        path = tmp_path / "store.db"
        with Writer.open(path) as writer:
            for session in sessions:
                source = Source(Path(session.source), session.format, "1")
                writer.store(source, [session], Tally())
            if tree is not None:
                writer.save_tree(sessions[0].id, tree, "1")
        return path

    return make


@pytest.fixture
def store(fill: Fill) -> Path:
    """A store with the session about uploads and its tree."""
    candidate = Hypothesis(id="C1", key="m10", statement="The clock is off", source="rule:d", score=0.2)
    return fill(uploads(), tree=Tree(hypotheses=HYPOTHESES, candidates=(candidate,)))


Settle = Callable[[Pilot[None]], Awaitable[str]]


@pytest.fixture
def settle() -> Settle:
    """Wait until the app has nothing left to do, and return what its screen shows."""

    async def wait(pilot: Pilot[None]) -> str:
        for _ in range(2):
            with suppress(WorkerCancelled):
                await pilot.app.workers.wait_for_complete()
            await pilot.pause()
        return "\n".join(strip.text for strip in pilot.app.screen._compositor.render_strips())

    return wait
