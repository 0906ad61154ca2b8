"""A target that fails again and again is left with a reason; one that answers in between is not."""

from contextlib import aclosing
from pathlib import Path

import pytest

from probes.host.local import LocalExecutor
from replay import engine
from replay.journal import Journal
from replay.plan import Hosts, build_plan
from replay.progress import Done, Sending
from replay.recording import load
from sessions.models.command import Completed, Request
from sessions.models.replay import RunStep
from sessions.store.reader import Reader
from sessions.store.writer import Writer
from tests.conftest import Sshd
from tests.replay.failing.stage import Stage

STEPS = 24


class Shaky(LocalExecutor):
    """This machine, over a connection that is lost as often as a list of outcomes says."""

    def __init__(self, outcomes: str) -> None:
        super().__init__("gpu")
        self._outcomes = iter(outcomes)

    async def run(self, request: Request) -> Completed:
        match next(self._outcomes, "."):
            case "x":
                return Completed("transport-lost", None, b"", b"", 0.0, detail="no channel: refused")
            case "t":
                return Completed("timed-out", None, b"", b"", 0.0, detail="ended after 60 s")
            case _:
                return await super().run(request)


@pytest.fixture
def stage(server: Sshd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stage:
    monkeypatch.setattr(engine, "AT_ONCE", 1)
    return Stage.set(tmp_path, server, pause="0", steps=STEPS)


@pytest.mark.parametrize(
    ("outcomes", "sent", "why"),
    [
        ("", STEPS, ""),
        ("x" * STEPS, engine.LOST, "given up after 3 failures in a row, the last: no channel: refused"),
        ("xx." * 8, STEPS, ""),
        (".." + "x" * STEPS, 2 + engine.LOST, "given up after 3 failures"),
        ("t" * STEPS, engine.SILENT, "given up after 8 failures in a row, the last: ended after 60 s"),
        ("ttttttt." * 3, STEPS, ""),
    ],
)
async def test_a_target_is_left_after_failures_in_a_row(stage: Stage, outcomes: str, sent: int, why: str) -> None:
    with Reader.open(stage.store) as reader:
        plan, recording = build_plan(reader, "s", stage.target, None, Hosts({"h": "gpu"})), load(reader, "s")
    results: list[RunStep] = []
    sendings = 0
    with Writer.open(stage.store) as writer:
        async with aclosing(engine.replay(plan, Shaky(outcomes), Journal(writer), recording)) as events:
            async for event in events:
                sendings += isinstance(event, Sending)
                results += [event.result] if isinstance(event, Done) else []
    assert sendings == sent
    left = results[sent:]
    assert {(each.outcome, each.sent) for each in left} == ({("unreachable", None)} if left else set())
    assert all(why in each.detail and each.detail.startswith("not run: ") for each in left)
    kept = stage.runs()[-1]
    assert [(each.outcome, each.detail) for each in kept.steps] == [(each.outcome, each.detail) for each in results]
    assert {each.standing for each in kept.standings if each.step >= sent} == ({"undetermined"} if left else set())
    assert kept.finished is not None
