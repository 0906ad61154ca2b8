"""How much a regular expression may take: a repetition of repetitions is unrolled, and fills the memory."""

import re

LARGEST = 10_000
"""Copies of its parts that an expression is unrolled to at most; grep needs a second for so many."""
_LONG = 100
"""Characters from which on the length counts too: what is repeated may be most of the expression."""
_REPEATED = re.compile(r"\\?\{(\d{0,9})(?:,(\d{0,9}))?\\?\}")
_REPEATABLE = (")", "}", "+", "*", "?")


def explodes(pattern: str) -> bool:
    """Tell whether a regular expression is unrolled to more than `LARGEST` copies of its parts."""
    if "{" not in pattern:
        return False
    copies, alone = 1, 1
    for found in _REPEATED.finditer(pattern):
        times = max(int(found[1] or 0), int(found[2] or 0), 1)
        if pattern[: found.start()].endswith(_REPEATABLE):
            copies *= times
        else:
            alone += times
    return copies * alone * max(1, len(pattern) / _LONG) > LARGEST
