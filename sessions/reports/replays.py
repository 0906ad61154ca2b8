"""Replays as a report shows them: three axes beside each other, and what stays undetermined set apart."""

from collections.abc import Iterator
from dataclasses import dataclass

from sessions.models.replay import HypothesisStanding, RunStep, Standing
from sessions.reports.collect import ReportData
from sessions.reports.json import weightiest
from sessions.store.rows import RunRow

_DIFFERENT = frozenset({"changed", "exit-status-changed", "drift"})
_MOST_DIFFERENCES = 5


@dataclass(frozen=True, slots=True)
class ReplayedStep:
    """One step of a run: did it run, how does the output compare, what does that do to the evidence."""

    step: RunStep
    standing: Standing | None
    why: str


@dataclass(frozen=True, slots=True)
class Replay:
    """One run on one target."""

    run: RunRow
    steps: tuple[ReplayedStep, ...]

    @property
    def determined(self) -> tuple[HypothesisStanding, ...]:
        """The verdicts that the run upholds or overturns."""
        return tuple(each for each in self.run.worths if each.worth != "undetermined")

    @property
    def undetermined(self) -> tuple[HypothesisStanding, ...]:
        """The verdicts of which the run says nothing: it is no agreement."""
        return tuple(each for each in self.run.worths if each.worth == "undetermined")


def replays(data: ReportData) -> Iterator[Replay]:
    """Yield the runs of a session, oldest first."""
    for run in data.runs:
        yield Replay(run, tuple(_replayed(run, step) for step in run.steps))


def _replayed(run: RunRow, step: RunStep) -> ReplayedStep:
    standings = [each for each in run.standings if each.step == step.step]
    return ReplayedStep(
        step,
        standing=weightiest([each.standing for each in standings]),
        why="; ".join(
            dict.fromkeys(
                filter(None, [step.detail, *step.reasons, *(each.why for each in standings), differences(run, step)])
            )
        ),
    )


def differences(run: RunRow, step: RunStep) -> str:
    """Return, for a step with another output, what of the machine is not as the log tells; empty for any other."""
    found = run.fingerprint.get("differs")
    if step.comparison not in _DIFFERENT or not isinstance(found, list) or not found:
        return ""
    told = [f"{each['field']} was {each['recorded']}, is {each['live'] or 'not told'}" for each in found]
    more = len(told) - _MOST_DIFFERENCES
    return "the machine is another: " + "; ".join(told[:_MOST_DIFFERENCES]) + (f"; {more} more" if more > 0 else "")
