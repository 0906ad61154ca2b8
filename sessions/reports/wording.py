"""Figures in words: durations, counts, costs."""

from sessions.models.hypothesis import Cost
from sessions.models.probe import ProbeReport

_MINUTE = 60
_HOUR = 60 * _MINUTE
_DAY = 24 * _HOUR


def duration(seconds: float | None) -> str:
    """Return `seconds` to two units: ``0.4 s``, ``42 s``, ``3 min 5 s``, ``1 h 12 min``; empty for None."""
    if seconds is None:
        return ""
    if seconds < 10:  # noqa: PLR2004 (below ten a decimal tells something)
        return f"{seconds:.1f} s"
    whole = round(seconds)
    for size, unit, smaller, smaller_unit in (
        (_DAY, "d", _HOUR, "h"),
        (_HOUR, "h", _MINUTE, "min"),
        (_MINUTE, "min", 1, "s"),
    ):
        if whole >= size:
            rest = whole % size // smaller
            return f"{whole // size} {unit}" + (f" {rest} {smaller_unit}" if rest else "")
    return f"{whole} s"


def moment(time: str | None) -> str:
    """Return a stored time to the minute, in UTC whatever machine renders it: ``2026-11-29 18:02 UTC``."""
    return f"{time[:10]} {time[11:16]} UTC" if time else ""


def count(number: int, thing: str, things: str = "") -> str:
    """Return a number with its noun: ``1 step``, ``1,204 steps``."""
    return f"{number:,} {thing if number == 1 else things or thing + 's'}"


def costs(cost: Cost) -> tuple[str, ...]:
    """Return what was spent, a part each: steps, wall time, tokens, US dollars; without those that nobody knows."""
    parts = [
        count(cost.steps, "step"),
        duration(cost.seconds),
        f"{cost.tokens:,} tokens" if cost.tokens else "",
        money(cost),
    ]
    return tuple(part for part in parts if part)


def whole_costs(cost: Cost) -> tuple[str, ...]:
    """Return the same, and plainly what the log does not record."""
    return costs(cost) if cost.tokens is not None else (*costs(cost), "tokens not recorded")


def money(cost: Cost) -> str:
    """Return what tokens cost, ``$0.31``; empty where neither the log nor a person gives a price."""
    dollars = cost.used.cost if cost.used is not None else None
    return f"${dollars:,.2f}" if dollars else ""


def answers(report: ProbeReport) -> list[tuple[str, str]]:
    """Return what a probe says, as pairs of the answer and why; one that says nothing gives its status and detail."""
    document = report.document
    said: list[tuple[str, str]] = [(one.answer, f"{one.statement}: {one.why}") for one in document.findings]
    return said or [(document.status, document.detail)]
