"""Of which suspicion a sentence that concludes something speaks: one that it names, or that waits for it."""

from collections import deque
from collections.abc import Mapping, Sequence

from sessions.hypotheses.rules.find.identify import Suspicion
from sessions.hypotheses.rules.judge.record import Record, is_fix
from sessions.hypotheses.rules.judge.stance import Said
from sessions.hypotheses.rules.text.annotate import Note
from sessions.models.hypothesis import Verdict

_OPENING = 4
"""Sentences at the head of a message in which it takes up what it was waiting for; terms that a sentence needs to be
understood alone."""

_SOON = 3
_LATER = 12
"""Messages within which an opening speaks of the suspicion in focus: without and with a shared word."""

_LITTLE = 0.1
_MUCH = 0.3
_ALMOST_ALL = 0.5
"""Shares of its terms that a conclusion has in common with a suspicion."""

_JUST_RAISED = 2

FINDINGS = frozenset({"rule:found-it", "rule:is-the-bug"})
"""Conclusions that announce what was looked for."""

_EFFECTS = frozenset({"rule:no-change", "rule:fixed"})
"""Conclusions from a change, on what was changed last: their words are those of the symptom."""

_IN_ORDER = frozenset({"rule:in-order", "rule:does-its-job"})


def conclusions(record: Record) -> Mapping[str, Sequence[tuple[Note, Said]]]:
    """Return, by the key of a suspicion, the sentences that conclude something of it, in their order.

    A refutation may speak of several; what confirms, confirms one: the one that it fits best.
    """
    found: dict[str, list[tuple[Note, Said]]] = {s.key: [] for s in record.suspicions}
    settled: dict[str, Verdict] = {}
    waiting = deque(sorted(record.proofs, key=lambda p: p.message))
    for note, said in record.stances:
        while waiting and waiting[0].message < note.sentence.message:
            settled[waiting.popleft().key] = "confirmed"
        before = [s for s in record.suspicions if note.sentence.number > s.end]
        meant = (
            _announced(record, note, said)
            or [s for s in before if names_it(record, s, note, said, settled.get(s.key))]
            or _awaited(record, before, note, said, settled)
        )
        if said.verdict == "confirmed" and meant:
            meant = [max(meant, key=lambda s: _fit(record, s, note))]
        for suspicion in meant:
            found[suspicion.key].append((note, said))
            if said.verdict != "abandoned":
                settled[suspicion.key] = said.verdict
    return found


def _announced(record: Record, note: Note, said: Said) -> list[Suspicion]:
    """Return the suspicion that a finding announces: "That's the bug", and the next sentence says which."""
    here = note.sentence
    if said.rule not in FINDINGS or len(note.terms) >= _OPENING:
        return []
    firsts = ((s, s.mentions[0].note.sentence) for s in record.suspicions if s.message == here.message)
    return [s for s, first in firsts if first.block == here.block and first.number == here.number + 1][:1]


def _fit(record: Record, suspicion: Suspicion, note: Note) -> tuple[float, int]:
    """How well a suspicion fits a finding: the share of it that the paragraph, read on from there, speaks of."""
    sentence = note.sentence
    after = [
        n.terms
        for n in record.by_message[sentence.message]
        if n.sentence.block == sentence.block and 0 <= n.sentence.index - sentence.index <= _READ_ON
    ]
    acted = _ACTED if _acts_on(record, suspicion, note) else 0.0
    weigh = record.rarity.weigh
    common = weigh(suspicion.core & frozenset().union(*after))
    return common / (weigh(suspicion.core) + _PRIOR) + acted, suspicion.end


_PRIOR = 4.0
"""Rarity that every suspicion is taken to have beside its terms: few terms are soon covered."""

_READ_ON = 2
_ACTED = 0.3
"""Sentences after a finding that say what was found; what it counts for that a suspicion was acted on."""


