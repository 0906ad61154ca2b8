"""From a parsed command line to what would be sent: only lists of pipelines of literal program calls come through."""

from collections.abc import Iterator, Sequence

from replay.policy.calls import judge_call
from replay.policy.judgement import Open, Place, Problem, highest
from replay.policy.lines.expanding import Scope, values, worth_keeping
from replay.policy.lines.hygiene import DEEPEST, MOST_CALLS
from replay.policy.lines.joining import chain, enclose, folders_after, given, join, put_around, started, with_streams
from replay.policy.lines.reading import Line, Reading, Stage, failed
from replay.policy.lines.streams import here_text, judge_input, judge_redirects
from replay.policy.lines.wrapped import Wrapped
from replay.policy.lines.wrappers import LEFT_OUT, plain_variable, refuse_variable, unwrap
from replay.policy.paths import Folders
from sessions.models.replay import EFFECTS
from sessions.shell.fields import fill
from sessions.shell.parse import parse
from sessions.shell.syntax import Compound, Part, Pipeline, Script, Simple

_NEUTRAL = frozenset({"echo", "printf", "true", "sleep"})
"""Programs whose output is the same on every machine."""
_MOST_FOLDERS = 16


def _either(some: Folders, others: Folders) -> Folders:
    return some if others is some else tuple(dict.fromkeys((*some, *others)))


