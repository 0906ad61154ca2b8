"""Events folded into sessions."""

from pathlib import Path

import pytest

from sessions.ingest.builder import build, tally
from sessions.ingest.events import About, Called, Count, Event, Returned, Said, Used
from sessions.ingest.source import Source
from sessions.models.session import Session, Span, StepKind, Tokens

SOURCE = Source(Path("/logs/x.jsonl"), "claude-code", "1")


def one(*events: Event, count: Count | None = None) -> Session:
    (session,) = build(events, SOURCE, count or Count())
    return session


def call(name: str, at: float = 0.0, *, polls: str | None = None, command: str = "ls") -> Called:
    kind: StepKind = "poll" if polls else "shell"
    programs = () if polls else (command,)
    return Called("s", name, "Bash", kind, command, programs, "/srv", at or None, polls, span=Span(start=1, end=2))


def test_messages_are_numbered_and_blank_ones_dropped() -> None:
    session = one(
        Said("s", "user", "  \n"),
        Said("s", "user", "it prints garbage", time=10.0, injected=True),
        Said("s", "agent", "hm", kind="reasoning", abandoned=True),
    )
    assert [(m.ordinal, m.role, m.kind, m.text, m.injected, m.abandoned) for m in session.messages] == [
        (0, "user", "text", "it prints garbage", True, False),
        (1, "agent", "reasoning", "hm", False, True),
    ]
    assert session.messages[0].time == "1970-01-01T00:00:10.000Z"


def test_a_call_knows_its_message_its_commands_and_its_time() -> None:
    session = one(
        call("a", 10.0, command="cat x | head -2"),
        Said("s", "agent", "x"),
        call("b", 11.0),
        Returned("s", "a", "out", time=12.5),
    )
    first, second = session.steps
    assert (first.message, second.message) == (None, 0)
    assert [command.argv for command in first.commands] == [("cat", "x"), ("head", "-2")]
    assert (first.output, first.status, first.started, first.duration) == ("out", "ok", "1970-01-01T00:00:10.000Z", 2.5)
    assert (second.output, second.status, second.duration) == ("", "no-result", None)
    assert (session.started, session.ended) == ("1970-01-01T00:00:10.000Z", "1970-01-01T00:00:12.500Z")


def test_results_come_in_any_order_even_before_their_call() -> None:
    session = one(Returned("s", "b", "B"), call("a"), call("b"), Returned("s", "a", "A"))
    assert [step.output for step in session.steps] == ["A", "B"]


def test_calls_with_one_id_are_paired_by_neighbourhood() -> None:
    session = one(
        call("R", command="first"), Returned("s", "R", "1"),
        call("R", command="lost"), Said("s", "user", "go on"),
        call("R", command="second"), call("R", command="third"), Returned("s", "R", "2"), Returned("s", "R", "3"),
    )  # fmt: skip
    assert [(step.command, step.output) for step in session.steps] == [
        ("first", "1"), ("lost", ""), ("second", "2"), ("third", "3"),
    ]  # fmt: skip


def test_a_later_result_replaces_unless_it_appends() -> None:
    replaced = one(call("a"), Returned("s", "a", "old", exit_code=1), Returned("s", "a", "new", "error"))
    assert (replaced.steps[0].output, replaced.steps[0].exit_code, replaced.steps[0].status) == ("new", None, "error")
    appended = one(
        call("a"), Returned("s", "a", "one ", "running", duration=1.0),
        Returned("s", "a", "two", exit_code=3, exit_source="log", duration=0.5, append=True),
    )  # fmt: skip
    step = appended.steps[0]
    assert (step.output, step.status, step.exit_code, step.exit_source, step.duration) == (
        "one two",
        "ok",
        3,
        "log",
        1.5,
    )


def test_a_poll_completes_what_it_polls() -> None:
    session = one(
        call("a", 1.0), Returned("s", "a", "start", "running", time=2.0),
        call("p", 3.0, polls="a"), Returned("s", "p", "middle\n", "running", time=4.0),
        call("q", 5.0, polls="p"), Returned("s", "q", "end", exit_code=7, exit_source="log", time=6.0),
    )  # fmt: skip
    first, middle, last = session.steps
    assert (first.output, first.status, first.exit_code, first.duration) == ("start\nmiddle\nend", "ok", 7, 5.0)
    assert [(step.kind, step.continues, step.output) for step in (middle, last)] == [
        ("poll", 0, "middle\n"), ("poll", 0, "end"),
    ]  # fmt: skip


def test_a_poll_of_nothing_known_stands_alone() -> None:
    session = one(call("p", polls="gone"), Returned("s", "p", "text"))
    assert (session.steps[0].continues, session.steps[0].output) == (None, "text")


def test_a_message_has_the_tokens_of_the_answers_that_end_at_it() -> None:
    told = one(
        Used("s", "0", input=100),
        Said("s", "user", "why?"),
        Said("s", "agent", "maybe the disk", "reasoning"),
        Used("s", "1", input=5, output=1),
        Said("s", "agent", "I look at it."),
        Used("s", "1", input=5, output=9, cost=0.5),
        Used("s", "2", output=3),
    )
    assert [each.tokens for each in told.messages] == [None, None, Tokens(input=5, output=12, cost=0.5)]
    assert told.tokens.input == 105


def test_tokens_count_each_answer_once() -> None:
    used = (
        Used("s", "1", input=5, output=1),
        Used("s", "1", input=5, output=9, cost=0.5),
        Used("s", "2", cache_read=3),
    )
    session = one(Said("s", "user", "x"), *used)
    assert session.tokens == Tokens(input=5, output=9, cache_read=3, cost=0.5)


def test_the_facts_of_a_session_fill_in_and_its_title_and_end_are_replaced() -> None:
    session = one(
        About("s", title="first", model="m1", started=5.0, ended=6.0),
        About("s", title="second", model="m2", cwd="/srv", parent="p", ended=9.0, reconstructed=True),
        Said("s", "user", "x", time=7.0),
    )
    assert (session.title, session.model, session.cwd, session.parent) == ("second", "m1", "/srv", "p")
    assert (session.started, session.ended) == ("1970-01-01T00:00:05.000Z", "1970-01-01T00:00:09.000Z")
    assert (session.reconstructed, session.format, session.agent) == (True, "claude-code", "claude-code")


def test_a_session_without_title_is_called_by_the_first_line_that_a_person_wrote() -> None:
    session = one(
        Said("s", "user", "<env>", injected=True), Said("s", "agent", "hi"), Said("s", "user", "\nwhy?\nmore")
    )
    assert session.title == "why?"
    assert len(one(Said("s", "user", "word " * 100)).title) <= 100


def test_sessions_come_apart_and_empty_ones_are_left_out() -> None:
    count = Count(read=3, live=True)
    events: list[Event] = [About("empty"), Said("a", "user", "x"), Said("b", "user", "y"), call("c")]
    events += [Returned("s", "nobody", "lost")]
    sessions = build(events, SOURCE, count)
    assert [(session.id, session.live) for session in sessions] == [("a", False), ("b", False), ("s", True)]
    assert count.unknown_types == {"result without call": 1}
    account = tally(count, sessions)
    assert (account.read, account.unknown, account.calls_without_result) == (3, 1, 1)


@pytest.mark.parametrize(("given", "expected"), [(2.0, 2.0), (None, 0.0)])
def test_clocks_that_run_backwards_give_no_negative_duration(given: float | None, expected: float) -> None:
    session = one(call("a", 10.0), Returned("s", "a", "x", time=9.0, duration=given))
    assert session.steps[0].duration == expected
