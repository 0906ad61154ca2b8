"""From a parsed command line to what would be sent: only lists of pipelines of literal program calls come through."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from replay.policy.calls import judge_call
from replay.policy.hygiene import DEEPEST, MOST_CALLS
from replay.policy.judgement import Place, Problem, Word, highest
from replay.policy.paths import absolute
from replay.policy.streams import Streams, judge_redirects
from replay.policy.wrappers import LEFT_OUT, Wrapped, plain_variable, unwrap
from sessions.models.replay import EFFECTS
from sessions.shell.parse import parse
from sessions.shell.syntax import Compound, Pipeline, Script, Simple

_NEUTRAL = frozenset({"echo", "printf", "true", "sleep"})
"""Programs whose output is the same on every machine."""


@dataclass(frozen=True, slots=True)
class Stage:
    """One call that may be sent, with the role of every word."""

    words: tuple[Word, ...]
    streams: Streams = field(default_factory=Streams)


@dataclass(frozen=True, slots=True)
class Line:
    """One pipeline that may be sent."""

    stages: tuple[Stage, ...]
    after: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a command line comes to: pipelines for one place, and what was found on the way."""

    lines: tuple[Line, ...] = ()
    place: Place | None = None
    """None: nothing in it depends on where it runs."""
    local: tuple[tuple[str, ...], ...] = ()
    problems: tuple[Problem, ...] = ()
    notes: tuple[str, ...] = ()
    merge: bool = False
    timeout: float | None = None


