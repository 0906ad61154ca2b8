"""Reports of what the store gives back, not of what was made by hand."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from sessions.errors import UnknownSession
from sessions.ingest.source import Source
from sessions.models.replay import Plan
from sessions.models.session import Session, Tally
from sessions.reports.collect import ReportData, collect
from sessions.reports.render import RENDERERS
from sessions.store.reader import Reader
from sessions.store.writer import Writer

TALLY = Tally(read=40)


@pytest.fixture
def store(tmp_path: Path, data: ReportData) -> Path:
    path = tmp_path / "necropsy.db"
    row, (run,) = data.session, data.runs
    session = Session(
        id=row.id, format=row.format, agent=row.agent, agent_version=row.agent_version, title=row.title,
        model=row.model, cwd=row.cwd, started=row.started, ended=row.ended, source=row.source, tokens=row.tokens,
        tally=TALLY, messages=data.messages, steps=data.steps,
    )  # fmt: skip
    with Writer.open(path) as writer:
        writer.store(Source(Path(row.source), row.format, "1"), [session], TALLY)
        writer.save_tree(row.id, data.tree, "test")
        number = writer.start_run(row.id, Plan(session=row.id, target=run.target, steps=()), dict(run.fingerprint))
        for step in run.steps:
            writer.record(number, step)
        writer.finish_run(number, run.standings, run.worths)
    return path


def test_a_stored_session_comes_back_for_its_report(store: Path, data: ReportData) -> None:
    with Reader.open(store) as reader:
        collected = collect(reader, "latest")
    assert collected.messages == data.messages
    assert collected.steps == data.steps
    assert collected.tree.hypotheses == data.tree.hypotheses
    assert collected.session.dead_ends == 4
    assert [step.step for step in collected.runs[0].steps] == [1, 2]


def test_every_renderer_takes_it(store: Path, data: ReportData) -> None:
    with Reader.open(store) as reader:
        collected = collect(reader, data.session.id[:5])
    told = replace(collected, runs=data.runs, session=data.session)
    assert RENDERERS["md"](told) == RENDERERS["md"](data)
    assert RENDERERS["html"](told) == RENDERERS["html"](data)
    assert json.loads(RENDERERS["json"](collected))["runs"][0]["worths"][0]["worth"] == "upheld"
    assert "Replayed on lab" in RENDERERS["html"](collected)


def test_a_session_that_is_not_there_is_said_to_be_unknown(store: Path) -> None:
    with Reader.open(store) as reader, pytest.raises(UnknownSession):
        collect(reader, "nothing")
