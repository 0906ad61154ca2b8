"""Logs in German and Chinese: taken in whole, their trees say that the rules cover English only, everywhere."""

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from textual.pilot import Pilot

from sessions.hypotheses.rules.text.language import NOTE
from tui.app import NecropsyApp

DATA = Path(__file__).parents[3] / "data"
LOGS = [("claude-code/german", "Seit dem Umzug", 5), ("codex/chinese", "升级之后", 5)]
ATTENDED = pytest.mark.parametrize(("folder", "begins", "messages"), LOGS, ids=["german", "chinese"])

Run = Callable[..., CompletedProcess[str]]
Settle = Callable[[Pilot[None]], Awaitable[str]]


def words(text: str) -> str:
    return " ".join(text.replace(">", " ").split())


@ATTENDED
def test_every_view_says_that_the_rules_cover_english_only(run: Run, folder: str, begins: str, messages: int) -> None:
    assert run("ingest", DATA / folder).returncode == 0
    shown = run("show", "latest")
    assert NOTE in words(shown.stderr)
    assert begins in shown.stdout
    told = json.loads(run("report", "latest", "--format", "json").stdout)
    assert told["note"] == NOTE
    assert len(told["messages"]) == messages
    assert told["messages"][0]["text"].startswith(begins)
    assert len(told["steps"]) == 3
    assert [each["root"] for each in told["hypotheses"]] == [True]
    for form in ("md", "html"):
        assert NOTE in words(run("report", "latest", "--format", form).stdout)


@pytest.mark.parametrize("folder", [folder for folder, _, _ in LOGS])
async def test_the_app_says_it_on_the_symptoms_page(run: Run, store: Path, settle: Settle, folder: str) -> None:
    assert run("ingest", DATA / folder).returncode == 0
    (session,) = json.loads(run("list", "--json").stdout)
    async with NecropsyApp(store, session["id"]).run_test(size=(160, 40)) as pilot:
        for _ in range(20):
            if NOTE[:30] in (shown := words(await settle(pilot))):
                break
    assert NOTE[:30] in shown
