"""Consent in the app, and what came of it: outputs beside each other, evidence by targets."""

from collections.abc import Callable
from pathlib import Path

import pytest

from sessions.store.reader import Reader
from tests.tui.replaying.stage import SIZE, Server, Settle, plan, session, wait_for
from tui.app import NecropsyApp
from tui.widgets.document import Document

pytestmark = pytest.mark.sshd


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
