"""A person settles a session in the app, keys only, and the store has what they decided."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from sessions.models.hypothesis import Evidence, Hypothesis, Tree, Turn, Verdict
from sessions.models.session import Message, Session, Step
from sessions.store.reader import Reader
from sessions.store.writer import Writer
from tui.app import NecropsyApp
from tui.widgets.document import Document
from tui.widgets.queue import Queue

SIZE = (140, 40)
NODES, CANDIDATES = 30, 6

Fill = Callable[..., Path]
Settle = Callable[[Pilot[None]], Awaitable[str]]


def long_session() -> Session:
    texts = ["Every third upload fails with a timeout."]
    texts += [f"Maybe part {n} of the upload path is broken or part {n} is slow." for n in range(1, 60)]
    return Session(
        id="ses_long",
        format="opencode",
        agent="opencode",
        title="Uploads time out",
        started="2026-11-29T18:00:00.000Z",
        source="/logs/long.json",
        messages=tuple(
            Message(ordinal=n, role="agent" if n else "user", text=text) for n, text in enumerate(texts)
        ),
        steps=tuple(
            Step(
                ordinal=n, message=n, kind="shell", tool="bash",
                command=f"check --part {n}", output=f"part {n}: answered in {n} ms\n",
            )
            for n in range(60)
        ),
    )  # fmt: skip


def suspicion(number: int, verdict: Verdict, *, cited: bool = True) -> Hypothesis:
    quote = f"part {number}: answered in {number} ms"
    pieces = (
        [Evidence(step=number, stance="refutes", quote=quote, deciding=True, source="rule:agrees")] if cited else []
    )
    fields = {
        "id": f"H{number}", "key": f"m{number}.0", "parent": "H0", "verdict": verdict, "source": "rule:maybe",
        "statement": f"Part {number} of the upload path is broken or part {number} is slow",
        "support": "grounded" if verdict == "refuted" else "claimed", "stated_in": number, "evidence": pieces,
        "history": [Turn(message=number + 1, verdict=verdict, quote="", source="rule:agrees")] if cited else [],
        "decided_in": number + 1 if cited else None, "score": 1.0 / number,
    }  # fmt: skip
    return Hypothesis.model_validate(fields)


def long_tree() -> Tree:
    root = Hypothesis(id="H0", key="symptom", root=True, statement="Every third upload fails", source="rule:symptom")
    nodes = (suspicion(n, "refuted" if n % 2 else "abandoned") for n in range(1, NODES + 1))
    weak = (suspicion(n, "open", cited=False) for n in range(NODES + 1, NODES + CANDIDATES + 1))
    return Tree(hypotheses=(root, *nodes), candidates=tuple(weak))


@pytest.fixture
def long(fill: Fill, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store with a session of thirty hypotheses and six candidates, none of them settled; ada is at the keys."""
    monkeypatch.setenv("LOGNAME", "ada")
    return fill(long_session(), tree=long_tree())


def tree(store: Path) -> dict[str, Hypothesis]:
    with Reader.open(store) as reader:
        found = reader.tree("ses_long")
    return {one.key: one for one in (*found.hypotheses, *found.candidates)}


async def test_thirty_hypotheses_are_settled_with_fewer_than_120_keys(long: Path, settle: Settle) -> None:
    pressed: list[str] = []

    async with NecropsyApp(long, "ses_long").run_test(size=SIZE) as pilot:

        async def press(*keys: str) -> str:
            pressed.extend(keys)
            await pilot.press(*keys)
            return await settle(pilot)

        await settle(pilot)
        assert "0 of 30 hypotheses settled" in await press("v")
        assert "2 of 30" in await press("a", "a")  # H1 and H2 as proposed
        await press("c")  # H3 is a cause
        await press("x")  # H4 is no hypothesis
        await press("p", "j", "enter", "r")  # H5 hangs under H1 and is refuted
        await press("m", "j", "enter")  # H6 is the same as H2
        await press("s", "enter", "b")  # H7 is two: the first half is abandoned, the second waits
        await press("e", "end", *"!!", "enter", "o")  # H8 in other words, and open
        assert "7 of 29" in await press("x", "u")  # H9 out, and back
        await press(*"a" * 21)  # H9 to H29
        await press("c")  # H30
        await press("r")  # the second half of H7
        last = await press("a", "r", *"x" * 4)  # the candidates
    assert "Everything is settled" in last
    assert "31 of 31 hypotheses settled" in last
    assert len(pressed) < 120
    check_what_was_decided(long)


