"""Figures of a log as they may be stored: logs are written by many programs, and SQLite keeps 64 bits."""

import math

_LARGEST_CODE = 2**32
_LARGEST_COUNT = 2**53
"""Beyond it JSON readers that keep all numbers as floats lose digits."""

_LONGEST = 1e9
"""Seconds, some thirty years: no call takes longer."""

_DIGITS = 12


def exit_code(value: object) -> int | None:
    """Return the exit code that a number or its digits give; None for anything that no process can end with."""
    if isinstance(value, str) and len(value) <= _DIGITS and value.isascii() and value.removeprefix("-").isdigit():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if -_LARGEST_CODE < value < _LARGEST_CODE else None


def count(value: object) -> int:
    """Return a number of tokens; 0 for anything that is none."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _LARGEST_COUNT:
        return 0
    return int(value)


def seconds(value: object) -> float | None:
    """Return a duration; None for anything that is none."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _LONGEST:
        return None
    return float(value)


def amount(value: object) -> float | None:
    """Return a sum of money; None for anything that is none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) <= _LARGEST_COUNT and math.isfinite(value) else None
