"""Recorded steps that write, run in the scratch folder of a run: what happens there, and what cannot."""

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import aclosing
from pathlib import Path

import pytest

from probes.host import script
from probes.host.targets import Target
from replay import consent
from replay.conduct import conduct
from replay.progress import Done, Progress
from sessions.errors import PolicyRefusal
from sessions.store.reader import Reader
from tests.replay.scratch.stage import HERE, SESSION, Recorded, Runs, folder

pytestmark = pytest.mark.skipif(not shutil.which("bwrap"), reason="needs bubblewrap")


def held(place: Path) -> list[str]:
    return [each.name for each in place.iterdir()]


@pytest.mark.sshd
@pytest.mark.parametrize("place", ["local", "bench"])
async def test_a_write_happens_in_scratch_and_later_steps_of_the_run_see_it(
    record: Recorded, run: Runs, request: pytest.FixtureRequest, place: str
) -> None:
    target: Target = HERE if place == "local" else request.getfixturevalue("bench")
    plan = record(*SESSION, target=target)
    decisions = [(step.decision, step.effect) for step in plan.steps]
    assert decisions == [("ask", "writes")] * 3 + [("run", "read"), ("ask", "writes"), ("run", "read"), ("run", "read")]
    results = await run(plan, target)
    assert {result.outcome for result in results.values()} == {"completed"}, results
    assert results[3].output == "/tmp/exp/conf/a.yaml:1:workers: 3\n/tmp/exp/a.yaml.bak:1:workers: 1\n"
    assert [results[step].comparison for step in (4, 5, 6)] == ["identical"] * 3
    assert not folder(plan).exists()
    assert "exp" not in held(Path("/tmp"))


def test_the_plan_says_what_is_written_where(record: Recorded) -> None:
    plan = record(*SESSION)
    at = folder(plan)
    written = {step.step: step.scratch.written for step in plan.steps if step.scratch and step.scratch.written}
    assert written == {
        0: (("/tmp/exp/conf", f"{at}/tmp/exp/conf"),),
        1: (("/tmp/exp/a.yaml", f"{at}/tmp/exp/a.yaml"),),
        2: tuple(
            (f"/tmp/exp/{name}", f"{at}/tmp/exp/{name}") for name in ("a.yaml", "a.yaml.bak", "conf/a.yaml")
        ),
        4: (("/tmp/exp/a.yaml", f"{at}/tmp/exp/a.yaml"),),
    }  # fmt: skip
    assert plan.steps[2].sent == (
        f"'sed' '--sandbox' '-i.bak' '--' 's/workers: 1/workers: 3/' '{at}/tmp/exp/a.yaml' "
        f"&& 'cp' '--' '{at}/tmp/exp/a.yaml' '{at}/tmp/exp/conf/'"
    )
    looked = plan.steps[6].scratch
    assert looked is not None
    assert (looked.read, looked.after) == (("/tmp/exp/a.yaml",), (1, 2, 4))


async def test_the_journal_keeps_who_consented_to_which_write(record: Recorded, run: Runs, tmp_path: Path) -> None:
    plan = record(*SESSION[:2])
    await run(plan)
    with Reader.open(tmp_path / "store.db") as reader:
        stored = reader.runs("s")[0]
        checked = reader.check_journal()
    assert [step.consent.who for step in stored.plan if step.consent] == ["ops", "ops"]
    assert [step.scratch for step in stored.plan] == [step.scratch for step in plan.steps]
    assert (checked.problems, checked.unknown, checked.entries) == (
        (),
        (),
        2 + 2 * len(("consent", "intent", "result")),
    )


@pytest.fixture
def outside() -> Iterator[Path]:
    """A folder that the cage shows, with a file in it."""
    places = (Path.home(), Path("/root"), Path("/srv"))
    fit = (place for place in places if os.access(place, os.W_OK) and not place.is_relative_to("/tmp"))
    place = next(fit, None)
    if place is None:
        pytest.skip("needs a folder to write in that does not lie in /tmp")
    made = Path(tempfile.mkdtemp(prefix="necropsy-outside-", dir=place))
    (made / "victim").write_text("whole\n")
    yield made
    shutil.rmtree(made)


