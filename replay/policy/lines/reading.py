"""What a command line comes to while it is read: pipelines for one place, and what was found on the way."""

from typing import NamedTuple

from replay.policy.judgement import Open, Place, Problem, Word
from replay.policy.lines.streams import UNTOUCHED, Streams
from sessions.models.command import Pipe
from sessions.models.command import Stage as Sent


class Stage(NamedTuple):
    """One call that may be sent, with the role of every word."""

    words: tuple[Word, ...]
    streams: Streams = UNTOUCHED


class Line(NamedTuple):
    """One pipeline that may be sent."""

    stages: tuple[Stage, ...]
    after: str = ""


class Reading(NamedTuple):
    """What a command line comes to: pipelines for one place, and what was found on the way."""

    lines: tuple[Line, ...] = ()
    place: Place | None = None
    """None: nothing in it depends on where it runs."""
    local: tuple[tuple[str, ...], ...] = ()
    problems: tuple[Problem, ...] = ()
    notes: tuple[str, ...] = ()
    timeout: float | None = None
    whole: bool = True
    """Whether all that was recorded is among the lines."""


def failed(reason: str) -> Reading:
    """Return what a text comes to that is not understood."""
    return Reading(problems=(Problem("unknown", reason),))


def pipe(line: Line) -> Pipe:
    """Return a pipeline as it is sent."""
    stages = tuple(
        Sent(
            words=tuple(str(word.text) for word in stage.words),
            stderr=stage.streams.stderr,
            drop_stdout=stage.streams.drop_stdout,
            stdin=stage.streams.stdin,
            open=tuple(number for number, word in enumerate(stage.words) if isinstance(word.text, Open)),
        )
        for stage in line.stages
    )
    after = line.after if line.after in {"&&", "||", ";"} else ""
    return Pipe(stages=stages, after=after)  # type: ignore[arg-type]  # narrowed just above
