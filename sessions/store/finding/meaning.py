"""Hypotheses by meaning: vectors of an embedding model, kept in a file beside the store, compared by their angle."""

import hashlib
import math
import sqlite3
from array import array
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from operator import mul
from pathlib import Path
from typing import TypeAlias

from sessions.store.rows import Recollection

Embed = Callable[[Sequence[str]], Sequence[Sequence[float]]]
"""Gives a vector for each text."""

FLAT = 60
"""How slowly a list's weight falls with rank where lists are fused (Cormack, Clarke and Büttcher, SIGIR 2009)."""
AT_ONCE = 64
"""Texts of one request."""
_TABLE = "CREATE TABLE IF NOT EXISTS vectors (model TEXT, digest BLOB, vector BLOB, PRIMARY KEY (model, digest)) STRICT"

Vector: TypeAlias = "array[float]"


class Vectors:
    """The vectors of one model that are known, by the digest of their text; the texts themselves are not kept."""

    def __init__(self, path: Path, model: str) -> None:
        """Take the file, which need not exist, and the name of the model."""
        self._path = path
        self._model = model

    def of(self, texts: Sequence[str], embed: Embed, progress: Callable[[int, int], None]) -> Mapping[str, Vector]:
        """Return the vector of each text; ask only for those not known, and forget those of texts that are gone."""
        keys = {_digest(text): text for text in texts}
        with closing(sqlite3.connect(self._path)) as connection, connection:
            connection.execute(_TABLE)
            rows = connection.execute("SELECT digest, vector FROM vectors WHERE model = ?", [self._model])
            known = {digest: _read(vector) for digest, vector in rows}
            gone = [(self._model, digest) for digest in known if digest not in keys]
            connection.executemany("DELETE FROM vectors WHERE model = ? AND digest = ?", gone)
            lacking = [digest for digest in keys if digest not in known]
            for start in range(0, len(lacking), AT_ONCE):
                some = lacking[start : start + AT_ONCE]
                made = dict(zip(some, map(unit, embed([keys[digest] for digest in some])), strict=True))
                known |= made
                entries = [(self._model, digest, vector.tobytes()) for digest, vector in made.items()]
                connection.executemany("INSERT INTO vectors VALUES (?, ?, ?)", entries)
                connection.commit()
                progress(start + len(some), len(lacking))
        return {text: known[digest] for digest, text in keys.items()}


def nearest(query: Vector, vectors: Mapping[str, Vector], known: Sequence[Recollection]) -> list[Recollection]:
    """Return hypotheses, the one whose statement is nearest to the query first."""
    score = {text: sum(map(mul, query, vector)) for text, vector in vectors.items() if len(vector) == len(query)}
    there = [each for each in known if each.hypothesis.statement in score]
    return sorted(there, key=lambda each: -score[each.hypothesis.statement])


def fuse(*lists: Sequence[Recollection]) -> list[Recollection]:
    """Return one list of what several rank: each gives 1 / (60 + rank)."""
    weight: dict[tuple[str, str], float] = {}
    found: dict[tuple[str, str], Recollection] = {}
    for ranked in lists:
        for rank, each in enumerate(ranked, 1):
            key = each.session, each.hypothesis.id
            weight[key] = weight.get(key, 0.0) + 1 / (FLAT + rank)
            found.setdefault(key, each)
    return [found[key] for key in sorted(weight, key=lambda key: -weight[key])]


def unit(numbers: Sequence[float]) -> Vector:
    """Return a vector of length 1; one of zeros stays so."""
    length = math.sqrt(sum(map(mul, numbers, numbers))) or 1.0
    return array("f", (number / length for number in numbers))


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _read(data: bytes) -> Vector:
    vector = array("f")
    vector.frombytes(data)
    return vector
