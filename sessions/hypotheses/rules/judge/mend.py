"""Which suspicion each edit acts on: the one it names best, of those raised before it; the latest of equals."""

from collections.abc import Mapping, Sequence

from sessions.hypotheses.rules.find.identify import Suspicion
from sessions.hypotheses.rules.judge.record import Record, is_fix

_REACH = 15
"""Messages after its last mention within which an edit can act on a suspicion."""

_ENOUGH = 0.5
_NAMES = 2


def mend(record: Record, suspicions: Sequence[Suspicion]) -> Mapping[int, str]:
    """Return, for each edit step that acts on a suspicion, the key of that suspicion."""
    found: dict[int, str] = {}
    for step in record.steps:
        if is_fix(step) and step.message is not None:
            best = _best(record, suspicions, step.message, record.command_terms(step))
            if best is not None:
                found[step.ordinal] = best.key
    return found


def _best(record: Record, suspicions: Sequence[Suspicion], message: int, words: frozenset[str]) -> Suspicion | None:
    best, worth = None, _ENOUGH
    for suspicion in suspicions:
        recent = any(0 <= message - place <= _REACH for place in suspicion.places)
        if suspicion.message <= message and recent and len(suspicion.entities & words) >= _NAMES:
            share = record.rarity.coverage(suspicion.terms, words)
            if share >= worth:
                best, worth = suspicion, share
    return best
