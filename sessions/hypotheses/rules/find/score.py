"""How much of a suspicion each sentence is."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sessions.hypotheses.rules.table import KEEPS
from sessions.hypotheses.rules.text.annotate import Note
from sessions.models.session import Message

_LONG = 60
_SHORT = 4
_FEW = 4
ADJUST = {
    "heading": -0.6,
    "short": -0.6,
    "long": -0.2,
    "entity": 0.2,
    "no-terms": -0.4,
    "alone": 0.1,
    "opening": 0.05,
    "reasoning": -0.1,
    "user": 0.1,
    "report": -0.6,
    "item-of-causes": 0.9,
    "under-causes": 0.35,
    "lead-line": -1.0,
    "only-a-link": -1.0,
    "settles": -0.4,
}
"""What the place and the form of a sentence add."""

_CAUSES = re.compile(
    r"\b(?:why|causes?|diagnos\w+|what(?:'s| is| was) (?:happening|wrong|going on)|the (?:problem|issue|bug)"
    r"|analysis)\b",
    re.IGNORECASE,
)
"""A heading under which causes stand."""

_ONLY_LINK = re.compile(r"^\W*(?:\[[^\]]*\]\([^)]*\)|`?[\w./-]+\.\w+(?::\d+)?`?)\W*$")

_REPORT = 1_500
"""Characters from which a message that says what was done is a report."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A sentence that may state a hypothesis."""

    note: Note
    score: float
    rules: tuple[str, ...]
    listed: bool
    """An item of a list of suspicions."""


def score(notes: Sequence[Note], messages: Sequence[Message], first_user: int | None) -> tuple[Mention, ...]:
    """Return the sentences worth keeping, with their scores; the first user message is left to the symptom."""
    by_number = {note.sentence.number: note for note in notes}
    reports = _reports(messages)
    kept = []
    for note in notes:
        mention = _score(note, by_number, reports)
        penalty = 0.6 if note.sentence.message == first_user else 0.0
        if mention.score - penalty >= KEEPS:
            kept.append(Mention(note, mention.score - penalty, mention.rules, mention.listed))
    return tuple(kept)


def _score(note: Note, by_number: dict[int, Note], reports: frozenset[int]) -> Mention:
    suspicion = [row for row in note.rules if row.family not in _ELSEWHERE]
    families: dict[str, float] = {}
    for row in suspicion:
        best = families.get(row.family, 0.0)
        families[row.family] = max(best, row.weight) if row.weight > 0 else min(best, row.weight)
    listed = _inherits(note, by_number) and not any(r.weight < 0 for r in suspicion)
    under = _is_under(note, by_number)
    form = _form(note, listed=listed, under=under, report=note.sentence.message in reports)
    names = tuple(f"rule:{row.name}" for row in suspicion if row.weight) + tuple(f"rule:{name}" for name in form)
    return Mention(note, sum(families.values()) + sum(ADJUST[name] for name in form), names, listed)


_GUESSES = frozenset({"hedge", "cause", "question"})
_ELSEWHERE = frozenset({"refutes", "confirms", "parks", "lead"})


def _inherits(note: Note, by_number: dict[int, Note]) -> bool:
    lead = by_number.get(note.sentence.lead) if note.sentence.lead is not None else None
    return lead is not None and any(row.family == "lead" for row in lead.rules)


def _is_under(note: Note, by_number: dict[int, Note]) -> bool:
    heading = by_number.get(note.sentence.heading) if note.sentence.heading is not None else None
    return heading is not None and bool(_CAUSES.search(heading.sentence.text))


def _form(note: Note, *, listed: bool, under: bool, report: bool) -> tuple[str, ...]:
    sentence, words = note.sentence, note.sentence.text.count(" ") + 1
    checks = {
        "heading": sentence.shape == "heading" and not listed,
        "short": words < _SHORT and not listed,
        "long": words > _LONG,
        "entity": bool(note.entities),
        "no-terms": not note.terms,
        "alone": sentence.company <= _FEW,
        "opening": sentence.index == 0,
        "reasoning": sentence.reasoning,
        "user": sentence.role == "user",
        "report": report,
        "item-of-causes": listed,
        "under-causes": under and not listed and sentence.shape != "heading",
        "lead-line": sentence.text.endswith(":") and _is_lead(note),
        "settles": any(r.family == "refutes" for r in note.rules) and not any(r.family in _GUESSES for r in note.rules),
        "only-a-link": bool(_ONLY_LINK.match(sentence.text)),
    }
    return tuple(name for name, holds in checks.items() if holds)


def _is_lead(note: Note) -> bool:
    return not note.entities or any(row.family == "lead" or row.name == "suspect" for row in note.rules)


def _reports(messages: Sequence[Message]) -> frozenset[int]:
    """Return the messages that report what was done: recaps rather than suspicions."""
    return frozenset(
        m.ordinal for m in messages if m.role == "agent" and len(m.text) > _REPORT and _RECAP.search(m.text)
    )


_RECAP = re.compile(
    r"(?im)^\W*(?:done\b|(?:here's (?:the|a) )?summary|what (?:i|was|we) (?:shipped|did|changed|built|fixed)"
    r"|changes(?: made)?\W*$|outcome|files changed)"
)
