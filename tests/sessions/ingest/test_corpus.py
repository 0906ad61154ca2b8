"""Real public logs: every one is taken in, every record accounted for, and the counts are those of the annotators."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from sessions.ingest.events import Count
from sessions.ingest.pipeline import Ingested, ingest, read
from sessions.ingest.redact import Redactor
from sessions.ingest.sniff import recognise, survey
from sessions.store.reader import Reader
from sessions.store.writer import Writer

pytestmark = pytest.mark.corpus

ANNOTATED = (
    "claude-code__v1__48_b4b05476e5_0.json",
    "claude-code__v1__6d_63c3a51594_0.json",
    "claude-code__v1__92_e5c6093780_1.json",
    "claude-code__v1__9f_d2fc39aa5f_0.json",
    "claude-code__v1__d0_161e0df1cb_0.json",
    "claude-code__v1__d7_d18da5063a_0.json",
    "codex__v1__10_196f206d8a_0.json",
    "codex__v1__16_bfc6ff6845_0.json",
)


@pytest.mark.parametrize("name", ANNOTATED)
def test_counts_are_those_of_the_annotators(corpus: Path, gold: Path, name: str) -> None:
    annotation = json.loads((gold / name).read_text(encoding="utf-8"))
    log = corpus / annotation["log"]
    (source,) = (each for each in recognise(log) if each.path == log)
    (session,) = (each for each in read(source, Redactor(b"key"), Count()) if each.parent is None)
    # Codex gives its web searches no call id, and the annotators did not count them.
    uncounted = [step for step in session.steps if session.format == "codex" and step.kind == "web"]
    assert {
        "messages": len(session.messages),
        "tool_calls": len(session.steps) - len(uncounted),
        "shell_steps": sum(step.kind == "shell" for step in session.steps),
    } == annotation["counts"]


@pytest.fixture(scope="module", params=["claude-code", "codex", "opencode-export"])
def taken(
    request: pytest.FixtureRequest, corpus: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, Path, list[Ingested]]:
    """A folder of the corpus, the store it was ingested into, and what came of each log."""
    folder = corpus / request.param
    store = tmp_path_factory.mktemp("corpus") / "store.db"
    with Writer.open(store) as writer:
        return folder, store, list(ingest(recognise(folder), writer))


def test_every_log_is_taken_in_with_its_account(taken: tuple[Path, Path, list[Ingested]]) -> None:
    folder, store, results = taken
    assert survey(folder).skipped == []
    assert {each.status for each in results} == {"new"}
    logs = {Path(each.source) for each in results}
    assert logs == {path for path in folder.rglob("*") if path.is_file()}
    for each in results:
        tally = each.tally
        assert tally.read > 0
        assert tally.skipped == 0, each.source
        assert tally.unknown == sum(tally.unknown_types.values())
        assert each.messages + each.steps > 0
    with Reader.open(store) as reader:
        assert sum(row.steps for row in reader.sessions()) == sum(each.steps for each in results)


def test_every_step_has_its_parts(taken: tuple[Path, Path, list[Ingested]]) -> None:
    _, store, _ = taken
    with closing(sqlite3.connect(store)) as connection:
        told = dict(connection.execute("SELECT id, json_extract(tally, '$.calls_without_result') FROM sessions"))
    with Reader.open(store) as reader:
        for row in reader.sessions():
            steps = reader.steps(row.id)
            assert [step.ordinal for step in steps] == list(range(row.steps))
            assert all(step.commands for step in steps if step.kind == "shell" and step.command.strip())
            assert all(step.span is not None for step in steps)
            assert all(step.status == "no-result" or step.result_span is not None for step in steps)
            assert told[row.id] == sum(step.status == "no-result" for step in steps)
            assert all(steps[step.continues].ordinal < step.ordinal for step in steps if step.continues is not None)
            assert [message.ordinal for message in reader.messages(row.id)] == list(range(row.messages))


def test_taken_in_again_nothing_changes(taken: tuple[Path, Path, list[Ingested]]) -> None:
    folder, store, first = taken
    with Writer.open(store) as writer:
        again = list(ingest(recognise(folder), writer))
    assert [(each.status, each.messages, each.steps, each.tally) for each in again] == [
        ("unchanged", each.messages, each.steps, each.tally) for each in first
    ]
