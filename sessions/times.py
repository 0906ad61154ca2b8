"""Times: epoch seconds while reading, ISO 8601 UTC text in the store, the reader's zone on a screen."""

from datetime import UTC, datetime

_MILLISECONDS = 1e11
_MICROSECONDS = 1e14
_NANOSECONDS = 1e17


def parse(value: object) -> float | None:
    """Return epoch seconds for an ISO 8601 text or an epoch number in s, ms, µs or ns; None for anything else.

    The unit of a number is told by its size: until the year 5138 seconds stay below 1e11.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return _from_number(float(value))
    if isinstance(value, str):
        return _from_text(value)
    return None


def iso(seconds: float | None) -> str | None:
    """Return `seconds` since the epoch as ISO 8601 UTC with milliseconds: ``2026-11-29T18:02:11.000Z``."""
    if seconds is None:
        return None
    moment = datetime.fromtimestamp(seconds, UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


def local(text: str | None) -> str:
    """Return a stored time in the reader's zone, to the minute: ``2026-11-29 19:02``; empty for None."""
    seconds = _from_text(text) if text else None
    if seconds is None:
        return ""
    return datetime.fromtimestamp(seconds, UTC).astimezone().strftime("%Y-%m-%d %H:%M")


def now() -> str:
    """Return the present moment as stored text."""
    return iso(datetime.now(UTC).timestamp()) or ""


def _from_number(value: float) -> float | None:
    for limit, factor in ((_NANOSECONDS, 1e9), (_MICROSECONDS, 1e6), (_MILLISECONDS, 1e3)):
        if value >= limit:
            value /= factor
            break
    return value if 0 < value < _MILLISECONDS else None


def _from_text(text: str) -> float | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    seconds = moment.timestamp()
    return seconds if 0 < seconds < _MILLISECONDS else None