class Walk:
    """Reads one recorded command; `count` and `depth` keep the limits."""

    def __init__(self) -> None:
        """Start with nothing read."""
        self.sources: dict[str, Script] = {}
        """Every piece of source that was parsed, as the first parser read it."""
        self._calls = 0
        self._depth = 0

    def script(self, text: str, place: Place, cwd: str | None) -> Reading:
        """Return what a piece of shell source comes to at `place`."""
        self._depth += 1
        if self._depth > DEEPEST:
            return _failed("nested too deep")
        parsed = self.sources[text] = parse(text)
        reading = self._list(parsed, place, cwd)
        if parsed.error:
            reading = replace(reading, problems=(Problem("unknown", "cannot be parsed"), *reading.problems))
        self._depth -= 1
        return reading

    def _list(self, script: Script, place: Place, cwd: str | None) -> Reading:
        if not script.pipelines:
            return _failed("holds no command")
        readings: list[Reading] = []
        for pipeline in script.pipelines:
            reading = self._pipeline(pipeline, place, cwd)
            readings.append(reading)
            cwd = _folder_after(reading, place, cwd)
        return _join(readings)

    def _pipeline(self, pipeline: Pipeline, place: Place, cwd: str | None) -> Reading:
        if pipeline.background or pipeline.negated:
            problem = Problem("unknown", "runs in the background" if pipeline.background else "! is not on the list")
            rest = self._pipeline(replace(pipeline, background=False, negated=False), place, cwd)
            return replace(rest, problems=(problem, *rest.problems))
        readings = [self._stage(stage, place, cwd) for stage in pipeline.stages]
        joined = _chain(readings, place)
        lines = tuple(
            replace(line, after=line.after or (pipeline.after if not n else "")) for n, line in enumerate(joined.lines)
        )
        return replace(joined, lines=lines)

    def _stage(self, stage: Simple | Compound, place: Place, cwd: str | None) -> Reading:
        self._calls += 1
        if self._calls > MOST_CALLS:
            return _failed(f"more than {MOST_CALLS} commands")
        if isinstance(stage, Compound):
            return self._compound(stage, place, cwd)
        problems = self._expansions(stage, place, cwd)
        notes: tuple[str, ...] = ()
        for assignment in stage.assignments:
            if stage.words and assignment.value and plain_variable(assignment.text):
                notes = (LEFT_OUT,)
            else:
                problems.append(Problem("unknown", f"sets {assignment.name}"))
        streams = judge_redirects(stage.redirects, cwd)
        if isinstance(streams, Problem):
            problems.append(streams)
            streams = Streams()
        if not stage.words:
            return Reading(problems=tuple(problems) or (Problem("unknown", "no command"),))
        if stage.words[0].escaped and stage.words[0].text.startswith("\\"):
            problems.append(Problem("unknown", f"{stage.words[0].text}: hides a name from aliases"))
        reading = self._call(_values(stage), place, cwd)
        return _with_streams(
            replace(reading, problems=(*problems, *reading.problems), notes=(*notes, *reading.notes)), streams
        )

    def _call(self, words: Sequence[str], place: Place, cwd: str | None) -> Reading:
        """Judge a call; take wrappers off until the program itself is reached."""
        self._depth += 1
        if self._depth > DEEPEST:
            return _failed("nested too deep")
        wrapped = unwrap(words)
        if wrapped is None:
            reading = self._program(words, place, cwd)
        elif isinstance(wrapped, Problem):
            reading = Reading(problems=(wrapped,))
        else:
            reading = self._inside(wrapped, place, cwd)
        self._depth -= 1
        return reading

    def _inside(self, wrapped: Wrapped, place: Place, cwd: str | None) -> Reading:
        """Judge what a wrapper runs."""
        where, folder = (wrapped.place, None) if wrapped.place else (place, cwd)
        if wrapped.script is not None:
            inner = self.script(wrapped.script, where, folder)
        else:
            inner = self._call(wrapped.words, where, folder)
        notes = (wrapped.note, *inner.notes) if wrapped.note else inner.notes
        limits = [limit for limit in (wrapped.timeout, inner.timeout) if limit is not None]
        found = replace(inner, notes=notes, timeout=min(limits, default=None))
        return replace(found, place=inner.place or where) if wrapped.place else found

    def _program(self, words: Sequence[str], place: Place, cwd: str | None) -> Reading:
        judged, problem = judge_call(words, cwd)
        problems = (problem,) if problem else ()
        if not judged:
            return Reading(problems=problems, place=place)
        neutral = words[0] in _NEUTRAL
        return Reading(lines=(Line((Stage(judged),)),), problems=problems, place=None if neutral else place)

    def _compound(self, stage: Compound, place: Place, cwd: str | None) -> Reading:
        inner = self._list(stage.body, place, cwd) if stage.body else Reading()
        writes = [problem for problem in (judge_redirects(stage.redirects, cwd),) if isinstance(problem, Problem)]
        construct = Problem("unknown", f"{stage.kind}: is not on the list")
        return Reading(problems=(construct, *writes, *inner.problems), place=place)

    def _expansions(self, stage: Simple, place: Place, cwd: str | None) -> list[Problem]:
        problems = []
        for word in stage.words:
            if word.value is not None:
                continue
            inner = [part.text for part in word.parts if part.kind in {"substitution", "process"}]
            if inner:
                problems += [self._substitution(text, place, cwd) for text in inner]
            else:
                problems.append(
                    Problem("unknown", f"{word.text}: only a shell knows what this becomes ({word.why[0]})")
                )
        return problems

    def _substitution(self, text: str, place: Place, cwd: str | None) -> Problem:
        """A substitution is never sent; it is named by the worst that runs inside."""
        source = text[1:-1] if text.startswith("`") else text[2:-1]
        found = self.script(source, place, cwd).problems
        effect = highest(problem.effect for problem in found)
        if EFFECTS.index(effect) < EFFECTS.index("writes"):
            return Problem("unknown", f"{text}: a substitution is not on the list")
        reason = next(problem.reason for problem in found if problem.effect == effect)
        return Problem(effect, f"{text}: runs inside a substitution: {reason}")


def _failed(reason: str) -> Reading:
    return Reading(problems=(Problem("unknown", reason),))


def _values(stage: Simple) -> list[str]:
    return [word.text if word.value is None else word.value for word in stage.words]


def _folder_after(reading: Reading, place: Place, cwd: str | None) -> str | None:
    """Return the folder in which the next pipeline starts."""
    for line in reading.lines if reading.place == place else ():
        first = line.stages[0].words
        if first[0].text == "cd":
            cwd = absolute(first[-1].text, cwd)
    return cwd


