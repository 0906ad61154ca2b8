"""Opening the app and finding the way in it."""

import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

from textual.pilot import Pilot

from sessions.models.hypothesis import Hypothesis, Support, Tree, Verdict
from sessions.models.session import Session
from tui.app import NecropsyApp
from tui.widgets.document import Document
from tui.widgets.sessions import SessionList
from tui.widgets.steps import StepList
from tui.widgets.tree import HypothesisTree

SIZE = (120, 36)

Settle = Callable[[Pilot[None]], Awaitable[str]]


async def test_it_opens_on_the_list_with_what_became_of_each_session(store: Path, settle: Settle) -> None:
    async with NecropsyApp(store).run_test(size=SIZE) as pilot:
        shown = await settle(pilot)
        row = next(line for line in shown.splitlines() if "Uploads time out" in line)
        assert row.split()[-4:] == ["4", "4", "1", "2"]
        assert "1 session · 1 cause · 2 dead ends" in shown


async def test_sessions_stand_newest_first_and_one_without_a_time_last(
    fill: Callable[..., Path], settle: Settle
) -> None:
    def session(name: str, started: str | None) -> Session:
        return Session(id=name, format="codex", agent="codex", title=name, started=started, source=f"/logs/{name}")

    path = fill(
        session("old", "2026-01-01T00:00:00.000Z"), session("none", None), session("new", "2026-05-01T00:00:00.000Z")
    )
    async with NecropsyApp(path).run_test(size=SIZE) as pilot:
        await settle(pilot)
        rows = pilot.app.screen.query_one(SessionList)
        assert [rows.draw(index, 0, 120).plain.split()[-5] for index in range(3)] == ["new", "old", "none"]


async def test_the_filter_keeps_sessions_that_have_all_words(fill: Callable[..., Path], settle: Settle) -> None:
    titles = ("Broken uploads", "Broken downloads", "Slow uploads")
    path = fill(*(Session(id=t, format="x", agent="codex", title=t, source=f"/logs/{t}") for t in titles))
    async with NecropsyApp(path).run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("slash", *"uploads bro", "enter")
        shown = await settle(pilot)
        assert "Broken uploads" in shown
        assert "downloads" not in shown
        assert "Slow" not in shown
        await pilot.press("escape")
        assert pilot.app.screen.query_one(SessionList).count == 3


async def test_enter_opens_a_session_and_escape_returns(store: Path, settle: Settle) -> None:
    async with NecropsyApp(store).run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("enter")
        shown = await settle(pilot)
        assert "Every third upload fails with a timeout" in shown
        await pilot.press("escape")
        assert pilot.app.screen.query(SessionList)


async def test_a_session_opens_on_its_cause_with_the_line_that_decided(store: Path, settle: Settle) -> None:
    async with NecropsyApp(store, "ses_uploads").run_test(size=SIZE) as pilot:
        shown = await settle(pilot)
        node = pilot.app.screen.query_one(HypothesisTree).current
        assert node is not None
        assert node.hypothesis.id == "H3"
        assert "✓  confirmed, a cause" in shown
        assert "640 worker 3: certificate expired 2026-11-28" in shown


async def test_the_tree_shows_marks_support_and_the_cost_of_dead_ends(store: Path, settle: Settle) -> None:
    async with NecropsyApp(store, "ses_uploads").run_test(size=(80, 24)) as pilot:
        lines = (await settle(pilot)).splitlines()
        assert any("├─ ✗ The disk of the upload host is full  2 steps · 1m35s" in line for line in lines)
        assert any("├─ ⊘ The proxy drops idle connections  1 step" in line for line in lines)
        assert any("└─ ✓ One worker has an expired certificate" in line for line in lines)
        assert any("   └─ ? The renewal job never ran" in line for line in lines)


async def test_what_only_the_agents_words_carry_is_marked(fill: Callable[..., Path], settle: Settle) -> None:
    cases: tuple[tuple[Verdict, Support, str], ...] = (
        ("refuted", "claimed", "✗ H1  claimed"),
        ("confirmed", "claimed", "✓ H2  claimed"),
        ("confirmed", "contradicted", "✓ H3  contradicted"),
        ("confirmed", "grounded", "✓ H4"),
    )
    tree = Tree(
        hypotheses=tuple(
            Hypothesis(id=f"H{n}", key=str(n), statement=f"H{n}", verdict=verdict, support=support, source="rule:a")
            for n, (verdict, support, _) in enumerate(cases, 1)
        )
    )
    path = fill(Session(id="one", format="codex", agent="codex", source="/logs/one"), tree=tree)
    async with NecropsyApp(path, "one").run_test(size=(80, 24)) as pilot:
        shown = [line.strip() for line in (await settle(pilot)).splitlines()[2:6]]
        assert shown == [line for _, _, line in cases]


