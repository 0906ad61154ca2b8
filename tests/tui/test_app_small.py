"""The app where there is little room, and where there are no colours."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from rich.segment import Segment
from rich.style import Style
from textual.pilot import Pilot

from tui.app import NecropsyApp
from tui.widgets.steps import StepList
from tui.widgets.tree import HypothesisTree

Settle = Callable[[Pilot[None]], Awaitable[str]]

SMALL, TINY = (80, 24), (60, 15)


@pytest.mark.parametrize("size", [SMALL, TINY])
async def test_the_list_that_is_not_in_use_shows_where_its_cursor_is(
    store: Path, settle: Settle, size: tuple[int, int]
) -> None:
    async with NecropsyApp(store, "ses_uploads").run_test(size=size) as pilot:
        shown = await settle(pilot)
        assert "One worker has an expired" in shown
        assert "3 ▲●" in shown
        assert pilot.app.screen.query_one(StepList).size.height >= 1
        await pilot.press("tab")
        shown = await settle(pilot)
        assert "3 ▲●" in shown
        assert "One worker has an expired" in shown
        assert pilot.app.screen.query_one(HypothesisTree).size.height >= 1


@pytest.mark.parametrize("key", ["e", "x", "r"])
async def test_every_field_of_a_dialog_can_be_seen_in_a_tiny_terminal(store: Path, settle: Settle, key: str) -> None:
    async with NecropsyApp(store, "ses_uploads").run_test(size=TINY) as pilot:
        await settle(pilot)
        await pilot.press(key)
        await settle(pilot)
        screen = pilot.app.screen
        fields = screen.focus_chain
        assert len(fields) >= 4
        for _ in fields:
            await pilot.press("tab")
            await settle(pilot)
            assert screen.focused is not None
            region, clip = screen._compositor.visible_widgets[screen.focused]
            assert region.area > 0
            assert clip.contains_region(region), f"{screen.focused} is cut"


async def test_the_choice_that_is_made_has_a_sign_of_its_own(store: Path, settle: Settle) -> None:
    async with NecropsyApp(store, "ses_uploads").run_test(size=SMALL) as pilot:
        await settle(pilot)
        await pilot.press("e")
        shown = await settle(pilot)
        assert "(●) ✓ confirmed" in shown
        assert "( ) ✗ refuted" in shown
        await pilot.press("right", "space")
        shown = await settle(pilot)
        assert "( ) ✓ confirmed" in shown
        assert "(●) ✗ refuted" in shown


async def test_without_colours_marks_cursor_and_quotes_are_told_by_form(
    store: Path, settle: Settle, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with NecropsyApp(store, "ses_uploads").run_test(size=(120, 40)) as pilot:
        shown = await settle(pilot)
        assert {"✓", "✗", "⊘"} <= set(shown)
        painted = [(one.text, one.style or Style()) for one in segments(pilot)]
        assert {str(style.color.name) for _, style in painted if style.color} <= {"default"}
        assert {str(style.bgcolor.name) for _, style in painted if style.bgcolor} <= {"default"}
        reverse = " ".join(text for text, style in painted if style.reverse)
        assert "One worker has an expired certificate" in reverse
        assert "certificate expired 2026-11-28" in reverse
        assert "The disk of the upload host is full" not in reverse


def segments(pilot: Pilot[None]) -> list[Segment]:
    """Return what is painted, as the terminal gets it."""
    screen = pilot.app.screen
    background = screen.background_colors[1]
    filters = pilot.app._filters
    return [
        piece
        for strip in screen._compositor.render_strips()
        for piece in strip.apply_filter(filters[0], background)
    ]  # fmt: skip
