"""Which steps bear on a suspicion, and which line of each is to be quoted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sessions.hypotheses.rules.find.identify import Suspicion
from sessions.hypotheses.rules.judge.record import Record
from sessions.models.hypothesis import Evidence, Stance
from sessions.models.session import Step

MOST = 3
"""Pieces of evidence of one hypothesis."""

LONGEST_QUOTE = 300

_ENOUGH = 2.0
"""Worth from which a step is evidence; the best one is evidence from `_LITTLE` on."""

_LITTLE = 0.8

WEIGHTS: Mapping[str, float] = {
    "command": 0.8,
    "output": 1.2,
    "names": 0.5,
    "announced": 0.8,
    "answered": 0.5,
    "shell": 0.5,
    "run": 0.4,
    "fails": 0.3,
    "first": 0.2,
    "just before": 0.25,
    "now": 0.5,
    "soon": 0.25,
    "long before": -0.5,
    "silent": -0.6,
    "another's": -0.2,
    "too late": -0.4,
}
"""What counts: the shares of the suspicion's terms in command, output, and the messages before and after a step that
speak of it, and of its names in both; what kind of step it is, and where it stands. Set by hand."""

_LOOKS = frozenset({"shell", "read", "search"})
_HEAD = 3
"""Sentences of the next message that take up what a step showed."""


@dataclass(frozen=True, slots=True)
class Reach:
    """Messages before and after a statement in which steps may bear on it."""

    before: int
    after: int


WIDE, NARROW = Reach(8, 10), Reach(3, 4)


@dataclass(frozen=True, slots=True)
class _Around:
    """What is known of a suspicion's place: when it was decided, when another was raised, the first step after it.

    `whole` and `named` are the rarities of its terms and of its names.
    """

    suspicion: Suspicion
    whole: float
    named: float
    decided: int | None
    another: int
    first: int | None


def link(
    record: Record, suspicion: Suspicion, deciding: Sequence[Evidence], decided: int | None, reach: Reach = WIDE
) -> tuple[Evidence, ...]:
    """Return the evidence: what decided, then the steps around the statement that speak of the same things."""
    taken = {e.step for e in deciding}
    last = max(suspicion.message + reach.after, decided if decided is not None else 0)
    steps = record.between(suspicion.message - reach.before, last + 1)
    later = (s.ordinal for s in steps if (s.message or 0) >= suspicion.message and s.kind in _LOOKS)
    another = min((s.message for s in record.suspicions if s.message > suspicion.message), default=record.count)
    weigh = record.rarity.weigh
    whole, named = weigh(suspicion.terms), weigh(suspicion.entities)
    around = _Around(suspicion, whole or 1.0, named or 1.0, decided, another, next(later, None))
    ranked = sorted(((_worth(record, around, s), -s.ordinal, s) for s in steps if s.ordinal not in taken), reverse=True)
    more = [
        _cite(record, suspicion, step)
        for number, (worth, _, step) in enumerate(ranked[: max(0, MOST - len(deciding))])
        if worth >= (_LITTLE if number == 0 and not deciding else _ENOUGH)
    ]
    return (*deciding, *more)


def _worth(record: Record, around: _Around, step: Step) -> float:
    suspicion, message = around.suspicion, step.message or 0
    weigh, distance, words = record.rarity.weigh, message - suspicion.message, suspicion.terms
    command, output = words & record.command_terms(step), words & record.output_terms(step)
    told = {
        "command": weigh(command) / around.whole,
        "output": weigh(output) / around.whole,
        "names": weigh((command | output) & suspicion.entities) / around.named,
        "announced": weigh(words & record.spoken(message, -2, None)) / around.whole if distance else 0.0,
        "answered": weigh(words & record.spoken(message + 1, None, _HEAD)) / around.whole,
        "shell": step.kind == "shell",
        "run": record.is_run(step),
        "fails": any(mark.showing == "fails" for mark in record.marks(step)),
        "first": step.ordinal == around.first,
        "just before": distance == -1,
        "now": distance in {0, 1},
        "soon": distance in {2, 3},
        "long before": distance <= _LONG_BEFORE,
        "silent": not step.output,
        "another's": message >= around.another,
        "too late": around.decided is not None and message > around.decided,
    }
    return sum(WEIGHTS[name] * value for name, value in told.items())


_LONG_BEFORE = -4


def _cite(record: Record, suspicion: Suspicion, step: Step) -> Evidence:
    before = step.message is not None and step.message < suspicion.message
    stance: Stance = "supports" if before else "neutral"
    return Evidence(step=step.ordinal, stance=stance, quote=best_line(record, suspicion, step), source="rule:overlap")


def best_line(record: Record, suspicion: Suspicion, step: Step) -> str:
    """Return the line of a step's output that shares most with a suspicion; of its command where none does."""
    best, worth = "", 0.0
    for line, words in record.lines(step, LONGEST_QUOTE):
        common = words & suspicion.terms
        weight = record.rarity.weigh(common) if common else 0.0
        if weight > worth:
            best, worth = line, weight
    return best or first_line(step.command)


def first_line(text: str) -> str:
    """Return the first line of a text that says anything, cut to the length of a quote."""
    return next((line.strip()[:LONGEST_QUOTE] for line in text.split("\n") if line.strip()), "")
