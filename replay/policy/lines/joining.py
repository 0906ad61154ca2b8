"""Joining what the parts of a command line come to: stages, pipelines, redirections around them, containers."""

from collections.abc import Iterator, Sequence

from probes.host.script import emit
from replay.policy.judgement import Open, Place, Problem, Word
from replay.policy.lines.reading import Line, Reading, Stage, pipe
from replay.policy.lines.streams import UNTOUCHED, Streams
from replay.policy.lines.wrapped import Wrapped
from replay.policy.paths import Folders, absolute
from replay.policy.programs import catalogue


def put_around(inner: Reading, wrapped: Wrapped, where: Place) -> Reading:
    """Apply what a wrapper says of the command that it runs at `where`."""
    if wrapped == Wrapped(wrapped.words, wrapped.script):
        return inner
    notes = (wrapped.note, *inner.notes) if wrapped.note else inner.notes
    limits = [limit for limit in (wrapped.timeout, inner.timeout) if limit is not None]
    problems = (wrapped.problem, *inner.problems) if wrapped.problem else inner.problems
    found = inner._replace(notes=notes, timeout=min(limits, default=None), problems=problems)
    return found._replace(place=inner.place or where) if wrapped.place else found


def enclose(inner: Reading, wrapped: Wrapped, place: Place) -> Reading:
    """Return the one call that runs a command line inside a container of `place`."""
    problems = (wrapped.problem, *inner.problems) if wrapped.problem else inner.problems
    base = Reading(place=place, problems=problems, notes=inner.notes, timeout=inner.timeout, whole=inner.whole)
    if not inner.lines or inner.local or inner.place not in {None, wrapped.place}:
        return base if inner.problems else base._replace(problems=(*problems, _ELSEWHERE))
    stage = inner.lines[0].stages[0]
    alone = len(inner.lines) == 1 and inner.lines[0].stages == (stage,)
    if alone and stage.streams == UNTOUCHED and not any(isinstance(word.text, Open) for word in stage.words):
        words = [word.text for word in stage.words]
    else:
        words = ["sh", "-c", emit([pipe(line) for line in inner.lines])]
    outside = [Word(word, "program" if number == 0 else "option") for number, word in enumerate(wrapped.outside)]
    call = Stage((*outside, *(Word(word, "text") for word in words)))
    return base._replace(lines=(Line((call,)),))


_ELSEWHERE = Problem("unknown", "leads from inside a container to another place")


def folders_after(reading: Reading, place: Place, folders: Folders) -> Folders:
    """Return the folders in which the next pipeline may start if this one succeeded."""
    if reading.place != place:
        return folders
    for line in reading.lines:
        first = line.stages[0].words
        if first[0].text == "cd":
            moved = tuple(absolute(first[-1].text, folder) for folder in folders)
            folders = moved if len(reading.lines) == 1 else tuple(dict.fromkeys((*folders, *moved)))
    return folders


def given(text: str, reading: Reading) -> Reading:
    """Return a call whose standard input is a text of the command line."""
    if len(reading.lines) != 1:
        return reading
    printed = Stage((Word("printf", "program"), Word("%s", "text"), Word(text, "text")))
    line = reading.lines[0]
    return reading._replace(lines=(line._replace(stages=(printed, *line.stages)),))


def with_streams(reading: Reading, streams: Streams) -> Reading:
    """Apply the redirections that stand around a call, or around the command line that it wraps."""
    if streams == UNTOUCHED:
        return reading
    if streams.stdin is not None and (len(reading.lines) != 1 or len(reading.lines[0].stages) != 1):
        return reading._replace(
            problems=(*reading.problems, Problem("unknown", "a file as input of more than one call"))
        )
    lines = tuple(Line(tuple(_stages_with(line.stages, streams)), line.after) for line in reading.lines)
    return reading._replace(lines=lines)


def _stages_with(stages: Sequence[Stage], outer: Streams) -> Iterator[Stage]:
    for place, stage in enumerate(stages):
        last = place == len(stages) - 1
        inner = stage.streams
        stderr = outer.stderr if inner.stderr == "keep" and (last or outer.stderr == "drop") else inner.stderr
        drop = inner.drop_stdout or (outer.drop_stdout and last)
        stdin = outer.stdin if place == 0 and inner.stdin is None else inner.stdin
        yield Stage(stage.words, Streams(stderr, drop, stdin))


