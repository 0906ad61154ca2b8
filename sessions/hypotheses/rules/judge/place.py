"""Where a suspicion hangs: under the symptom, or under the one whose settling raised it."""

from collections.abc import Mapping, Sequence

from sessions.hypotheses.rules.find.identify import Suspicion
from sessions.hypotheses.rules.judge.decide import Decision
from sessions.hypotheses.rules.judge.record import Record

_AKIN = 0.2
"""Share of its terms that a suspicion has in common with the one that it refines."""

_SHARED = 3
_SOON = 1


def place(record: Record, suspicions: Sequence[Suspicion], decisions: Mapping[str, Decision]) -> dict[str, str]:
    """Return the key of the parent of each suspicion that was raised as another was settled and speaks of the same."""
    parents: dict[str, str] = {}
    for number, suspicion in enumerate(suspicions):
        for earlier in reversed(suspicions[:number]):
            if _raised_by(record, suspicion, earlier, decisions[earlier.key]):
                parents[suspicion.key] = earlier.key
                break
    return parents


def _raised_by(record: Record, suspicion: Suspicion, earlier: Suspicion, decision: Decision) -> bool:
    if decision.message is None or decision.verdict not in {"refuted", "confirmed"}:
        return False
    gap = suspicion.message - decision.message
    if not 0 <= gap <= _SOON or (gap and record.between(decision.message, suspicion.message)):
        return False
    here, known = _around(record, suspicion), earlier.terms | _concluded(record, decision)
    return len(here & known) >= _SHARED and record.rarity.coverage(here, known) >= _AKIN


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
