"""What machine a target is, and what is different between two looks."""

import re
from collections.abc import Mapping
from typing import Literal

from probes import catalogue, runner
from sessions.models.command import Executor
from sessions.models.probe import ProbeReport
from sessions.models.strict import Strict

PROBE = "host.fingerprint"
_SHALLOW, _DEEP = 20.0, 120.0
"""Seconds until a look is ended."""

Severity = Literal["red", "amber", "grey"]
"""``red``: can change what a model answers; ``amber``: can, under load or by a switch; ``grey``: changes by itself."""

_RED = (
    r"patched\.", r"package\.", r"gpu\.count", r"gpu\.\d+\.(name|compute_cap)",
    r"gpu\.\d+\.ecc\.errors\.uncorrected", r"gpu\.p2p", r"kernel\.xid", r"driver\.cuda", r"toolkit\.",
    r"torch\.(?!precision)", r"python\.(version|executable|prefix)", r"server\.\d+\.(command|library)", r"os\.arch",
)  # fmt: skip
_GREY = (
    r"gpu\.\d+\.(temperature|clocks\.(sm|mem)$|pstate|memory\.used|power\.draw|pcie\.link\.\w+\.current)",
    r"gpu\.\d+\.(uuid|pci\.bus_id)", r"host\.name", r"memory\.shm",
)  # fmt: skip
ORDER: dict[Severity, int] = {"red": 0, "amber": 1, "grey": 2}
"""What can change an answer comes first."""


class Fingerprint(Strict):
    """A flat record of a machine; a value that could not be had says ``unavailable: `` and why."""

    target: str
    taken: str
    deep: bool = False
    """torch was asked and every package file was hashed."""
    record: Mapping[str, str]


class Difference(Strict):
    """One field that two fingerprints do not agree on; None: one of them lacks it."""

    field: str
    severity: Severity
    before: str | None
    after: str | None


async def take(
    executor: Executor, *, python: str = "python3", site: str | None = None, deep: bool = False
) -> Fingerprint:
    """Return the fingerprint of the executor's machine, in about a second; with `deep` in up to a minute.

    `site` names another environment's site-packages. A machine that cannot be looked at gives a record that says so.
    """
    arguments = {"deep": str(int(deep))} | ({"site": site} if site else {})
    probe = catalogue.named(PROBE)
    report = await runner.run(executor, probe, arguments, runner.Way(python, _DEEP if deep else _SHALLOW))
    return of(report)


def of(report: ProbeReport) -> Fingerprint:
    """Return the fingerprint that a report of `host.fingerprint` holds."""
    document = report.document
    record = document.details.get("record")
    if not isinstance(record, dict):
        record = {"host": f"unavailable: {document.detail or report.outcome}"}
    deep = document.arguments.get("deep") == 1
    fields = {str(key): str(value) for key, value in record.items()}
    return Fingerprint(target=report.target, taken=report.started, deep=deep, record=fields)


def diff(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[Difference, ...]:
    """Return the fields on which two records differ, what can change an answer first."""
    fields = sorted(set(before) | set(after))
    found = [
        Difference(field=field, severity=severity(field), before=before.get(field), after=after.get(field))
        for field in fields
        if before.get(field) != after.get(field)
    ]
    return tuple(sorted(found, key=lambda each: ORDER[each.severity]))


def severity(field: str) -> Severity:
    """Return how much a difference in `field` matters."""
    if any(re.match(pattern, field) for pattern in _GREY):
        return "grey"
    return "red" if any(re.match(pattern, field) for pattern in _RED) else "amber"
