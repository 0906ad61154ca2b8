"""Which suspicions open a hypothesis: those that are strong, and in a log that has few the best of the rest."""

import math
from collections.abc import Sequence

from sessions.hypotheses.rules.find.identify import Suspicion
from sessions.hypotheses.rules.table import LEAST, OPENS
from sessions.models.session import Message

_FEW = 0.12
_MANY = 0.4
"""Hypotheses per message under which weaker ones are taken as well, and over which only the strongest are."""

_ALWAYS = 2
"""Hypotheses over that, which any log may have."""


def bar(suspicions: Sequence[Suspicion], messages: Sequence[Message]) -> float:
    """Return the score from which the suspicions of a log open a hypothesis: `OPENS`, unless that gives few or many."""
    said = sum(not m.injected and not m.abandoned for m in messages)
    ranked = sorted((s.score for s in suspicions), reverse=True)
    few, many = math.ceil(_FEW * said), math.ceil(_MANY * said) + _ALWAYS
    low = min(OPENS, max(LEAST, ranked[min(few, len(ranked)) - 1])) if ranked and few else OPENS
    return max(low, ranked[many - 1]) if len(ranked) >= many else low
