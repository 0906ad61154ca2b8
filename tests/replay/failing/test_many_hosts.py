"""Two hundred hosts in one replay: some refuse, are slow or fail, and each has its result; none stops another."""

from collections import defaultdict
from contextlib import aclosing
from pathlib import Path
from unittest.mock import patch

from probes.fleet import HOSTS_AT_ONCE
from probes.host import ssh
from replay import engine
from replay.fleet import Member, conduct_all
from replay.plan import Hosts, build_plan
from replay.progress import Done, Ended
from sessions.models.replay import HypothesisStanding, RunStep
from sessions.store.reader import Reader
from tests.conftest import Sshd
from tests.replay.failing.hosts import serve
from tests.replay.failing.stage import Stage

HOSTS = 200
STEPS = 6
WELL = ["completed"] * STEPS
OUTCOMES = {
    "": WELL,
    "slow": WELL,
    "closed": ["unreachable"] * STEPS,
    "silent": ["unreachable"] * STEPS,
    "locked": ["auth-failed"] * STEPS,
}


async def test_every_host_has_its_result(server: Sshd, tmp_path: Path) -> None:
    stage = Stage.set(tmp_path, server, pause="0", steps=STEPS)
    results: dict[str, list[RunStep]] = defaultdict(list)
    worths: dict[str, tuple[HypothesisStanding, ...]] = {}
    async with serve(tmp_path, HOSTS) as hosts:
        with Reader.open(stage.store) as reader:
            members = [Member(each, build_plan(reader, "s", each, None, Hosts())) for each in hosts.targets]
        with patch.object(ssh, "_PAUSES", (0.01,)):  # those whose host is full need not wait for another
            async with aclosing(conduct_all(stage.store, members)) as events:
                async for told in events:
                    if isinstance(told.event, Done):
                        results[told.target].append(told.event.result)
                    if isinstance(told.event, Ended):
                        worths[told.target] = told.event.worths
    assert set(results) == set(worths) == {target.name for target in hosts.targets}
    assert 1 < hosts.most <= HOSTS_AT_ONCE
    for name, steps in results.items():
        kind = hosts.kind(name)
        outcomes = [step.outcome for step in steps]
        assert outcomes == OUTCOMES.get(kind, outcomes), name
        upheld = {worth.worth for worth in worths[name]}
        assert upheld == ({"upheld"} if kind in {"", "slow"} else {"undetermined"}), name
        if kind == "full":
            check_given_up(steps)
            assert name not in hosts.ran
        if kind == "dying":
            assert set(outcomes) <= {"transport-lost", "unreachable"}
            assert len(hosts.ran[name]) <= engine.AT_ONCE
    assert len(stage.runs()) == HOSTS
    assert all(run.finished for run in stage.runs())
    assert stage.checked().problems == ()
    assert stage.checked().unknown == ()


def check_given_up(steps: list[RunStep]) -> None:
    """Some failed; the rest was then not sent, and says why."""
    failed = [step for step in steps if step.outcome == "transport-lost"]
    left = [step for step in steps if step.outcome == "unreachable"]
    assert len(failed) >= engine.LOST
    assert len(failed) + len(left) == len(steps)
    assert left
    for step in left:
        assert "given up after" in step.detail
        assert "no channel" in step.detail
