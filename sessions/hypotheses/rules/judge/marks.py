"""What an output shows by itself: that things agree, pass, fail, differ, or that something is not there."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from sessions.hypotheses.rules.table import OUTPUTS
from sessions.hypotheses.rules.table.sieve import Sieve
from sessions.models.session import Step

Showing = Literal["agrees", "passes", "fails", "differs", "lacks"]

SMALL = 0.01
"""A difference up to this counts as agreement; where a tolerance is printed on the line, that one counts."""

_SHOWN = Sieve(OUTPUTS)
_HEAD = 8_000
_TAIL = 4_000
_TOLERANCE = re.compile(
    r"(?:\b(?:tol(?:erance)?|threshold|limit|allowed|atol|rtol)\b|<=?)\W{0,3}([-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?)",
    re.IGNORECASE,
)
_LIKENESS = re.compile(r"\b(?:cos(?:ine)?|similarity|correlation|corr)\b[^\n\d]{0,24}(\d\.\d+)", re.IGNORECASE)
_ALIKE = 0.99
_MOST_ALIKE = 1.001
"""A likeness from which two things are the same, and what a rounded one comes to at most: more is something else."""


@dataclass(frozen=True, slots=True)
class Mark:
    """One line of an output that shows something."""

    showing: Showing
    line: str
    rule: str
    above: str = ""
    """The lines before it, which may say what it is about."""


def excerpt(step: Step) -> str:
    """Return the beginning and the end of a step's output; the middle of a long one is left out."""
    output = step.output
    return output if len(output) <= _HEAD + _TAIL else f"{output[:_HEAD]}\n{output[-_TAIL:]}"


def marks(step: Step) -> tuple[Mark, ...]:
    """Return what the lines of an output show, in their order."""
    lines = [line for line in excerpt(step).split("\n") if line.strip()]
    return tuple(
        mark for number, line in enumerate(lines) for mark in _read(line, lines[max(0, number - _ABOVE) : number])
    )


_ABOVE = 4


def _read(line: str, before: Sequence[str]) -> Iterator[Mark]:
    above = "\n".join(before)
    for row, match in _SHOWN.search(line):
        showing = row.family
        if row.name == "small-difference":
            showing = "agrees" if _is_small(match.group("small"), line) else "differs"
        yield Mark(showing, line.strip(), f"rule:{row.name}", above)  # type: ignore[arg-type]  # families of the table are the showings
    likeness = _LIKENESS.search(line)
    if likeness is not None and float(likeness.group(1)) <= _MOST_ALIKE:
        yield Mark("agrees" if float(likeness.group(1)) >= _ALIKE else "differs", line.strip(), "rule:likeness", above)


def _is_small(figure: str, line: str) -> bool:
    tolerance = _TOLERANCE.search(line)
    return abs(float(figure)) <= (float(tolerance.group(1)) if tolerance else SMALL)