def _with_streams(reading: Reading, streams: Streams) -> Reading:
    """Apply the redirections that stand around a call, or around the command line that it wraps."""
    if streams == Streams():
        return reading
    if streams.stdin is not None and (len(reading.lines) != 1 or len(reading.lines[0].stages) != 1):
        return replace(
            reading, problems=(*reading.problems, Problem("unknown", "a file as input of more than one call"))
        )
    lines = tuple(replace(line, stages=tuple(_stages_with(line.stages, streams))) for line in reading.lines)
    return replace(reading, lines=lines)


def _stages_with(stages: Sequence[Stage], outer: Streams) -> Iterator[Stage]:
    for place, stage in enumerate(stages):
        last = place == len(stages) - 1
        inner = stage.streams
        stderr = outer.stderr if inner.stderr == "keep" and (last or outer.stderr == "drop") else inner.stderr
        drop = inner.drop_stdout or (outer.drop_stdout and last)
        stdin = outer.stdin if place == 0 and inner.stdin is None else inner.stdin
        yield replace(stage, streams=Streams(stderr, drop, stdin))


def _chain(readings: Sequence[Reading], place: Place) -> Reading:
    """Join the stages of one pipeline; those behind an ssh ran on this side of it."""
    first, rest = readings[0], readings[1:]
    problems = tuple(problem for reading in readings for problem in reading.problems)
    notes = tuple(note for reading in readings for note in reading.notes)
    base = replace(first, problems=problems, notes=notes)
    if not rest:
        return base
    if not all(reading.lines for reading in readings):
        return replace(base, lines=())
    if first.place is not None and first.place != place:
        return _apply_here(base, rest)
    if any(len(reading.lines) != 1 or (reading.place or place) != place for reading in readings):
        problem = Problem("unknown", "a pipeline between a list or a host and another call")
        return replace(base, problems=(*problems, problem))
    stages = tuple(stage for reading in readings for stage in reading.lines[0].stages)
    if any(stage.words[0].text == "cd" for stage in stages):
        return replace(base, problems=(*problems, Problem("unknown", "cd inside a pipeline")))
    places = [reading.place for reading in readings if reading.place is not None]
    return replace(base, lines=(replace(first.lines[0], stages=stages),), place=places[0] if places else None)


def _apply_here(base: Reading, rest: Sequence[Reading]) -> Reading:
    local: list[tuple[str, ...]] = list(base.local)
    for reading in rest:
        for stage in (stage for line in reading.lines for stage in line.stages):
            if stage.streams.stdin or stage.streams.drop_stdout or len(reading.lines) != 1:
                problem = Problem("unknown", "a filter on this side that is not known")
                return replace(base, problems=(*base.problems, problem))
            local.append(tuple(word.text for word in stage.words))
    return replace(base, local=tuple(local))


def _join(readings: Sequence[Reading]) -> Reading:
    """Join pipelines of a list; all that depends on a place must depend on the same one."""
    if len(readings) == 1:
        return readings[0]
    readings = _without_local_cd(readings)
    problems = [problem for reading in readings for problem in reading.problems]
    places = list(dict.fromkeys(reading.place for reading in readings if reading.place is not None))
    if len(places) > 1:
        problems.append(Problem("unknown", "speaks to several hosts"))
    if any(reading.local for reading in readings):
        problems.append(Problem("unknown", "filters on this side, within a list"))
    limits = [reading.timeout for reading in readings if reading.timeout is not None]
    return Reading(
        lines=tuple(line for reading in readings for line in reading.lines),
        place=places[0] if places else None,
        problems=tuple(problems),
        notes=tuple(dict.fromkeys(note for reading in readings for note in reading.notes)),
        timeout=sum(limits) if len(limits) == len(readings) else None,
    )


def _without_local_cd(readings: Sequence[Reading]) -> Sequence[Reading]:
    """Leave out the ``cd`` of the agent's own machine in front of an ssh: it does not move the remote command."""
    remote = [reading for reading in readings if reading.place not in {None, Place()}]
    if not remote:
        return readings
    kept = [reading for reading in readings if reading.place != Place() or not _is_cd(reading)]
    lines = kept[0].lines
    return [replace(kept[0], lines=(replace(lines[0], after=""), *lines[1:]) if lines else ()), *kept[1:]]


def _is_cd(reading: Reading) -> bool:
    return len(reading.lines) == 1 and not reading.problems and reading.lines[0].stages[0].words[0].text == "cd"
