"""What each sentence is made of: its terms, its entities, the rules that fire in it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from sessions.hypotheses.rules.table import STOP
from sessions.hypotheses.rules.table.row import Row
from sessions.hypotheses.rules.table.sieve import Sieve
from sessions.hypotheses.rules.text.segment import Sentence

_WORD = re.compile(r"[A-Za-z][a-z]+|[A-Z]+(?![a-z])|[a-z]+|\d+(?:[.,]\d+)*")
_TOKEN = re.compile(r"[A-Za-z0-9_][\w./:@+-]*")
_SPAN = re.compile(r"`([^`]{2,120})`")
_IDENTIFIER = re.compile(r"_|[a-z][A-Z]|[./:]\w|\w\(\)|[A-Za-z]\d|\d[A-Za-z]|^--?\w|^[A-Z]{2,}$")
_PROPER = re.compile(r"(?<=[a-z,;)] )[A-Z][a-z]+\b(?! [a-z]+ly\b)")
_FIGURE = re.compile(
    r"(?<![\w.])[-+]?\d{1,3}(?:[,_]\d{3})+(?![\w,])|(?<![\w.])[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?![\w])", re.IGNORECASE
)
_LETTERS = re.compile(r"[^\W\d_]{2}")
_VERSION = re.compile(r"^\d+\.\d+\.\d+")


@dataclass(frozen=True, slots=True)
class Note:
    """What was found in one sentence."""

    sentence: Sentence
    terms: frozenset[str]
    """Folded content words."""
    entities: frozenset[str]
    """The terms that stem from names: code, paths, identifiers, abbreviations."""
    rules: tuple[Row, ...]


_ENDINGS = (
    ("isation", 3),
    ("ization", 3),
    ("ations", 3),
    ("ation", 3),
    ("ings", 3),
    ("edly", 3),
    ("ies", 3),
    ("ing", 3),
    ("ed", 3),
    ("es", 3),
    ("ly", 4),
    ("s", 2),
    ("e", 3),
)
_DOUBLED = 2
_SHORTEST_WORD = 2
_NOTHING = frozenset({""})
_TELLING_DIGITS = 3


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
    return frozenset(map(_fold, _WORD.findall(text))) - _NOTHING


@lru_cache(maxsize=65_536)
def _fold(word: str) -> str:
    if len(word) < _SHORTEST_WORD or word.lower() in STOP:
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
        if not _VERSION.match(plain) and ("." in plain or len(plain.lstrip("-")) >= _TELLING_DIGITS):
            found.add(plain.lstrip("-"))
    return frozenset(found)


def spans(text: str) -> tuple[str, ...]:
    """Return what stands in backticks in a text."""
    return tuple(span.strip() for span in _SPAN.findall(text))


def annotate(sentences: Sequence[Sentence], rules: Sieve) -> tuple[Note, ...]:
    """Return a note per sentence."""
    return tuple(_annotate(sentence, rules) for sentence in sentences)


def _annotate(sentence: Sentence, rules: Sieve) -> Note:
    text = sentence.text
    if not _LETTERS.search(text):
        return Note(sentence, frozenset(), frozenset(), ())
    return Note(sentence, terms(text), entities(text), tuple(row for row, _ in rules.search(text)))