async def test_moving_in_the_tree_shows_each_hypothesis(store: Path, settle: Settle) -> None:
    async with NecropsyApp(store, "ses_uploads").run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("g", "j")
        shown = await settle(pilot)
        assert "refuted, a dead end" in shown
        assert "stated in  message 2" in shown
        assert pilot.app.screen.query_one(StepList).current == 0


async def test_only_the_evidence_can_be_shown(store: Path, settle: Settle) -> None:
    async with NecropsyApp(store, "ses_uploads").run_test(size=SIZE) as pilot:
        await settle(pilot)
        steps = pilot.app.screen.query_one(StepList)
        await pilot.press("f")
        assert [steps.draw(index, 0, 60).plain.split()[0] for index in range(steps.count)] == ["2", "3"]
        await pilot.press("f")
        assert steps.count == 4


async def test_candidates_are_hidden_until_asked_for(store: Path, settle: Settle) -> None:
    async with NecropsyApp(store, "ses_uploads").run_test(size=SIZE) as pilot:
        assert "The clock is off" not in await settle(pilot)
        await pilot.press("c")
        assert "The clock is off" in await settle(pilot)
        await pilot.press("c")
        assert "The clock is off" not in await settle(pilot)


async def test_clicks_choose_nodes_steps_and_sessions(store: Path, settle: Settle) -> None:
    async with NecropsyApp(store).run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.click(SessionList, offset=(40, 0))
        await settle(pilot)
        await pilot.click(HypothesisTree, offset=(12, 2))  # the border is line 0, the root line 1
        assert "The disk of the upload host is full" in (await settle(pilot)).split("H1", 1)[1]
        await pilot.click(StepList, offset=(20, 2))
        assert "exit 28" in (await settle(pilot)).split("step 1 ", 1)[1]


async def test_messages_around_a_hypothesis(store: Path, settle: Settle) -> None:
    async with NecropsyApp(store, "ses_uploads").run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("m")
        shown = await settle(pilot)
        assert "▸ message 9" in shown
        assert "Message number 9 about uploads" in shown
        await pilot.press("left_square_bracket")
        assert "▸ message 0  user" in await settle(pilot)


async def test_a_small_terminal_shows_tree_or_steps_and_the_detail(store: Path, settle: Settle) -> None:
    async with NecropsyApp(store, "ses_uploads").run_test(size=(80, 24)) as pilot:
        shown = await settle(pilot)
        assert "Every third upload" in shown
        assert "confirmed, a cause" in shown
        assert "q Back" in shown
        await pilot.press("tab")
        shown = await settle(pilot)
        assert "curl -sS" in shown
        assert "certificate expired" in shown
        assert "Every third upload" not in shown


async def test_without_a_store_the_screen_says_what_to_do(tmp_path: Path, settle: Settle) -> None:
    async with NecropsyApp(tmp_path / "none.db").run_test(size=SIZE) as pilot:
        shown = await settle(pilot)
        assert "There are no sessions yet." in shown
        assert "necropsy ingest" in shown


async def test_an_empty_store_says_what_to_do(fill: Callable[..., Path], settle: Settle) -> None:
    async with NecropsyApp(fill()).run_test(size=SIZE) as pilot:
        assert "There are no sessions yet." in await settle(pilot)


async def test_a_file_that_is_no_store_is_one_clear_message(tmp_path: Path, settle: Settle) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("not a database at all\n" * 20)
    async with NecropsyApp(path).run_test(size=SIZE) as pilot:
        shown = await settle(pilot)
        assert "is not a database" in shown
        assert "this one was not changed" in shown
    assert path.read_text().startswith("not a database")


async def test_a_session_that_is_gone_is_said_in_one_notification(store: Path, settle: Settle) -> None:
    async with NecropsyApp(store, "ses_gone").run_test(size=SIZE) as pilot:
        await settle(pilot)
        assert [note.message.split("\n")[0] for note in pilot.app._notifications] == [
            "the store has no session ses_gone"
        ]


async def test_help_lists_the_keys(store: Path, settle: Settle) -> None:
    async with NecropsyApp(store).run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("question_mark")
        await settle(pilot)
        text = pilot.app.screen.query_one(Document).text
        assert "run its evidence again on a host" in text
        await pilot.press("escape")
        assert pilot.app.screen.query(SessionList)


async def test_both_looks_can_be_had(store: Path, settle: Settle) -> None:
    app = NecropsyApp(store, "ses_uploads")
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        assert app.theme == "necropsy-dark"
        await pilot.press("ctrl+t")
        assert app.theme == "necropsy-light"
        for theme in ("textual-dark", "textual-light", "nord"):
            app.theme = theme
            assert "certificate" in await settle(pilot)


async def test_control_c_ends_the_app(store: Path) -> None:
    app = NecropsyApp(store)
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("ctrl+c")
    assert app.return_code == 0


def test_the_first_screen_waits_for_nothing_that_only_later_work_needs() -> None:
    late = ["asyncssh", "sqlite_utils", "jinja2", "tree_sitter", "re2", "replay", "probes", "sessions.store.writer"]
    program = f"import sys, tui.app; print([name for name in {late} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"
