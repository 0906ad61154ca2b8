"""One probe on several hosts at once, and the reports of hosts that say the same put together."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import dataclass

from probes import envelope
from sessions.errors import HostProblem
from sessions.models.probe import Measurement, Probe, ProbeReport
from sessions.times import now

HOSTS_AT_ONCE = 32
"""Hosts that are connected at the same time."""


@dataclass(frozen=True, slots=True)
class Folded:
    """What some hosts said alike."""

    targets: tuple[str, ...]
    report: ProbeReport
    """That of the first; figures in which the others differ are given from the least to the greatest."""


async def everywhere(
    targets: Sequence[str], probe: Probe, run: Callable[[str], Awaitable[ProbeReport]]
) -> AsyncGenerator[ProbeReport, None]:
    """Yield what `run` returns for each target as it comes; a host that cannot be used gets a report that says so.

    Closing the generator cancels what still runs.
    """
    slots = asyncio.Semaphore(HOSTS_AT_ONCE)

    async def one(target: str) -> ProbeReport:
        async with slots:
            try:
                return await run(target)
            except HostProblem as error:
                return _unreached(target, probe, error)

    tasks = [asyncio.create_task(one(target)) for target in targets]
    try:
        for done in asyncio.as_completed(tasks):
            yield await done
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def fold(reports: Sequence[ProbeReport]) -> tuple[Folded, ...]:
    """Return the reports of hosts with the same status, answers and controls as one each, in the order given."""
    alike: dict[object, list[ProbeReport]] = {}
    for report in reports:
        alike.setdefault(_said(report), []).append(report)
    return tuple(_folded(group) for group in alike.values())


def _unreached(target: str, probe: Probe, error: HostProblem) -> ProbeReport:
    return ProbeReport(
        probe=probe.name,
        digest=probe.digest,
        target=target,
        started=now(),
        duration=0.0,
        outcome=error.outcome,
        document=envelope.without_document(probe.name, "failed", error.message),
    )


def _said(report: ProbeReport) -> object:
    document = report.document
    answers = tuple((finding.hypothesis, finding.answer) for finding in document.findings)
    controls = tuple((control.name, control.passed) for control in document.controls)
    return report.outcome, document.status, answers, controls, document.never_run


def _folded(group: Sequence[ProbeReport]) -> Folded:
    first = group[0]
    measured = [_ranged(one, group) for one in first.document.measurements]
    document = first.document.model_copy(update={"measurements": tuple(measured)})
    duration = max(report.duration for report in group)
    return Folded(
        tuple(report.target for report in group),
        first.model_copy(update={"document": document, "duration": duration}),
    )


def _ranged(one: Measurement, group: Sequence[ProbeReport]) -> Measurement:
    values = [other.value for report in group for other in report.document.measurements if other.name == one.name]
    if all(value == one.value for value in values):
        return one
    numbers = [value for value in values if isinstance(value, int | float)]
    if len(numbers) == len(values):
        return one.model_copy(update={"value": f"{min(numbers)} to {max(numbers)}"})
    return one.model_copy(update={"value": ", ".join(dict.fromkeys(str(value) for value in values))})
