"""A recorded session replayed against a real sshd on loopback: what runs, what it says, and what never arrives."""

import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import pytest

from probes.host.ssh import connect
from probes.host.targets import Target
from replay.engine import replay
from replay.journal import Journal
from replay.plan import Hosts, Selection, build_plan
from replay.progress import Began, Done, Ended, Progress
from replay.recording import load
from replay.rewrite import PathRules
from sessions.ingest.source import Source
from sessions.models.hypothesis import Evidence, Hypothesis, Tree
from sessions.models.replay import Plan, RunStep
from sessions.models.session import Session, Step, Tally
from sessions.store.reader import Reader
from sessions.store.writer import Writer

pytestmark = pytest.mark.sshd

RECORDED = "192.0.2.174"
THERE = "/root/ml-env/lib/python3.12/site-packages/vllm/v1/attention/backends/mla"


class Server(Protocol):
    port: int
    user: str
    identity: Path
    known_hosts: Path

    def received(self) -> list[str]: ...


@dataclass
class Bench:
    """A session in a store, the files that it speaks of on the target, and the target."""

    store: Path
    target: Target
    folder: Path
    server: Server

    @property
    def module(self) -> Path:
        return self.folder / "triton_mla.py"

    @property
    def marker(self) -> Path:
        return self.folder / "marker"


def source_of(lines: int) -> str:
    return "".join(f"    value_{n} = compute({n})\n" for n in range(1, lines + 1))


def remote(bench: Bench, command: str) -> str:
    """Return what a command prints on the target: how a recording is made."""
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False, cwd=bench.folder)
    return done.stdout + done.stderr


def ssh(command: str) -> str:
    return f"ssh root@{RECORDED} '{command}' 2>&1"


RUNS = [
    f'sed -n "29,70p" {THERE}/triton_mla.py',
    f'grep -n "compute(40)" {THERE}/triton_mla.py',
    f"cat {THERE}/serve.log",
    f"ls {THERE}",
    "uname -s",
]
REFUSED = {
    5: "rm {marker}",
    6: "pip install touch-{marker}",
    7: "sed -i s/value/other/ {module}",
    8: "echo $(touch {marker})",
    9: "echo x > {marker}",
}


@pytest.fixture
def bench(tmp_path: Path, sshd: Server) -> Bench:
    target = Target(
        name="bench",
        host="127.0.0.1",
        port=sshd.port,
        user=sshd.user,
        identity=sshd.identity,
        known_hosts=sshd.known_hosts,
        ssh_config=False,
        paths=((THERE, str(tmp_path / "mla")),),
    )
    made = Bench(tmp_path / "store.db", target, tmp_path / "mla", sshd)
    made.folder.mkdir()
    made.module.write_text(source_of(100))
    (made.folder / "serve.log").write_text("INFO 11-29 18:02:11 ready\nINFO worker pid=4242 loaded 1,809 tensors\n")
    fill(made)
    return made


def fill(bench: Bench) -> None:
    steps = [
        step(bench, n, ssh(text), remote(bench, text.replace(THERE, str(bench.folder)))) for n, text in enumerate(RUNS)
    ]
    for n, text in REFUSED.items():
        steps.append(step(bench, n, ssh(text.format(marker=bench.marker, module=f"{THERE}/triton_mla.py")), ""))
    steps.append(step(bench, 10, "ssh other.example.org id", "uid=0"))
    steps.append(step(bench, 11, "uname -s", "Linux"))
    session = Session(
        id="s1",
        format="opencode",
        agent="opencode",
        source="/log.json",
        steps=tuple(steps),
        started="2026-11-29T18:00:00Z",
    )
    with Writer.open(bench.store) as writer:
        writer.store(Source(Path("/log.json"), "opencode", "1"), [session], Tally(read=1))
        writer.save_tree("s1", tree(), "1")


def step(bench: Bench, ordinal: int, command: str, output: str) -> Step:
    return Step(ordinal=ordinal, kind="shell", tool="bash", command=command, output=output, exit_code=0)


def tree() -> Tree:
    def piece(number: int, quote: str) -> Evidence:
        return Evidence(step=number, stance="refutes", quote=quote, deciding=True, source="rule:test")

    def hypothesis(number: int, *evidence: Evidence) -> Hypothesis:
        return Hypothesis(
            id=f"H{number}", key=f"k{number}", parent="H0", statement=f"suspicion {number}", verdict="refuted",
            support="grounded", evidence=evidence, source="rule:test",
        )  # fmt: skip

    root = Hypothesis(id="H0", key="k0", root=True, statement="incoherent output", source="rule:test")
    return Tree(
        hypotheses=(
            root,
            hypothesis(1, piece(0, "value_40 = compute(40)")),
            hypothesis(2, piece(2, "loaded 1,809 tensors")),
            hypothesis(3, piece(5, "")),
        )
    )


def planned(bench: Bench, selection: Selection | None = None, hosts: Mapping[str, str] | None = None) -> Plan:
    with Reader.open(bench.store) as reader:
        mapping = hosts if hosts is not None else {RECORDED: "bench"}
        return build_plan(reader, "s1", bench.target, selection, Hosts(mapping))


