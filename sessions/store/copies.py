"""Whether two tellings of a session are one: a log that grew, a copy of it, or a fork with the same id."""

from collections.abc import Sequence
from typing import Literal

from sessions.models.session import Message, Step

Relation = Literal["known", "grown", "other"]

_UNFINISHED = frozenset({"no-result", "running"})


def relate(
    stored: tuple[Sequence[Message], Sequence[Step]], told: tuple[Sequence[Message], Sequence[Step]]
) -> Relation:
    """Say how `told` relates to `stored`: it holds nothing new, it goes on where the other ends, or they part ways.

    Only what was said and done counts: times, places in the file and ids of calls differ between copies.
    """
    if _begins(told, stored):
        return "known"
    return "grown" if _begins(stored, told) else "other"


def _begins(short: tuple[Sequence[Message], Sequence[Step]], long: tuple[Sequence[Message], Sequence[Step]]) -> bool:
    if len(short[0]) > len(long[0]) or len(short[1]) > len(long[1]):
        return False
    return all(map(_same_message, short[0], long[0])) and all(map(_same_step, short[1], long[1]))


def _same_message(short: Message, long: Message) -> bool:
    return (short.role, short.kind, short.text) == (long.role, long.kind, long.text)


def _same_step(short: Step, long: Step) -> bool:
    if (short.kind, short.tool, short.command) != (long.kind, long.tool, long.command):
        return False
    if short.status in _UNFINISHED:
        return long.output.startswith(short.output)
    return (short.status, short.output) == (long.status, long.output)
