"""grep's regular expressions in Python's words, as far as both mean exactly the same."""

import re
from collections.abc import Sequence
from typing import Literal

Dialect = Literal["basic", "extended", "fixed"]

_BRACKET = re.compile(r"\[(\^?)(\]?[^\]\[\\]*)\]")
_SWAPPED = frozenset("(){}+?|")
_SAME = {"b": r"\b", "w": r"\w", "W": r"\W", "s": r"\s", "S": r"\S", "<": r"\b(?=\w)", ">": r"\b(?<=\w)"}

_REPEATS = frozenset("*+?{")
_MOST_REPEATED = 3
_UNREPEATABLE = _REPEATS | {"}", r"\b", *(_SAME[anchor] for anchor in "<>")}
"""A second repetition repeats the first for grep, and makes it lazy or possessive for Python; anchors have none."""


def translate(pattern: str, dialect: Dialect) -> str | None:
    """Return the Python pattern that matches the same lines; None where that is not certain."""
    if dialect == "fixed":
        return "|".join(f"(?:{re.escape(part)})" for part in pattern.split("\n"))
    if "\n" in pattern or pattern[:1] in {"*", "+", "?", "{"}:
        return None
    parts: list[str] = []
    place = 0
    while place < len(pattern):
        piece, place = _piece(pattern, place, dialect)
        if piece is None or (piece in _REPEATS and parts and parts[-1] in _UNREPEATABLE):
            return None
        parts.append(piece)
    if _may_not_end(parts):
        return None
    source = "".join(parts)
    try:
        re.compile(source)
    except (re.error, OverflowError):
        return None
    return source


def _may_not_end(parts: Sequence[str]) -> bool:
    """Tell whether Python, which tries one way after the other, may take forever where grep does not.

    A repeated group that may match the same in more than one way takes time exponential in a line; many repetitions
    behind one another, its length to their number.
    """
    inner = [0]
    total = 0
    for place, part in enumerate(parts):
        if part == "(":
            inner.append(0)
        elif part == ")" and len(inner) > 1:
            ways = inner.pop()
            if ways and place + 1 < len(parts) and parts[place + 1] in _REPEATS:
                return True
            inner[-1] += ways
        elif part in _REPEATS or part == "|":
            inner[-1] += 1
            total += part in {"*", "+", "{"}
    return total > _MOST_REPEATED


def _piece(pattern: str, place: int, dialect: Dialect) -> tuple[str | None, int]:
    """Translate what stands at `place`; return it and where to go on."""
    character = pattern[place]
    if character == "\\":
        return _escape(pattern[place + 1 : place + 2], dialect), place + 2
    if character == "[":
        found = _BRACKET.match(pattern, place)
        if found is None:
            return None, place
        inside = found[2].replace("&", r"\&").replace("~", r"\~").replace("|", r"\|")
        inside = r"\]" + inside[1:] if inside.startswith("]") else inside
        return f"[{found[1]}{inside}]", found.end()
    if dialect == "basic":
        return _basic(pattern, place), place + 1
    return character, place + 1


def _basic(pattern: str, place: int) -> str | None:
    character = pattern[place]
    if character in _SWAPPED:
        return re.escape(character)
    if (character == "^" and place > 0) or (character == "$" and place < len(pattern) - 1):
        return None  # anchor or literal: greps differ
    if character == "*" and pattern[place - 1] in "(|^":
        return None
    return character


def _escape(character: str, dialect: Dialect) -> str | None:
    if character in _SAME:
        return _SAME[character]
    if character in _SWAPPED:
        return character if dialect == "basic" else re.escape(character)
    if not character or character.isalnum():
        return None
    return re.escape(character)
