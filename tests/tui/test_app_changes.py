"""What a person changes in the app is in the store afterwards."""

import json
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, Select

from sessions.models.hypothesis import Hypothesis
from sessions.store.reader import Reader
from tui.app import NecropsyApp

SIZE = (120, 40)

Settle = Callable[[Pilot[None]], Awaitable[str]]


def hypotheses(store: Path) -> dict[str, Hypothesis]:
    with Reader.open(store) as reader:
        return {one.id: one for one in reader.tree("ses_uploads").hypotheses}


async def test_an_edited_verdict_is_stored_under_the_persons_name_and_survives_reopening(
    store: Path, settle: Settle, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOGNAME", "ada")
    async with NecropsyApp(store, "ses_uploads").run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("e", "right", "enter", "ctrl+s")
        assert "refuted, a dead end" in await settle(pilot)
    assert hypotheses(store)["H3"].verdict == "refuted"
    assert hypotheses(store)["H3"].source == "person:ada"
    async with NecropsyApp(store, "ses_uploads").run_test(size=SIZE) as pilot:
        await settle(pilot)
        assert "✗ One worker has an expired certificate" in await settle(pilot)


async def test_statement_parent_and_a_quote_can_be_set(store: Path, settle: Settle) -> None:
    async with NecropsyApp(store, "ses_uploads").run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("G", "e")
        await settle(pilot)
        pilot.app.screen.query_one("#statement", Input).value = "The renewal job is switched off"
        pilot.app.screen.query_one("#quote", Input).value = "worker1"
        pilot.app.screen.query_one("#step", Input).value = "2"
        pilot.app.screen.query_one("#parent", Select).value = "H0"
        await pilot.click("#yes")
        assert "The renewal job is switched off" in await settle(pilot)
    one = hypotheses(store)["H4"]
    assert (one.statement, one.parent) == ("The renewal job is switched off", "H0")
    assert [(piece.step, piece.quote, piece.deciding) for piece in one.evidence] == [(2, "worker1", True)]


async def test_nothing_is_stored_when_nothing_was_changed_or_it_was_cancelled(store: Path, settle: Settle) -> None:
    async with NecropsyApp(store, "ses_uploads").run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("e", "ctrl+s")
        await settle(pilot)
        await pilot.press("e", "right", "enter", "escape")
        await settle(pilot)
    with Reader.open(store) as reader:
        assert reader.edits("ses_uploads") == ()


async def test_a_hypothesis_can_be_added_under_another(store: Path, settle: Settle) -> None:
    async with NecropsyApp(store, "ses_uploads").run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("E", "enter")
        await settle(pilot)
        pilot.app.screen.query_one("#statement", Input).value = "Somebody else's idea"
        await pilot.press("ctrl+s")
        assert "Somebody else's idea" in await settle(pilot)
    added = next(one for one in hypotheses(store).values() if one.statement == "Somebody else's idea")
    assert added.parent == "H3"


async def test_one_can_be_merged_into_another(store: Path, settle: Settle) -> None:
    async with NecropsyApp(store, "ses_uploads").run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("g", "j", "E", "j", "enter")
        await settle(pilot)
        await pilot.press("j", "enter")
        await settle(pilot)
    assert "H1" not in hypotheses(store)
    assert [piece.step for piece in hypotheses(store)["H3"].evidence] == [2, 3, 0]


async def test_one_can_be_removed(store: Path, settle: Settle) -> None:
    async with NecropsyApp(store, "ses_uploads").run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("E", "j", "j", "enter")
        shown = await settle(pilot)
        assert "One worker has an expired certificate" not in shown
    assert "H3" not in hypotheses(store)
    assert hypotheses(store)["H4"].parent == "H0"


async def test_a_step_can_be_made_evidence_and_be_taken_away(store: Path, settle: Settle) -> None:
    async with NecropsyApp(store, "ses_uploads").run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("tab", "g", "j", "E")
        assert "Step 1 supports it" in await settle(pilot)
        await pilot.press("j", "j", "j", "j", "enter")
        await settle(pilot)
        stances = {piece.step: piece.stance for piece in hypotheses(store)["H3"].evidence}
        assert stances == {2: "neutral", 3: "supports", 1: "refutes"}
        await pilot.press("E", "G", "enter")
        await settle(pilot)
    assert [piece.step for piece in hypotheses(store)["H3"].evidence] == [2, 3]


async def test_a_candidate_can_be_taken_into_the_tree(store: Path, settle: Settle) -> None:
    async with NecropsyApp(store, "ses_uploads").run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("c", "G", "E", "j")
        assert "Take this candidate into the tree" in await settle(pilot)
        await pilot.press("enter")
        await settle(pilot)
    assert "The clock is off" in {one.statement for one in hypotheses(store).values()}


@pytest.mark.parametrize("form", [(0, "md", "# "), (1, "html", "<!"), (2, "json", "{")], ids=lambda form: form[1])
async def test_export_writes_the_report_in_the_chosen_form(
    store: Path, settle: Settle, tmp_path: Path, form: tuple[int, str, str]
) -> None:
    turns, suffix, begin = form
    async with NecropsyApp(store, "ses_uploads").run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("x")
        await settle(pilot)
        pilot.app.screen.query_one(Input).value = str(tmp_path / "uploads.md")
        if turns:
            await pilot.press(*["right"] * turns, "enter")
        await pilot.click("#yes")
        await settle(pilot)
    text = (tmp_path / f"uploads.{suffix}").read_text("utf-8")
    assert text.lstrip().startswith(begin)
    assert "One worker has an expired certificate" in text
    if suffix == "json":
        assert json.loads(text)["session"]["id"] == "ses_uploads"


async def test_a_text_longer_than_its_field_is_seen(store: Path, settle: Settle) -> None:
    async with NecropsyApp(store, "ses_uploads").run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("x")
        await settle(pilot)
        pilot.app.screen.query_one(Input).value = "/begins/" + "long" * 30
        assert "/begins/long" in await settle(pilot)


async def test_a_path_that_cannot_be_written_is_said(store: Path, settle: Settle, tmp_path: Path) -> None:
    async with NecropsyApp(store, "ses_uploads").run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("x")
        await settle(pilot)
        pilot.app.screen.query_one(Input).value = str(tmp_path / "no" / "such" / "folder.md")
        await pilot.click("#yes")
        await settle(pilot)
        assert [note.title for note in pilot.app._notifications] == ["Not written"]
        assert pilot.app.is_running


async def test_a_file_that_is_there_is_replaced_only_when_asked_twice(
    store: Path, settle: Settle, tmp_path: Path
) -> None:
    path = tmp_path / "there.md"
    path.write_text("mine")
    async with NecropsyApp(store, "ses_uploads").run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("x")
        await settle(pilot)
        pilot.app.screen.query_one(Input).value = str(path)
        await pilot.click("#yes")
        assert "is there already" in await settle(pilot)
        assert path.read_text() == "mine"
        pilot.app.screen.query_one(Input).focus()
        await pilot.press("enter")
        await settle(pilot)
    assert "One worker has an expired certificate" in path.read_text()
