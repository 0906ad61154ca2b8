"""What became of a suspicion: one that is tested, acted on or settled was one."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from sessions.hypotheses.rules.find.identify import Suspicion
from sessions.hypotheses.rules.judge.record import Record, is_fix

_LOW = 0.55
"""Score from which it can matter what becomes of a suspicion."""

_SOON = 3
_WHILE = 12
_REACH = 15
"""Messages after its last mention within which a step tests a suspicion, a sentence settles it, an edit acts on it."""

_TESTS = frozenset({"shell", "poll", "search", "read", "agent"})
_LITTLE = 0.1
_MUCH = 0.3
_HALF = 0.5
"""Shares of its terms that a test, a conclusion with one of its names, and an edit or any conclusion have."""

_NAMES = 2
_OPENING = 4
"""Sentences at the head of a message in which it takes up what it was waiting for."""


def follow(record: Record, suspicions: Sequence[Suspicion]) -> None:
    """Note on each suspicion what the log makes of it."""
    pool = [s for s in suspicions if s.score >= _LOW]
    latest = _latest(pool, record.count)
    numbers = [note.sentence.number for note, _ in record.stances]
    for suspicion in pool:
        taken = any(_settles(record, suspicion, latest, numbers))
        suspicion.fate = (*_tested(record, suspicion), *_acted(record, suspicion), *(("taken-up",) if taken else ()))


def _latest(pool: Sequence[Suspicion], count: int) -> Sequence[Suspicion | None]:
    """Return, for each message, the suspicion last mentioned before it or in it."""
    mentioned = {place: suspicion for suspicion in pool for place in suspicion.places}
    found: list[Suspicion | None] = []
    for ordinal in range(count):
        found.append(mentioned.get(ordinal, found[-1] if found else None))
    return found


def _tested(record: Record, suspicion: Suspicion) -> Iterator[str]:
    last = max(suspicion.places)
    tests = [step for step in record.between(last, last + _SOON) if step.kind in _TESTS]
    names = suspicion.entities or suspicion.terms
    if any(record.rarity.coverage(names, record.command_terms(step)) >= _LITTLE for step in tests):
        yield "tested-next"
    elif not tests and not suspicion.mentions[0].listed:
        yield "not-tested"


def _acted(record: Record, suspicion: Suspicion) -> Iterator[str]:
    last = max(suspicion.places)
    for step in record.between(last, last + _REACH + 1):
        words = record.command_terms(step) if is_fix(step) else frozenset()
        if len(suspicion.entities & words) >= _NAMES and record.rarity.coverage(suspicion.terms, words) >= _HALF:
            yield "acted-on"
            return


def _settles(
    record: Record, suspicion: Suspicion, latest: Sequence[Suspicion | None], numbers: Sequence[int]
) -> Iterator[bool]:
    """Yield, for the conclusions after a suspicion, whether each is on it: it names it, or it comes when one waits."""
    last = max(suspicion.places)
    for note, said in record.stances[bisect_left(numbers, suspicion.end + 1) :]:
        sentence = note.sentence
        if sentence.message > last + _WHILE:
            return
        share = record.rarity.coverage(suspicion.terms, note.terms)
        named = share >= _HALF or (share >= _MUCH and bool(suspicion.entities & note.terms))
        waits = sentence.message > last and latest[sentence.message - 1] is suspicion
        yield named or (waits and sentence.index < _OPENING and sentence.message - last <= _SOON and not said.weak)
