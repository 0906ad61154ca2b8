"""Tokens in the store: kept with each message and each hypothesis, and fetched from the logs by an older store."""

import gzip
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from sessions.ingest.pipeline import ingest
from sessions.ingest.sniff import recognise
from sessions.models.hypothesis import Cost, Hypothesis, Tree
from sessions.models.session import Session, Tokens
from sessions.store.intake import Stored
from sessions.store.reader import Reader
from sessions.store.schema import VERSION
from sessions.store.writer import Writer

DATA = Path(__file__).parents[2] / "data"
LOG = DATA / "opencode" / "export.json"
SESSION = "ses_1f00fixture0001"


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A store as layout 4 wrote it from the log, which lies where this store says that it lay."""
    path = tmp_path / "old.db"
    with gzip.open(DATA / "store-layout-4.db.gz") as source, path.open("wb") as target:
        shutil.copyfileobj(source, target)
    log = tmp_path / "export.json"
    shutil.copy(LOG, log)
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (4,)
        connection.execute("UPDATE sources SET name = ?, stamp = ?", [str(log), recognise(log)[0].stamp])
        connection.execute("UPDATE sessions SET source = ?", [str(log)])
    connection.close()
    return path


def test_an_older_store_is_read_as_it_is(old: Path) -> None:
    before = old.read_bytes()
    with Reader.open(old) as reader:
        assert {each.tokens for each in reader.messages(SESSION)} == {None}
        assert len(reader.messages(SESSION)) == 5
    assert old.read_bytes() == before


def test_the_next_ingest_fetches_the_tokens_of_logs_that_it_knew(old: Path) -> None:
    with Writer.open(old) as writer:
        (done,) = ingest(recognise(old.parent / "export.json"), writer)
        (again,) = ingest(recognise(old.parent / "export.json"), writer)
    assert (done.status, again.status) == ("updated", "unchanged")
    with Reader.open(old) as reader:
        messages = reader.messages(SESSION)
        session = reader.resolve(SESSION)
    assert [each.tokens.cost for each in messages if each.tokens] == [0.25, 0.0]
    assert sum(each.tokens.total for each in messages if each.tokens) == session.tokens.total
    with sqlite3.connect(old) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (VERSION,)
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()


def test_what_a_hypothesis_cost_is_kept(
    writer: Writer, reader: Reader, put: Callable[..., Stored], make_session: Callable[..., Session]
) -> None:
    cost = Cost(steps=1, tokens=15, used=Tokens(input=10, output=5, cost=0.5))
    root = Hypothesis(id="H0", key="symptom", root=True, statement="slow", source="rule:x")
    node = Hypothesis(id="H1", key="m1", parent="H0", statement="the disk is full", cost=cost, source="rule:x")
    put(make_session())
    writer.save_tree("ses_1", Tree(hypotheses=(root, node)), "v1")
    assert [one.cost for one in reader.tree("ses_1").hypotheses] == [Cost(), cost]
