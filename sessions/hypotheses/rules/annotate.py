"""What each sentence is made of: its terms, its entities, the rules that fire in it."""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from sessions.hypotheses.rules.segment import Sentence
from sessions.hypotheses.rules.table.row import Row

_WORD = re.compile(r"[A-Za-z][a-z]+|[A-Z]+(?![a-z])|[a-z]+|\d+(?:[.,]\d+)*")
_TOKEN = re.compile(r"[A-Za-z0-9_][\w./:@+-]*")
_SPAN = re.compile(r"`([^`]{2,120})`")
_IDENTIFIER = re.compile(r"_|[a-z][A-Z]|[./:]\w|\w\(\)|[A-Za-z]\d|\d[A-Za-z]|^--?\w|^[A-Z]{2,}$")
_PROPER = re.compile(r"(?<=[a-z,;)] )[A-Z][a-z]+\b(?! [a-z]+ly\b)")
_FIGURE = re.compile(r"(?<![\w.])[-+]?\d{1,3}(?:[,_]\d{3})+(?![\w,])|(?<![\w.])[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?![\w])", re.IGNORECASE)
_VERSION = re.compile(r"^\d+\.\d+\.\d+")

STOP = frozenset(
    """a about above actually after again all almost alone already also although always am an and another any anything are around as ask at away back be because
    been before being below best better between both but by call came can cannot check clear come could did different do does doing done down each
    either else end enough even ever every everything exactly expect far few fine first fix follow for found from full get give go going good got had has
    have having he help here his how however i if in instead into is issue it its itself just keep kind know last least left let like likely line list
    little look lot made main make many may maybe me mean might more most much must my name near need never new next no not nothing now of off
    ok old on once one only open or other our out over own part perhaps place point possible probably problem put quite rather read real really reason
    right run same say second see seem set she should show side simply since so some something start still such sure take tell test than that the their
    them then there these they thing think third this those though through time to together too try turn two under until up upon us use user very
    want was way we well went were what when where whether which while who whole why will with within without work would yes yet you your
    s t d ll re ve m don doesn didn isn wasn aren won couldn wouldn hasn haven hmm okay let lets wait actual cause culprit suspect candidate bug wrong
    error fail failure correct value result return change find happen""".split()
)


@dataclass(frozen=True, slots=True)
class Note:
    """What was found in one sentence."""

    sentence: Sentence
    terms: frozenset[str]
    """Folded content words."""
    entities: frozenset[str]
    """The terms that stem from names: code, paths, identifiers, abbreviations."""
    rules: tuple[Row, ...]


_ENDINGS = (("isation", 3), ("ization", 3), ("ations", 3), ("ation", 3), ("ings", 3), ("edly", 3), ("ies", 3), ("ing", 3), ("ed", 3), ("es", 3), ("ly", 4), ("s", 2), ("e", 3))
_DOUBLED = 2


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """Return `word` in lower case without its commonest endings."""
    word = word.lower()
    for ending, least in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= least and not word.endswith("ss"):
            bare = word[: -len(ending)]
            doubled = len(bare) > _DOUBLED and bare[-1] == bare[-2] and bare[-1] not in "aeiouls"
            return bare[:-1] if doubled else bare
    return word


def terms(text: str) -> frozenset[str]:
    """Return the folded content words of a text; names are split at case and punctuation."""
    return frozenset(folded for word in _WORD.findall(text) if (folded := _fold(word)))


@lru_cache(maxsize=65_536)
def _fold(word: str) -> str:
    if len(word) < 2 or word.lower() in STOP:
        return ""
    folded = stem(word)
    return "" if folded in STOP else folded


def entities(text: str) -> frozenset[str]:
    """Return the folded words of the names in a text."""
    names = _SPAN.findall(text)
    names += [token for token in _TOKEN.findall(text) if _IDENTIFIER.search(token)]
    names += _PROPER.findall(text)
    return frozenset().union(*(terms(name) for name in names)) if names else frozenset()


def figures(text: str) -> frozenset[str]:
    """Return the telling numbers of a text as plain decimals: those with a fraction, or of three digits and more."""
    found = set()
    for raw in _FIGURE.findall(text):
        plain = raw.replace(",", "").replace("_", "").lstrip("+")
        if not _VERSION.match(plain) and ("." in plain or len(plain.lstrip("-")) >= 3):
            found.add(plain.lstrip("-"))
    return frozenset(found)


def spans(text: str) -> tuple[str, ...]:
    """Return what stands in backticks in a text."""
    return tuple(span.strip() for span in _SPAN.findall(text))


def fire(text: str, rows: Sequence[Row]) -> tuple[Row, ...]:
    """Return the rules of `rows` that hit `text`; a curly apostrophe counts as a straight one."""
    text = text.replace("’", "'")
    return tuple(row for row in rows if row.compiled.search(text))


def annotate(sentences: Sequence[Sentence], rows: Sequence[Row]) -> tuple[Note, ...]:
    """Return a note per sentence."""
    return tuple(Note(s, terms(s.text), entities(s.text), fire(s.text, rows)) for s in sentences)


def rarity(notes: Sequence[Note]) -> Mapping[str, float]:
    """Return how telling each term is in this session: log(1 + sentences / sentences with it)."""
    counts = Counter(term for note in notes for term in note.terms)
    return {term: math.log(1 + len(notes) / count) for term, count in counts.items()}


def weigh(common: frozenset[str], weights: Mapping[str, float]) -> float:
    """Return the summed rarity of some terms; a term never met counts as very rare."""
    return sum(weights.get(term, 5.0) for term in common)


def coverage(of: frozenset[str], by: frozenset[str], weights: Mapping[str, float]) -> float:
    """Return the share, by rarity, of the terms `of` that also stand in `by`: 0 to 1."""
    total = weigh(of, weights)
    return weigh(of & by, weights) / total if total else 0.0
