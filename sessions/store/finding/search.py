"""Searching words: a person's words made into a query that is always valid, and one line around what was found."""

import re
import sqlite3
from typing import NamedTuple

from sessions.store.rows import Hit
from sessions.store.tables import blobs

_PART = re.compile(r'"([^"]*)"|(\S+)')
_WORD = re.compile(r"\w+")
_BEFORE = 40
_AFTER = 120

CANDIDATES = 2000
"""Places that are ranked: of a word that stands nearly everywhere those stored last, so that it costs no second."""

_FIND = """SELECT documents.session, sessions.title, documents.kind, documents.ordinal
    FROM (SELECT rowid AS number, bm25(words) AS score FROM words WHERE words MATCH ?1{within}
          ORDER BY rowid DESC LIMIT ?4) AS found
    JOIN documents ON documents.number = found.number JOIN sessions ON sessions.id = documents.session
    WHERE ?2 IS NULL OR documents.session = ?2
    ORDER BY found.score, found.number LIMIT ?3"""
_EVERYWHERE = _FIND.format(within="")
_WITHIN = _FIND.format(
    within="""
          AND rowid >= (SELECT min(number) FROM documents WHERE session = ?2)
          AND rowid <= (SELECT max(number) FROM documents WHERE session = ?2)"""
)

_TEXTS = {
    "message": "SELECT text, NULL FROM messages WHERE session = ? AND ordinal = ?",
    "command": "SELECT command, NULL FROM steps WHERE session = ? AND ordinal = ?",
    "output": "SELECT output, blob FROM steps WHERE session = ? AND ordinal = ?",
}


class Phrase(NamedTuple):
    """Words that must stand side by side; of the last one only the beginning if `open_ended`."""

    words: tuple[str, ...]
    open_ended: bool


def parse(words: str) -> tuple[Phrase, ...]:
    """Return what a person asked for: every word, or several in double quotes, is a phrase; ``word*`` is a beginning.

    The index splits text at every sign that is no letter or digit, so ``triton_mla.py`` is three words side by side.
    """
    phrases = []
    for quoted, bare in _PART.findall(words):
        parts = tuple(_WORD.findall((quoted or bare).replace("_", " ")))
        if parts:
            phrases.append(Phrase(parts, open_ended=bare.endswith("*")))
    return tuple(phrases)


def find(connection: sqlite3.Connection, words: str, session: str | None, limit: int) -> tuple[Hit, ...]:
    """Return the best places that hold all phrases of `words`, best first; none if there is no word in it."""
    phrases = parse(words)
    if not phrases:
        return ()
    query = " AND ".join(map(_quote, phrases))
    pattern = _pattern(phrases)
    if session is None:
        rows = connection.execute(_EVERYWHERE, [query, None, limit, max(limit, CANDIDATES)]).fetchall()
    else:
        rows = connection.execute(_WITHIN, [query, session, limit, -1]).fetchall()
    return tuple(_hit(connection, row, pattern) for row in rows)


def _hit(connection: sqlite3.Connection, row: tuple[str, str, str, int], pattern: re.Pattern[str]) -> Hit:
    session, title, kind, ordinal = row
    inline, blob = connection.execute(_TEXTS[kind], [session, ordinal]).fetchone()
    return Hit(session, title, kind, ordinal, _snippet(blobs.whole(connection, inline, blob), pattern))


def _quote(phrase: Phrase) -> str:
    return '"' + " ".join(phrase.words) + '"' + ("*" if phrase.open_ended else "")


def _pattern(phrases: tuple[Phrase, ...]) -> re.Pattern[str]:
    """Return a pattern that finds, in the text itself, the first place that one of the phrases stands in."""
    gap = r"[\W_]+"
    each = (gap.join(map(re.escape, phrase.words)) + ("" if phrase.open_ended else r"(?![^\W_])") for phrase in phrases)
    return re.compile(r"(?<![^\W_])(?:" + "|".join(each) + ")", re.IGNORECASE)


def _snippet(text: str, pattern: re.Pattern[str]) -> str:
    found = pattern.search(text)
    at = found.start() if found else 0
    start = max(0, at - _BEFORE)
    end = min(len(text), at + _AFTER)
    line = " ".join(text[start:end].split())
    return ("…" if start else "") + line + ("…" if end < len(text) else "")
