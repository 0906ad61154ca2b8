"""How telling words are in one session."""

import math
from collections import Counter
from collections.abc import Callable

_PRIOR = 40
"""Sentences that every session is taken to have had before its first: keeps early terms from looking common."""


class Rarity:
    """How telling terms are, counted over the sentences so far."""

    def __init__(self) -> None:
        self._seen = _PRIOR
        self._counts: Counter[str] = Counter()
        self._weights = _Weights(self._weight)

    def add(self, words: frozenset[str]) -> None:
        """Count the terms of one more sentence."""
        self._seen += 1
        self._counts.update(words)
        self._weights.clear()

    def weigh(self, words: frozenset[str]) -> float:
        """Return the summed rarity: log(1 + sentences / (sentences with the term + 1))."""
        return sum(map(self._weights.__getitem__, words))

    def _weight(self, word: str) -> float:
        return math.log(1 + self._seen / (self._counts[word] + 1))

    def coverage(self, of: frozenset[str], by: frozenset[str]) -> float:
        """Return the share, by rarity, of the terms `of` that also stand in `by`: 0 to 1."""
        total = self.weigh(of)
        return self.weigh(of & by) / total if total else 0.0

    def likeness(self, one: frozenset[str], other: frozenset[str]) -> float:
        """Return the mean of cosine and coverage of the shorter by the longer: 0 to 1."""
        first, second = self.weigh(one), self.weigh(other)
        if not first or not second:
            return 0.0
        common = self.weigh(one & other)
        return 0.5 * common / math.sqrt(first * second) + 0.5 * common / min(first, second)


class _Weights(dict[str, float]):
    """Weights that are worked out when first asked for."""

    def __init__(self, weight: Callable[[str], float]) -> None:
        super().__init__()
        self._weight = weight

    def __missing__(self, word: str) -> float:
        self[word] = weight = self._weight(word)
        return weight
