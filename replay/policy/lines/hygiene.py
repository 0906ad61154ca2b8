"""Characters and sizes that no command may have, whatever it says."""

import re

from replay.policy.judgement import Problem

LONGEST = 32 * 1024
"""Bytes of a command. Over any limit means refused, never a weaker check."""
MOST_CALLS = 64
DEEPEST = 8

_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xa0\xad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f"
    "\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\U000e0000-\U000e0fff]"
)


def check(command: str) -> Problem | None:
    """Return what is wrong with the characters or the size of a command."""
    found = _HIDDEN.search(command)
    if found:
        return Problem("unknown", f"holds U+{ord(found[0]):04X}, which hides what the command is")
    if len(command.encode()) > LONGEST:
        return Problem("unknown", f"longer than {LONGEST // 1024} KiB")
    return None
