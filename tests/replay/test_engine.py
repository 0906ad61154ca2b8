"""The engine by itself, on this machine: filters, forged plans, interruption, what the store keeps."""

import asyncio
import subprocess
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path

import pytest

from probes.host import local
from probes.host.script import emit
from probes.host.targets import Target
from replay.engine import replay
from replay.journal import Journal
from replay.plan import Hosts, build_plan
from replay.progress import Done, Progress, Sending
from replay.recording import load
from sessions.errors import PolicyRefusal
from sessions.ingest.source import Source
from sessions.models.command import Completed, Pipe, Request, Stage
from sessions.models.hypothesis import Evidence, Hypothesis, Tree
from sessions.models.replay import Plan, RunStep
from sessions.models.session import Session, Step, Tally
from sessions.store.reader import Reader
from sessions.store.rows import RunRow
from sessions.store.writer import Writer

HERE = Target(name="local", host="local")


@dataclass
class Bench:
    """A store with one session, replayed on this machine."""

    store: Path

    def record(self, *pairs: tuple[str, str], reconstructed: bool = False) -> Plan:
        """Store a session of these commands and outputs and return its plan."""
        steps = tuple(
            Step(ordinal=n, kind="shell", tool="bash", command=command, output=output)
            for n, (command, output) in enumerate(pairs)
        )
        session = Session(
            id="s", format="opencode", agent="opencode", source="/s", steps=steps, reconstructed=reconstructed
        )
        with Writer.open(self.store) as writer:
            writer.store(Source(Path("/s"), "opencode", "1"), [session], Tally(read=1))
        with Reader.open(self.store) as reader:
            return build_plan(reader, "s", HERE, None, Hosts({"local": "local", "h": "local"}))

    def believe(self, *steps: int) -> None:
        """Store a tree in which each of the steps decides a hypothesis, H1, H2, … by its whole output."""
        with Reader.open(self.store) as reader:
            outputs = {step.ordinal: step.output for step in reader.steps("s")}
        beliefs = [
            Hypothesis(
                id=f"H{n}", key=f"k{n}", parent="H0", statement="s", verdict="refuted", source="rule:x",
                evidence=(Evidence(step=step, stance="refutes", quote=outputs[step], deciding=True, source="rule:x"),),
            )
            for n, step in enumerate(steps, 1)
        ]  # fmt: skip
        root = Hypothesis(id="H0", key="k0", root=True, statement="symptom", source="rule:x")
        with Writer.open(self.store) as writer:
            writer.save_tree("s", Tree(hypotheses=(root, *beliefs)), "1")

    async def events(self, plan: Plan) -> AsyncGenerator[Progress, None]:
        with Reader.open(self.store) as reader:
            recording = load(reader, "s")
        with Writer.open(self.store) as writer:
            async with (
                local.connect() as executor,
                aclosing(replay(plan, executor, Journal(writer), recording)) as events,
            ):
                async for event in events:
                    yield event

    async def run(self, plan: Plan) -> list[RunStep]:
        return [event.result async for event in self.events(plan) if isinstance(event, Done)]

    def stored(self) -> RunRow:
        with Reader.open(self.store) as reader:
            return reader.runs("s")[-1]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path / "store.db")


async def test_results_come_in_the_order_of_the_plan(bench: Bench) -> None:
    plan = bench.record(("sleep 0.5", ""), ("echo a", "a"), ("rm x", ""), ("echo b", "b"))
    results = await bench.run(plan)
    assert [(r.step, r.outcome) for r in results] == [
        (0, "completed"), (1, "completed"), (2, "refused"), (3, "completed"),
    ]  # fmt: skip
    assert [r.output for r in results] == ["", "a\n", "", "b\n"]
    assert [step.step for step in bench.stored().steps] == [0, 1, 2, 3]
    assert bench.stored().finished is not None


async def test_filters_of_the_agents_machine_are_applied_here(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "log").write_text("one\ntwo tensors\n")
    log, gone = tmp_path / "log", tmp_path / "gone"
    plan = bench.record(
        (f"ssh h 'cat {log}' 2>&1 | grep -c tensors", "1\n"),
        (f"ssh h 'cat {log}; ls {gone} 2>&1' | tail -n 1", f"ls: cannot access '{gone}': No such file or directory\n"),
        (f"ssh h 'cat {log}' | grep absent", "absent"),
    )
    results = await bench.run(plan)
    assert [r.comparison for r in results] == ["identical", "identical", "changed"]
    assert results[2].exit_code == 1


