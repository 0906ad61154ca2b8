"""What a person consented to runs, exactly that and nothing more; what the policy refuses never does."""

import json
import sqlite3
from pathlib import Path

import pytest

from probes.host import local
from probes.host.script import emit
from probes.host.targets import Target
from replay import consent
from replay.engine import replay
from replay.journal import Journal
from replay.plan import Hosts, build_plan
from replay.progress import Done
from replay.recording import load
from sessions.errors import BadInput, PolicyRefusal, UsageProblem
from sessions.ingest.source import Source
from sessions.models.command import Pipe, Stage
from sessions.models.replay import Consent, Plan, RunStep, Scratch
from sessions.models.session import Session, Step, Tally
from sessions.store.reader import Reader
from sessions.store.writer import Writer


@pytest.fixture
def store(tmp_path: Path) -> Path:
    (tmp_path / "api_key.txt").write_text("not so secret\n")
    commands = [f"cat {tmp_path}/api_key.txt", "uname -s", f"touch {tmp_path}/marker", f"rm {tmp_path}/api_key.txt"]
    steps = tuple(
        Step(ordinal=n, kind="shell", tool="bash", command=text, output="not so secret\n")
        for n, text in enumerate(commands)
    )
    session = Session(id="s", format="opencode", agent="opencode", source="/s", steps=steps)
    with Writer.open(tmp_path / "store.db") as writer:
        writer.store(Source(Path("/s"), "opencode", "1"), [session], Tally(read=1))
    return tmp_path / "store.db"


@pytest.fixture
def plan(store: Path) -> Plan:
    with Reader.open(store) as reader:
        return build_plan(reader, "s", Target(name="local"), None, Hosts({"local": "local"}))


async def run(store: Path, plan: Plan) -> dict[int, RunStep]:
    with Reader.open(store) as reader:
        recording = load(reader, "s")
    with Writer.open(store) as writer:
        async with local.connect() as executor:
            events = [event async for event in replay(plan, executor, Journal(writer), recording)]
    return {event.result.step: event.result for event in events if isinstance(event, Done)}


def test_a_plan_says_what_it_would_send_for_what_it_asks_about(plan: Plan, tmp_path: Path) -> None:
    assert [step.decision for step in plan.steps] == ["ask", "run", "refuse", "refuse"]
    assert plan.steps[0].sent == f"'cat' '--' '{tmp_path}/api_key.txt'"
    assert plan.steps[2].sent is None


async def test_without_consent_it_does_not_run(store: Path, plan: Plan) -> None:
    results = await run(store, plan)
    assert results[0].outcome == "refused"
    assert "nobody consented to it" in results[0].reasons
    assert results[1].outcome == "completed"


async def test_with_consent_it_runs_and_the_journal_says_who_and_when(store: Path, plan: Plan, tmp_path: Path) -> None:
    granted = consent.grant(plan, {0}, "ops")
    results = await run(store, granted)
    assert (results[0].outcome, results[0].comparison) == ("completed", "identical")
    with sqlite3.connect(store) as connection:
        entries = connection.execute("SELECT body FROM journal WHERE kind = 'consent'").fetchall()
    (body,) = [json.loads(row[0]) for row in entries]
    assert (body["step"], body["who"]) == (0, "ops")
    assert body["when"] == granted.steps[0].consent.when if granted.steps[0].consent else False
    with Reader.open(store) as reader:
        assert reader.runs("s")[0].plan[0].consent == granted.steps[0].consent
    assert (tmp_path / "api_key.txt").exists()


@pytest.mark.parametrize("step", [1, 2, 3, 9])
def test_only_what_is_asked_about_can_be_consented_to(plan: Plan, step: int) -> None:
    with pytest.raises(UsageProblem):
        consent.grant(plan, {step}, "ops")


@pytest.mark.parametrize(
    "words", [("touch",), ("rm", "-rf"), ("cat", "--", "/etc/hostname"), ("systemctl", "stop", "x")]
)
async def test_a_forged_plan_sends_nothing(store: Path, plan: Plan, tmp_path: Path, words: tuple[str, ...]) -> None:
    pipes = (Pipe(stages=(Stage(words=(*words, str(tmp_path / "marker"))),)),)
    given = Consent(who="ops", when="2026-11-30T00:00:00Z")
    for change in ({"pipes": pipes}, {"pipes": pipes, "sent": emit(pipes)}):
        if words[0] == "cat" and "sent" in change:
            continue  # reading is what may run
        forged = plan.steps[0].model_copy(update={**change, "decision": "ask", "consent": given})
        with pytest.raises(PolicyRefusal):
            await run(store, plan.model_copy(update={"steps": (forged,)}))
    assert not (tmp_path / "marker").exists()


def test_a_consent_file_is_held_to_the_very_words(plan: Plan, tmp_path: Path) -> None:
    file = tmp_path / "consent.json"
    file.write_text(json.dumps(plan.model_dump(mode="json")))
    assert consent.matching(plan, consent.load(file)) == {0}
    file.write_text(json.dumps([{"step": 0, "sent": "'cat' '--' '/etc/shadow'"}]))
    with pytest.raises(UsageProblem, match="not be sent as it was consented"):
        consent.matching(plan, consent.load(file))


@pytest.mark.parametrize(
    "text", ["", "3", '[{"step": "0", "sent": "x"}]', '[{"step": 1}]', "[1]", '{"steps": 1}', "null"]
)
def test_what_is_no_consent_file(tmp_path: Path, text: str) -> None:
    file = tmp_path / "consent.json"
    file.write_text(text)
    with pytest.raises(BadInput):
        consent.load(file)


def with_code(plan: Plan, script: str) -> Plan:
    scratch = Scratch(folder="/var/tmp/necropsy-0123456789abcdef", script=script, stdin=True)
    step = plan.steps[0].model_copy(update={"effect": "code", "sent": "'python3' '-'", "scratch": scratch})
    return plan.model_copy(update={"steps": (step, *plan.steps[1:])})


def test_consent_to_code_is_to_that_code_only(plan: Plan) -> None:
    shown, other = with_code(plan, "print(1)"), with_code(plan, "print(2)")
    assert shown.steps[0].sent == other.steps[0].sent
    agreed = {consent.call(shown.steps[0])}
    assert consent.agree(shown, agreed, "ops").steps[0].consent is not None
    assert consent.agree(other, agreed, "ops").steps[0].consent is None
    assert shown.steps[0].kind != other.steps[0].kind


def test_consent_is_to_the_folder_too(plan: Plan) -> None:
    here, there = (plan.steps[0].model_copy(update={"cwd": folder}) for folder in ("/srv/a", "/srv/b"))
    assert consent.call(here) != consent.call(there)


def test_a_consent_file_is_held_to_the_code_that_it_showed(plan: Plan, tmp_path: Path) -> None:
    shown, other = with_code(plan, "print(1)"), with_code(plan, "print(2)")
    file = tmp_path / "consent.json"
    file.write_text(json.dumps(shown.model_dump(mode="json")))
    assert consent.matching(shown, consent.load(file)) == {0}
    with pytest.raises(UsageProblem, match="not be sent as it was consented"):
        consent.matching(other, consent.load(file))
    file.write_text(json.dumps([{"step": 0, "sent": "'python3' '-'"}]))
    with pytest.raises(UsageProblem, match="not be sent as it was consented"):
        consent.matching(shown, consent.load(file))
