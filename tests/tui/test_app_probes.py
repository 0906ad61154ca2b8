"""What probes said of a hypothesis, and which would settle it, on its page."""

from collections.abc import Awaitable, Callable
from pathlib import Path

from textual.pilot import Pilot

from sessions.ingest.source import Source
from sessions.models.hypothesis import Hypothesis, Tree
from sessions.models.probe import Finding, ProbeDocument, ProbeReport
from sessions.models.session import Message, Session, Tally
from sessions.store.writer import Writer
from tui.app import NecropsyApp
from tui.widgets.document import Document

Settle = Callable[[Pilot[None]], Awaitable[str]]


def fill(path: Path) -> None:
    session = Session(
        id="ses_map",
        format="codex",
        agent="codex",
        source="/log",
        messages=(Message(ordinal=0, role="user", text="?"),),
    )
    nodes = (
        Hypothesis(
            id="H0", key="symptom", root=True, statement="The GGUF model answers garbage", source="rule:symptom"
        ),
        Hypothesis(
            id="H1",
            key="m0.1",
            parent="H0",
            statement="The name map drops tensors: expert weights are unmapped",
            verdict="confirmed",
            source="rule:hedge",
        ),
    )
    finding = Finding(hypothesis="drops", statement="tensors are dropped", answer="confirmed", why="228 have no name")
    document = ProbeDocument(schema_version=1, name="gguf.namemap", status="ok", findings=(finding,))
    report = ProbeReport(
        probe="gguf.namemap",
        digest="d",
        target="gpu7",
        started="2026-11-29T10:00:00.000Z",
        duration=1.0,
        document=document,
    )
    with Writer.open(path) as writer:
        writer.store(Source(Path("/log"), "codex", "1"), [session], Tally(read=1))
        writer.save_tree("ses_map", Tree(hypotheses=nodes), "test")
        writer.save_probe(report, "ses_map", "m0.1")


async def test_a_page_says_what_probes_said_and_which_would_settle_it(tmp_path: Path, settle: Settle) -> None:
    fill(tmp_path / "store.sqlite")
    async with NecropsyApp(tmp_path / "store.sqlite", "ses_map").run_test(size=(120, 36)) as pilot:
        await settle(pilot)
        await settle(pilot)
        shown = " ".join(pilot.app.screen.query_one("#detail", Document).text.split())
    assert "gguf.namemap: confirmed on gpu7: 228 have no name" in shown
    assert "settled by gguf.namemap" in shown
