"""What was being tested when: each message and each step belongs to the suspicion last raised and not yet settled."""

from collections.abc import Mapping, Sequence

from sessions import times
from sessions.hypotheses.rules.find.identify import Suspicion
from sessions.hypotheses.spending import charge
from sessions.models.hypothesis import Cost
from sessions.models.session import Message, Step


def focus(suspicions: Sequence[Suspicion], count: int) -> tuple[Suspicion | None, ...]:
    """Return, for each of `count` messages, the suspicion that is in focus when the message ends."""
    raised: dict[int, Suspicion] = {}
    for suspicion in suspicions:
        for place in suspicion.places:
            raised[place] = suspicion
    current: Suspicion | None = None
    held = []
    for ordinal in range(count):
        current = raised.get(ordinal, current)
        held.append(current)
    return tuple(held)


def costs(
    held: Sequence[Suspicion | None],
    settled: Mapping[str, int | None],
    messages: Sequence[Message],
    steps: Sequence[Step],
) -> dict[str, Cost]:
    """Return what each suspicion cost: steps taken while it was in focus, and their time.

    Seconds are the sum of the steps' durations where the log has them, else the wall time from the statement to the
    message that settled it, else None. Tokens are those of the messages at whose
    end it was in focus.
    """
    spent: dict[str, list[Step]] = {}
    for step in steps:
        owner = held[step.message] if step.message is not None and step.message < len(held) else None
        if owner is not None and not _is_over(step, settled.get(owner.key)):
            spent.setdefault(owner.key, []).append(step)
    worked = {key: Cost(steps=len(taken), seconds=_seconds(taken, messages)) for key, taken in spent.items()}
    return charge(worked, [each.key if each else None for each in held], settled, messages)


def _is_over(step: Step, decided: int | None) -> bool:
    return decided is not None and step.message is not None and step.message >= decided


def _seconds(taken: Sequence[Step], messages: Sequence[Message]) -> float | None:
    known = [step.duration for step in taken if step.duration is not None]
    if known:
        return round(sum(known), 3)
    first = times.parse(taken[0].started)
    last = taken[-1].message
    after = messages[last + 1].time if last is not None and last + 1 < len(messages) else taken[-1].started
    end = times.parse(after)
    return None if first is None or end is None else round(max(0.0, end - first), 3)
