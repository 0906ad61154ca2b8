"""Running evidence again from the app, against a real sshd on loopback."""

import os
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Protocol

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from sessions.models.hypothesis import Evidence, Hypothesis, Tree
from sessions.models.session import Session, Step
from sessions.store.reader import Reader
from tui.app import NecropsyApp
from tui.widgets.document import Document

pytestmark = pytest.mark.sshd
SIZE = (130, 44)

Settle = Callable[[Pilot[None]], Awaitable[str]]


class Server(Protocol):
    """What is asked of the fixture `sshd`."""

    port: int

    @property
    def user(self) -> str: ...
    @property
    def identity(self) -> Path: ...
    @property
    def known_hosts(self) -> Path: ...
    def received(self) -> list[str]: ...


@pytest.fixture
def target(sshd: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Server:
    """The sshd as the target ``bench`` of a targets file."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    path = tmp_path / "config" / "necropsy" / "targets.toml"
    path.parent.mkdir(parents=True)
    path.write_text(
        "".join(
            f'[targets.{name}]\nhost = "127.0.0.1"\nport = {sshd.port}\nuser = "{sshd.user}"\nssh_config = false\n'
            f'identity = "{sshd.identity}"\nknown_hosts = "{sshd.known_hosts}"\n'
            for name in ("bench", "bench2", "bench3")
        )
    )
    return sshd


def session(*commands: tuple[str, str]) -> tuple[Session, Tree]:
    """Return a session that ran these commands on 192.0.2.174 with these outputs, all evidence for one cause."""
    steps = tuple(
        Step(
            ordinal=n, kind="shell", tool="bash", command=f"ssh ops@192.0.2.174 '{command}'", output=output, exit_code=0
        )
        for n, (command, output) in enumerate(commands)
    )
    evidence = tuple(
        Evidence(step=step.ordinal, stance="supports", quote=step.output.split("\n")[0], deciding=True, source="rule:a")
        for step in steps
    )
    cause = Hypothesis(
        id="H1",
        key="a",
        statement="The worker's settings are stale",
        verdict="confirmed",
        evidence=evidence,
        source="rule:a",
    )
    told = Session(id="ses_r", format="codex", agent="codex", title="Stale", source="/logs/r", steps=steps)
    return told, Tree(hypotheses=(cause,))


async def plan(pilot: Pilot[None], settle: Settle, on: str = "bench") -> str:
    await settle(pilot)
    await pilot.press("r")
    await settle(pilot)
    pilot.app.screen.query_one("#target", Input).value = on
    await pilot.press("enter")
    return await settle(pilot)


async def wait_for(pilot: Pilot[None], settle: Settle, text: str) -> str:
    for _ in range(100):
        shown = await settle(pilot)
        if text in shown:
            return shown
        await pilot.pause(0.1)
    pytest.fail(f"{text!r} never appeared:\n{shown}")


async def test_a_plan_is_shown_and_runs_only_after_consent(
    fill: Callable[..., Path], settle: Settle, target: Server, tmp_path: Path
) -> None:
    settings = tmp_path / "settings"
    settings.write_text("workers = 3\n")
    told, tree = session((f"cat {settings}", "workers = 3\n"), (f"rm {settings}", ""))
    store = fill(told, tree=tree)
    before = len(target.received())
    async with NecropsyApp(store, "ses_r").run_test(size=SIZE) as pilot:
        shown = await plan(pilot, settle)
        assert "1 step would run on bench, 1 is refused" in shown
        shown = await wait_for(pilot, settle, f"sends to bench, as {target.user}:")
        assert "'cat' '--'" in shown
        assert len(target.received()) == before
        await pilot.press("y")
        shown = await wait_for(pilot, settle, "Stored.")
        assert "identical" in shown
        await wait_for(pilot, settle, "the verdict is undetermined")
        await pilot.press("escape")
        await settle(pilot)
        page = pilot.app.screen.query_one("#detail", Document).text
        assert "on bench: identical → holds" in page
    assert settings.exists()
    assert not any("rm " in command for command in target.received()[before:])
    with Reader.open(store) as reader:
        run = reader.runs("ses_r")[0]
    assert [(step.step, step.outcome) for step in run.steps] == [(0, "completed"), (1, "refused")]


async def test_a_changed_output_contradicts_and_is_shown_beside_the_recorded_one(
    fill: Callable[..., Path], settle: Settle, target: Server, tmp_path: Path
) -> None:
    settings = tmp_path / "settings"
    settings.write_text("mode = fresh\n")
    told, tree = session((f"cat {settings}", "mode = stale\n"))
    async with NecropsyApp(fill(told, tree=tree), "ses_r").run_test(size=SIZE) as pilot:
        await plan(pilot, settle)
        await pilot.press("y")
        await wait_for(pilot, settle, "Stored.")
        await wait_for(pilot, settle, "the verdict is overturned")
        await pilot.press("escape", "enter")
        await settle(pilot)
        page = pilot.app.screen.query_one("#detail", Document).text
        assert "on bench: changed → contradicted" in page
        assert "OUTPUT ON BENCH" in page
        assert "1 mode = fresh" in page


async def test_escape_ends_what_hangs_on_the_target(
    fill: Callable[..., Path], settle: Settle, target: Server, tmp_path: Path
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    told, tree = session((f"cat {pipe}", "never\n"))
    store = fill(told, tree=tree)
    async with NecropsyApp(store, "ses_r").run_test(size=SIZE) as pilot:
        await plan(pilot, settle)
        await pilot.press("y")
        await wait_for(pilot, settle, "running …")
        writing = os.open(pipe, os.O_WRONLY)  # returns once cat has opened its end
        os.write(writing, b"first line\nsecond li")
        assert "second li" not in await wait_for(pilot, settle, "first line")
        await pilot.press("escape")
        await wait_for(pilot, settle, "Ended before its time")
    with Reader.open(store) as reader:
        assert [step.outcome for step in reader.runs("ses_r")[0].steps] == ["killed"]
    with pytest.raises(BrokenPipeError):  # nobody reads it any more
        os.write(writing, b"x")
    os.close(writing)
    assert processes_with(str(pipe)) == []


async def test_an_unknown_host_is_one_message_and_nothing_is_stored(
    fill: Callable[..., Path], settle: Settle, target: Server, tmp_path: Path
) -> None:
    told, tree = session(("cat /etc/hostname", "x\n"))
    store = fill(told, tree=tree)
    (tmp_path / "config" / "necropsy" / "targets.toml").write_text(
        '[targets.bench]\nhost = "127.0.0.1"\nport = 1\nssh_config = false\n'
    )
    async with NecropsyApp(store, "ses_r").run_test(size=SIZE) as pilot:
        await plan(pilot, settle)
        await pilot.press("y")
        assert "Host:" in await wait_for(pilot, settle, "Host:")
    with Reader.open(store) as reader:
        assert reader.runs("ses_r") == ()


async def test_without_a_target_nothing_is_planned(fill: Callable[..., Path], settle: Settle) -> None:
    told, tree = session(("cat /etc/hostname", "x\n"))
    async with NecropsyApp(fill(told, tree=tree), "ses_r").run_test(size=SIZE) as pilot:
        assert "Name the host on which to run" in await plan(pilot, settle, on="")


def processes_with(word: str) -> list[str]:
    """Return the command lines of this machine that hold a word; the sshd of the tests runs what it gets here."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            found.append(path.read_bytes().replace(b"\0", b" ").decode(errors="replace"))
    return [line for line in found if word in line]


async def test_what_is_asked_about_runs_only_with_consent_to_that_step(
    fill: Callable[..., Path], settle: Settle, target: Server, tmp_path: Path
) -> None:
    (tmp_path / "api_key.txt").write_text("one\n")
    told, tree = session(
        (f"cat {tmp_path}/api_key.txt", "one\n"), (f"rm {tmp_path}/api_key.txt", ""), ("printenv HOME", "/root\n")
    )
    store = fill(told, tree=tree)
    before = len(target.received())
    async with NecropsyApp(store, "ses_r").run_test(size=SIZE) as pilot:
        shown = await plan(pilot, settle)
        assert "0 steps would run on bench, 2 are asked about, 1 is refused" in shown
        assert "[ ] read-secret" in shown
        assert "may hold a secret" in shown
        await pilot.press("y")
        assert "Nothing in this plan may run" in await settle(pilot)
        await pilot.press("down", "space")
        assert "Step 1 cannot be consented to" in await settle(pilot)
        await pilot.press("up", "space")
        shown = await settle(pilot)
        assert "[x] read-secret" in shown
        assert "you consent" in shown
        await pilot.press("y")
        shown = await wait_for(pilot, settle, "Stored.")
    with Reader.open(store) as reader:
        run = reader.runs("ses_r")[0]
        planned = {step.step: step for step in run.plan}
    assert [(step.step, step.outcome) for step in run.steps] == [(0, "completed"), (1, "refused"), (2, "refused")]
    consent = planned[0].consent
    assert consent is not None
    assert consent.who == target.user
    assert planned[2].consent is None
    sent = target.received()[before:]
    assert any("api_key.txt" in line for line in sent)
    assert not any("printenv" in line or "'rm'" in line for line in sent)


async def test_consent_can_be_taken_back(
    fill: Callable[..., Path], settle: Settle, target: Server, tmp_path: Path
) -> None:
    told, tree = session(("printenv HOME", "/root\n"), ("printenv SHELL", "sh\n"))
    before = len(target.received())
    async with NecropsyApp(fill(told, tree=tree), "ses_r").run_test(size=SIZE) as pilot:
        await plan(pilot, settle)
        await pilot.press("a")
        assert (await settle(pilot)).count("[x] read-secret") == 2
        await pilot.press("space", "down", "space")
        assert "[x]" not in await settle(pilot)
        await pilot.press("y")
        assert "Nothing in this plan may run" in await settle(pilot)
    assert len(target.received()) == before


async def test_the_texts_stand_beside_each_other_with_the_tokens_that_differ(
    fill: Callable[..., Path], settle: Settle, target: Server, tmp_path: Path
) -> None:
    log = tmp_path / "report"
    log.write_text("rank 0 ready\nmax diff 0.5\nlast line\n")
    told, tree = session((f"cat {log}", "rank 0 ready\nmax diff 0.01\n"))
    async with NecropsyApp(fill(told, tree=tree), "ses_r").run_test(size=SIZE) as pilot:
        await plan(pilot, settle)
        await pilot.press("y")
        await wait_for(pilot, settle, "Stored.")
        await wait_for(pilot, settle, "holds-with-drift")
        await pilot.press("up")
        await settle(pilot)
        page = pilot.app.screen.query_one("#plan", Document).text
    assert "RECORDED  |  ON BENCH" in page
    rows = [" ".join(line.split()) for line in page.splitlines()]
    assert "1 rank 0 ready │ 1 rank 0 ready" in rows
    assert "2 max diff 0.01 ≠ 2 max diff 0.5" in rows
    assert "> 3 last line" in rows
    assert any(row.startswith("line 2") and "0.01 → 0.5" in row for row in rows)


async def test_several_targets_come_out_as_evidence_by_targets(
    fill: Callable[..., Path], settle: Settle, target: Server, tmp_path: Path
) -> None:
    settings = tmp_path / "settings"
    settings.write_text("mode = fresh\n")
    told, tree = session((f"cat {settings}", "mode = stale\n"))
    targets = tmp_path / "config" / "necropsy" / "targets.toml"
    text = targets.read_text()
    cut = text.index("[targets.bench3]")
    targets.write_text(text[:cut] + text[cut:].replace(f"port = {target.port}", "port = 1"))
    store = fill(told, tree=tree)
    async with NecropsyApp(store, "ses_r").run_test(size=SIZE) as pilot:
        assert "3 steps would run on 3 targets" in await plan(pilot, settle, on="bench bench[2-3]")
        await pilot.press("y")
        shown = await wait_for(pilot, settle, "Stored.")
        assert "changed 2 of 3" in shown
        assert "bench and 1 more" in shown
        assert "contradicted (changed)" in shown
        assert "undetermined (unreachable)" in shown
        await pilot.press("escape")
        await settle(pilot)
        await pilot.press("h")
        shown = await settle(pilot)
        assert "contradicted (changed)" in shown
        assert "bench3" in shown
    with Reader.open(store) as reader:
        assert {run.target for run in reader.runs("ses_r")} == {"bench", "bench2", "bench3"}
