"""The full-text index: one document per message, command and output, found by the words in it.

The index keeps no text of its own (the text stands in the rows already), so a document is taken out by handing in the
text that was put in.
"""

import sqlite3
from collections.abc import Iterable
from typing import NamedTuple

PLACE = "SELECT number FROM documents WHERE session = ? AND kind = ? AND ordinal = ?"


class Document(NamedTuple):
    """A text to be found: `kind` is message, command or output, `ordinal` that of its message or step."""

    session: str
    kind: str
    ordinal: int
    text: str


def add(connection: sqlite3.Connection, documents: Iterable[Document]) -> None:
    """Put documents into the index; blank ones are left out."""
    number = connection.execute("SELECT coalesce(max(number), 0) FROM documents").fetchone()[0]
    places, texts = [], []
    for document in documents:
        if document.text.strip():
            number += 1
            places.append((number, document.session, document.kind, document.ordinal))
            texts.append((number, document.text))
    connection.executemany("INSERT INTO documents VALUES (?, ?, ?, ?)", places)
    connection.executemany("INSERT INTO words(rowid, text) VALUES (?, ?)", texts)


def purge(connection: sqlite3.Connection) -> None:
    """Rewrite the index without what was removed: until then its words still stand in the file, marked as deleted."""
    for index in ("words", "words_of_beliefs"):
        connection.execute(f"INSERT INTO {index}({index}) VALUES ('optimize')")  # noqa: S608 (names from above)


def remove(connection: sqlite3.Connection, documents: Iterable[Document]) -> None:
    """Take documents out of the index; each must carry the text with which it was added."""
    for document in documents:
        row = connection.execute(PLACE, document[:3]).fetchone()
        if row is not None:
            connection.execute("INSERT INTO words(words, rowid, text) VALUES ('delete', ?, ?)", [row[0], document.text])
            connection.execute("DELETE FROM documents WHERE number = ?", row)
