"""What dead ends cost: of all hypotheses that were refuted or abandoned, together."""

from collections.abc import Iterable

from sessions.models.hypothesis import DEAD_ENDS, Cost, Hypothesis


def dead_ends(hypotheses: Iterable[Hypothesis]) -> Cost:
    """Return the sum of what dead ends cost; seconds and tokens are None where no dead end has them."""
    spent = [one.cost for one in hypotheses if one.verdict in DEAD_ENDS and not one.root]
    seconds = [cost.seconds for cost in spent if cost.seconds is not None]
    tokens = [cost.tokens for cost in spent if cost.tokens is not None]
    return Cost(
        steps=sum(cost.steps for cost in spent),
        seconds=round(sum(seconds), 3) if seconds else None,
        tokens=sum(tokens) if tokens else None,
    )
