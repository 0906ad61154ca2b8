"""Of which suspicion a message concludes something, and what it says of it."""

from typing import Any

import pytest

from sessions.hypotheses.rules.engine import analyze
from sessions.models.hypothesis import Hypothesis
from sessions.models.session import Message, Step

USER = "Since Monday every tenth upload arrives torn. Why?"
POOL = "I suspect that the `socket_pool` hands out sockets that the firewall has closed."
CLOCK = "Another suspect: the two nodes disagree about the time, so that `lease_timer` expires early."
LOOK = {"command": "ss -tan | head", "output": "ESTAB 0 0 10.0.0.4:5432"}


def nodes(*talk: str | dict[str, Any]) -> list[Hypothesis]:
    """What comes of a talk: texts of the agent; dicts are steps after the last text."""
    messages = [Message(ordinal=0, role="user", text=USER)]
    steps: list[Step] = []
    for item in talk:
        if isinstance(item, str):
            messages.append(Message(ordinal=len(messages), role="agent", text=item))
        else:
            place = {"ordinal": len(steps), "message": len(messages) - 1, "kind": "shell", "tool": "sh"}
            steps.append(Step(**{**place, **item}))
    return list(analyze(messages, steps).hypotheses[1:])


def verdicts(*talk: str | dict[str, Any]) -> list[str]:
    return [node.verdict for node in nodes(POOL, CLOCK, LOOK, *talk, "I read on.", "And on.", "And on.", "And on.")]


REFUTING = [
    "No dice: {fact}.",
    "{Fact}. So much for that.",
    "{Thing} is off the hook: {fact}.",
    "{Fact}. That is a red herring.",
    "If it were {thing}, we would see it here, but {fact}.",
    "Clean bill of health for {thing}: {fact}.",
    "{Fact}, which acquits {thing}.",
    "My hunch about {thing} was wrong.",
    "We can cross {thing} off.",
    "Not {thing}, then. {Fact}.",
]
CONFIRMING = [
    "Smoking gun: {fact}.",
    "{Fact}. Everything falls into place.",
    "As suspected: {fact}.",
    "It was {thing} all along.",
    "Jackpot. {Fact}.",
    "Root cause: {fact}.",
    "That settles it: {fact}.",
]
LEAVING = [
    "I can't test {thing} from here.",
    "Let me put {thing} on the back burner.",
    "Shelving {thing} until somebody has access.",
    "{Thing} remains open, it would need a packet trace.",
    "I'm getting nowhere with {thing}.",
]
THINGS = {"pool": ("the socket pool", "the sockets of the pool"), "clock": ("the lease timer", "the two nodes")}


def said(frame: str, about: str) -> str:
    thing, subject = THINGS[about]
    fact = f"{subject} came up in the trace"
    capital = {"Thing": thing[0].upper() + thing[1:], "Fact": fact[0].upper() + fact[1:]}
    return frame.format(thing=thing, fact=fact, **capital)


@pytest.mark.parametrize("about", THINGS)
@pytest.mark.parametrize(
    ("frame", "verdict"),
    [(f, "refuted") for f in REFUTING] + [(f, "confirmed") for f in CONFIRMING] + [(f, "abandoned") for f in LEAVING],
)
def test_a_conclusion_is_on_what_it_shares_words_with_and_not_on_what_was_raised_last(
    frame: str, verdict: str, about: str
) -> None:
    number = list(THINGS).index(about)
    made = nodes(POOL, CLOCK, LOOK, said(frame, about), "I read on.", "And on.", "And on.", "And on.")
    assert len(made) == 2
    assert made[number].verdict == verdict
    assert made[number].decided_in == 3
    assert made[1 - number].decided_in != 3


def test_that_a_change_had_no_effect_is_said_of_what_is_in_focus() -> None:
    assert verdicts("Still torn after another try of the sockets.")[1] == "refuted"


def test_a_conclusion_on_a_settled_suspicion_does_not_settle_the_one_in_focus() -> None:
    first = said("No dice: {fact}.", "pool")
    pool, clock = nodes(
        POOL, CLOCK, LOOK, first, LOOK, said("So it's not {thing}: {fact}.", "pool"), *["I read on."] * 4
    )
    assert pool.verdict == "refuted"
    assert clock.decided_in not in {3, 4}


def test_taking_a_verdict_back_refutes_nothing_again() -> None:
    (pool,) = nodes(POOL, LOOK, "I ruled the socket pool out too early.", "I read on.", "And on.")
    assert pool.decided_in != 2


@pytest.mark.parametrize("figure", ["1.87214", "3.0"])
def test_more_than_one_is_no_likeness(figure: str) -> None:
    output = f"socket_pool closed sockets: max |cos - reference| {figure}"
    (pool,) = nodes(POOL, {"command": "python check_socket_pool.py", "output": output}, *["I read on."] * 4)
    assert pool.support != "grounded"


def test_a_remark_makes_a_suspicion_of_the_sentence_before_it() -> None:
    reading = "`acquire()` returns the first idle socket from `socket_pool`."
    look = {"command": "grep -n acquire socket_pool.py", "output": "12: return idle[0]"}
    (bare,) = nodes(reading, look, *["I read on."] * 4)
    (remarked,) = nodes(f"{reading} That could well be it.", look, *["I read on."] * 4)
    assert remarked.statement == bare.statement
    assert remarked.score > bare.score
    assert "rule:could-be" in set(remarked.rules) - set(bare.rules)


FLAT = "The `socket_pool` swallows the reset and is never told about it."


def test_a_flat_statement_is_a_suspicion_alone_and_not_amid_a_long_account() -> None:
    look = {"command": "grep -n reset socket_pool.py", "output": "12: except ResetError: pass"}
    (node,) = nodes(FLAT, look, *["I read on."] * 4)
    assert {"rule:fails-so", "rule:code-reading"} & set(node.rules)
    account = f"The reader opens a file. It takes a page. {FLAT} The page is sent. Then the file is closed."
    assert nodes(account, look, *["I read on."] * 4) == []