class Walk:
    """Reads one recorded command, within the limits."""

    def __init__(self) -> None:
        """Start with nothing read."""
        self.sources: dict[str, Script] = {}
        """Every piece of source that was parsed, as the first parser read it."""
        self._calls = 0
        self._depth = 0
        self._piped = False
        self._scope: Scope = {}
        self._unsure: set[str] = set()
        """Variables set behind ``&&``: known no further than that list."""

    def script(self, text: str, place: Place, folders: Folders) -> Reading:
        """Return what a piece of shell source comes to at `place`."""
        self._depth += 1
        if self._depth > DEEPEST:
            return failed("nested too deep")
        outer = self._scope, self._unsure
        self._scope, self._unsure = {}, set()
        parsed = self.sources[text] = parse(text)
        reading = self._list(parsed, place, folders)
        if parsed.error:
            reading = reading._replace(problems=(Problem("unknown", "cannot be parsed"), *reading.problems))
        self._scope, self._unsure = outer
        self._depth -= 1
        return reading

    def _list(self, script: Script, place: Place, folders: Folders) -> Reading:
        if not script.pipelines:
            return failed("holds no command")
        readings: list[Reading] = []
        every, now, joint = folders, folders, None
        for pipeline in script.pipelines:
            if pipeline.after != "&&":
                self._forget()
                now = every
            if joint is not None and pipeline.after == "&&":
                pipeline = pipeline._replace(after=joint)  # noqa: PLW2901 -- setting a variable always succeeds
            if self._sets(pipeline):
                joint = pipeline.after
                continue
            reading = self._pipeline(pipeline, place, now)
            if joint is not None and pipeline.after == "||":
                reading = reading._replace(problems=(Problem("unknown", "never runs"), *reading.problems))
            readings.append(reading)
            now, joint = folders_after(reading, place, now), None
            every = _either(every, now)
            if len(every) > _MOST_FOLDERS:
                return failed(f"more than {_MOST_FOLDERS} folders")
        return join(readings) if readings else failed("only sets variables")

    def _forget(self) -> None:
        for name in self._unsure:
            self._scope.pop(name, None)
        self._unsure.clear()

    def _sets(self, pipeline: Pipeline) -> bool:
        """Take a statement that only sets variables to known values."""
        stage = pipeline.stages[0]
        if len(pipeline.stages) > 1 or pipeline.background or pipeline.negated or pipeline.after == "||":
            return False
        if not isinstance(stage, Simple) or stage.words or stage.redirects or not stage.assignments:
            return False
        if not all(worth_keeping(each, self._scope) for each in stage.assignments):
            return False
        for each in stage.assignments:
            self._scope[each.name] = fill(each.value, self._scope) if each.value else ()
            if pipeline.after == "&&":
                self._unsure.add(each.name)
        return True

    def _pipeline(self, pipeline: Pipeline, place: Place, folders: Folders) -> Reading:
        if pipeline.background or pipeline.negated:
            problem = Problem("unknown", "runs in the background" if pipeline.background else "! is not on the list")
            rest = self._pipeline(pipeline._replace(background=False, negated=False), place, folders)
            return rest._replace(problems=(problem, *rest.problems))
        readings = []
        for number, stage in enumerate(pipeline.stages):
            self._piped = number > 0
            readings.append(self._stage(stage, place, folders))
        joined = chain(readings, place)
        if not pipeline.after or not joined.lines or joined.lines[0].after:
            return joined
        return started(joined, pipeline.after)

    def _stage(self, stage: Simple | Compound, place: Place, folders: Folders) -> Reading:
        self._calls += 1
        if self._calls > MOST_CALLS:
            return failed(f"more than {MOST_CALLS} commands")
        if isinstance(stage, Compound):
            return self._compound(stage, place, folders)
        return self._simple(stage, place, folders)

    def _simple(self, stage: Simple, place: Place, folders: Folders) -> Reading:
        problems: list[Problem] = []
        notes: list[str] = []
        for assignment in stage.assignments:
            if stage.words and assignment.value and plain_variable(assignment.text):
                notes.append(LEFT_OUT)
            else:
                problems.append(refuse_variable(assignment.name))
        text = None if self._piped else here_text(stage, self._scope)
        streams, more = judge_redirects(stage.redirects if text is None else stage.redirects[:-1], folders)
        problems += more
        if not stage.words:
            return Reading(problems=tuple(problems) or (Problem("unknown", "no command"),))
        if stage.words[0].escaped and stage.words[0].text.startswith("\\"):
            problems.append(Problem("unknown", f"{stage.words[0].text}: hides a name from aliases"))
        words, unknown = self._words(stage, place, folders)
        unknown += judge_input(words, streams, folders)
        if text is not None and unwrap(words) is not None:
            problems.append(Problem("unknown", "text given to what runs another program"))
        self._piped = self._piped or text is not None
        reading = self._call(words, place, folders)
        if problems or unknown or notes:
            every = (*problems, *unknown, *reading.problems)
            reading = reading._replace(problems=every, notes=(*notes, *reading.notes))
        return given(text, with_streams(reading, streams)) if text is not None else with_streams(reading, streams)

    def _words(self, stage: Simple, place: Place, folders: Folders) -> tuple[list[str], list[Problem]]:
        """Return the words of a call as its program gets them, and which only a shell could tell."""
        words: list[str] = []
        problems: list[Problem] = []
        for word in stage.words:
            if word.value is not None:
                words.append(word.value)
                continue
            found = values(word, self._scope)
            words += [word.text] if found is None else found
            if found is not None:
                continue
            inner = [part.text for part in word.parts if part.kind in {"substitution", "process"}]
            problems += [self._substitution(text, place, folders) for text in inner]
            if not inner:
                reason = f"{word.text}: only a shell knows what this becomes ({word.why[0]})"
                problems.append(Problem("unknown", reason))
        return words, problems

    def _call(self, words: Sequence[str], place: Place, folders: Folders) -> Reading:
        """Judge a call; take wrappers off until the program itself is reached."""
        self._depth += 1
        if self._depth > DEEPEST:
            return failed("nested too deep")
        wrapped = unwrap(words) if words else Problem("unknown", "no program")
        if wrapped is None:
            reading = self._program(words, place, folders)
        elif isinstance(wrapped, Problem):
            reading = Reading(problems=(wrapped,))
        else:
            reading = self._inside(wrapped, place, folders)
        self._depth -= 1
        return reading

    def _inside(self, wrapped: Wrapped, place: Place, folders: Folders) -> Reading:
        """Judge what a wrapper runs."""
        where, there = (wrapped.place, (None,)) if wrapped.place else (place, folders)
        if wrapped.script is not None:
            inner = self.script(wrapped.script, where, there)
        else:
            inner = self._call(wrapped.words, where, there)
        if wrapped.outside:
            return enclose(inner, wrapped, place)
        return put_around(inner, wrapped, where)

    def _program(self, words: Sequence[str], place: Place, folders: Folders) -> Reading:
        judged = judge_call(words, folders, piped=self._piped)
        problems = (judged.problem,) if judged.problem else ()
        if not judged.words:
            return Reading(problems=problems, place=place)
        neutral = words[0] in _NEUTRAL and not any(isinstance(word, Open) for word in words)
        lines = (Line((Stage(judged.words),)),)
        notes = (judged.note,) if judged.note else ()
        return Reading(lines=lines, problems=problems, notes=notes, place=None if neutral else place)

    def _compound(self, stage: Compound, place: Place, folders: Folders) -> Reading:
        streams, problems = judge_redirects(stage.redirects, folders)
        turns = None if self._piped else self._turns(stage)
        if turns is not None and stage.body and not problems:
            return with_streams(join(list(self._unrolled(stage, turns, place, folders))), streams)
        inner = self._list(stage.body, place, folders) if stage.body else Reading()
        construct = Problem("unknown", f"{stage.kind}: is not on the list")
        return Reading(problems=(construct, *problems, *inner.problems), place=place)

    def _turns(self, stage: Compound) -> list[str] | None:
        """Return the values that the variable of a ``for`` takes, None if they are not all known."""
        found = [values(word, self._scope) for word in stage.words] if stage.kind == "for" else []
        turns = [value for each in found for value in each or ()]
        exact = None not in found and not any(isinstance(turn, Open) for turn in turns)
        return turns if turns and exact and len(turns) <= MOST_CALLS else None

    def _unrolled(self, stage: Compound, turns: Sequence[str], place: Place, folders: Folders) -> Iterator[Reading]:
        for number, value in enumerate(turns):
            self._scope[stage.subject] = (Part(value, quoted=True),)
            reading = self._list(stage.body or Script(), place, folders)
            folders = _either(folders, folders_after(reading, place, folders))
            if number and reading.lines:
                reading = started(reading, ";")
            yield reading

    def _substitution(self, text: str, place: Place, folders: Folders) -> Problem:
        """A substitution is never sent; it is named by the worst that runs inside."""
        source = text[1:-1] if text.startswith("`") else text[2:-1]
        found = self.script(source, place, folders).problems
        effect = highest(problem.effect for problem in found)
        if EFFECTS.index(effect) < EFFECTS.index("writes"):
            return Problem("unknown", f"{text}: a substitution is not on the list")
        reason = next(problem.reason for problem in found if problem.effect == effect)
        return Problem(effect, f"{text}: runs inside a substitution: {reason}")