def check_what_was_decided(store: Path) -> None:
    found = tree(store)
    assert len(found) == 1 + NODES - 2 + 1 + 2
    verdicts = {number: found[f"m{number}.0"].verdict for number in (1, 2, 3, 5, 7, 8, 9, 29, 30)}
    assert verdicts == {
        1: "refuted", 2: "abandoned", 3: "confirmed", 5: "refuted", 7: "abandoned", 8: "open", 9: "refuted",
        29: "refuted", 30: "confirmed",
    }  # fmt: skip
    assert {key for key in ("m4.0", "m6.0", "m33.0", "m36.0") if key in found} == set()
    assert found["m5.0"].parent == found["m1.0"].id
    assert {piece.step for piece in found["m2.0"].evidence} == {2, 6}
    assert found["m7.0"].statement == "Part 7 of the upload path is broken"
    assert (found["person:1"].statement, found["person:1"].verdict) == ("part 7 is slow", "refuted")
    assert found["m8.0"].statement.endswith("slow!!")
    assert (found["m31.0"].verdict, found["m32.0"].verdict) == ("open", "refuted")
    assert {one.source for key, one in found.items() if key != "symptom"} == {"person:ada"}
    with Reader.open(store) as reader:
        assert {edit.author for edit in reader.edits("ses_long")} == {"ada"}


async def test_what_was_settled_survives_another_analysis(long: Path, settle: Settle) -> None:
    async with NecropsyApp(long, "ses_long").run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("v")
        await settle(pilot)
        await pilot.press("c", "x")
        await settle(pilot)
    with Writer.open(long) as writer:
        writer.save_tree("ses_long", long_tree(), "rules-2")
    found = tree(long)
    assert (found["m1.0"].verdict, found["m1.0"].source) == ("confirmed", "person:ada")
    assert "m2.0" not in found


async def test_the_page_has_what_is_needed_to_decide(long: Path, settle: Settle) -> None:
    async with NecropsyApp(long, "ses_long").run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("v")
        await settle(pilot)
        page = " ".join(pilot.app.screen.query_one(Document).text.split())
        assert "proposed ✗ refuted, grounded" in page
        assert "message 1 “Maybe part 1 of the upload path is broken or part 1 is slow.”" in page
        assert "check --part 1" in page
        assert "part 1: answered in 1 ms" in page
        await pilot.press("G")
        await settle(pilot)
        page = pilot.app.screen.query_one(Document).text
        assert "candidate, score" in page
        assert "STEPS AROUND IT" in page
        assert "check --part 35" in page
        await pilot.press("enter")
        assert "Maybe part 36 of the upload path" in await settle(pilot)


async def test_undo_reaches_back_to_earlier_sittings_and_stops_at_other_persons(long: Path, settle: Settle) -> None:
    with Writer.open(long) as writer:
        writer.edit("ses_long", "H1", "verdict", {"verdict": "confirmed"}, "bob")
        writer.edit("ses_long", "H2", "verdict", {"verdict": "confirmed"}, "ada")
    async with NecropsyApp(long, "ses_long").run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("v")
        await settle(pilot)
        await pilot.press("u")
        assert "1 of 30" in await settle(pilot)
        item = pilot.app.screen.query_one(Queue).current
        assert item is not None
        assert item.hypothesis.key == "m2.0"
        await pilot.press("u")
        await settle(pilot)
        assert [note.message for note in pilot.app._notifications] == ["There is nothing of yours to take back."]
    assert tree(long)["m1.0"].source == "person:bob"


async def test_a_split_needs_both_statements_and_can_be_left(long: Path, settle: Settle) -> None:
    async with NecropsyApp(long, "ses_long").run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("v")
        await settle(pilot)
        await pilot.press("s")
        await settle(pilot)
        pilot.app.screen.query_one("#second", Input).value = " "
        await pilot.press("ctrl+s")
        await settle(pilot)
        assert [note.message for note in pilot.app._notifications] == ["Both need a statement."]
        await pilot.press("escape", "q")
        assert "30 hypotheses" in await settle(pilot)
    with Reader.open(long) as reader:
        assert reader.edits("ses_long") == ()


async def test_what_cannot_be_stored_is_said(long: Path, settle: Settle) -> None:
    async with NecropsyApp(long, "ses_long").run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("v")
        await settle(pilot)
        with Writer.open(long) as writer:
            writer.forget("ses_long")
        await pilot.press("a", "a")
        await settle(pilot)
        assert {note.title for note in pilot.app._notifications} == {"Unknown session"}
        assert pilot.app.screen.query_one(Queue).count == NODES + CANDIDATES - 2


async def test_the_page_of_a_hypothesis_says_where_the_same_was_tested_before(fill: Fill, settle: Settle) -> None:
    other = long_session().model_copy(
        update={"id": "ses_earlier", "source": "/logs/earlier.json", "title": "Last month"}
    )
    store = fill(long_session(), other, tree=long_tree())
    root = long_tree().hypotheses[0]
    same = suspicion(3, "refuted").model_copy(update={"statement": "The upload path is broken at part 3, or slow"})
    with Writer.open(store) as writer:
        writer.save_tree("ses_earlier", Tree(hypotheses=(root, same)), "1")
    async with NecropsyApp(store, "ses_long").run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("g", "j", "j", "j")
        await settle(pilot)
        assert (
            "tested before: refuted, grounded on 2026-11-29 in Last month" in pilot.app.screen.query_one(Document).text
        )
