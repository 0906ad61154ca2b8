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
    words = _read_on(record, note)
    weigh = record.rarity.weigh
    nearest = max(early, key=lambda s: (weigh(s.terms & words), s.end))
    near = record.rarity.coverage(nearest.terms, words) >= _LITTLE and _since(nearest, sentence.message) <= _LATER
    held = record.held[sentence.message - 1]
    if near and (said.rule not in _EFFECTS or nearest is held):
        return [nearest] if nearest in waiting else []
    return [s for s in waiting if s is held and _since(s, sentence.message) <= _SOON]


def _since(suspicion: Suspicion, message: int) -> int:
    """Return how many messages before `message` it was last mentioned."""
    return message - max(p for p in suspicion.places if p < message)


def _may_be_mended(record: Record, suspicion: Suspicion, note: Note, said: Said) -> bool:
    """Whether something was found in order that may have been changed since the statement."""
    return said.rule in _IN_ORDER and (_acts_on(record, suspicion, note) or _is_mended(record, suspicion, note))


def _read_on(record: Record, note: Note) -> frozenset[str]:
    """The terms of a conclusion and of the sentence after it, in its paragraph, that says why."""
    after = record.by_number.get(note.sentence.number + 1)
    here = note.sentence
    if after is None or (after.sentence.message, after.sentence.block) != (here.message, here.block):
        return note.terms
    return note.terms | after.terms


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