async def run(bench: Bench, plan: Plan) -> tuple[dict[int, RunStep], Ended]:
    events: list[Progress] = []
    with Reader.open(bench.store) as reader:
        recording = load(reader, "s1", PathRules(bench.target.paths))
    with Writer.open(bench.store) as writer:
        async with connect(bench.target) as executor:
            events = [event async for event in replay(plan, executor, Journal(writer), recording)]
    assert isinstance(events[0], Began)
    assert isinstance(events[-1], Ended)
    return {event.result.step: event.result for event in events if isinstance(event, Done)}, events[-1]


def worth(ended: Ended, hypothesis: str) -> str:
    return next(each.worth for each in ended.worths if each.hypothesis == hypothesis)


def standing(ended: Ended, hypothesis: str) -> str:
    return next(each.standing for each in ended.standings if each.hypothesis == hypothesis)


async def test_an_unchanged_host_says_the_same(bench: Bench) -> None:
    results, ended = await run(bench, planned(bench))
    assert [results[n].comparison for n in range(5)] == ["identical"] * 5
    assert [worth(ended, name) for name in ("H1", "H2", "H3")] == ["upheld", "upheld", "undetermined"]
    with Reader.open(bench.store) as reader:
        stored = reader.runs("s1")[0]
    assert [result.step for result in stored.steps] == list(range(12))
    assert stored.finished is not None
    assert stored.steps[0].output == remote(bench, f"sed -n 29,70p {bench.module}")
    assert stored.worths == ended.worths


async def test_what_writes_is_refused_and_never_arrives(bench: Bench) -> None:
    before = len(bench.server.received())
    plan = planned(bench)
    results, _ = await run(bench, plan)
    effects = {each.step: each.effect for each in plan.steps}
    assert {n: results[n].outcome for n in REFUSED} == dict.fromkeys(REFUSED, "refused")
    assert [effects[n] for n in REFUSED] == ["destructive", "system", "writes", "writes", "writes"]
    assert all(results[n].reasons for n in REFUSED)
    assert not bench.marker.exists()
    assert bench.module.read_text() == source_of(100)
    allowed = [each.sent for each in plan.steps if each.sent]
    inner = [line for text in bench.server.received()[before:] for line in lines_sent(text)]
    assert sorted(inner) == sorted(allowed)


def lines_sent(received: str) -> list[str]:
    """Return the command that an arrived wrapper carries, its quoting undone."""
    found = re.search(r"sh -c '(.*)'\Z", received, re.DOTALL)
    assert found is not None
    return found[1].replace("'\\''", "'").split("\n{\n")[1].split("\n}")[:1]


async def test_an_edit_inside_the_range_is_a_change(bench: Bench) -> None:
    bench.module.write_text(source_of(100).replace("compute(40)", "compute(41)"))
    results, ended = await run(bench, planned(bench, Selection(frozenset({0}))))
    assert results[0].comparison == "changed"
    assert [(t.line, t.recorded, t.new) for t in results[0].tokens] == [(12, "40", "41")]
    assert (standing(ended, "H1"), worth(ended, "H1")) == ("contradicted", "overturned")


async def test_an_edit_beside_what_is_cited_is_drift(bench: Bench) -> None:
    bench.module.write_text(source_of(100).replace("compute(50)", "compute(51)"))
    results, ended = await run(bench, planned(bench, Selection(frozenset({0}))))
    assert results[0].comparison == "changed"
    assert (standing(ended, "H1"), worth(ended, "H1")) == ("holds-with-drift", "upheld")


async def test_lines_inserted_above_move_the_block(bench: Bench) -> None:
    bench.module.write_text("# new\n" * 10 + source_of(100))
    results, ended = await run(bench, planned(bench, Selection(steps=frozenset({0, 1}))))
    assert (results[0].comparison, results[0].detail) == ("moved", "10 lines further down")
    assert results[1].comparison == "moved"
    assert (standing(ended, "H1"), worth(ended, "H1")) == ("holds", "upheld")


async def test_a_missing_file_is_a_missing_path(bench: Bench) -> None:
    bench.module.unlink()
    results, ended = await run(bench, planned(bench, Selection(frozenset({0}))))
    assert (results[0].outcome, results[0].comparison) == ("path-missing", None)
    assert str(bench.module) in results[0].detail
    assert (standing(ended, "H1"), worth(ended, "H1")) == ("not-applicable", "undetermined")


async def test_a_log_of_another_day_says_the_same(bench: Bench) -> None:
    log = bench.folder / "serve.log"
    log.write_text(log.read_text().replace("11-29 18:02:11", "12-01 07:00:00").replace("4242", "77"))
    results, ended = await run(bench, planned(bench, Selection(frozenset({2}))))
    assert results[2].comparison == "equivalent"
    assert worth(ended, "H2") == "upheld"
    log.write_text(log.read_text().replace("1,809", "1,808"))
    results, ended = await run(bench, planned(bench, Selection(frozenset({2}))))
    assert worth(ended, "H2") == "overturned"


def test_a_host_that_only_the_log_names_is_not_contacted(bench: Bench) -> None:
    steps = {each.step: each for each in planned(bench).steps}
    assert steps[10].reasons == ("host other.example.org is not mapped to a target (--map other.example.org=bench)",)
    assert "agent's own machine" in steps[11].reasons[0]
    unmapped = {each.step: each for each in planned(bench, hosts={}).steps}
    assert {unmapped[n].decision for n in range(5)} == {"refuse"}
    mapped = {each.step: each for each in planned(bench, hosts={"local": "bench"}).steps}
    assert (mapped[11].decision, mapped[11].sent) == ("run", "'uname' '-s'")
