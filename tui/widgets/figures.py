"""Figures as a person reads them: durations, sizes, counts."""

from sessions.models.session import Tokens

MINUTE = 60
HOUR = 3600
DAY = 86_400
KIB = 1024
_THOUSAND = 1_000
_MILLION = 1_000_000


def duration(seconds: float | None) -> str:
    """Return a duration in at most five characters or so: ``0.4s``, ``12s``, ``4m10s``, ``2h05m``, ``3d``."""
    if seconds is None:
        return ""
    if seconds < 10:  # noqa: PLR2004 - below ten seconds the tenths are worth a look
        return f"{seconds:.1f}s"
    whole = round(seconds)
    if whole < MINUTE:
        return f"{whole}s"
    if whole < HOUR:
        return f"{whole // MINUTE}m{whole % MINUTE:02d}s"
    if whole < DAY:
        return f"{whole // HOUR}h{whole % HOUR // MINUTE:02d}m"
    return f"{whole // DAY}d{whole % DAY // HOUR:02d}h"


def size(count: int) -> str:
    """Return a number of bytes: ``812 B``, ``12.4 KiB``, ``3.0 MiB``."""
    if count < KIB:
        return f"{count} B"
    if count < KIB * KIB:
        return f"{count / KIB:.1f} KiB"
    return f"{count / KIB / KIB:.1f} MiB"


def short(count: int) -> str:
    """Return a count in at most five characters or so: ``812``, ``41k``, ``1.2M``."""
    for size, letter in ((_MILLION, "M"), (_THOUSAND, "k")):
        if count >= size:
            return f"{count / size:.{int(count < 10 * size)}f}{letter}"
    return str(count)


def dollars(used: Tokens | None) -> str:
    """Return what tokens cost, ``$0.31``; empty where nobody gives a price."""
    return f"${used.cost:,.2f}" if used is not None and used.cost else ""


def several(count: int, one: str, more: str = "") -> str:
    """Return a count with its noun: ``1 step``, ``1,204 steps``."""
    return f"{count:,} {one if count == 1 else more or one + 's'}"
