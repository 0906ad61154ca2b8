"""How far a tree agrees with an annotation.

A hypothesis can stand for an annotated one if its statement holds one of its terms and both touch the same place: it is
stated within three messages of it, or they share a step of evidence. Each stands for at most one; as many as possible
do. Everything else is counted over the pairs that come of it.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from sessions.hypotheses.gold import Annotation
from sessions.hypotheses.matching import Place, Told, locate, match, rank

CANDIDATES = 3
"""How many times the number of annotated ones is looked at when candidates count."""

RESAMPLES = 2000


@dataclass(frozen=True, slots=True)
class Score:
    """Counts of one session, or of several added up; the shares are made of them."""

    gold: int = 0
    predicted: int = 0
    matched: int = 0
    reachable: int = 0
    verdicts_right: int = 0
    causes: int = 0
    causes_found: int = 0
    false_causes: int = 0
    grounded: int = 0
    grounded_right: int = 0
    links_right: int = 0
    links_wrong: int = 0
    links_missed: int = 0
    parents: int = 0
    parents_right: int = 0
    quotes_missing: int = 0

    def __add__(self, other: "Score") -> "Score":
        return Score(*(getattr(self, each.name) + getattr(other, each.name) for each in fields(Score)))

    @property
    def f1(self) -> float:
        """Of the hypotheses."""
        return _f1(self.matched, self.predicted - self.matched, self.gold - self.matched)

    @property
    def verdict_accuracy(self) -> float:
        """Share of the pairs with the same verdict."""
        return self.verdicts_right / max(1, self.matched)

    @property
    def evidence_f1(self) -> float:
        """Of the links between hypotheses and steps."""
        return _f1(self.links_right, self.links_wrong, self.links_missed)

    def shares(self) -> dict[str, float | int | str]:
        """Return the figures by name, rounded to three decimals."""
        shares = {
            "precision": self.matched / max(1, self.predicted),
            "recall": self.matched / max(1, self.gold),
            "f1": self.f1,
            "verdict_accuracy": self.verdict_accuracy,
            "cause_recall": self.causes_found / max(1, self.causes),
            "evidence_f1": self.evidence_f1,
            "parent_accuracy": self.parents_right / max(1, self.parents),
            "candidate_recall": self.reachable / max(1, self.gold),
        }
        return {
            **{name: round(share, 3) for name, share in shares.items()},
            "false_causes": self.false_causes,
            "grounded_causes_right": f"{self.grounded_right}/{self.grounded}",
        }


def score(annotation: Annotation, told: Told) -> Score:
    """Return how far the hypotheses of `told` agree with `annotation`."""
    places = [locate(one, told) for one in annotation.hypotheses]
    edges = [rank(one, place, told.hypotheses) for one, place in zip(annotation.hypotheses, places, strict=True)]
    pairs = match(edges)
    wider = (*told.hypotheses, *told.candidates)[: max(len(told.hypotheses), CANDIDATES * len(places))]
    reached = match([rank(o, place, wider) for o, place in zip(annotation.hypotheses, places, strict=True)])
    found = Score(
        gold=len(places),
        predicted=len(told.hypotheses),
        matched=len(pairs),
        reachable=len(reached),
        quotes_missing=sum(place.missing for place in places),
    )
    return found + _judge(annotation, told, pairs) + _links(places, told, pairs) + _parents(annotation, told, pairs)


def total(scores: Sequence[Score]) -> dict[str, Any]:
    """Return the figures over several sessions: all counts together, and the means of the sessions' shares."""
    several = max(1, len(scores))
    return {
        "sessions": len(scores),
        **sum(scores, Score()).shares(),
        "macro_f1": round(sum(each.f1 for each in scores) / several, 3),
        "macro_verdict_accuracy": round(sum(each.verdict_accuracy for each in scores) / several, 3),
    }


def interval(scores: Sequence[Score], figure: Callable[[Score], float]) -> tuple[float, float]:
    """Return the bounds of a figure in 95 of 100 draws of as many sessions, with repetition (bootstrap percentiles)."""
    draw = random.Random(0)  # noqa: S311 - resampling, the same at every call
    drawn = sorted(figure(sum(draw.choices(scores, k=len(scores)), Score())) for _ in range(RESAMPLES if scores else 0))
    if not drawn:
        return (0.0, 0.0)
    return round(drawn[int(0.025 * RESAMPLES)], 3), round(drawn[int(0.975 * RESAMPLES)], 3)


def _judge(annotation: Annotation, told: Told, pairs: Mapping[int, int]) -> Score:
    golds, guesses = annotation.hypotheses, told.hypotheses
    gold_of = {right: golds[left].verdict for left, right in pairs.items()}
    claimed = [number for number, guess in enumerate(guesses) if guess.verdict == "confirmed"]
    grounded = [number for number in claimed if guesses[number].support == "grounded"]
    right = sum(gold_of.get(number) == "confirmed" for number in claimed)
    return Score(
        verdicts_right=sum(guesses[number].verdict == verdict for number, verdict in gold_of.items()),
        causes=sum(one.verdict == "confirmed" for one in golds),
        causes_found=right,
        false_causes=len(claimed) - right,
        grounded=len(grounded),
        grounded_right=sum(gold_of.get(number) == "confirmed" for number in grounded),
    )


def _links(places: Sequence[Place], told: Told, pairs: Mapping[int, int]) -> Score:
    found = Score()
    for left, right in pairs.items():
        place, steps = places[left], told.hypotheses[right].steps
        hit = sum(bool(steps & cited) for cited in place.cited)
        wrong = len(steps - place.steps)
        found += Score(links_right=hit, links_missed=len(place.cited) - hit, links_wrong=wrong)
    return found


def _parents(annotation: Annotation, told: Told, pairs: Mapping[int, int]) -> Score:
    """Count the pairs whose annotated parent is matched, or none, and those that hang under the same one."""
    numbers = {one.id: number for number, one in enumerate(annotation.hypotheses)}
    ids = {guess.id for guess in told.hypotheses}
    counted = right = 0
    for left, found in pairs.items():
        above = annotation.hypotheses[left].parent
        wanted = pairs.get(numbers.get(above, -1)) if above is not None else None
        if above is not None and wanted is None:
            continue
        counted += 1
        parent = told.hypotheses[found].parent
        right += (parent if parent in ids else None) == (None if wanted is None else told.hypotheses[wanted].id)
    return Score(parents=counted, parents_right=right)


def _f1(right: int, wrong: int, missed: int) -> float:
    """Return the harmonic mean of precision and recall."""
    return 2 * right / (2 * right + wrong + missed) if right else 0.0