async def test_a_path_that_was_not_missing_before_is_missing(bench: Bench, tmp_path: Path) -> None:
    plan = bench.record((f"wc -l < {tmp_path}/gone", "5\n"), (f"grep -c 'No such file' {tmp_path}/gone", "1\n"))
    assert [r.outcome for r in await bench.run(plan)] == ["path-missing", "path-missing"]


async def test_a_log_that_speaks_of_missing_files_is_only_a_log(bench: Bench, tmp_path: Path) -> None:
    log = tmp_path / "x.log"
    log.write_text(f"ERROR {log}.1 No such file or directory\n")
    assert (await bench.run(bench.record((f"cat {log}", "other\n"))))[0].comparison == "changed"


async def test_a_forged_plan_sends_nothing(bench: Bench, tmp_path: Path) -> None:
    plan = bench.record(("echo a", "a"))
    pipes = (Pipe(stages=(Stage(words=("touch", str(tmp_path / "marker"))),)),)
    for change in ({"pipes": pipes}, {"pipes": pipes, "sent": emit(pipes)}):
        forged = plan.model_copy(update={"steps": (plan.steps[0].model_copy(update=change),)})
        with pytest.raises(PolicyRefusal):
            await bench.run(forged)
    assert not (tmp_path / "marker").exists()


async def test_a_reconstruction_runs_and_compares_as_such(bench: Bench) -> None:
    results = await bench.run(bench.record(("ssh h id", "uid=0(root)"), reconstructed=True))
    assert (results[0].outcome, results[0].comparison) == ("completed", "not-comparable")


async def test_secrets_in_an_output_are_not_kept(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "f").write_text("token ghp_" + "a1B2" * 9 + "\n\x1b[31mred\x1b[0m\n")
    (result,) = await bench.run(bench.record((f"cat {tmp_path}/f", "")))
    assert "ghp_" not in result.output
    assert "<redacted:" in result.output
    assert "\x1b" not in result.output


async def test_an_interrupted_replay_ends_what_runs_and_says_so(bench: Bench) -> None:
    plan = bench.record(("sleep 29.5", ""), ("echo a", "a"))
    async with aclosing(bench.events(plan)) as events:
        async for event in events:
            if isinstance(event, Sending):
                await until_sleeping()
                break
    assert sleepers() == []
    stored = bench.stored()
    assert stored.finished is None
    assert stored.steps[0].outcome == "killed"


async def test_an_interrupted_replay_keeps_what_ran_and_what_it_does_to_the_evidence(bench: Bench) -> None:
    plan = bench.record(("sleep 29.5", ""), ("echo a", "a\n"), ("echo b", "c\n"))
    bench.believe(1, 2)
    async with aclosing(bench.events(plan)) as events:
        sent = 0
        async for event in events:
            sent += isinstance(event, Sending)
            if sent == len(plan.steps):
                await until_sleeping()
                await asyncio.sleep(1)
                break
    stored = bench.stored()
    assert stored.finished is None
    assert [(each.step, each.outcome) for each in stored.steps] == [(0, "killed"), (1, "completed"), (2, "completed")]
    assert [(each.step, each.standing) for each in stored.standings] == [(1, "holds"), (2, "contradicted")]
    assert [(each.hypothesis, each.worth) for each in stored.worths] == [("H1", "upheld"), ("H2", "overturned")]


def sleepers() -> list[str]:
    return subprocess.run(["pgrep", "-fx", "sleep -- 29.5"], capture_output=True, text=True, check=False).stdout.split()


async def until_sleeping() -> None:
    for _ in range(500):
        if sleepers():
            return
        await asyncio.sleep(0.02)
    raise AssertionError("the step never started")


class Broken(local.LocalExecutor):
    """An executor with a bug."""

    async def run(self, request: Request) -> Completed:
        raise ZeroDivisionError(request)


async def test_a_bug_in_a_step_ends_the_replay_instead_of_waiting_for_ever(bench: Bench) -> None:
    plan = bench.record(("echo a", "a"), ("echo b", "b"))
    with Reader.open(bench.store) as reader:
        recording = load(reader, "s")
    with Writer.open(bench.store) as writer, pytest.raises(ZeroDivisionError):
        async with asyncio.timeout(20):
            [event async for event in replay(plan, Broken(), Journal(writer), recording)]
    assert {step.outcome for step in bench.stored().steps} == {"killed"}