def chain(readings: Sequence[Reading], place: Place) -> Reading:
    """Join the stages of one pipeline; those behind an ssh ran on this side of it."""
    first, rest = readings[0], readings[1:]
    if not rest:
        return first
    problems = tuple(problem for reading in readings for problem in reading.problems)
    notes = tuple(note for reading in readings for note in reading.notes)
    base = first._replace(problems=problems, notes=notes, whole=all(reading.whole for reading in readings))
    if not all(reading.lines for reading in readings):
        return base._replace(lines=())
    if first.place is not None and first.place != place:
        return _apply_here(base, rest)
    if any(len(reading.lines) != 1 or (reading.place or place) != place for reading in readings):
        problem = Problem("unknown", "a pipeline between a list or a host and another call")
        return base._replace(problems=(*problems, problem))
    stages = tuple(stage for reading in readings for stage in reading.lines[0].stages)
    if any(stage.words[0].text == "cd" for stage in stages):
        return base._replace(problems=(*problems, Problem("unknown", "cd inside a pipeline")))
    places = [reading.place for reading in readings if reading.place is not None]
    return base._replace(lines=(Line(stages, first.lines[0].after),), place=places[0] if places else None)


def _apply_here(base: Reading, rest: Sequence[Reading]) -> Reading:
    local: list[tuple[str, ...]] = list(base.local)
    for reading in rest:
        for stage in (stage for line in reading.lines for stage in line.stages):
            if stage.streams.stdin or stage.streams.drop_stdout or len(reading.lines) != 1:
                problem = Problem("unknown", "a filter on this side that is not known")
                return base._replace(problems=(*base.problems, problem))
            local.append(_as_recorded([word.text for word in stage.words]))
    return base._replace(local=tuple(local))


def _as_recorded(words: Sequence[str]) -> tuple[str, ...]:
    """Return a filter without the words that only a program on a host needs."""
    program = catalogue().get(words[0])
    fixed = program.fixed if program else ()
    return (words[0], *(words[1 + len(fixed) :] if tuple(words[1 : 1 + len(fixed)]) == fixed else words[1:]))


def join(readings: Sequence[Reading]) -> Reading:
    """Join pipelines of a list; all that depends on a place must depend on the same one."""
    if len(readings) == 1:
        return _first(readings[0])
    readings = _without_local_cd(readings)
    readings = [_first(readings[0]), *readings[1:]]
    problems = [problem for reading in readings for problem in reading.problems]
    places = list(dict.fromkeys(reading.place for reading in readings if reading.place is not None))
    if len(places) > 1:
        problems.append(Problem("unknown", "speaks to several hosts"))
    if any(_loosens(readings[:number], reading) for number, reading in enumerate(readings)):
        problems.append(Problem("unknown", "a list that runs only under a condition"))
    if any(reading.local for reading in readings):
        problems.append(Problem("unknown", "filters on this side, within a list"))
    limits = [reading.timeout for reading in readings if reading.timeout is not None]
    return Reading(
        lines=tuple(line for reading in readings for line in reading.lines),
        place=places[0] if places else None,
        problems=tuple(problems),
        notes=tuple(dict.fromkeys(note for reading in readings for note in reading.notes)),
        timeout=sum(limits) if len(limits) == len(readings) else None,
        whole=all(reading.whole and reading.lines for reading in readings),
    )


def _first(reading: Reading) -> Reading:
    """Return what stands first in a list: no operator is in front of it."""
    if not reading.lines or not reading.lines[0].after:
        return reading
    return started(reading, "")


def started(reading: Reading, joint: str) -> Reading:
    """Return what a command line comes to with another operator in front of it; it has lines."""
    first, *rest = reading.lines
    return reading._replace(lines=(Line(first.stages, joint), *rest))


def _loosens(before: Sequence[Reading], reading: Reading) -> bool:
    """Tell whether the parts of a list would run without the condition that stands in front of the whole."""
    joints = [line.after for line in reading.lines]
    if len(joints) < 2 or joints[0] not in {"&&", "||"}:  # noqa: PLR2004 -- a list is two
        return False
    if joints[0] == "&&" and all(joint == "&&" for joint in joints):
        return False
    return joints[0] == "||" or any(each.place is not None or each.problems for each in before)


def _without_local_cd(readings: Sequence[Reading]) -> Sequence[Reading]:
    """Leave out the ``cd`` of the agent's own machine in front of an ssh: it does not move the remote command."""
    remote = [reading for reading in readings if reading.place not in {None, Place()}]
    if not remote:
        return readings
    kept = [reading for reading in readings if reading.place != Place() or not _is_cd(reading)]
    return [_first(kept[0]), *kept[1:]]


def _is_cd(reading: Reading) -> bool:
    return len(reading.lines) == 1 and not reading.problems and reading.lines[0].stages[0].words[0].text == "cd"
