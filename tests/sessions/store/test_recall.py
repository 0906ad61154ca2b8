"""Earlier hypotheses are found again: by words, by likeness, in stores of an older layout once they are written."""

import gzip
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from sessions.models.hypothesis import Evidence, Hypothesis, Tree
from sessions.models.session import Session
from sessions.store.intake import Stored
from sessions.store.reader import Reader
from sessions.store.schema import VERSION
from sessions.store.writer import Writer

MakeSession = Callable[..., Session]
Put = Callable[..., Stored]

OLD = Path(__file__).parents[2] / "data" / "store-layout-1.db.gz"

SYMPTOM = Hypothesis(
    id="H0", key="symptom", root=True, statement="Garbage from the Triton kernel", source="rule:symptom"
)


def node(number: int, statement: str, verdict: str = "refuted", quote: str = "", **more: object) -> Hypothesis:
    cited = [Evidence(step=0, stance="refutes", quote=quote, deciding=True, source="rule:x")] if quote else []
    facts = {"id": f"H{number}", "key": f"m{number}", "parent": "H0", "statement": statement, "source": "rule:maybe"}
    return Hypothesis.model_validate(facts | {"verdict": verdict, "evidence": cited} | more)


@pytest.fixture(autouse=True)
def stored(writer: Writer, make_session: MakeSession, put: Put) -> None:
    for number, nodes in enumerate(
        (
            (node(1, "the Triton MLA kernel is wrong on SM_120", "refuted", "max diff 0.00031"),
             node(2, "the tokenizer adds a second BOS", "confirmed")),
            (node(1, "the MLA kernels may be wrong on sm120 GPUs", "open"),
             node(2, "the KV cache is written in the wrong dtype", "abandoned", "cosine 0.99998")),
        ), 1,
    ):  # fmt: skip
        id_ = f"ses_{number}"
        put(make_session(id=id_, source=f"/logs/{number}", started=f"2026-11-0{number}T10:00:00.000Z"))
        writer.save_tree(id_, Tree(hypotheses=(SYMPTOM, *nodes), candidates=(node(9, "a Triton candidate"),)), "1")


def found(reader: Reader, words: str) -> list[tuple[str, str]]:
    return [(each.session, each.hypothesis.id) for each in reader.recall(words)]


def test_hypotheses_on_the_same_thing_are_found_however_it_is_written(reader: Reader) -> None:
    assert found(reader, "triton mla sm120") == [("ses_1", "H1"), ("ses_2", "H1")]
    assert found(reader, "SM-120 kernel")[0] in {("ses_1", "H1"), ("ses_2", "H1")}
    assert found(reader, '"second bos"') == [("ses_1", "H2")]
    assert found(reader, "token*") == [("ses_1", "H2")]


def test_quotes_and_verdicts_are_words_too(reader: Reader) -> None:
    (one,) = reader.recall("0.99998")
    assert (one.session, one.title, one.time) == ("ses_2", "Garbage", "2026-11-02T10:00:00.000Z")
    assert (one.hypothesis.verdict, one.hypothesis.evidence[0].quote) == ("abandoned", "cosine 0.99998")
    assert found(reader, "dead end kernel mla")[0] == ("ses_1", "H1")


def test_what_holds_less_than_half_of_the_words_is_left_out(reader: Reader) -> None:
    assert found(reader, "triton paged attention backend") == []
    assert found(reader, "") == []
    assert found(reader, '"') == []


def test_roots_and_candidates_are_not_recalled(reader: Reader) -> None:
    assert found(reader, "garbage triton") == [("ses_1", "H1")]
    assert found(reader, "candidate") == []


def test_the_index_follows_corrections_and_forgets(writer: Writer, reader: Reader) -> None:
    writer.edit("ses_1", "H2", "statement", {"statement": "the chat template is doubled"}, "ada")
    assert found(reader, "tokenizer") == []
    assert found(reader, "chat template") == [("ses_1", "H2")]
    writer.forget("ses_1")
    assert found(reader, "chat template") == []
    assert found(reader, "kernel") == [("ses_2", "H1")]


def test_what_another_session_settled_is_told(reader: Reader) -> None:
    (one,) = [each for each in reader.tree("ses_2").hypotheses if each.id == "H1"]
    before = reader.tested_before("ses_2", one)
    assert before is not None
    assert (before.session, before.hypothesis.id, before.hypothesis.verdict) == ("ses_1", "H1", "refuted")


def test_neither_itself_nor_an_open_one_nor_a_distant_one_counts_as_tested(reader: Reader) -> None:
    trees = {id_: {each.id: each for each in reader.tree(id_).hypotheses} for id_ in ("ses_1", "ses_2")}
    assert reader.tested_before("ses_1", trees["ses_1"]["H1"]) is None
    assert reader.tested_before("ses_2", trees["ses_2"]["H2"]) is None
    assert reader.tested_before("ses_2", node(7, "the kernel")) is None
    assert reader.tested_before("ses_2", trees["ses_2"]["H0"]) is None


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A store as the program wrote it before hypotheses could be recalled."""
    path = tmp_path / "old.db"
    with gzip.open(OLD) as source, path.open("wb") as target:
        shutil.copyfileobj(source, target)
    return path


def test_a_store_of_the_older_layout_can_be_read_as_it_is(old: Path) -> None:
    before = old.read_bytes()
    with Reader.open(old) as reader:
        assert not reader.recalls
        assert reader.recall("disk") == ()
        assert reader.tested_before("ses_2", node(1, "the disk of the upload server is full")) is None
        assert [one.id for one in reader.tree("ses_v1").hypotheses] == ["H0", "H1"]
    assert old.read_bytes() == before


def test_it_is_brought_up_to_date_when_it_is_written(old: Path) -> None:
    with Writer.open(old) as writer, Reader.open(old) as reader:
        assert writer.key == b"k" * 32
        (one,) = reader.recall("upload disk")
        assert (one.session, one.hypothesis.id, one.hypothesis.statement) == (
            "ses_v1", "H1", "The disk of the upload server is full",
        )  # fmt: skip
        assert found(reader, "41% srv") == [("ses_v1", "H1")]
        assert found(reader, "proxy") == []
        assert [each.action for each in reader.edits("ses_v1")] == ["statement"]
    with sqlite3.connect(old) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (VERSION,)
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()


def test_an_upgraded_store_has_the_tables_of_a_new_one(old: Path, path: Path) -> None:
    Writer.open(old).close()
    tables = []
    for each in (old, path):
        connection = sqlite3.connect(each)
        tables.append(
            sorted(connection.execute("SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'"))
        )
        connection.close()
    assert tables[0] == tables[1]
