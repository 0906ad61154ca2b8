"""Where a suspicion hangs: under the symptom, or on a strong sign under the one that raised it or that it refines."""

from collections.abc import Mapping, Sequence

from sessions.hypotheses.rules.find.identify import Suspicion
from sessions.hypotheses.rules.judge.decide import Decision
from sessions.hypotheses.rules.judge.record import Record

_AKIN = 0.2
"""Share of its terms that a suspicion has in common with the one that it refines."""

_SHARED = 3
_SOON = 1
_OWN = 2
"""Terms that its statement itself shares with the one whose settling raised it."""

_REFINES = 0.3
"""Share of its terms that it has in common with a confirmed one that it refines."""


def place(record: Record, suspicions: Sequence[Suspicion], decisions: Mapping[str, Decision]) -> dict[str, str]:
    """Return the key of the parent of each suspicion: of the one that raised it, or that it refines or answers."""
    parents: dict[str, str] = {}
    for number, suspicion in enumerate(suspicions):
        for earlier in reversed(suspicions[:number]):
            decision = decisions[earlier.key]
            if (
                _raised_by(record, suspicion, earlier, decision)
                or _refines(record, suspicion, earlier, decision)
                or _answers(suspicion, earlier, decision)
            ):
                parents[suspicion.key] = earlier.key
                break
    return parents


def _raised_by(record: Record, suspicion: Suspicion, earlier: Suspicion, decision: Decision) -> bool:
    """Whether it came up as output settled the earlier one, and speaks of the same."""
    if decision.message is None or decision.support != "grounded" or decision.verdict not in {"refuted", "confirmed"}:
        return False
    if len(suspicion.terms & earlier.terms) < _OWN:
        return False
    gap = suspicion.message - decision.message
    if not 0 <= gap <= _SOON or (gap and record.between(decision.message, suspicion.message)):
        return False
    here, known = _around(record, suspicion), earlier.terms | _concluded(record, decision)
    return len(here & known) >= _SHARED and record.rarity.coverage(here, known) >= _AKIN


def _refines(record: Record, suspicion: Suspicion, earlier: Suspicion, decision: Decision) -> bool:
    """Whether it names a part of what was confirmed before."""
    if decision.verdict != "confirmed" or decision.message is None or decision.message > suspicion.message:
        return False
    share = record.rarity.coverage(suspicion.terms, earlier.terms)
    return share >= _REFINES and bool(suspicion.entities & earlier.entities)


def _answers(suspicion: Suspicion, earlier: Suspicion, decision: Decision) -> bool:
    """Whether the agent lists it in answer to a suspicion of the user's that nothing speaks against: where in it."""
    asked, listed = earlier.mentions[0].note.sentence, suspicion.mentions[0]
    soon = 0 < suspicion.message - earlier.message <= _ANSWERED
    return (
        soon and listed.listed and asked.role == "user" != listed.note.sentence.role and decision.verdict != "refuted"
    )


_ANSWERED = 3
"""Messages within which the agent answers what the user suspects."""


def _around(record: Record, suspicion: Suspicion) -> frozenset[str]:
    """The terms of the paragraph that states it, up to the statement."""
    stated = suspicion.mentions[0].note.sentence
    notes = record.by_message[stated.message]
    return suspicion.terms.union(
        *(n.terms for n in notes if n.sentence.block == stated.block and n.sentence.index <= stated.index)
    )


def _concluded(record: Record, decision: Decision) -> frozenset[str]:
    """The terms of the message that settled it."""
    notes = record.by_message.get(decision.message if decision.message is not None else -1, [])
    return frozenset().union(*(n.terms for n in notes))
