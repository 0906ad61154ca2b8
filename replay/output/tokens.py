"""The tokens of a line of output: typed, and with their values kept.

A value is never erased. What may differ between two runs that say the same (a time, a process id, an address) is
decided by its type and by what stands around it; everything else must be equal.
"""

from typing import NamedTuple

from replay.output.context import Policy
from replay.output.forms import form_of, outline


class Token(NamedTuple):
    """A piece of a line: its type, its text, and how it may differ."""

    kind: str
    text: str
    policy: Policy = "exact"


def tokens(line: str, *, listing: bool = False) -> list[Token]:
    """Return all of a line as tokens; `listing` says that dates are those of ``ls -l``."""
    pieces = form_of(outline(line), listing=listing).pieces
    return [Token(piece.kind, line[piece.start : piece.end], piece.policy) for piece in pieces]
