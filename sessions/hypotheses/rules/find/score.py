"""How much of a suspicion each sentence is."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sessions.hypotheses.rules.table import KEEPS
from sessions.hypotheses.rules.table.row import Row
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
    "first-message": -0.3,
    "report": -0.6,
    "item-of-causes": 1.15,
    "under-causes": 0.35,
    "lead-line": -1.0,
    "only-a-link": -1.0,
    "settles": -0.4,
    "tested-next": 0.3,
    "not-tested": -0.3,
    "acted-on": 0.2,
    "taken-up": 0.2,
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
    log = _Log({note.sentence.number: note for note in notes}, _reports(messages), first_user)
    mentions = (_score(note, log) for note in notes)
    return tuple(mention for mention in mentions if mention.score >= KEEPS)


@dataclass(frozen=True, slots=True)
class _Log:
    """What the place of a sentence is read from: notes by number, and messages that are special."""

    notes: Mapping[int, Note]
    reports: frozenset[int]
    first_user: int | None

    def is_lead(self, note: Note) -> bool:
        """Return whether a sentence only announces the list that follows it."""
        following = self.notes.get(note.sentence.number + 1)
        if not note.sentence.text.endswith(":") or following is None or following.sentence.lead != note.sentence.number:
            return False
        return not note.entities or any(row.family == "lead" or row.name == "suspect" for row in note.rules)

    def inherits(self, note: Note) -> bool:
        """Return whether it is an item of a list that announces causes."""
        lead = self.notes.get(note.sentence.lead) if note.sentence.lead is not None else None
        return lead is not None and any(row.family == "lead" for row in lead.rules)

    def remarks(self, note: Note) -> Iterator[Row]:
        """Yield the rules of doubt in a remark on a sentence: "That might be it." after it, "How odd." before it."""
        here = note.sentence
        for step in (-1, 1) if here.company <= _BRIEF else ():
            other = self.notes.get(here.number + step)
            if other is None or (other.sentence.message, other.sentence.block) != (here.message, here.block):
                continue
            if len(other.terms) <= _REMARK < len(note.terms) and not any(row.family in _ENDS for row in other.rules):
                yield from (row for row in other.rules if row.family in _REMARKS and row.weight > 0)

    def is_under(self, note: Note) -> bool:
        """Return whether it stands under a heading of causes."""
        heading = self.notes.get(note.sentence.heading) if note.sentence.heading is not None else None
        return heading is not None and bool(_CAUSES.search(heading.sentence.text))


def _score(note: Note, log: _Log) -> Mention:
    elsewhere = _ELSEWHERE if note.sentence.company <= _BRIEF else _ELSEWHERE | _FLAT
    suspicion = [row for row in (*note.rules, *log.remarks(note)) if row.family not in elsewhere]
    families: dict[str, float] = {}
    for row in suspicion:
        best = families.get(row.family, 0.0)
        families[row.family] = max(best, row.weight) if row.weight > 0 else min(best, row.weight)
    listed = log.inherits(note) and not any(r.weight < 0 for r in suspicion)
    form = _form(note, log, listed=listed)
    names = tuple(f"rule:{row.name}" for row in suspicion if row.weight) + tuple(f"rule:{name}" for name in form)
    return Mention(note, sum(families.values()) + sum(ADJUST[name] for name in form), names, listed)


_REMARK = 1
_REMARKS = frozenset({"hedge", "cause", "question", "turn"})
"""The most terms that a remark has, and the families of rules that count in one."""

_FLAT = frozenset({"flaw", "contrast"})
_BRIEF = 3
"""Families of rules that mark a flat statement as a suspicion, and the most sentences of a message in which they do: in
longer ones most such sentences tell what is known or was done."""

_GUESSES = frozenset({"hedge", "cause", "question"})
_TELLS = frozenset({"because"})
"""Rules of those families that guess nothing by themselves."""

_ELSEWHERE = frozenset({"refutes", "confirms", "parks", "reopens", "lead"})


def _form(note: Note, log: _Log, *, listed: bool) -> tuple[str, ...]:
    sentence, words = note.sentence, note.sentence.text.count(" ") + 1
    under = not listed and sentence.shape != "heading" and log.is_under(note)
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
        "first-message": sentence.message == log.first_user and not under,
        "report": sentence.message in log.reports,
        "item-of-causes": listed,
        "under-causes": under,
        "lead-line": log.is_lead(note),
        "settles": _settles(note),
        "only-a-link": bool(_ONLY_LINK.match(sentence.text)),
    }
    return tuple(name for name, holds in checks.items() if holds)


def _settles(note: Note) -> bool:
    """Whether a sentence concludes, and suspects nothing new: it refutes, or it confirms what it does not name."""
    families = {row.family for row in note.rules if row.weight >= _FIRM}
    if "confirms" in families and len(note.terms) <= _REMARK:
        return True
    return "refutes" in families and not any(map(_guesses, note.rules))


_ENDS = frozenset({"refutes", "confirms"})
_FIRM = 0.7
"""Weight from which a rule that concludes does so whatever else the sentence names."""


def _guesses(row: Row) -> bool:
    return row.family in _GUESSES and row.name not in _TELLS


def _reports(messages: Sequence[Message]) -> frozenset[int]:
    """Return the messages that report what was done: recaps rather than suspicions."""
    return frozenset(
        m.ordinal for m in messages if m.role == "agent" and len(m.text) > _REPORT and _RECAP.search(m.text)
    )


_RECAP = re.compile(
    r"(?im)^\W*(?:done\b|(?:here's (?:the|a) )?summary|what (?:i|was|we) (?:shipped|did|changed|built|fixed)"
    r"|changes(?: made)?\W*$|outcome|files changed)"
)
