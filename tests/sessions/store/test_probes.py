"""Reports of probes in the store: attached to a hypothesis, and gone with its session."""

from pathlib import Path

import pytest

from sessions.errors import UnknownHypothesis, UnknownSession
from sessions.ingest.source import Source
from sessions.models.hypothesis import Hypothesis, Tree
from sessions.models.probe import Finding, ProbeDocument, ProbeReport
from sessions.models.session import Message, Session, Tally
from sessions.store.reader import Reader
from sessions.store.writer import Writer


def report(answer: str = "confirmed") -> ProbeReport:
    finding = Finding.model_validate(
        {"hypothesis": "unmapped", "statement": "experts are unmapped", "answer": answer, "why": "228 have no name"}
    )
    document = ProbeDocument(schema_version=1, name="gguf.namemap", status="ok", findings=(finding,))
    return ProbeReport(
        probe="gguf.namemap",
        digest="d",
        target="gpu",
        started="2026-11-29T10:00:00.000Z",
        duration=1.5,
        document=document,
    )


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "store.sqlite"
    session = Session(
        id="s1", format="codex", agent="codex", source="/log", messages=(Message(ordinal=0, role="user", text="why?"),)
    )
    nodes = (
        Hypothesis(id="H0", key="symptom", root=True, statement="it is slow", source="rule:symptom"),
        Hypothesis(id="H1", key="m0.1", parent="H0", statement="the disk is full", source="rule:hedge"),
    )
    with Writer.open(path) as writer:
        writer.store(Source(Path("/log"), "codex", "1"), [session], Tally(read=1))
        writer.save_tree("s1", Tree(hypotheses=nodes), "test")
    return path


def test_a_report_comes_back_whole_with_its_hypothesis(store: Path) -> None:
    with Writer.open(store) as writer:
        writer.save_probe(report(), "s1", "m0.1")
    with Reader.open(store) as reader:
        (row,) = reader.probes("s1")
        assert (row.session, row.hypothesis, row.report) == ("s1", "H1", report())
        assert reader.probes(None) == ()


def test_a_report_for_nobody_is_kept_too(store: Path) -> None:
    with Writer.open(store) as writer:
        writer.save_probe(report("refuted"))
    with Reader.open(store) as reader:
        assert [row.report.document.findings[0].answer for row in reader.probes(None)] == ["refuted"]


def test_it_goes_with_its_session(store: Path) -> None:
    with Writer.open(store) as writer:
        writer.save_probe(report(), "s1", "m0.1")
        writer.forget("s1")
    with Reader.open(store) as reader:
        assert reader.probes("s1") == ()


def test_what_is_not_there_cannot_be_asked_about(store: Path) -> None:
    with Writer.open(store) as writer:
        with pytest.raises(UnknownSession):
            writer.save_probe(report(), "s2", "m0.1")
        with pytest.raises(UnknownHypothesis):
            writer.save_probe(report(), "s1", "m9.9")


def test_a_secret_that_a_host_printed_is_not_kept(store: Path) -> None:
    secret = "hf_" + "Ab1" * 12
    told = report()
    document = told.document.model_copy(update={"environment": {"cmdline": [f"serve --token {secret}"]}})
    with Writer.open(store) as writer:
        writer.save_probe(told.model_copy(update={"document": document}))
    with Reader.open(store) as reader:
        (row,) = reader.probes(None)
    (kept,) = row.report.document.environment["cmdline"]
    assert secret not in kept
    assert kept.startswith("serve --token")
