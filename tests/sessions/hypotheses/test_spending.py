"""What dead ends cost together."""

from sessions.hypotheses.spending import dead_ends
from sessions.models.hypothesis import Cost, Hypothesis


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
