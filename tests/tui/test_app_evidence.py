"""Getting from a verdict to the line that it rests on, in outputs of any size."""

from collections.abc import Awaitable, Callable
from pathlib import Path

from textual.pilot import Pilot
from textual.strip import Strip

from sessions.models.hypothesis import Evidence, Hypothesis, Tree
from sessions.models.session import Session, Step
from tui.app import NecropsyApp
from tui.widgets.document import Document
from tui.widgets.steps import StepList
from tui.widgets.tree import HypothesisTree

SIZE = (120, 36)
QUOTE = "worker 3: certificate expired 2026-11-28"

Settle = Callable[[Pilot[None]], Awaitable[str]]


def marked(pilot: Pilot[None]) -> str:
    """Return the text that stands on the background of quotes in the detail, as drawn."""
    detail = pilot.app.screen.query_one("#detail", Document)
    background = detail.get_component_styles("ink--quote").background.rich_color
    strips: list[Strip] = [detail.render_line(y) for y in range(detail.size.height)]
    segments = (segment for strip in strips for segment in strip)
    return "".join(s.text for s in segments if s.style is not None and s.style.bgcolor == background)


async def test_a_hypothesis_shows_its_quotes_marked_with_the_deciding_one_first(store: Path, settle: Settle) -> None:
    async with NecropsyApp(store, "ses_uploads").run_test(size=SIZE) as pilot:
        await settle(pilot)
        assert marked(pilot) == QUOTE + "worker"


async def test_enter_shows_the_deciding_step_with_its_quote_marked_and_in_sight(store: Path, settle: Settle) -> None:
    async with NecropsyApp(store, "ses_uploads").run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("enter")
        shown = await settle(pilot)
        assert "640 worker 3: certificate expired" in shown
        assert "1 worker 1: ok 1\n" not in shown
        assert marked(pilot) == QUOTE
        text = pilot.app.screen.query_one("#detail", Document).text
        assert "1000 worker 0: ok 1000" in text


async def test_a_step_says_where_it_ran_and_what_it_bears_on(store: Path, settle: Settle) -> None:
    async with NecropsyApp(store, "ses_uploads").run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("tab", "g")
        await settle(pilot)
        shown = " ".join(pilot.app.screen.query_one("#detail", Document).text.split())
        assert "ops@192.0.2.40 df -h /srv" in shown
        assert "▼ refutes ✗ H1 The disk of the upload host is full" in shown
        assert marked(pilot) == "41% /srv"


async def test_a_click_on_a_piece_of_evidence_goes_to_its_step(store: Path, settle: Settle) -> None:
    async with NecropsyApp(store, "ses_uploads").run_test(size=SIZE) as pilot:
        shown = (await settle(pilot)).splitlines()
        y = next(number for number, line in enumerate(shown) if "neutral" in line)
        await pilot.click(offset=(shown[y].index("neutral"), y))
        await settle(pilot)
        steps = pilot.app.screen.query_one(StepList)
        assert steps.has_focus
        assert steps.current == 2


async def test_a_click_on_what_a_step_bears_on_goes_to_the_hypothesis(store: Path, settle: Settle) -> None:
    async with NecropsyApp(store, "ses_uploads").run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("tab", "g")
        shown = (await settle(pilot)).splitlines()
        y = next(number for number, line in enumerate(shown) if "▼ refutes" in line)
        await pilot.click(offset=(shown[y].index("▼ refutes"), y))
        await settle(pilot)
        node = pilot.app.screen.query_one(HypothesisTree).current
        assert node is not None
        assert node.hypothesis.id == "H1"


async def test_search_jumps_to_the_step_it_finds(store: Path, settle: Settle) -> None:
    async with NecropsyApp(store, "ses_uploads").run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("slash", *"health")
        assert "step 1" in await settle(pilot)
        await pilot.press("enter", "enter")
        shown = await settle(pilot)
        assert pilot.app.screen.query_one(StepList).current == 1
        assert "exit 28" in shown
        assert marked(pilot) == "health"


async def test_search_brings_the_line_that_it_found_into_sight(store: Path, settle: Settle) -> None:
    async with NecropsyApp(store, "ses_uploads").run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("slash", *"EXPIRED 2026")
        await settle(pilot)
        await pilot.press("enter", "enter")
        assert "640 worker 3: certificate expired" in await settle(pilot)
        assert marked(pilot) == "expired2026"
        await pilot.press("k", "j")
        await settle(pilot)
        assert marked(pilot) == "expired2026"


async def test_search_jumps_to_the_message_it_finds(store: Path, settle: Settle) -> None:
    async with NecropsyApp(store, "ses_uploads").run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("slash", *"number 11")
        await settle(pilot)
        await pilot.press("enter", "enter")
        assert "▸ message 11" in await settle(pilot)


async def test_a_search_without_a_find_says_so(store: Path, settle: Settle) -> None:
    async with NecropsyApp(store, "ses_uploads").run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("slash", *"zeppelin")
        assert "0 places" in await settle(pilot)


async def test_a_quote_far_down_a_huge_output_is_in_sight(fill: Callable[..., Path], settle: Settle) -> None:
    lines = [f"tensor {number} fine" for number in range(100_000)]
    lines[77_000] = "tensor 77000 is NaN"
    lines[90_000] = "x" * 50_000 + " needle"
    steps = tuple(
        Step(
            ordinal=n, kind="shell", tool="bash", command=f"probe {n}", output="\n".join(lines) if n == 4_000 else "ok"
        )
        for n in range(5_000)
    )
    session = Session(id="big", format="codex", agent="codex", title="Big", source="/logs/big", steps=steps)
    piece = Evidence(step=4_000, stance="supports", quote="tensor 77000 is NaN", deciding=True, source="rule:a")
    long = Evidence(step=4_000, stance="supports", quote="needle", source="rule:a")
    cause = Hypothesis(
        id="H1", key="a", statement="A tensor is broken", verdict="confirmed", evidence=(piece, long), source="rule:a"
    )
    path = fill(session, tree=Tree(hypotheses=(cause,)))
    async with NecropsyApp(path, "big").run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("enter")
        shown = await settle(pilot)
        assert "77001 tensor 77000 is NaN" in shown
        assert pilot.app.screen.query_one(StepList).current == 4_000
        assert marked(pilot) == "tensor 77000 is NaN"
        await pilot.press("tab", "n")
        assert "needle" in marked(pilot)
        await pilot.press("G")
        assert "100000 tensor 99999 fine" in await settle(pilot)
