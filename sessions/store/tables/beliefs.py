"""The index of what was believed: statements, the lines they rest on and their verdicts, over all sessions.

A row of `beliefs` names a node of a tree; the words of it stand in `words_of_beliefs` under the same number, and go
when it goes (a trigger).
"""

import sqlite3
from collections.abc import Iterable

from sessions.models.hypothesis import DEAD_ENDS, Hypothesis


def replace(connection: sqlite3.Connection, session: str, hypotheses: Iterable[Hypothesis]) -> None:
    """Make the index hold exactly these hypotheses of a session; the root is left out."""
    connection.execute("DELETE FROM beliefs WHERE session = ?", [session])
    number = connection.execute("SELECT coalesce(max(number), 0) FROM beliefs").fetchone()[0]
    nodes = list(enumerate((one for one in hypotheses if not one.root), number + 1))
    connection.executemany("INSERT INTO beliefs VALUES (?, ?, ?)", [(number, session, one.id) for number, one in nodes])
    connection.executemany(
        "INSERT INTO words_of_beliefs(rowid, statement, quotes, verdict) VALUES (?, ?, ?, ?)",
        [(number, one.statement, _quotes(one), _verdict(one)) for number, one in nodes],
    )


def _quotes(one: Hypothesis) -> str:
    quotes = (*(piece.quote for piece in one.evidence), *(turn.quote for turn in one.history))
    return "\n".join(dict.fromkeys(quote for quote in quotes if quote))


def _verdict(one: Hypothesis) -> str:
    more = " dead end" if one.verdict in DEAD_ENDS else " cause" if one.verdict == "confirmed" else ""
    return f"{one.verdict}{more} {one.support}"
