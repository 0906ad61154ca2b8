"""Which suspicion each edit acts on: the one it names best, of those raised before it; the latest of equals."""

import re
from collections.abc import Iterator, Mapping, Sequence

from sessions.hypotheses.rules.find.identify import Suspicion
from sessions.hypotheses.rules.judge.record import Record, names_no_cause
from sessions.hypotheses.rules.text.annotate import terms
from sessions.models.session import Step

_REACH = 15
"""Messages after its last mention within which an edit can act on a suspicion."""

_ENOUGH = 0.25
"""Share of its terms that an edit names, at least."""

_JUST_NOW = 0.2
"""What it counts for, as a share, that a suspicion is the one in focus when the edit is made."""

_FADES = 0.015
"""What each message since it was last mentioned takes off."""

_EQUAL = 0.15
"""What two may differ by and still count as equal."""

_NAMES = 2
_LONGEST = 12_000
_BLOCK = re.compile(r"(?ms)^<{7}\n(.*?)^={7}\n(.*?)(?:^>{7}|\Z)")
_FILES = re.compile(r"(?m)^\*\*\* (?:Update|Add|Delete) File: (.*)$")
_PATCH = re.compile(r"(?m)^(?:[+-](?![+-]{2} ).*|\*\*\* (?:Update|Add|Delete) File: .*)$")


def mend(record: Record, suspicions: Sequence[Suspicion]) -> Mapping[int, str]:
    """Return, for each edit step that acts on a suspicion, the key of that suspicion."""
    found: dict[int, str] = {}
    for step in record.fixes:
        if step.message is not None:
            best = _best(record, suspicions, step.message, terms("\n".join(changed(step))))
            if best is not None:
                found[step.ordinal] = best.key
    return found


def changed(step: Step) -> Iterator[str]:
    """Yield the file that an edit changes and the lines that it takes out or puts in; those it keeps are left out."""
    text = step.command[:_LONGEST]
    blocks = _BLOCK.findall(text)
    if blocks:
        yield text.split("\n", 1)[0]
        for old, new in blocks:
            before, after = old.split("\n"), new.split("\n")
            yield from set(before) ^ set(after)
        return
    patched = _PATCH.findall(text)
    yield from patched or (text,)


def files(step: Step) -> Sequence[str]:
    """Return the files that an edit changes."""
    return _FILES.findall(step.command) or (step.command.split("\n", 1)[0],)


def _best(record: Record, suspicions: Sequence[Suspicion], message: int, words: frozenset[str]) -> Suspicion | None:
    worth = {s.key: _worth(record, s, message, words) for s in suspicions}
    best = max(worth.values(), default=0.0)
    if best < _ENOUGH:
        return None
    return next(s for s in reversed(suspicions) if worth[s.key] >= max(_ENOUGH, best - _EQUAL))


def _worth(record: Record, suspicion: Suspicion, message: int, words: frozenset[str]) -> float:
    """How well an edit, by its words, fits a suspicion: the share of its terms that it names, more for newer ones."""
    last = max((place for place in suspicion.places if place <= message), default=None)
    if last is None or message - last > _REACH or names_no_cause(suspicion):
        return 0.0
    focused = record.held[message] is suspicion
    if len(suspicion.entities & words) < (1 if focused else _NAMES):
        return 0.0
    share = record.rarity.coverage(suspicion.terms, words) - _FADES * (message - last)
    return share + (_JUST_NOW if focused else 0.0)
