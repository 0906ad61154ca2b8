"""New, grown, unchanged, copied and forked sessions."""

import sqlite3
from collections.abc import Callable
from pathlib import Path

from sessions.models.hypothesis import Hypothesis, Tree
from sessions.models.replay import Plan
from sessions.models.session import Session
from sessions.store.intake import Stored
from sessions.store.reader import Reader
from sessions.store.writer import Writer

MakeSession = Callable[..., Session]
Put = Callable[..., Stored]

LONG = "".join(f"line {number} of the output\n" for number in range(2000))
TWO = (("ls", "a b"), ("cat big", LONG))


def blobs(path: Path) -> list[int]:
    connection = sqlite3.connect(path)
    sizes = [row[0] for row in connection.execute("SELECT size FROM blobs ORDER BY size")]
    connection.close()
    return sizes


def test_what_was_stored_comes_back_equal(make_session: MakeSession, put: Put, reader: Reader) -> None:
    session = make_session(("Überprüfe das", "⊘ no"), TWO)
    assert put(session) == Stored("new", ("ses_1",))
    assert reader.messages("ses_1") == session.messages
    assert reader.steps("ses_1") == session.steps
    assert reader.step("ses_1", 1).output == LONG


def test_a_listing_shows_the_facts(make_session: MakeSession, put: Put, reader: Reader) -> None:
    put(make_session(calls=TWO, started="2026-01-02T03:04:05.000Z", tokens={"input": 7, "cost": 0.5}, live=True))
    (row,) = reader.sessions()
    assert (row.id, row.title, row.messages, row.steps) == ("ses_1", "Garbage", 1, 2)
    assert (row.tokens.input, row.tokens.cost, row.live, row.hypotheses) == (7, 0.5, True, 0)


def test_a_second_time_nothing_changes(make_session: MakeSession, put: Put, path: Path) -> None:
    put(make_session(calls=TWO))
    connection = sqlite3.connect(path)
    before = list(connection.iterdump())
    assert put(make_session(calls=TWO)).status == "unchanged"
    assert list(connection.iterdump()) == before
    connection.close()


def test_a_log_that_grew_adds_and_completes(make_session: MakeSession, put: Put, reader: Reader) -> None:
    put(make_session(calls=(("ls", ""),)))
    grown = make_session(("the model prints garbage", "the kernel"), (("ls", "a b"), ("cat x", "y")))
    assert put(grown, stamp="2") == Stored("updated", ("ses_1",))
    assert reader.messages("ses_1") == grown.messages
    assert reader.steps("ses_1") == grown.steps


def test_only_rows_that_differ_are_written(make_session: MakeSession, put: Put, writer: Writer, path: Path) -> None:
    put(make_session(calls=TWO))
    spy = sqlite3.connect(path)
    spy.executescript(
        "CREATE TABLE seen (ordinal);"
        "CREATE TRIGGER spy AFTER INSERT ON steps BEGIN INSERT INTO seen VALUES (new.ordinal); END"
    )
    put(make_session(calls=(*TWO, ("pwd", "/srv"))), stamp="2")
    assert spy.execute("SELECT ordinal FROM seen").fetchall() == [(2,)]
    spy.close()


def test_what_vanished_from_a_log_is_removed(make_session: MakeSession, put: Put, reader: Reader, path: Path) -> None:
    put(make_session(("one", "two"), TWO))
    assert blobs(path) == [len(LONG)]
    put(make_session(("one",), (("ls", "a b"),)), stamp="2")
    assert [message.text for message in reader.messages("ses_1")] == ["one"]
    assert [step.command for step in reader.steps("ses_1")] == ["ls"]
    assert reader.search("big") == ()
    assert blobs(path) == []


def test_a_large_output_stands_once(make_session: MakeSession, put: Put, writer: Writer, path: Path) -> None:
    put(make_session(calls=(*TWO, ("cat big", LONG))))
    put(make_session(calls=TWO, id="ses_2", source="/logs/b.jsonl"))
    assert blobs(path) == [len(LONG)]
    writer.forget("ses_1")
    assert blobs(path) == [len(LONG)]
    writer.forget("ses_2")
    assert blobs(path) == []


def test_a_longer_copy_takes_over(make_session: MakeSession, put: Put, reader: Reader) -> None:
    put(make_session(("a",), ()))
    longer = make_session(("a", "b"), TWO, source="/logs/copy.jsonl")
    assert put(longer) == Stored("updated", ("ses_1",))
    assert [row.source for row in reader.sessions()] == ["/logs/copy.jsonl"]
    assert put(make_session(("a",), ()), stamp="2") == Stored("known", ("ses_1",))
    assert reader.messages("ses_1") == longer.messages


def test_an_equal_copy_is_known(make_session: MakeSession, put: Put, reader: Reader) -> None:
    put(make_session(calls=TWO))
    assert put(make_session(calls=TWO, source="/logs/copy.jsonl", title="other")) == Stored("known", ("ses_1",))
    assert [(row.source, row.title) for row in reader.sessions()] == [("/logs/a.jsonl", "Garbage")]
    assert reader.sources() == {"/logs/a.jsonl": "1", "/logs/copy.jsonl": "1"}


