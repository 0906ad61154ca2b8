"""Many rules searched in one text: only those are tried whose words stand in it."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property

from sessions.hypotheses.rules.table.literals import literals
from sessions.hypotheses.rules.table.row import Row

_GRAM = 3
"""Letters by which a text is looked up: Russ Cox, "Regular Expression Matching with a Trigram Index" (2012)."""


class Sieve:
    """Rules, searched together: each text costs one look-up and the few patterns that could match."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = tuple(rows)

    def search(self, text: str) -> Iterator[tuple[Row, re.Match[str]]]:
        """Yield the rules that fire in a text of any case, in their order, with the first place where each does.

        A curly apostrophe counts as a straight one.
        """
        lowered = text.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'").lower()
        for number in self._possible(lowered):
            row = self.rows[number]
            match = row.compiled.search(lowered)
            if match is not None:
                yield row, match

    def _possible(self, lowered: str) -> list[int]:
        grams = {lowered[at : at + _GRAM] for at in range(len(lowered) - _GRAM + 1)}
        always, by_gram = self._index
        found = {number for gram in grams & by_gram.keys() for literal, number in by_gram[gram] if literal in lowered}
        return sorted(found | always)

    @cached_property
    def _index(self) -> tuple[set[int], dict[str, list[tuple[str, int]]]]:
        """The numbers of the rules that every text is tried on, and the others' literals by how they begin."""
        always, by_gram = set(), defaultdict(list)
        for number, row in enumerate(self.rows):
            texts = literals(row.pattern)
            if not texts or min(map(len, texts)) < _GRAM:
                always.add(number)
                continue
            for literal in texts:
                by_gram[literal[:_GRAM]].append((literal, number))
        return always, dict(by_gram)
