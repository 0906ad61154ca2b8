"""What a sentence concludes of whatever it speaks of."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sessions.hypotheses.rules.table import Row
from sessions.hypotheses.rules.text.annotate import Note
from sessions.models.hypothesis import Verdict

_VERDICTS: Mapping[str, Verdict] = {"refutes": "refuted", "confirms": "confirmed", "parks": "abandoned"}
_WEAK = 0.7
_UNSURE = frozenset({"hedge", "offer", "question", "plan", "retelling", "doing", "reopens"})
"""Families of rules that take the conclusion out of a sentence."""

_PLANS = frozenset({"plan", "doing"})
"""Families that do not take it out of a sentence that puts something aside: that is a plan."""

_PARKED, _SETTLED = "park", "settled"
_GUESSES = frozenset({"hedge"})
"""A family that says what became of a guess, and that of the guess: "my hunch was wrong" is no guess."""

_SURE = "must-be"
_DENIABLE = frozenset({"in-order", "does-its-job"})
_DENIAL = re.compile(
    r"(?:\b(?:not|never|no longer|without|should|unless|until|if|whether|only when)|n't)\b[^,.;:]{0,40}$"
)


@dataclass(frozen=True, slots=True)
class Said:
    """A conclusion; a weak one counts only where the sentence names what it speaks of."""

    verdict: Verdict
    rule: str
    weak: bool


def stances(notes: Sequence[Note]) -> Iterator[tuple[Note, Said]]:
    """Yield the sentences that conclude something, with what they say."""
    for note in notes:
        said = _read(note)
        if said is not None:
            yield note, said


def _read(note: Note) -> Said | None:
    rows = [row for row in note.rules if row.family in _VERDICTS and not _is_denied(row, note)]
    if not rows or "?" in note.sentence.text:
        return None
    best = max(rows, key=lambda row: (row.weight, row.family == "refutes"))
    unsure = _UNSURE - _PLANS if best.name == _PARKED else _UNSURE
    if any(row.family == _SETTLED for row in note.rules):
        unsure = unsure - _GUESSES
    if any(row.family in unsure and row.name != _SURE for row in note.rules):
        return None
    return Said(_VERDICTS[best.family], f"rule:{best.name}", best.weight < _WEAK)


def _is_denied(row: Row, note: Note) -> bool:
    """Whether what would be in order is said not to be: "it never works as expected"."""
    if row.name not in _DENIABLE:
        return False
    text = note.sentence.text.lower()
    match = row.compiled.search(text)
    return match is not None and _DENIAL.search(text[: match.start()]) is not None
