"""How much a regular expression may take: a repetition of repetitions is unrolled, and fills the memory."""

import re

LARGEST = 10_000
"""Copies of its parts that an expression is unrolled to at most; grep needs a second for so many."""
_REPEATED = re.compile(r"\\?\{(\d{1,9})(?:,(\d{0,9}))?\\?\}")


def explodes(pattern: str) -> bool:
    """Tell whether a regular expression is unrolled to more than `LARGEST` copies of its parts."""
    if "{" not in pattern:
        return False
    copies, alone = 1, 1
    for found in _REPEATED.finditer(pattern):
        times = max(int(found[1]), int(found[2] or 0), 1)
        if pattern[: found.start()].endswith((")", "}")):
            copies *= times
        else:
            alone += times
    return copies * alone > LARGEST
