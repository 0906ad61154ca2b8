"""What an analysis will take, before it is begun: requests, tokens, money."""

from collections.abc import Iterable
from dataclasses import dataclass

from sessions.hypotheses.model.cut import estimate
from sessions.hypotheses.model.requests import OPINION_TOKENS, Question

_CHECKS_A_PART = 2
_CHECK_INPUT = 2_000
_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens of question and of answer."""

    input: float
    output: float

    def of(self, tokens_in: int, tokens_out: int) -> float:
        """Return what so many tokens cost, in US dollars."""
        return (tokens_in * self.input + tokens_out * self.output) / _MILLION


@dataclass(frozen=True, slots=True)
class Estimate:
    """About what an analysis takes: the answers at their longest, and two checks for each part."""

    requests: int
    tokens_in: int
    tokens_out: int


def estimated(questions: Iterable[Question]) -> Estimate:
    """Return what `questions`, one for each part of a log, and the checks behind them take, rather too much."""
    asked = list(questions)
    checks = _CHECKS_A_PART * len(asked)
    return Estimate(
        len(asked) + checks,
        sum(estimate(q.system) + estimate(q.user) for q in asked) + checks * _CHECK_INPUT,
        sum(q.tokens for q in asked) + checks * OPINION_TOKENS,
    )