def names_it(record: Record, suspicion: Suspicion, note: Note, said: Said, settled: Verdict | None) -> bool:
    """Return whether the conclusion `said` in `note` names `suspicion`, which so far is `settled` or not."""
    if said.rule in _IN_ORDER and (settled == "confirmed" or _acts_on(record, suspicion, note)):
        return False
    if (
        said.rule == "rule:fixed"
        and settled is None
        and note.sentence.index < _OPENING
        and _acts_on(record, suspicion, note)
    ):
        return True
    words = _reach(record, note)
    share = record.rarity.coverage(suspicion.terms, words)
    return (share >= _MUCH and bool(suspicion.entities & words)) or share >= _ALMOST_ALL


def _awaited(
    record: Record, before: Sequence[Suspicion], note: Note, said: Said, settled: Mapping[str, Verdict]
) -> list[Suspicion]:
    """Return what waits for a message that opens with a conclusion: of a finding, all that was just raised.

    Else the one that it shares most with, whether just raised or not, if that one is not settled yet; where it shares
    words with none, the one in focus.
    """
    sentence = note.sentence
    early = [s for s in before if s.message < sentence.message]
    if sentence.index >= _OPENING or said.weak or not early:
        return []
    waiting = [s for s in early if s.key not in settled and not _may_be_mended(record, s, note, said)]
    if said.rule in FINDINGS:
        raised = [s for s in waiting if _since(s, sentence.message) <= _JUST_RAISED]
        if raised:
            return raised
    held = record.held[sentence.message - 1]
    near = [] if said.rule in _EFFECTS else _nearest(record, early, waiting, note)
    if near is not None and near:
        return near
    if near is None:
        return []
    return [s for s in waiting if s is held and _since(s, sentence.message) <= _SOON]


def _nearest(
    record: Record, early: Sequence[Suspicion], waiting: Sequence[Suspicion], note: Note
) -> list[Suspicion] | None:
    """Return the waiting suspicion that a conclusion shares most with; None where a settled one shares much more."""
    words, message = _read_around(record, note), note.sentence.message

    def share(suspicion: Suspicion) -> float:
        return record.rarity.weigh(suspicion.terms & words) if _since(suspicion, message) <= _LATER else 0.0

    nearest = max(early, key=lambda s: (share(s), s.end))
    best = max(waiting, key=lambda s: (share(s), s.end), default=None)
    if nearest is not best and record.rarity.coverage(nearest.terms, words) >= _MUCH:
        return None
    if best is None or record.rarity.coverage(best.terms, words) < _LITTLE or not share(best):
        return []
    return [best]


def _since(suspicion: Suspicion, message: int) -> int:
    """Return how many messages before `message` it was last mentioned."""
    return message - max(p for p in suspicion.places if p < message)


def _may_be_mended(record: Record, suspicion: Suspicion, note: Note, said: Said) -> bool:
    """Whether something was found in order that may have been changed since the statement."""
    return said.rule in _IN_ORDER and (_acts_on(record, suspicion, note) or _is_mended(record, suspicion, note))


def _read_around(record: Record, note: Note) -> frozenset[str]:
    """The terms of a conclusion and of the sentence after it, in its paragraph, that says why; else before it."""
    here = note.sentence
    words = note.terms
    for step in (1, -1):
        other = record.by_number.get(here.number + step)
        if other is not None and (other.sentence.message, other.sentence.block) == (here.message, here.block):
            words = words | other.terms if len(words) < _OPENING or step == 1 else words
    return words


def _reach(record: Record, note: Note) -> frozenset[str]:
    """The terms of a sentence; of one that hardly has any, those of its neighbours as well."""
    if len(note.terms) >= _OPENING:
        return note.terms
    around = (record.by_number.get(note.sentence.number + step) for step in (-1, 1))
    return note.terms.union(*(n.terms for n in around if n is not None and n.sentence.message == note.sentence.message))


def _acts_on(record: Record, suspicion: Suspicion, note: Note) -> bool:
    """Whether an edit since the statement acts on what is suspected."""
    steps = record.between(suspicion.message, note.sentence.message)
    return any(record.mended.get(s.ordinal) == suspicion.key for s in steps)


def _is_mended(record: Record, suspicion: Suspicion, note: Note) -> bool:
    """Whether anything was edited since the statement: what is in order now need not have been."""
    return any(is_fix(s) for s in record.between(suspicion.message, note.sentence.message))