@pytest.mark.sshd
@pytest.mark.parametrize("cage", ["bubblewrap", "util-linux"])
async def test_a_link_in_scratch_leads_no_write_outside(  # noqa: PLR0913, PLR0917 - fixtures
    record: Recorded,
    run: Runs,
    bench: Target,
    outside: Path,
    cage: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Neither what a step writes nor what is rebuilt for one: the kernel refuses both."""
    if cage == "util-linux":
        if os.geteuid():
            pytest.skip("only root can have it")
        monkeypatch.setattr("probes.host.script.PATH", f"{broken_bubblewrap(tmp_path / 'bin')}:{script.PATH}")
    plan = record(*TO_LINKS, target=bench)
    at = folder(plan)

    def plant(event: Progress) -> None:
        if isinstance(event, Done) and event.result.step == 1:
            (at / "tmp/exp/d").rmdir()
            for name, there in (("exp/d", outside), ("exp/v", outside / "victim"), ("other", outside)):
                (at / "tmp" / name).symlink_to(there)

    results = await run(plan, bench, {1, 2, 3, 4, 5}, told=plant)
    assert [results[step].exit_code for step in (1, 2, 3, 4)] == [0, 2, 2, 1], results
    assert all("Read-only file system" in results[step].output for step in (2, 3, 4)), results
    assert (results[5].outcome, "Read-only file system" in results[5].detail) == ("not-replayable", True)
    assert (held(outside), (outside / "victim").read_text()) == (["victim"], "whole\n")
    assert not at.exists()


TO_LINKS = (
    "cat > /tmp/other/b.txt <<'E'\nrebuilt\nE",
    "mkdir -p /tmp/exp/d",
    "echo x > /tmp/exp/d/marker",
    "echo y >> /tmp/exp/v",
    "cp /etc/hostname /tmp/exp/d/",
    "sed -i s/rebuilt/changed/ /tmp/other/b.txt",
)


def broken_bubblewrap(made: Path) -> Path:
    """Make a folder in which bwrap does not work."""
    made.mkdir()
    (made / "bwrap").write_text("#!/bin/sh\nexit 1\n")
    (made / "bwrap").chmod(0o755)
    return made


async def test_what_was_not_consented_to_does_not_run_and_nothing_is_said_of_what_looks_at_it(
    record: Recorded, run: Runs
) -> None:
    plan = record(*SESSION)
    results = await run(plan, agreed={0, 1})
    assert [results[n].outcome for n in range(7)] == [
        "completed", "completed", "refused", "not-replayable", "refused", "not-replayable", "not-replayable",
    ]  # fmt: skip
    assert results[6].detail == "step 2, which writes what it reads, did not run to its end"
    assert results[6].comparison is None


async def test_what_a_step_changes_is_rebuilt_where_the_step_that_wrote_it_does_not_run(
    record: Recorded, run: Runs
) -> None:
    told = ["cat > /tmp/exp/a <<'E'\none\ntwo\nE", "sed -i 2d /tmp/exp/a", ("cat /tmp/exp/a", "one\n")]
    results = await run(record(*told), agreed={1})
    assert (results[0].outcome, results[2].output, results[2].comparison) == ("refused", "one\n", "identical")
    lost = record("date > /tmp/exp/a", "sed -i 2d /tmp/exp/a").steps[1]
    assert "/tmp/exp/a cannot be rebuilt: step 0: it holds what a program printed" in lost.reasons


async def test_the_target_s_own_file_is_read_and_only_its_copy_is_changed(
    record: Recorded, run: Runs, outside: Path
) -> None:
    own = outside / "victim"
    told = [f"cp {own} /tmp/exp.txt", "sed -i s/whole/part/ /tmp/exp.txt", ("cat /tmp/exp.txt", "part\n")]
    results = await run(record(*told))
    assert (results[2].output, results[2].comparison) == ("part\n", "identical")
    assert own.read_text() == "whole\n"


async def test_a_plan_that_says_other_than_the_recording_writes_nothing(
    record: Recorded, run: Runs, tmp_path: Path
) -> None:
    plan = record("echo x > /tmp/exp/a")
    (step,) = plan.steps
    assert step.scratch is not None
    marker = tmp_path / "marker"
    (pipe,) = step.pipes
    elsewhere = pipe.stages[0].model_copy(update={"stdout": str(marker)})
    for change in (
        {"sent": f"'touch' '{marker}'"},
        {"pipes": (pipe.model_copy(update={"stages": (elsewhere,)}),)},
        {"scratch": step.scratch.model_copy(update={"folder": "/etc"})},
        {"scratch": step.scratch.model_copy(update={"written": ()}), "sent": f"'touch' '{marker}'"},
    ):
        with pytest.raises(PolicyRefusal):
            await run(plan.model_copy(update={"steps": (step.model_copy(update=change),)}))
    assert not marker.exists()


async def test_without_a_cage_nothing_is_written_whatever_a_person_does_without(
    record: Recorded, run: Runs, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    bare = tmp_path / "bin"
    bare.mkdir()
    for name in ["sh", "env", "timeout", "id", "mkdir", "chmod", "rm", "sha256sum", "prlimit", "true", "tee", "touch"]:
        (bare / name).symlink_to(shutil.which(name) or "")
    monkeypatch.setattr("probes.host.script.PATH", str(bare))
    plan = record("touch /tmp/exp")
    for without in (frozenset[str](), frozenset({"no network"}), frozenset({"no network", "read-only mounts"})):
        result = (await run(plan, without=without))[0]
        assert result.outcome == "refused"
        assert "read-only mounts" in " ".join((*result.reasons, result.detail))
    assert not folder(plan).exists()


async def test_a_folder_that_is_there_already_is_left_alone(record: Recorded, run: Runs) -> None:
    plan = record("touch /tmp/exp")
    folder(plan).mkdir()
    (folder(plan) / "others").write_text("kept")
    try:
        result = (await run(plan))[0]
        assert (result.outcome, "cannot be made" in result.detail) == ("not-replayable", True)
        assert (folder(plan) / "others").read_text() == "kept"
    finally:
        shutil.rmtree(folder(plan))


async def test_in_a_sandbox(record: Recorded, run: Runs) -> None:
    sandbox = Target(name="sandbox")
    plan = record(*SESSION, target=sandbox)
    results = await run(plan, sandbox)
    assert [results[step].comparison for step in (4, 5, 6)] == ["identical"] * 3, results
    assert not folder(plan).exists()


async def test_a_run_that_is_ended_takes_its_folder_away(record: Recorded, tmp_path: Path) -> None:
    plan = record("touch /tmp/exp", "cat /tmp/exp")
    granted = consent.grant(plan, {0}, "ops")
    async with aclosing(conduct(tmp_path / "store.db", HERE, granted)) as events:
        async for event in events:
            if isinstance(event, Done):
                assert folder(plan).exists()
                break
    assert not folder(plan).exists()


async def test_more_steps_than_run_at_once_keep_their_order(record: Recorded, run: Runs) -> None:
    told = [f"echo {number} >> /tmp/exp" for number in range(9)]
    results = await run(record(*told, ("cat /tmp/exp", "".join(f"{number}\n" for number in range(9)))))
    assert (results[9].output, results[9].comparison) == ("0\n1\n2\n3\n4\n5\n6\n7\n8\n", "identical")


async def test_a_folder_that_a_run_left_which_died_is_taken_away_once_it_can_be_no_run_s(
    record: Recorded, run: Runs
) -> None:
    plan = record("touch /tmp/exp", ("ls /tmp/exp", "/tmp/exp\n"))
    at = folder(plan)
    at.mkdir(0o700)
    (at / "left").write_text("of a run that died")
    os.utime(at, (time.time() - 7200,) * 2)
    results = await run(plan)
    assert [result.comparison for result in results.values()] == ["identical"] * 2, results
    assert not at.exists()


@pytest.mark.sshd
async def test_nothing_rests_on_a_write_that_did_not_come_to_its_end(
    record: Recorded, run: Runs, bench: Target
) -> None:
    endless = "timeout 1 sed -i ':a;s/x/xx/;ta' /tmp/exp"
    other = ("echo y > /tmp/other && cat /tmp/other", "y\n")
    results = await run(record("echo x > /tmp/exp", endless, ("cat /tmp/exp", "x\n"), other, target=bench), bench)
    outcomes = [results[step].outcome for step in range(4)]
    assert outcomes == ["completed", "timed-out", "not-replayable", "completed"], results
    assert results[2].detail == "step 1, which writes what it reads, did not run to its end"
