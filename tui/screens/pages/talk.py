"""The messages around one: what was said before and after."""

from collections.abc import Sequence
from dataclasses import dataclass

from sessions import times
from sessions.models.session import Message
from tui.widgets.blocks import Block, Prose, blank
from tui.widgets.ink import ink

AROUND = 12
"""Messages shown before and behind the one in the middle."""

LONGEST = 20_000
"""Characters shown of one message."""


@dataclass(frozen=True, slots=True)
class Window:
    """A stretch of the messages: `at` is the block with which the wanted one begins."""

    blocks: Sequence[Block]
    at: int
    ordinal: int
    count: int


def window(messages: Sequence[Message], around: int) -> Window:
    """Return the messages around the one with the ordinal `around`, or around the nearest there is."""
    ordinal = max(0, min(around, len(messages) - 1))
    blocks: list[Block] = []
    at = 0
    for message in messages[max(ordinal - AROUND, 0) : ordinal + AROUND + 1]:
        if message.ordinal == ordinal:
            at = len(blocks)
        blocks += _message(message, wanted=message.ordinal == ordinal)
    return Window(blocks, at, ordinal, len(messages))


def _message(message: Message, *, wanted: bool) -> list[Block]:
    notes = [message.role] + (["reasoning"] if message.kind == "reasoning" else [])
    notes += ["put there by the agent's program"] if message.injected else []
    notes += ["rewound"] if message.abandoned else []
    head = ink(f"{'▸' if wanted else ' '} message {message.ordinal}", "root" if wanted else "muted")
    head += ink(f"  {' · '.join(notes)}", "accent" if message.role == "user" else "muted")
    head += ink(f"  {times.local(message.time)}", "faint")
    text = message.text[:LONGEST]
    missing = len(message.text) - len(text)
    faint = message.injected or message.kind == "reasoning"
    body = ink(text.strip(), "muted" if faint else "")
    more = [Prose(ink(f"[{missing:,} more characters]", "faint"), indent=2)] if missing else []
    return [Prose(head), Prose(body, indent=2), *more, blank()]
