"""Why a hypothesis stands as it does: the rule, model or person behind every mark, with its place and its numbers."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from sessions.hypotheses.reasons import Reason, reason
from sessions.hypotheses.rules.table import KEEPS, LEAST, OPENS, VERSION
from sessions.models.hypothesis import Hypothesis, Support, Verdict


class Correction(Protocol):
    """One correction as it is stored."""

    @property
    def key(self) -> str:
        """Key of the hypothesis it is about."""

    @property
    def action(self) -> str:
        """What was done."""

    @property
    def value(self) -> Mapping[str, object]:
        """With what."""

    @property
    def author(self) -> str:
        """Who made it."""

    @property
    def time(self) -> str:
        """When, ISO 8601."""


@dataclass(frozen=True, slots=True)
class Mark:
    """One thing that is said of a hypothesis, where it comes from and who says it."""

    what: str
    quote: str
    message: int | None
    step: int | None
    why: Reason


@dataclass(frozen=True, slots=True)
class Explanation:
    """Everything behind a hypothesis; `corrections` are those of persons, oldest first."""

    hypothesis: Hypothesis
    candidate: bool
    raised: tuple[Reason, ...]
    """The rules that made it a suspicion, heaviest first; those that decided stand with their turns and evidence."""
    verdicts: tuple[Mark, ...]
    evidence: tuple[Mark, ...]
    carried: str
    """Why the support is what it is."""
    corrections: tuple[Correction, ...]
    opens: float = OPENS
    least: float = LEAST
    """What opens one in a log that has few."""
    keeps: float = KEEPS
    rules: str = VERSION


def explain(hypothesis: Hypothesis, corrections: Sequence[Correction], *, candidate: bool = False) -> Explanation:
    """Return what stands behind a hypothesis; `corrections` are those of its session."""
    return Explanation(
        hypothesis=hypothesis,
        candidate=candidate,
        raised=tuple(_raised(hypothesis)),
        verdicts=tuple(_verdicts(hypothesis)),
        evidence=tuple(_evidence(hypothesis)),
        carried=_carried(hypothesis),
        corrections=tuple(each for each in corrections if _is_about(each, hypothesis.key)),
    )


_DECIDE = frozenset({"refutes", "confirms", "parks", "agrees", "passes", "fails", "differs", "lacks"})
"""Families of rules that speak on a verdict."""


def _raised(one: Hypothesis) -> Iterator[Reason]:
    elsewhere = {turn.source for turn in one.history} | {piece.source for piece in one.evidence}
    rules = [reason(source) for source in one.rules if source not in elsewhere]
    yield from sorted((each for each in rules if each.family not in _DECIDE), key=lambda each: -(each.weight or 0.0))
    if one.source not in one.rules and not one.by_person:
        yield reason(one.source)


def _verdicts(one: Hypothesis) -> Iterator[Mark]:
    for turn in one.history:
        yield Mark(turn.verdict, turn.quote, turn.message, None, reason(turn.source))
    told = {turn.source for turn in one.history} | {piece.source for piece in one.evidence}
    for why in (reason(source) for source in one.rules if source not in told):
        if why.family in _DECIDE:
            yield Mark("the same again", "", None, None, why)
    if not one.history and not one.root:
        yield Mark(one.verdict, "", one.decided_in, None, reason("rule:undecided"))


def _evidence(one: Hypothesis) -> Iterator[Mark]:
    for piece in sorted(one.evidence, key=lambda each: not each.deciding):
        what = f"{piece.stance}, decides" if piece.deciding else piece.stance
        yield Mark(what, piece.quote, None, piece.step, reason(piece.source))


_SUPPORTS: Mapping[Support, str] = {
    "grounded": "output that is cited below carries the verdict",
    "claimed": "only words carry the verdict: no output that is cited decides",
    "contradicted": "the last run before the verdict fell, or the next one after it, shows otherwise",
}
_REACHED: frozenset[Verdict] = frozenset({"confirmed", "refuted"})


def _carried(one: Hypothesis) -> str:
    if one.verdict not in _REACHED and one.support == "claimed":
        return "no verdict was reached that output could carry"
    return _SUPPORTS[one.support]


def _is_about(correction: Correction, key: str) -> bool:
    return correction.key == key or correction.value.get("into") == key
