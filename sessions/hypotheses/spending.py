"""What hypotheses cost: the tokens of each, what dead ends took together, and what tokens cost at a person's prices."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sessions.models.hypothesis import DEAD_ENDS, Cost, Hypothesis, Tree
from sessions.models.session import TOKEN_KINDS, Message, Tokens

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Prices:
    """US dollars for a million tokens; reasoning costs what output does."""

    input: float
    output: float
    cache_read: float
    cache_write: float

    def of(self, used: Tokens) -> float:
        """Return what tokens cost at these prices, in US dollars."""
        written = (used.output + used.reasoning) * self.output
        cached = used.cache_read * self.cache_read + used.cache_write * self.cache_write
        return (used.input * self.input + written + cached) / _MILLION


def charge(
    spent: Mapping[str, Cost],
    held: Sequence[str | None],
    settled: Mapping[str, int | None],
    messages: Sequence[Message],
) -> dict[str, Cost]:
    """Return what was spent on each hypothesis, by key, with the tokens of the messages that were about it.

    `held` has for each message the key of the one in focus when it ends, `settled` the message that decided it: what
    came later counts for none. Without tokens in the log nothing is added.
    """
    if all(message.tokens is None for message in messages):
        return dict(spent)
    used: dict[str, list[Tokens]] = {key: [] for key in (*spent, *settled)}
    for number, (key, message) in enumerate(zip(held, messages, strict=False)):
        decided = settled.get(key) if key is not None else None
        if key in used and message.tokens is not None and (decided is None or number <= decided):
            used[key].append(message.tokens)
    return {key: _with(spent.get(key, Cost()), several) for key, several in used.items()}


def priced(tree: Tree, prices: Prices) -> Tree:
    """Return `tree` with what tokens cost at `prices`, wherever the log records tokens but no money."""
    return tree.model_copy(
        update={
            "hypotheses": tuple(_priced(one, prices) for one in tree.hypotheses),
            "candidates": tuple(_priced(one, prices) for one in tree.candidates),
        }
    )


def paid(used: Tokens, prices: Prices) -> Tokens:
    """Return tokens with what they cost: as the log says, else at `prices`."""
    return used if used.cost else used.model_copy(update={"cost": prices.of(used)})


def dead_ends(hypotheses: Iterable[Hypothesis]) -> Cost:
    """Return the sum of what dead ends cost; seconds and tokens are None where no dead end has them."""
    return total([one.cost for one in hypotheses if one.verdict in DEAD_ENDS and not one.root])


def total(spent: Sequence[Cost]) -> Cost:
    """Return the sum of several costs; seconds and tokens are None where none of them has any."""
    seconds = [cost.seconds for cost in spent if cost.seconds is not None]
    tokens = [cost.tokens for cost in spent if cost.tokens is not None]
    used = [cost.used for cost in spent if cost.used is not None]
    return Cost(
        steps=sum(cost.steps for cost in spent),
        seconds=round(sum(seconds), 3) if seconds else None,
        tokens=sum(tokens) if tokens else None,
        used=add(used) if used else None,
    )


def add(several: Sequence[Tokens]) -> Tokens:
    """Return the sum of tokens; their price is None where none of them has one."""
    prices = [each.cost for each in several if each.cost is not None]
    kinds = {name: sum(getattr(each, name) for each in several) for name in TOKEN_KINDS}
    return Tokens(**kinds, cost=sum(prices) if prices else None)


def _with(cost: Cost, several: Sequence[Tokens]) -> Cost:
    used = add(several)
    return cost.model_copy(update={"tokens": used.total, "used": used})


def _priced(one: Hypothesis, prices: Prices) -> Hypothesis:
    used = one.cost.used
    if used is None:
        return one
    return one.model_copy(update={"cost": one.cost.model_copy(update={"used": paid(used, prices)})})
