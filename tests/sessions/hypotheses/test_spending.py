"""What each hypothesis cost in tokens, at which prices, and what dead ends cost together."""

import pytest

from sessions.hypotheses.spending import Prices, charge, dead_ends, priced
from sessions.models.hypothesis import Cost, Hypothesis, Tree
from sessions.models.session import Message, Tokens


def node(verdict: str, **cost: object) -> Hypothesis:
    facts = {"id": "H1", "key": "m1", "statement": "the disk is full", "source": "rule:maybe"}
    return Hypothesis.model_validate(facts | {"verdict": verdict, "cost": cost})


def test_only_dead_ends_count() -> None:
    nodes = (
        node("refuted", steps=3, seconds=2.5, tokens=100),
        node("abandoned", steps=2),
        node("confirmed", steps=9, seconds=9.0, tokens=900),
        node("open", steps=9),
    )
    assert dead_ends(nodes) == Cost(steps=5, seconds=2.5, tokens=100)


def test_what_the_log_does_not_say_stays_unknown() -> None:
    assert dead_ends((node("refuted", steps=3),)) == Cost(steps=3, seconds=None, tokens=None)
    assert dead_ends(()) == Cost()


def said(*tokens: Tokens | None) -> list[Message]:
    return [Message(ordinal=n, role="agent", text="so", tokens=each) for n, each in enumerate(tokens)]


def test_tokens_go_to_what_was_in_focus_until_it_was_settled() -> None:
    messages = said(
        Tokens(input=1), Tokens(input=10, output=5, cost=0.5), None, Tokens(output=100), Tokens(output=1000)
    )
    held = [None, "m1", "m1", "m1", "m4"]
    spent = charge({"m1": Cost(steps=2, seconds=3.0)}, held, {"m1": 2, "m4": None}, messages)
    assert spent == {
        "m1": Cost(steps=2, seconds=3.0, tokens=15, used=Tokens(input=10, output=5, cost=0.5)),
        "m4": Cost(tokens=1000, used=Tokens(output=1000)),
    }


def test_a_log_without_tokens_charges_none() -> None:
    assert charge({"m0": Cost(steps=1)}, ["m0"], {"m0": None}, said(None)) == {"m0": Cost(steps=1)}


def test_a_persons_prices_count_only_where_the_log_has_tokens_and_no_money() -> None:
    prices = Prices(input=3, output=15, cache_read=0.3, cache_write=3.75)
    million = Tokens(input=10**6, output=10**6, reasoning=10**6, cache_read=10**6, cache_write=10**6)
    nodes = tuple(
        node("refuted", used=used)
        for used in (million, Tokens(input=10**6, cost=0.25), Tokens(input=10**6, cost=0), None)
    )
    costs = [one.cost.used and one.cost.used.cost for one in priced(Tree(hypotheses=nodes), prices).hypotheses]
    assert costs == [pytest.approx(3 + 15 + 15 + 0.3 + 3.75), 0.25, 3.0, None]
