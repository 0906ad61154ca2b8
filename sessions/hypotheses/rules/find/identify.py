"""Mentions gathered into suspicions: one suspicion keeps all its mentions, the earliest says where it was stated.

Everything here looks back only, so that a log that grows keeps the suspicions, and the keys, that it had.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from sessions.hypotheses.rules.find.rarity import Rarity
from sessions.hypotheses.rules.find.score import ADJUST, Mention
from sessions.hypotheses.rules.text.annotate import Note, entities, terms

_AGAIN = 0.1
_TOGETHER = 0.2
_MOST_MORE = 0.3
"""What another message, or another sentence of the first one, adds to the score; and the most of it."""

_LONG_THOUGHT = -0.4
_LONG = 12
"""What it takes off that something stands in long thoughts alone, and the sentences that make a thought long."""

_NAME = 0.2
_NAMES = 4
"""What a name in a sentence is worth when the best one is chosen, and how many count."""

_SAME = 0.4
"""Likeness from which a mention belongs to an earlier suspicion."""

_ANOTHER = re.compile(r"^(?:or|alternatively|another|also|second|third|finally|the other|next|then)\b", re.IGNORECASE)
_PARTS = re.compile(r"(?:,|;| -| \u2013| —) or (?:maybe |perhaps )?(?=\S+ \S+ )|,? and (?=whether )", re.IGNORECASE)
_ANY_OR = re.compile(r",? or (?=\S+ \S+ )", re.IGNORECASE)
_PLURAL = re.compile(
    r"\b(?:causes|candidates|culprits|suspects|reasons|explanations|possibilities)\b[^.]{0,20}\bare\b", re.IGNORECASE
)
_CLAUSE = re.compile(
    r"\b(?:is|isn't|are|was|were|be|has|does|doesn't|might|could|may|would|still|gets|fails|causes?d?|whether)\b",
    re.IGNORECASE,
)


@dataclass(slots=True)
class Suspicion:
    """Something suspected: where, in which words, and how strongly."""

    key: str
    message: int
    part: str
    """The words that state it first; a part of a sentence where it names several."""
    mentions: list[Mention]
    terms: frozenset[str]
    entities: frozenset[str]
    places: set[int] = field(default_factory=set)
    """Messages in which it is mentioned."""
    fate: tuple[str, ...] = ()
    """What the log makes of it later (`find.follow`): names of weights in the scoring stage."""

    @property
    def best(self) -> Note:
        """The sentence that states it best, of its first message: strong, and full of names."""
        here = [m for m in self.mentions if m.note.sentence.message == self.message]
        return max(
            here, key=lambda m: (m.score + _NAME * min(len(m.note.entities), _NAMES), -m.note.sentence.number)
        ).note

    @property
    def end(self) -> int:
        """Number of the last sentence of its first message that mentions it: what concludes stands after it."""
        return max(m.note.sentence.number for m in self.mentions if m.note.sentence.message == self.message)

    @property
    def core(self) -> frozenset[str]:
        """The terms of its best sentence."""
        return (self.best.terms & self.terms) or self.terms

    @property
    def score(self) -> float:
        """How much speaks for its being a suspicion at all."""
        first = sum(m.note.sentence.message == self.message for m in self.mentions)
        again = _AGAIN * (len(self.places) - 1) + _TOGETHER * (first - 1)
        thought = _LONG_THOUGHT if all(_is_long_thought(m) for m in self.mentions) else 0.0
        fate = sum(ADJUST[name] for name in self.fate)
        return max(m.score for m in self.mentions) + min(_MOST_MORE, again) + thought + fate


_PRONOUN = re.compile(
    r"^(?:it|they)\b|^(?:this|that|these|those)(?:'s| (?:is|was|are|were|could|would|may|might|must|looks?"
    r"|seems?|means|suggests|explains))\b"
    r"|^[^`]{0,60}\b(?:if|on|of|that) it\b",
    re.IGNORECASE,
)
_FEW = 4
"""Terms under which a sentence needs the one before it to be understood."""


def _is_long_thought(mention: Mention) -> bool:
    return mention.note.sentence.reasoning and mention.note.sentence.company > _LONG


def topic(note: Note, text: str, before: Note | None) -> Note | None:
    """Return the sentence before, where `text` (of the sentence of `note`) does not say itself what it speaks of."""
    if before is None or (before.sentence.message, before.sentence.block) != (
        note.sentence.message,
        note.sentence.block,
    ):
        return None
    return before if _PRONOUN.search(text) or len(note.terms) < _FEW else None


def identify(mentions: Sequence[Mention], notes: Sequence[Note]) -> tuple[tuple[Suspicion, ...], Rarity]:
    """Return the suspicions in the order in which they are stated, and the rarity of all terms of the session."""
    rarity = Rarity()
    found: list[Suspicion] = []
    by_number = {m.note.sentence.number: m for m in mentions}
    before: Note | None = None
    for note in notes:
        rarity.add(note.terms)
        mention = by_number.get(note.sentence.number)
        if mention is not None:
            _place(mention, before, found, rarity)
        before = note
    return tuple(found), rarity


def _place(mention: Mention, before: Note | None, found: list[Suspicion], rarity: Rarity) -> None:
    sentence = mention.note.sentence
    for number, part in enumerate(_parts(sentence.text)):
        words, names = terms(part), entities(part)
        if mention.listed:
            home = _item_above(mention, found)
        else:
            home = _home(mention, words, found, rarity, first=number == 0)
        if home is None:
            key = sentence.key + ("" if number == 0 else chr(ord("a") + number))
            lead = topic(mention.note, part, before)
            if lead is not None:
                words, names = words | lead.terms, names | lead.entities
            found.append(Suspicion(key, sentence.message, part, [mention], words, names, {sentence.message}))
        else:
            home.mentions.append(mention)
            home.places.add(sentence.message)
            if sentence.message == home.message:
                home.terms |= words
                home.entities |= names


def _home(
    mention: Mention, words: frozenset[str], found: Sequence[Suspicion], rarity: Rarity, *, first: bool
) -> Suspicion | None:
    if first and found and (_adjoins(mention, found[-1]) or _announces(mention, words, found[-1])):
        return found[-1]
    near = [(rarity.likeness(words, s.terms), -number) for number, s in enumerate(found) if _share(words, s.terms)]
    likeness, place = max(near, default=(0.0, 0))
    return found[-place] if likeness >= _SAME else None


def _share(one: frozenset[str], other: frozenset[str]) -> bool:
    return len(one & other) >= _COMMON


def _announces(mention: Mention, words: frozenset[str], last: Suspicion) -> bool:
    """Whether the mention is the finding on the suspicion just looked into, and no new one."""
    found = any(row.name == "found-it" for row in mention.note.rules)
    soon = mention.note.sentence.message - max(last.places) <= _SOON
    return found and soon and bool(words & last.terms)


_COMMON = 2
_SOON = 3


def _item_above(mention: Mention, found: Sequence[Suspicion]) -> Suspicion | None:
    """Return the suspicion of the list item that this one is indented under, or goes on with."""
    here = mention.note.sentence
    for suspicion in reversed(found[-_NEAR:]):
        first = suspicion.mentions[0].note.sentence
        if first.lead == here.lead and (
            here.depth > first.depth or here.block == first.block or _GOES_ON.match(here.text)
        ):
            return suspicion
    return None


_GOES_ON = re.compile(r"^(?:so|and|which|this|that)\b")


def _adjoins(mention: Mention, last: Suspicion) -> bool:
    """Whether the mention goes on with what the sentence before it began."""
    before, here = last.mentions[-1].note.sentence, mention.note.sentence
    together = (before.message, before.block) == (here.message, here.block) and here.index - before.index <= _NEAR
    return together and not _ANOTHER.match(here.text)


_NEAR = 2


def _parts(text: str) -> Iterator[str]:
    """Yield the suspicions that one sentence names: two clauses joined by "or", or the items of "causes are X or Y"."""
    listed = _PLURAL.search(text)
    pieces = [p.strip() for p in (_ANY_OR if listed else _PARTS).split(text) if p.strip()]
    several = len(pieces) > 1 and (bool(listed) or all(_CLAUSE.search(p) for p in pieces))
    if several:
        yield from pieces
    else:
        yield text
