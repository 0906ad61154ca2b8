"""A log full of escape sequences and markup is text in the app, and nothing but text."""

import unicodedata
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot

from sessions.models.hypothesis import Evidence, Hypothesis, Tree, Turn
from sessions.models.session import Message, Session, Step
from tui.app import NecropsyApp
from tui.widgets.document import Document
from tui.widgets.ink import ink, inline

SIZE = (140, 40)

Settle = Callable[[Pilot[None]], Awaitable[str]]

ATTACKS = {
    "clipboard": "before \x1b]52;c;c2VjcmV0\x07 after",
    "clear": "before \x1b[2J\x1b[H after",
    "title": "before \x1b]0;owned\x1b\\ after",
    "unfinished": "before \x1b]8;;https://evil.example.org\nafter",
    "eight bits": "before \x9d52;c;c2VjcmV0\x9c after",
    "bidi": "before \u202egnp.exe\u202c after",
    "nul and bell": "before \x00\x07\x08 after",
    "markup": "before [/] [@click=app.quit]press[/] [link=https://evil.example.org]x[/link] after",
    "half markup": "before [bold [red] ]] [[ \\[ after",
    "tabs": "before\tand\tafter",
}


def hostile(text: str) -> tuple[Session, Tree]:
    """Return a session that says `text` wherever a log can say something."""
    step = Step(
        ordinal=0, message=0, kind="shell", tool=text, command=text, output=f"{text}\n" * 3, cwd=text, child=text
    )
    session = Session(
        id="evil",
        format="codex",
        agent=text,
        title=text,
        model=text,
        cwd=text,
        started="2026-11-29T18:00:00.000Z",
        source="/logs/evil",
        messages=(Message(ordinal=0, role="agent", text=text),),
        steps=(step,),
    )
    quote = text.split("\n", 1)[0]
    root = Hypothesis(id="H0", key="r", root=True, statement=text, source=text)
    cause = Hypothesis(
        id="H1",
        key="a",
        parent="H0",
        statement=text,
        verdict="confirmed",
        stated_in=0,
        source=text,
        history=(Turn(message=0, verdict="confirmed", quote=text, source=text),),
        evidence=(Evidence(step=0, stance="supports", quote=quote, deciding=True, source=text),),
    )
    return session, Tree(hypotheses=(root, cause), candidates=(cause.model_copy(update={"id": "C1", "key": "c"}),))


def forbidden(text: str) -> set[str]:
    """Return what may never be on a screen: controls, and characters that are not seen or turn the line around."""
    return {hex(ord(c)) for c in text if unicodedata.category(c) in {"Cc", "Cf", "Co", "Cs"} and c != "\n"}


@pytest.mark.parametrize("name", ATTACKS)
def test_ink_leaves_nothing_of_an_attack_but_text(name: str) -> None:
    for content in (ink(ATTACKS[name]), inline(ATTACKS[name], "strong")):
        assert forbidden(content.plain) == set()
        assert content.plain.startswith("before")
        assert content.plain.endswith("after")


@pytest.mark.parametrize("order", [1, -1])
async def test_every_screen_shows_attacks_as_text(fill: Callable[..., Path], settle: Settle, order: int) -> None:
    session, tree = hostile(" ".join(list(ATTACKS.values())[::order]))
    path = fill(session, tree=tree)
    app = NecropsyApp(path)
    async with app.run_test(size=SIZE) as pilot:
        seen = [await settle(pilot)]
        for keys in (
            "enter",
            "c",
            "tab",
            "tab",
            "m",
            "escape",
            "slash",
            "escape",
            "escape",
            "e",
            "escape",
            "E",
            "escape",
        ):
            await pilot.press(keys)
            seen.append(await settle(pilot))
        await pilot.press("slash", *"before")
        seen.append(await settle(pilot))
        await pilot.press("escape", "r")
        seen.append(await settle(pilot))
        for keys in ("escape", "v", "G", "s", "escape", "p", "escape", "enter", "escape", "q"):
            await pilot.press(keys)
            seen.append(await settle(pilot))
        assert all("before" in shown for shown in seen[:5])
        assert set.union(*(forbidden(shown) for shown in seen)) == set()
        assert app.is_running


async def test_markup_is_shown_as_it_stands_and_a_click_on_it_does_nothing(
    fill: Callable[..., Path], settle: Settle
) -> None:
    session, tree = hostile(ATTACKS["markup"])
    app = NecropsyApp(fill(session, tree=tree), "evil")
    async with app.run_test(size=(200, 40)) as pilot:
        shown = (await settle(pilot)).splitlines()
        y = next(number for number, line in enumerate(shown) if "[@click=app.quit]press[/]" in line)
        await pilot.click(offset=(shown[y].index("press"), y))
        await settle(pilot)
        assert app.is_running


async def test_the_quote_of_a_hostile_output_is_found_all_the_same(fill: Callable[..., Path], settle: Settle) -> None:
    session, tree = hostile(ATTACKS["tabs"])
    async with NecropsyApp(fill(session, tree=tree), "evil").run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("enter")
        await settle(pilot)
        blocks = pilot.app.screen.query_one("#detail", Document)._blocks
        assert any(block.marked(80) for block in blocks)


async def test_a_store_path_with_markup_is_shown_as_it_stands(tmp_path: Path, settle: Settle) -> None:
    async with NecropsyApp(tmp_path / "[red]x[/] [@click=app.quit]y").run_test(size=SIZE) as pilot:
        assert "[red]x[/]" in (await settle(pilot)).replace("\n", "")
