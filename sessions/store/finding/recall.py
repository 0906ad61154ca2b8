"""What was believed before: hypotheses of all sessions, found by words or by likeness."""

import re
import sqlite3
from collections import Counter
from collections.abc import Iterable, Sequence

from sessions.models.hypothesis import Hypothesis
from sessions.store.finding.search import Phrase, parse
from sessions.store.rows import Recollection
from sessions.store.tables import hypotheses as table

ALIKE = 0.5
"""Share of their telling words that two statements of one hypothesis have in common (Dice's coefficient)."""

FEWEST = 3
"""Telling words that they have in common at least."""

_LOOKED_AT = 50
_BOUND = re.compile(r"(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])")
_MATCHING = "SELECT rowid FROM words_of_beliefs WHERE words_of_beliefs MATCH ?"
_RANKED = """SELECT rowid, bm25(words_of_beliefs, 10.0, 3.0, 1.0) AS score FROM words_of_beliefs
    WHERE words_of_beliefs MATCH ? ORDER BY score LIMIT ?"""
_NODE = ", ".join(f"hypotheses.{name.strip()}" for name in table.COLUMNS.split(","))
_BELIEF = f"""SELECT sessions.title, coalesce(messages.time, sessions.started), {_NODE}
    FROM beliefs JOIN hypotheses ON hypotheses.session = beliefs.session AND hypotheses.id = beliefs.id
    JOIN sessions ON sessions.id = beliefs.session
    LEFT JOIN messages ON messages.session = beliefs.session AND messages.ordinal = hypotheses.decided_in
    WHERE beliefs.number = ?"""  # noqa: S608 (names of columns)


def is_indexed(connection: sqlite3.Connection) -> bool:
    """Return whether the store has the index: one that an older version wrote has none until it is written again."""
    return connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'beliefs'").fetchone() is not None


def find(connection: sqlite3.Connection, words: str, limit: int) -> tuple[Recollection, ...]:
    """Return up to `limit` hypotheses that hold at least half of `words`: those with most of them first, by rank."""
    phrases = [_either(phrase) for phrase in parse(words)]
    held: Counter[int] = Counter()
    for phrase in phrases:
        held.update(number for (number,) in connection.execute(_MATCHING, [phrase]))
    kept = {number for number, count in held.items() if 2 * count >= len(phrases)}
    if not kept:
        return ()
    ranked = connection.execute(_RANKED, [" OR ".join(phrases), -1])
    order = [number for number, _ in ranked if number in kept]
    order.sort(key=lambda number: -held[number])
    return tuple(_read(connection, order[:limit]))


def everything(connection: sqlite3.Connection) -> tuple[Recollection, ...]:
    """Return the hypotheses of all sessions, symptoms left out."""
    numbers = [number for (number,) in connection.execute("SELECT number FROM beliefs ORDER BY number").fetchall()]
    return tuple(each for each in _read(connection, numbers) if not each.hypothesis.root)


def tested_before(connection: sqlite3.Connection, session: str, one: Hypothesis) -> Recollection | None:
    """Return the hypothesis of another session that says the same and was settled; of several the latest."""
    from sessions.hypotheses.rules.text.annotate import terms  # noqa: PLC0415 - listing must not load the rules

    wanted = terms(one.statement)
    words = [_quote(word) for word in sorted({word for text in one.statement.split() for word in _words(text)})]
    if one.root or len(wanted) < FEWEST or not words:
        return None
    ranked = connection.execute(_RANKED, ["{statement} : (" + " OR ".join(words) + ")", _LOOKED_AT])
    found = [
        each
        for each in _read(connection, [number for number, _ in ranked.fetchall()])
        if each.session != session
        and each.hypothesis.verdict != "open"
        and _is_alike(wanted, terms(each.hypothesis.statement))
    ]
    return max(found, key=lambda each: (each.hypothesis.verdict != "abandoned", each.time or ""), default=None)


def _is_alike(wanted: frozenset[str], words: frozenset[str]) -> bool:
    common = len(wanted & words)
    return common >= FEWEST and 2 * common >= ALIKE * (len(wanted) + len(words))


def _read(connection: sqlite3.Connection, numbers: Iterable[int]) -> Sequence[Recollection]:
    rows = [connection.execute(_BELIEF, [number]).fetchone() for number in numbers]
    return [Recollection(row[2], row[0], row[1], table.from_row(row[2:])) for row in rows if row is not None]


def _either(phrase: Phrase) -> str:
    """Return the query for a phrase in all its spellings: ``sm120``, ``sm_120`` and ``sm 120`` are one."""
    end = "*" if phrase.open_ended else ""
    ways = dict.fromkeys(
        (
            " ".join(phrase.words),
            " ".join(part for word in phrase.words for part in _BOUND.split(word)),
            "".join(phrase.words),
        )
    )
    return "(" + " OR ".join(_quote(way) + end for way in ways) + ")"


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text)


def _quote(words: str) -> str:
    return f'"{words}"'