def test_a_copy_taken_before_a_result_came_is_known(make_session: MakeSession, put: Put) -> None:
    put(make_session(calls=TWO))
    early = make_session(calls=TWO, source="/logs/early.jsonl")
    waiting = early.steps[1].model_copy(update={"output": "", "status": "no-result"})
    assert put(early.model_copy(update={"steps": (early.steps[0], waiting)})).status == "known"


def test_a_fork_is_kept_beside(make_session: MakeSession, put: Put, reader: Reader) -> None:
    put(make_session(("a", "b")))
    fork = make_session(("a", "c"), source="/logs/fork.jsonl")
    assert put(fork) == Stored("new", ("ses_1~2",))
    third = make_session(("a", "d"), source="/logs/third.jsonl")
    assert put(third) == Stored("new", ("ses_1~3",))
    grown = make_session(("a", "c", "e"), source="/logs/fork.jsonl")
    assert put(grown, stamp="2") == Stored("updated", ("ses_1~2",))
    assert put(make_session(("a", "d"), source="/logs/copy.jsonl")) == Stored("known", ("ses_1~3",))
    assert [[m.text for m in reader.messages(row.id)] for row in reader.sessions()] == [
        ["a", "b"], ["a", "c", "e"], ["a", "d"],
    ]  # fmt: skip


def test_forks_keep_their_family_together(make_session: MakeSession, put: Put, reader: Reader) -> None:
    def family(word: str, source: str) -> tuple[Session, Session]:
        parent = make_session((word,), source=source)
        calls = tuple(step.model_copy(update={"child": "kid"}) for step in parent.steps)
        child = make_session((word,), source=source, id="kid", parent="ses_1")
        return parent.model_copy(update={"steps": calls}), child

    put(*family("a", "/logs/a.jsonl"))
    assert put(*family("b", "/logs/b.jsonl")).sessions == ("ses_1~2", "kid~2")
    assert reader.step("ses_1~2", 0).child == "kid~2"
    assert reader.resolve("kid~2").parent == "ses_1~2"
    assert reader.resolve("kid").parent == "ses_1"


def test_a_session_of_another_name_is_no_fork(make_session: MakeSession, put: Put) -> None:
    put(make_session(("a",), id="ses_1~draft"))
    assert put(make_session(("b",), source="/logs/b.jsonl")) == Stored("new", ("ses_1",))


def test_edits_runs_and_ids_survive_growth(make_session: MakeSession, put: Put, writer: Writer, reader: Reader) -> None:
    put(make_session(("a",)))
    tree = Tree(
        hypotheses=(
            Hypothesis(id="H0", key="m0", root=True, statement="garbage", source="rule:symptom"),
            Hypothesis(id="H1", key="m0:7", parent="H0", statement="the kernel is wrong", source="rule:cue"),
        )
    )
    writer.save_tree("ses_1", tree, "1")
    writer.edit("ses_1", "H1", "verdict", {"verdict": "refuted"}, "ada")
    writer.start_run("ses_1", Plan(session="ses_1", target="box", steps=()), {})
    put(make_session(("a", "b")), stamp="2")
    assert writer.unanalysed("1") == ("ses_1",)
    assert [edit.author for edit in reader.edits("ses_1")] == ["ada"]
    assert [run.target for run in reader.runs("ses_1")] == ["box"]
    assert [each.verdict for each in reader.tree("ses_1").hypotheses] == ["open", "refuted"]


def test_forgetting_takes_everything_and_a_new_ingest_brings_it_back(
    make_session: MakeSession, put: Put, writer: Writer, reader: Reader, path: Path
) -> None:
    put(make_session(calls=TWO))
    put(make_session(calls=TWO, source="/logs/copy.jsonl"))
    writer.start_run("ses_1", Plan(session="ses_1", target="box", steps=()), {})
    writer.forget("ses_1")
    connection = sqlite3.connect(path)
    left = {
        name: connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0]  # noqa: S608 (names from the schema)
        for name in ("sources", "sessions", "messages", "steps", "blobs", "runs", "documents", "hypotheses")
    }
    connection.close()
    assert set(left.values()) == {0}
    assert reader.search("garbage") == ()
    assert writer.standing("/logs/a.jsonl") is None
    assert put(make_session(calls=TWO)).status == "new"


def test_no_word_of_a_forgotten_session_stays_in_the_file(make_session: MakeSession, put: Put, path: Path) -> None:
    said = tuple(f"zebrawords{number} and others" for number in range(50))
    put(make_session())
    put(make_session(said, (("zebracommand", "zebraoutput\n" * 5000),), id="ses_2", source="/logs/b.jsonl"))
    with Writer.open(path) as writer:
        writer.forget("ses_2")
    assert [file.name for file in path.parent.iterdir() if b"zebra" in file.read_bytes()] == []


def test_forgetting_one_of_two_makes_their_source_unread(make_session: MakeSession, put: Put, writer: Writer) -> None:
    put(make_session(), make_session(id="ses_2"))
    writer.forget("ses_2")
    standing = writer.standing("/logs/a.jsonl")
    assert standing is not None
    assert (standing.stamp, standing.sessions) == ("", ("ses_1",))
