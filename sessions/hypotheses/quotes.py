"""Quotes that find their place again: verbatim, of one line, long enough to stand once and short enough to read."""

import re
from collections.abc import Iterator, Sequence

from sessions.hypotheses.rules.text.annotate import entities, terms
from sessions.models.hypothesis import Hypothesis

SHORTEST, LONGEST = 20, 160
"""Characters of a quote."""

FEWEST, MOST = 2, 6
"""Terms that tell one statement from the others."""

_SPACE = re.compile(r"\s+")
_SENTENCE = re.compile(r"(?<=[.!?:;])\s+")
_WORD = re.compile(r"[a-z0-9]+")


def fold(text: str) -> str:
    """Return `text` in lower case with everything but letters and digits of ASCII as single spaces."""
    return " ".join(_WORD.findall(text.lower()))


def squash(text: str) -> str:
    """Return `text` with every run of white space as one space."""
    return _SPACE.sub(" ", text).strip()


def pick(text: str, wanted: frozenset[str]) -> str:
    """Return the stretch of `text` that has most of the `wanted` terms; empty where the text is."""
    pieces = [piece for line in _lines(text) for piece in _pieces(line)]
    return max(pieces, key=lambda piece: (len(terms(piece) & wanted), len(piece) >= SHORTEST), default="")


def around(text: str, quote: str) -> str:
    """Return the line of `text` in which `quote` stands, cut to size around it; empty where it stands nowhere."""
    held = squash(quote)
    if not held:
        return ""
    line = next((line for line in _lines(text) if held in line), None)
    if line is None:
        return held[:LONGEST].strip() if held in squash(text) else ""
    if len(line) <= LONGEST:
        return line
    start = max(0, min(line.index(held), len(line) - LONGEST))
    return line[start : start + LONGEST].strip()


def decision(one: Hypothesis, text: str) -> str:
    """Return what a message says when the verdict of a hypothesis falls in it: the words kept of it, or the likest."""
    said = (turn.quote for turn in reversed(one.history) if turn.message == one.decided_in)
    return next((held for quote in said if (held := around(text, quote))), "") or pick(text, terms(one.statement))


def telling(statement: str, others: Sequence[str]) -> tuple[str, ...]:
    """Return the words of `statement` that tell it from `others`, in its order; at least one."""
    folded = [fold(other) for other in others]
    words = [word for word in dict.fromkeys(fold(statement).split()) if terms(word)]
    names = entities(statement)
    ranked = sorted(
        words, key=lambda word: (sum(word in other for other in folded), not terms(word) & names, -len(word))
    )
    own = [word for word in ranked if not any(word in other for other in folded)]
    kept = set((own or ranked)[:MOST])
    chosen = [word for word in words if word in kept]
    return tuple(chosen) if len(chosen) >= FEWEST else (*chosen, fold(statement) or statement.lower())


def _lines(text: str) -> Iterator[str]:
    """Yield the lines of `text`; one that is too short is taken together with the next."""
    short = ""
    for line in map(squash, text.split("\n")):
        if not line:
            continue
        whole = f"{short} {line}".strip()
        if len(whole) < SHORTEST:
            short = whole
        else:
            short = ""
            yield whole
    if short:
        yield short


def _pieces(line: str) -> Iterator[str]:
    if len(line) <= LONGEST:
        yield line
        return
    for sentence in _SENTENCE.split(line):
        if len(sentence) <= LONGEST:
            yield sentence
        else:
            yield from _windows(sentence)


def _windows(sentence: str) -> Iterator[str]:
    """Yield stretches of whole words, each beginning half a quote behind the one before."""
    start = 0
    while start < len(sentence):
        end = min(start + LONGEST, len(sentence))
        if end < len(sentence) and " " in sentence[start:end]:
            end = sentence.rindex(" ", start, end)
        yield sentence[start:end].strip()
        if end == len(sentence):
            return
        half = start + LONGEST // 2
        start = sentence.find(" ", half, end) + 1 or end
