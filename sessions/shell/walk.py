"""Working through a script and the texts within it, call by call."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from sessions.models.command import Command
from sessions.shell.fields import Field, expand, fill, join, known
from sessions.shell.parse import parse
from sessions.shell.place import Inner, Place, Position, Source, command
from sessions.shell.redirects import apply_redirects
from sessions.shell.scene import Scene, assigned_names
from sessions.shell.syntax import Compound, Part, Pipeline, Script, Simple, Stage, Word
from sessions.shell.wrappers.table import PEELERS, Peeler

MOST_COMMANDS = 512
"""Commands of one step; the last one says that there are more."""
MOST_TURNS = 64
"""Turns of a loop over a literal list that are unrolled; a longer one is not."""
DEEPEST = 8
"""Texts within texts: ssh in bash in ssh …"""
MOST_WRAPPERS = 32
"""Wrappers around one call."""

_REPEATING = frozenset({"for", "loop", "select", "while", "until"})
_DEAF = frozenset(
    {"mkdir", "rmdir", "touch", "cp", "mv", "rm", "ln", "chmod", "chown", "echo", "printf", "true", "test", "["}
)
"""Programs that never read their standard input, unless they are told to."""
_NO_BODY = {"test": "a test of the shell", "arithmetic": "arithmetic of the shell"}


@dataclass(frozen=True, slots=True)
class Task:
    """A script, the text that its positions count in, and the shell that runs it."""

    script: Script
    text: str
    scene: Scene
    depth: int = 0
    sure: bool = True
    """Whether the script runs in any case."""

    def with_scene(self, scene: Scene) -> "Task":
        """The same for another shell."""
        return replace(self, scene=scene)


def leaves_input(call: Command) -> bool:
    """Tell whether a call leaves its standard input to those behind it: ``mkdir d && cat >d/f``."""
    return bool(call.argv) and call.argv[0].rpartition("/")[2] in _DEAF


class Walk:
    """Lists the calls of one step."""

    def __init__(self, peelers: Mapping[str, Peeler] = PEELERS) -> None:
        """Begin with none; `peelers` are the wrappers to take off."""
        self._peelers = peelers
        self.commands: list[Command] = []
        self.last = -1
        """The highest number of a pipeline so far."""

    def script(self, task: Task, at: Position) -> Position:
        """List the calls of a script, the first one at `at`; gives the position behind the last one."""
        absorbed: list[tuple[Simple, Place]] = []
        sure, start = task.sure, len(self.commands)
        for pipeline in task.script.pipelines:
            sure = _runs(pipeline, task, sure=sure)
            simple = _alone(pipeline)
            here = at if len(self.commands) == start else Position(self.last + 1, 0, pipeline.after)
            here = self._substitutions(pipeline, task, here)
            if simple and task.scene.absorb(simple, pipeline.after, sure=sure):
                absorbed.append((simple, task.scene.place))
                continue
            before = len(self.commands)
            here = self._pipeline(pipeline, task, here)
            at = here if len(self.commands) > before else at
            sure = False
            if task.scene.place.stdin is not None and not all(map(leaves_input, self.commands[before:])):
                task.scene.place = task.scene.place._replace(stdin=None)
        return at if len(self.commands) > start else self._list(absorbed, task, at)

    def _list(self, absorbed: Iterable[tuple[Simple, Place]], task: Task, at: Position) -> Position:
        """List what was taken for context, in a script where nothing else is left to list."""
        for simple, place in absorbed:
            at = self._emit(expand(simple.words, task.scene.scope), simple.text, place, at)
            at = Position(self.last + 1, 0, ";")
        return at

    def _emit(self, fields: list[Field], text: str, place: Place, at: Position) -> Position:
        count = len(self.commands)
        if count < MOST_COMMANDS:
            last = count == MOST_COMMANDS - 1
            place = place.doubt(f"more than {MOST_COMMANDS} calls") if last else place
            self.commands.append(command(fields, text, place, at))
            self.last = max(self.last, at.pipeline)
        return at._replace(stage=at.stage + 1)

    # -- pipelines

    def _pipeline(self, pipeline: Pipeline, task: Task, at: Position) -> Position:
        scene = task.scene
        if pipeline.background:
            scene = scene.fork(_within(scene.place, "background"))
        for index, stage in enumerate(pipeline.stages):
            own = scene if len(pipeline.stages) == 1 else scene.fork()
            if index and own.place.stdin is not None:
                own.place = own.place._replace(stdin=None)
            at = self._stage(stage, task.with_scene(own), at)
        return at

    def _stage(self, stage: Stage, task: Task, at: Position) -> Position:
        if len(self.commands) >= MOST_COMMANDS:
            return at
        return self._simple(stage, task, at) if isinstance(stage, Simple) else self._compound(stage, task, at)

    def _substitutions(self, pipeline: Pipeline, task: Task, at: Position) -> Position:
        """List what runs within ``$( )`` and ``<( )`` first; gives the position for the pipeline itself."""
        if not task.scene.place.exact:
            return at
        fresh = at.pipeline > self.last
        for part in _foreign(pipeline):
            place = _within(task.scene.place._replace(stdin=None), part.kind)
            inner = task.scene.fork(place)
            where = Position(self.last + 1, 0, ";" if self.last >= 0 else "")
            self._source(Source(_content(part.text), place), task.with_scene(inner), where, inner)
        return at._replace(pipeline=self.last + 1, after=at.after or ";") if fresh and self.last >= at.pipeline else at

    # -- compound statements

    def _compound(self, stage: Compound, task: Task, at: Position) -> Position:
        scene, outside = task.scene, task.scene.place
        place = apply_redirects(outside, stage.redirects, scene.scope)
        if stage.body is None:
            scene.scope.clear()
            return self._emit([], stage.text, place.doubt(_NO_BODY.get(stage.kind, "not understood"), exact=False), at)
        if stage.kind == "subshell":
            return self._body(stage, task.with_scene(scene.fork(place)), at)
        if stage.kind == "function":
            scene.functions.add(stage.subject)
            return self._body(stage, task.with_scene(scene.fork(_within(place, "function"))), at)
        scene.place = place
        at = self._shared(stage, task, at)
        scene.place = scene.place._replace(
            redirects=outside.redirects, merge_stderr=outside.merge_stderr, stdin=None,
            within=outside.within,
        )  # fmt: skip
        return at

    def _body(self, stage: Compound, task: Task, at: Position) -> Position:
        return self.script(replace(task, script=stage.body or Script()), at)

    def _shared(self, stage: Compound, task: Task, at: Position) -> Position:
        """A compound statement that the shell runs itself, so that what it sets may stay."""
        if stage.kind == "group":
            return self._body(stage, task, at)
        items = expand(stage.words, task.scene.scope)
        if stage.kind == "for" and items and len(items) <= MOST_TURNS and all(each.exact for each in items):
            return self._turns(stage, items, task, at)
        return self._uncertain(stage, task, at)

    def _turns(self, stage: Compound, items: list[Field], task: Task, at: Position) -> Position:
        for index, item in enumerate(items):
            if len(self.commands) >= MOST_COMMANDS:
                break
            if index:
                at = Position(self.last + 1, 0, ";")
            task.scene.scope[stage.subject] = (Part(item.value, quoted=True),)
            at = self._body(stage, task, at)
        return at

    def _uncertain(self, stage: Compound, task: Task, at: Position) -> Position:
        """Branches and loops: what they set is known to nobody behind them, and in a loop not at its start either."""
        scene, names = task.scene, {stage.subject, *assigned_names(stage.body)}
        if stage.kind in _REPEATING:
            scene.forget(names)
        directory = scene.place.cwd
        scene.place = _within(scene.place, stage.kind)
        at = self._body(stage, replace(task, sure=False), at)
        scene.forget(names)
        scene.strayed = False
        if scene.place.cwd != directory:
            scene.lose_directory(directory)
        return at

    # -- calls

    def _simple(self, simple: Simple, task: Task, at: Position) -> Position:
        scene = task.scene
        place = apply_redirects(scene.place, simple.redirects, scene.scope)
        fields = expand(simple.words, scene.scope)
        for each in simple.assignments:
            parts = fill(each.value, scene.scope) if each.value else (Part(each.text, "expansion"),)
            place = place.set_variables({each.name: join(parts)}, exact=known(parts))
        name = fields[0].value if fields else ""
        if name in scene.functions:
            place = place.doubt("a function of the text")
        else:
            at = self._call(fields, simple, (task, place), at)
            scene.witness(name, simple.words[1:])
            return at
        at = self._emit(fields, simple.text, place, at)
        scene.witness(name, simple.words[1:])
        return at

    def _call(self, fields: list[Field], simple: Simple, around: tuple[Task, Place], at: Position) -> Position:
        """Take the wrappers off one call, then list it or go on with the text that it runs."""
        task, place = around
        for _ in range(MOST_WRAPPERS):
            if not fields:
                break
            if not fields[0].exact:
                place = place.doubt(f"program {fields[0].shown} needs a shell")
                break
            peeler = self._peelers.get(fields[0].value.rpartition("/")[2])
            if peeler is None:
                break
            peeled = peeler(fields, place)
            if isinstance(peeled, Source):
                return self._source(peeled, task, at, Scene(peeled.place, _inherited(peeled.place)))
            place = peeled.place
            if not isinstance(peeled, Inner):
                break
            fields = peeled.fields
        text = task.text[fields[0].word.start : fields[-1].word.end] if fields else simple.text
        return self._emit(fields, text, place, at)

    def _source(self, source: Source, task: Task, at: Position, scene: Scene) -> Position:
        """Go on with a text that a shell runs."""
        script = parse(source.text) if task.depth < DEEPEST else Script(error=f"nested deeper than {DEEPEST}")
        if script.error:
            scene.place = scene.place.doubt(script.error, exact=False)
        count = len(self.commands)
        end = self.script(Task(script, source.text, scene, task.depth + 1), at)
        if len(self.commands) > count:
            return end
        return self._emit([], source.text, scene.place.doubt("a text without a command"), at)


def _runs(pipeline: Pipeline, task: Task, *, sure: bool) -> bool:
    """Whether a pipeline runs in any case; `sure` says whether all before it in its list only set something."""
    if pipeline.after in {"&&", "||"}:
        return sure and pipeline.after == "&&"
    task.scene.settle()
    return task.sure


def _alone(pipeline: Pipeline) -> Simple | None:
    """The simple command that is the whole pipeline and runs in the shell itself."""
    stage = pipeline.stages[0]
    if len(pipeline.stages) > 1 or pipeline.background or not isinstance(stage, Simple):
        return None
    return stage


def _within(place: Place, name: str) -> Place:
    return place._replace(within=(*place.within, name))


def _inherited(place: Place) -> dict[str, tuple[Part, ...]]:
    """What a new shell knows of variables: its environment."""
    if not place.env_exact:
        return {}
    return {name: (Part(value, quoted=True),) for name, value in place.env.items()}


def _foreign(pipeline: Pipeline) -> Iterable[Part]:
    """Substitutions in the words of a pipeline, those inside its compound statements aside."""
    for stage in pipeline.stages:
        for word in _words(stage):
            if word.value is None:
                yield from (part for part in word.parts if part.kind in {"substitution", "process"})


def _words(stage: Stage) -> Iterable[Word]:
    yield from stage.words
    yield from (each.target for each in stage.redirects if each.target)
    if isinstance(stage, Simple):
        yield from (each.value for each in stage.assignments if each.value)


def _content(text: str) -> str:
    """The text inside ``$( )``, ``<( )`` or backquotes."""
    if not text.startswith("`"):
        return text[2:-1]
    return text[1:-1].replace("\\`", "`").replace("\\$", "$").replace("\\\\", "\\")
