"""From a parsed command line to what would be sent: only lists of pipelines of literal program calls come through."""

from collections.abc import Sequence
from dataclasses import replace

from replay.policy.calls import judge_call
from replay.policy.judgement import Place, Problem, highest
from replay.policy.lines.hygiene import DEEPEST, MOST_CALLS
from replay.policy.lines.joining import chain, enclose, folder_after, join, put_around, with_streams
from replay.policy.lines.reading import Line, Reading, Stage, failed
from replay.policy.lines.streams import Streams, judge_redirects
from replay.policy.lines.wrapped import Wrapped
from replay.policy.lines.wrappers import LEFT_OUT, plain_variable, unwrap
from sessions.models.replay import EFFECTS
from sessions.shell.parse import parse
from sessions.shell.syntax import Compound, Pipeline, Script, Simple

_NEUTRAL = frozenset({"echo", "printf", "true", "sleep"})
"""Programs whose output is the same on every machine."""


class Walk:
    """Reads one recorded command; `count` and `depth` keep the limits."""

    def __init__(self) -> None:
        """Start with nothing read."""
        self.sources: dict[str, Script] = {}
        """Every piece of source that was parsed, as the first parser read it."""
        self._calls = 0
        self._depth = 0
        self._piped = False

    def script(self, text: str, place: Place, cwd: str | None) -> Reading:
        """Return what a piece of shell source comes to at `place`."""
        self._depth += 1
        if self._depth > DEEPEST:
            return failed("nested too deep")
        parsed = self.sources[text] = parse(text)
        reading = self._list(parsed, place, cwd)
        if parsed.error:
            reading = reading._replace(problems=(Problem("unknown", "cannot be parsed"), *reading.problems))
        self._depth -= 1
        return reading

    def _list(self, script: Script, place: Place, cwd: str | None) -> Reading:
        if not script.pipelines:
            return failed("holds no command")
        readings: list[Reading] = []
        for pipeline in script.pipelines:
            reading = self._pipeline(pipeline, place, cwd)
            readings.append(reading)
            cwd = folder_after(reading, place, cwd)
        return join(readings)

    def _pipeline(self, pipeline: Pipeline, place: Place, cwd: str | None) -> Reading:
        if pipeline.background or pipeline.negated:
            problem = Problem("unknown", "runs in the background" if pipeline.background else "! is not on the list")
            rest = self._pipeline(replace(pipeline, background=False, negated=False), place, cwd)
            return rest._replace(problems=(problem, *rest.problems))
        readings = []
        for number, stage in enumerate(pipeline.stages):
            self._piped = number > 0
            readings.append(self._stage(stage, place, cwd))
        joined = chain(readings, place)
        if not pipeline.after or not joined.lines or joined.lines[0].after:
            return joined
        first = joined.lines[0]._replace(after=pipeline.after)
        return joined._replace(lines=(first, *joined.lines[1:]))

    def _stage(self, stage: Simple | Compound, place: Place, cwd: str | None) -> Reading:
        self._calls += 1
        if self._calls > MOST_CALLS:
            return failed(f"more than {MOST_CALLS} commands")
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
        return with_streams(
            reading._replace(problems=(*problems, *reading.problems), notes=(*notes, *reading.notes)), streams
        )

    def _call(self, words: Sequence[str], place: Place, cwd: str | None) -> Reading:
        """Judge a call; take wrappers off until the program itself is reached."""
        self._depth += 1
        if self._depth > DEEPEST:
            return failed("nested too deep")
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
        if wrapped.outside:
            return enclose(inner, wrapped, place)
        return put_around(inner, wrapped, where)

    def _program(self, words: Sequence[str], place: Place, cwd: str | None) -> Reading:
        judged = judge_call(words, cwd, piped=self._piped)
        problems = (judged.problem,) if judged.problem else ()
        if not judged.words:
            return Reading(problems=problems, place=place)
        neutral = words[0] in _NEUTRAL
        lines = (Line((Stage(judged.words),)),)
        notes = (judged.note,) if judged.note else ()
        return Reading(lines=lines, problems=problems, notes=notes, place=None if neutral else place)

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


def _values(stage: Simple) -> list[str]:
    return [word.text if word.value is None else word.value for word in stage.words]
