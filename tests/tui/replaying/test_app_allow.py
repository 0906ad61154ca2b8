"""Recorded code and writes in the app: asked about once a person adds them, shown whole, run in a scratch folder."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from sessions.models.hypothesis import Tree
from sessions.models.session import Session
from sessions.shell.unwrap import unwrap
from sessions.store.reader import Reader
from tests.tui.replaying.stage import SIZE, Server, Settle, plan, session, wait_for
from tui.app import NecropsyApp
from tui.widgets.document import Document

pytestmark = [
    pytest.mark.sshd,
    pytest.mark.skipif(not shutil.which("bwrap"), reason="needs bubblewrap"),
]


def told() -> tuple[Session, Tree]:
    """A session that writes a script, changes it, looks at it, runs another one, and removes it."""
    recorded, tree = session(
        ("echo workers: 1 > /tmp/exp.txt", ""),
        ("sed -i s/1/3/ /tmp/exp.txt", ""),
        ("cat /tmp/exp.txt", "workers: 3\n"),
        ('python3 -c "x = [n for n in range(3)]; print(x)"', "[0, 1, 2]\n"),
        ("rm /tmp/exp.txt", ""),
    )
    steps = [step.model_copy(update={"commands": unwrap(step.command)}) for step in recorded.steps]
    return recorded.model_copy(update={"steps": tuple(steps)}), tree


def said(shown: str) -> str:
    """What the screen says, wherever its lines are broken."""
    return " ".join(shown.replace("│", " ").split())


async def test_nothing_is_asked_about_beside_what_the_policy_asks_about_until_a_person_adds_it(
    fill: Callable[..., Path], settle: Settle, target: Server
) -> None:
    recorded, tree = told()
    before = len(target.received())
    async with NecropsyApp(fill(recorded, tree=tree), "ses_r").run_test(size=SIZE) as pilot:
        shown = said(await plan(pilot, settle))
        assert "1 step would run on bench, 4 are refused. c adds code w adds writes" in shown
        await pilot.press("space")
        shown = said(await settle(pilot))
        assert "refused in this plan" in shown
        assert "w asks about writes where that can run in a scratch folder" in shown
        await pilot.press("w")
        await wait_for(pilot, settle, "2 are asked about, 2 are refused")
        assert "c adds code w drops writes" in said(await settle(pilot))
    assert len(target.received()) == before


async def test_writes_and_code_are_asked_about_once_they_are_added(
    fill: Callable[..., Path], settle: Settle, target: Server
) -> None:
    recorded, tree = told()
    store = fill(recorded, tree=tree)
    before = len(target.received())
    async with NecropsyApp(store, "ses_r").run_test(size=SIZE) as pilot:
        await plan(pilot, settle)
        await pilot.press("w")
        await wait_for(pilot, settle, "2 are asked about, 2 are refused")
        page = pilot.app.screen.query_one("#plan", Document).text
        assert "which is /tmp/exp.txt in the log" in page
        await pilot.press("c")
        await wait_for(pilot, settle, "3 are asked about, 1 is refused")
        await pilot.press("space", "down", "space", "down", "down", "space")
        await wait_for(pilot, settle, "[x] code")
        await wait_for(pilot, settle, "THE CODE THAT RUNS")
        await pilot.press("down", "space")
        assert "Step 4 cannot be consented to" in await settle(pilot)
        assert len(target.received()) == before
        await pilot.press("y")
        await wait_for(pilot, settle, "Stored.")
    with Reader.open(store) as reader:
        run = reader.runs("ses_r")[0]
    assert [(step.step, step.outcome) for step in run.steps] == [
        (0, "completed"), (1, "completed"), (2, "completed"), (3, "completed"), (4, "refused"),
    ]  # fmt: skip
    assert [step.comparison for step in run.steps[2:4]] == ["identical", "identical"]
    assert {step.step for step in run.plan if step.consent} == {0, 1, 3}


async def test_what_is_dropped_again_is_refused_and_its_consent_is_gone(
    fill: Callable[..., Path], settle: Settle, target: Server
) -> None:
    recorded, tree = told()
    async with NecropsyApp(fill(recorded, tree=tree), "ses_r").run_test(size=SIZE) as pilot:
        await plan(pilot, settle)
        await pilot.press("w")
        await wait_for(pilot, settle, "2 are asked about")
        await pilot.press("space")
        assert "[x] writes" in await settle(pilot)
        await pilot.press("w")
        await wait_for(pilot, settle, "4 are refused")
        await pilot.press("w")
        await wait_for(pilot, settle, "2 are asked about")
        assert "[x]" not in await settle(pilot)
