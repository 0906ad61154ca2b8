"""The journal of replays: every way of touching it shows, as far as it says that it would."""

import sqlite3
from pathlib import Path

import pytest

from sessions.errors import StoreProblem
from sessions.ingest.source import Source
from sessions.models.replay import Plan, PlannedStep, RunStep
from sessions.models.session import Session, Step, Tally
from sessions.store.reader import Reader
from sessions.store.tables.journal import Checked, heads_file
from sessions.store.writer import Writer

STEPS = tuple(Step(ordinal=n, kind="shell", tool="bash", command="ls", output="a") for n in range(3))
PLAN = Plan(
    session="s",
    target="gpu1",
    steps=tuple(PlannedStep(step=n, command="ls", effect="read", decision="run", target="gpu1") for n in range(3)),
)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store with one run of three steps."""
    path = tmp_path / "n.db"
    session = Session(id="s", format="opencode", agent="opencode", source="/s", steps=STEPS)
    with Writer.open(path) as writer:
        writer.store(Source(Path("/s"), "opencode", "1"), [session], Tally(read=1))
        run = writer.start_run("s", PLAN, {})
        for step in PLAN.steps:
            writer.intend(run, step)
            writer.record(
                run, RunStep(step=step.step, outcome="completed", output=f"secret text {step.step}", duration=0.5)
            )
        writer.finish_run(run, (), ())
    return path


def check(path: Path, *kept: str) -> Checked:
    with Reader.open(path) as reader:
        return reader.check_journal(kept)


def change(path: Path, *statements: str) -> None:
    with sqlite3.connect(path) as connection:
        for statement in statements:
            connection.execute(statement)
    connection.close()


def test_an_untouched_journal_is_whole(store: Path) -> None:
    checked = check(store)
    assert (checked.entries, checked.anchors, checked.problems, checked.unknown) == (8, 2, (), ())
    assert check(store, checked.head).problems == ()


def test_it_holds_no_text(store: Path) -> None:
    with sqlite3.connect(store) as connection:
        bodies = "".join(row[0] for row in connection.execute("SELECT body FROM journal"))
    assert "secret" not in bodies
    assert "ls" not in bodies


@pytest.mark.parametrize(
    ("statements", "words"),
    [
        (["UPDATE journal SET body = replace(body, '1', '2') WHERE number = 4"], "entry 4 was changed"),
        (["UPDATE journal SET time = '2026-01-01T00:00:00Z' WHERE number = 2"], "entry 2 was changed"),
        (["DELETE FROM journal WHERE number = 5"], "entry 5 is missing"),
        (["DELETE FROM journal WHERE number > 6"], "6 entries are left of at least 8"),
        (["DELETE FROM journal"], "0 entries are left"),
        (
            [
                "UPDATE journal SET number = 99 WHERE number = 3",
                "UPDATE journal SET number = 3 WHERE number = 4",
                "UPDATE journal SET number = 4 WHERE number = 99",
            ],
            "entry 3 was changed",
        ),
        (["UPDATE run_steps SET output = 'other' WHERE step = 1"], "run 1, step 1: the stored result is not"),
        (["UPDATE run_steps SET outcome = 'refused' WHERE step = 2"], "run 1, step 2: the stored result is not"),
        (["DELETE FROM run_steps WHERE step = 0"], "run 1, step 0: the stored result is gone"),
        (["UPDATE meta SET value = x'00' WHERE name = 'key'"], "entry 1 was changed"),
    ],
)
def test_whatever_is_touched_shows(store: Path, statements: list[str], words: str) -> None:
    change(store, *statements)
    assert words in "\n".join(check(store).problems)


def test_a_chain_written_anew_shows_against_a_head_that_was_kept(store: Path) -> None:
    head = check(store).head
    change(store, "DELETE FROM journal", "DELETE FROM run_steps", "DELETE FROM runs")
    heads_file(store).unlink()
    with Writer.open(store) as writer:
        for _ in range(4):
            writer.finish_run(writer.start_run("s", PLAN, {}), (), ())
    assert check(store).problems == ()
    assert "written anew" in "\n".join(check(store, head).problems)
    assert "is no head" in "\n".join(check(store, "x").problems)


def test_an_intent_without_a_result_is_unknown(store: Path) -> None:
    with Writer.open(store) as writer:
        run = writer.start_run("s", PLAN, {})
        writer.intend(run, PLAN.steps[1])
    checked = check(store)
    assert (checked.problems, checked.unknown) == ((), ((run, 1),))


def test_forgetting_a_session_leaves_the_chain_whole(store: Path) -> None:
    with Writer.open(store) as writer:
        writer.forget("s")
    assert (check(store).entries, check(store).problems) == (8, ())


def test_a_number_of_a_forgotten_run_is_used_again_without_mixing_the_two(store: Path) -> None:
    session = Session(id="t", format="opencode", agent="opencode", source="/t", steps=STEPS)
    with Writer.open(store) as writer:
        writer.forget("s")
        writer.store(Source(Path("/t"), "opencode", "1"), [session], Tally(read=1))
        run = writer.start_run("t", PLAN, {})
        writer.record(run, RunStep(step=0, outcome="refused"))
    assert run == 1
    assert (check(store).problems, check(store).unknown) == ((), ())


def test_what_cannot_be_anchored_does_not_run(store: Path) -> None:
    heads_file(store).unlink()
    heads_file(store).mkdir()
    with Writer.open(store) as writer, pytest.raises(StoreProblem, match="heads"):
        writer.start_run("s", PLAN, {})
