"""What the parts of a log say, laid together: one entry for each hypothesis, with its history, evidence and parent."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from sessions.hypotheses.model.ground import STANCES, Account, Held, Log, Place
from sessions.hypotheses.rules.text.segment import segment
from sessions.models.hypothesis import Evidence, Hypothesis, Support, Turn, Verdict

_ALIKE = 0.6
_ALIKE_NEAR = 0.4
_ALIKE_HINT = 0.25
_NEAR = 3
_WORD = re.compile(r"\w{3,}")


@dataclass(slots=True, eq=False)
class Entry:
    """One hypothesis while the parts are read."""

    key: str
    statement: str
    stated: Place
    verdict: Verdict = "open"
    support: Support = "claimed"
    decided: int | None = None
    turns: list[Turn] = field(default_factory=list)
    evidence: dict[int, Evidence] = field(default_factory=dict)
    parent: "Entry | None" = None
    held: bool = False
    """Some verdict of it had something to rest on."""
    settled_last: bool = False
    """The answer to the last part says how it ended."""
    rules: tuple[str, ...] = ()
    """The rules that suspected it too."""
    source: str = ""

    def carrying(self) -> list[Evidence]:
        """Return the evidence on which the verdict rests: what is marked so, else the last that points its way."""
        stance = STANCES.get(self.verdict)
        fitting = [e for e in self.evidence.values() if e.stance == stance]
        return [e for e in fitting if e.deciding] or fitting[-1:]


class Gathering:
    """The entries so far, and the names that a model knows them by."""

    def __init__(self, log: Log, hints: Sequence[Hypothesis], account: Account, source: str) -> None:
        """Start without entries; `hints` are suspicions of the rules, named S1, S2 … in their order."""
        self._step_messages = {step.ordinal: step.message for step in log.steps}
        self.entries: list[Entry] = []
        self.hints = {f"S{number}": hint for number, hint in enumerate(hints, 1)}
        self._account = account
        self._source = source
        self._taken: dict[str, Entry] = {}
        self._sentences: dict[int, list[tuple[str, str]]] = {}
        for s in segment(log.messages):
            self._sentences.setdefault(s.message, []).append((_fold(s.text), s.key))

    def known(self) -> list[tuple[str, str]]:
        """Return the name and the standing of each entry, as the next part is told of them."""
        return [
            (f"K{number}", f"(message {e.stated.message}, {e.verdict}) {e.statement}")
            for number, e in enumerate(self.entries, 1)
        ]

    def add(self, held: Sequence[Held], *, last: bool, told: bool = True) -> None:
        """Lay the answer to one part on the entries.

        `last` says whether the log ends with that part, `told` whether the model knew the entries so far by name.
        """
        known = {f"K{number}": entry for number, entry in enumerate(self.entries, 1)} if told else {}
        names = known | self._taken
        for each in held:
            entry = self._entry(each, names)
            if entry is not None:
                names[each.name] = entry
                self._update(entry, each, last=last)
        for each in held:
            _hang(names.get(each.name), names.get(each.parent or ""))

    def _entry(self, held: Held, names: dict[str, Entry]) -> Entry | None:
        known = names.get(held.name) or self._alike(held)
        if known is not None:
            return known
        hint = self.hints.get(held.name)
        stated = held.stated or _place_of(hint)
        if stated is None:
            self._account.drop("hypothesis", "its words do not stand in the message")
            return None
        self._account.keep("hypothesis")
        rules = hint.rules if hint else ()
        entry = Entry(self._key(stated, held.statement, hint), held.statement, stated, rules=rules, source=self._source)
        self.entries.append(entry)
        if hint is not None:
            self._taken[held.name] = entry
        return entry

    def _alike(self, held: Held) -> Entry | None:
        """Return the entry that says the same: nearly its words, or many of them and stated nearby."""
        for entry in self.entries:
            likeness = alike(entry.statement, held.statement)
            near = held.stated is not None and abs(held.stated.message - entry.stated.message) <= _NEAR
            if likeness >= (_ALIKE_NEAR if near and held.stated == entry.stated else _ALIKE):
                return entry
        return None

    def _update(self, entry: Entry, held: Held, *, last: bool) -> None:
        for piece in held.evidence:
            entry.evidence[piece.step] = piece
        if held.verdict in STANCES and not entry.evidence and held.decided is None:
            if held.verdict != entry.verdict:
                self._account.drop("verdict", "cites nothing that stands in the log")
            return
        entry.held = True
        entry.settled_last |= last
        if _is_news(entry, held):
            self._account.keep("verdict")
            entry.verdict = held.verdict
            entry.decided = held.decided.message if held.decided else self._after(entry)
            quote = held.decided.quote if held.decided else ""
            entry.turns.append(Turn(message=entry.decided, verdict=held.verdict, quote=quote, source=self._source))

    def _hint_at(self, stated: Place, statement: str, taken: Collection[str]) -> Hypothesis | None:
        """Return the rules' suspicion in the same message that has the same words."""
        here = [h for h in self.hints.values() if h.stated_in == stated.message and h.key not in taken]
        quote = _fold(stated.quote)
        graded = [(1.0 if quote in _fold(h.statement) else alike(h.statement, statement), h) for h in here]
        grade, best = max(graded, key=lambda pair: pair[0], default=(0.0, None))
        return best if grade >= _ALIKE_HINT else None

    def _after(self, entry: Entry) -> int | None:
        """Return the message in which the step stands on which a verdict without words rests."""
        return max((m for e in entry.carrying() if (m := self._step_messages.get(e.step)) is not None), default=None)

    def _key(self, stated: Place, statement: str, hint: Hypothesis | None) -> str:
        """Return the key that the rules would give to what stands at that place, so that corrections stay with it."""
        taken = {entry.key for entry in self.entries}
        hint = hint or self._hint_at(stated, statement, taken)
        if hint is not None and hint.key not in taken:
            return hint.key
        quote = _fold(stated.quote)
        sentences = self._sentences.get(stated.message, [])
        place = next((key for text, key in sentences if quote in text or text in quote), f"m{stated.message}")
        return next(key for key in _numbered(place) if key not in taken)


def alike(one: str, other: str) -> float:
    """Return the share of words, of all that two statements have, that both have."""
    left, right = set(_WORD.findall(one.lower())), set(_WORD.findall(other.lower()))
    return len(left & right) / len(left | right) if left | right else 0.0


def _numbered(place: str) -> Iterator[str]:
    yield place
    number = 1
    while True:
        number += 1
        yield f"{place}+{number}"


def _place_of(hint: Hypothesis | None) -> Place | None:
    return None if hint is None or hint.stated_in is None else Place(hint.stated_in, hint.statement)


def _is_news(entry: Entry, held: Held) -> bool:
    """Whether a verdict is another; a settled hypothesis is opened again only by words that say so."""
    if not entry.turns:
        return True
    return held.verdict != entry.verdict and (held.verdict != "open" or held.decided is not None)


def _hang(entry: Entry | None, parent: Entry | None) -> None:
    """Hang an entry under another, unless that hangs under it."""
    above = parent
    while above is not None:
        if above is entry:
            return
        above = above.parent
    if entry is not None and parent is not None:
        entry.parent = parent


def _fold(text: str) -> str:
    return " ".join(text.split())
