"""When a log looks for causes, and when it builds."""

from collections.abc import Sequence

from sessions.hypotheses.rules.judge.marks import excerpt
from sessions.hypotheses.rules.judge.record import is_fix, is_run
from sessions.hypotheses.rules.table import OUTPUTS, SYMPTOMS
from sessions.models.session import Message, Step

_MANY = 3
"""Edits after which, while nothing goes wrong, something is being built."""

_FAILS = next(row for row in OUTPUTS if row.name == "fails")
_GOES_WRONG = next(row for row in SYMPTOMS if row.name == "goes-wrong")


def calm(messages: Sequence[Message], steps: Sequence[Step]) -> frozenset[int]:
    """Return the messages that come after several edits since anything last went wrong: a run, or what a user saw."""
    after: dict[int, list[Step]] = {}
    for step in steps:
        if step.message is not None and not step.abandoned:
            after.setdefault(step.message, []).append(step)
    edits, found = 0, set[int]()
    for message in messages:
        if message.role == "user" and not message.injected and _GOES_WRONG.hits(message.text):
            edits = 0
        if edits >= _MANY:
            found.add(message.ordinal)
        for step in after.get(message.ordinal, ()):
            edits = _count(edits, step)
    return frozenset(found)


def _count(edits: int, step: Step) -> int:
    if is_fix(step):
        return edits + 1
    return 0 if is_run(step) and _FAILS.hits(excerpt(step)) else edits
