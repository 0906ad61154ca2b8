"""Several targets beside each other: evidence by hosts, hosts with the same results in one column."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sessions.store.rows import RunRow

Place = tuple[str, int | None]
"""A piece of evidence: hypothesis and step; without a step the verdict itself."""


@dataclass(frozen=True, slots=True)
class Column:
    """The targets that all came out the same, and what came out, row by row; empty where a run has no such row."""

    targets: tuple[str, ...]
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Matrix:
    """What the last run on every target did to every piece of evidence."""

    rows: tuple[Place, ...]
    columns: tuple[Column, ...]

    def describe(self) -> dict[str, object]:
        """Return the matrix as JSON has it: each row with its result by target."""
        return {
            "rows": [
                {
                    "hypothesis": hypothesis,
                    "step": step,
                    "results": {target: each.cells[n] for each in self.columns for target in each.targets},
                }
                for n, (hypothesis, step) in enumerate(self.rows)
            ],
            "alike": [list(each.targets) for each in self.columns],
        }


def matrix(runs: Sequence[RunRow]) -> Matrix | None:
    """Return the matrix of the last run on each target; None for fewer than two targets."""
    last = {run.target: run for run in runs}
    if len(last) < 2:  # noqa: PLR2004 - one target is no fleet
        return None
    cells = {target: _cells(last[target]) for target in sorted(last, key=_natural)}
    rows = tuple(sorted({place for each in cells.values() for place in each}, key=_order))
    folded: dict[tuple[str, ...], list[str]] = {}
    for target, found in cells.items():
        folded.setdefault(tuple(found.get(place, "") for place in rows), []).append(target)
    return Matrix(rows, tuple(Column(tuple(targets), each) for each, targets in folded.items()))


def _natural(name: str) -> list[tuple[str, int]]:
    """Return a key under which gpu2 comes before gpu10."""
    return [(text, int(part or 0)) for text, part in re.findall(r"(\D*)(\d*)", name)]


def _order(place: Place) -> tuple[int, str, int]:
    hypothesis, step = place
    digits = hypothesis.lstrip("HC")
    return (int(digits) if digits.isdigit() else 0, hypothesis, -1 if step is None else step)


def _cells(run: RunRow) -> Mapping[Place, str]:
    outcomes = {step.step: step.comparison or step.outcome for step in run.steps}
    verdicts: dict[Place, str] = {(each.hypothesis, None): each.worth for each in run.worths}
    return verdicts | {
        (each.hypothesis, each.step): f"{each.standing} ({outcomes.get(each.step, 'not run')})"
        for each in run.standings
    }
