"""Which steps bear on a suspicion, and which line of each is to be quoted."""

from collections.abc import Iterator, Sequence

from sessions.hypotheses.rules.find.identify import Suspicion
from sessions.hypotheses.rules.judge.marks import excerpt
from sessions.hypotheses.rules.judge.record import Record
from sessions.hypotheses.rules.text.annotate import terms
from sessions.models.hypothesis import Evidence, Stance
from sessions.models.session import Step

MOST = 3
"""Pieces of evidence of one hypothesis."""

LONGEST_QUOTE = 300
_BEFORE = 3
_AFTER = 4
_ENOUGH = 0.2
_KINDS = {"shell": 0.15, "agent": 0.05, "edit": -0.25, "web": 0.0, "other": -0.2, "poll": -0.1}


def link(
    record: Record, suspicion: Suspicion, deciding: Sequence[Evidence], decided: int | None
) -> tuple[Evidence, ...]:
    """Return the evidence: what decided, then the steps around the statement that speak of the same things."""
    taken = {e.step for e in deciding}
    last = max(suspicion.message, decided if decided is not None else suspicion.message)
    steps = record.between(suspicion.message - _BEFORE, min(last, suspicion.message + _AFTER) + 1)
    ranked = sorted(_rank(record, suspicion, steps), key=lambda pair: -pair[0])
    more = [_cite(record, suspicion, step) for worth, step in ranked if worth >= _ENOUGH and step.ordinal not in taken]
    return (*deciding, *more[: max(0, MOST - len(deciding))])


def _rank(record: Record, suspicion: Suspicion, steps: Sequence[Step]) -> Iterator[tuple[float, Step]]:
    wanted = suspicion.terms
    for step in steps:
        if not step.output:
            continue
        command = record.rarity.coverage(wanted, record.command_terms(step))
        output = record.rarity.coverage(wanted, record.output_terms(step))
        distance = abs((step.message or 0) - suspicion.message)
        yield 0.5 * command + 0.6 * output + _KINDS.get(step.kind, 0.0) - 0.04 * distance, step


def _cite(record: Record, suspicion: Suspicion, step: Step) -> Evidence:
    before = step.message is not None and step.message < suspicion.message
    stance: Stance = "supports" if before else "neutral"
    return Evidence(step=step.ordinal, stance=stance, quote=best_line(record, suspicion, step), source="rule:overlap")


def best_line(record: Record, suspicion: Suspicion, step: Step) -> str:
    """Return the line of a step's output that shares most with a suspicion; of its command where none does."""
    best, worth = "", 0.0
    for line in excerpt(step).split("\n"):
        common = terms(line) & suspicion.terms if len(line) <= LONGEST_QUOTE else frozenset()
        weight = record.rarity.weigh(common) if common else 0.0
        if weight > worth:
            best, worth = line.strip(), weight
    if best:
        return best
    return first_line(step.command)


def first_line(text: str) -> str:
    """Return the first line of a text that says anything, cut to the length of a quote."""
    return next((line.strip()[:LONGEST_QUOTE] for line in text.split("\n") if line.strip()), "")
