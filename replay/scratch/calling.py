"""One recorded call of a step that writes, taken to the scratch folder: its words, its redirections, its input."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from replay.policy import paths
from replay.policy.calls import judge_call
from replay.policy.judgement import Problem, Word
from replay.policy.known import TRUSTED
from replay.policy.lines.wrappers import plain_variable
from replay.policy.options import understand
from replay.policy.programs import families
from replay.rewrite import PathRules
from replay.scratch.ground import TEMPORARY, Ground, recorded_path, undecided, under
from replay.scratch.writers import HIDDEN, READERS, WRITERS, Use, Writer, untold
from sessions.models.command import Command, Stage
from sessions.shell.parse import parse
from sessions.shell.syntax import Simple
from sessions.shell.walk import leaves_input

Streams = dict[str, bool]
"""Redirections as written: whether a ``2>&1`` stands behind them."""
_OPEN = re.compile(r"[*?\[{$`~]")
_PATHS = frozenset({"path", "place"})
STARTS_HERE = frozenset({"ls", "find", "du", "rg", "tree", "pwd", "git"})
"""Programs that look at the folder they are started in, unless they are given another."""


def hindrance(command: Command) -> str:
    """Return why a call cannot be taken to scratch whatever its words are; empty if it can."""
    if command.within:
        return f"{command.text}: runs inside {command.within[0]}"
    if not command.literal:
        word = next((word for word in command.argv if _OPEN.search(word)), command.text)
        return f"{word}: {command.unresolved or 'only a shell knows what this becomes'}"
    if command.unresolved:
        return command.unresolved
    if command.container:
        return "writes inside a container"
    if command.redirects_outside:
        return f"{command.redirects_outside[0]}: is written on the machine around it"
    named = [name for name, value in command.env.items() if not plain_variable(f"{name}={value}")]
    return f"sets {named[0]}" if named else ""


class _RefusedError(Exception):
    """Why a call cannot be taken to scratch; never leaves this module."""


@dataclass
class Caller:
    """Takes the calls of one step to scratch, in order, and notes what they read and write."""

    ground: Ground
    rules: PathRules
    cwd: str | None
    """Recorded folder of the first call."""
    merging: Mapping[str, bool]
    read: list[str] = field(default_factory=list)
    written: list[str] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    at_home: bool = False
    merge_stderr: bool = False

    @property
    def home(self) -> str:
        """The place of the recorded folder in scratch."""
        return self.ground.folder + (self.cwd or "")

    def stages(self, command: Command) -> Sequence[Stage] | str:
        """Return the calls that stand for one, or why it cannot be taken to scratch."""
        try:
            return tuple(self._stages(command))
        except _RefusedError as refused:
            return str(refused)

    def _stages(self, command: Command) -> Iterator[Stage]:
        if command.sudo:
            self.notes.append("runs without privilege: sudo is not used")
        if command.stdin is not None and not leaves_input(command):
            if command.stage:
                raise _RefusedError("a text is given to the middle of a pipeline")
            yield Stage(words=("printf", "%s", command.stdin))
        given = command.stdin is not None and not leaves_input(command)
        words = self._words(command, piped=bool(command.stage) or given)
        yield self._streams(command, Stage(words=words, stderr="merge" if command.merge_stderr else "keep"))

    def _words(self, command: Command, *, piped: bool) -> tuple[str, ...]:
        if not command.argv:
            raise _RefusedError("a redirection without a program")
        folder, slash, name = command.argv[0].rpartition("/")
        if slash and folder not in TRUSTED:
            raise _RefusedError(f"{command.argv[0]}: a program by its own path")
        writer = WRITERS.get(name)
        if name == "sed" and not any(word.startswith(("-i", "--in-place")) for word in command.argv[1:]):
            writer = None
        if writer is not None:
            return self._writing(name, writer, command)
        if families().get(name) not in READERS:
            raise _RefusedError(untold(name))
        return self._looking(name, command, piped=piped)

    def _writing(self, name: str, writer: Writer, command: Command) -> tuple[str, ...]:
        answer = understand(writer.program, command.argv[1:])
        if isinstance(answer, Problem):
            raise _RefusedError(answer.reason)
        at = [number for number, word in enumerate(answer.words) if word.role in _PATHS]
        ends = next((number for number, word in enumerate(answer.words) if word == Word("--", "option")), -1)
        operands = [number for number in at if number > ends]
        into = name in {"cp", "mv"} and self._into(answer.words, operands, command)
        words = [word.text for word in answer.words]
        for number in at:
            last = number == operands[-1]
            use = writer.use(operands.index(number), len(operands), words) if number in operands else "read"
            if into and last:
                words[number] = self._folder(words[number], command)
                self._write_into(words_of(answer.words, operands[:-1]), answer.words[number].text, command)
            else:
                words[number] = self._path(words[number], command, use, creates=writer.creates)
        if name == "sed":
            self._keeps_copies(answer.words, operands, command)
        return (name, *words)

    def _into(self, words: Sequence[Word], operands: Sequence[int], command: Command) -> bool:
        """Tell whether the last operand is a folder that takes the others."""
        last = words[operands[-1]].text
        if any(word.text == "-T" for word in words):
            return False
        folder = self.ground.is_folder(self._plain(last, command))
        return len(operands) > 2 or last.endswith(("/", "/.")) or last == "." or folder  # noqa: PLR2004 - one file and where it goes

    def _folder(self, word: str, command: Command) -> str:
        path = self._plain(word, command)
        if path not in TEMPORARY and path != self.ground.work and (why := self.ground.outside(path)):
            raise _RefusedError(why)
        self._holding(path)
        return self._there(word, path, command)

    def _holding(self, path: str) -> None:
        """Have a recorded folder be there, unless the step itself makes it."""
        if path not in self.ground.made:
            self.folders.append(self.ground.folder + path)

    def _write_into(self, sources: Sequence[str], last: str, command: Command) -> None:
        for source in sources:
            name = source.rstrip("/").rpartition("/")[2]
            self._path(f"{last.rstrip('/')}/{name}", command, "make", creates=True)

    def _keeps_copies(self, words: Sequence[Word], operands: Sequence[int], command: Command) -> None:
        """Note the copies that ``sed -i.bak`` keeps beside the files."""
        suffixes = [word.text.removeprefix("--in-place=").removeprefix("-i") for word in words if word.role == "option"]
        suffix = next((text for text in suffixes if text.startswith((".", "~")) or text.isalpha()), "")
        given = any(
            word.text.startswith(("-i", "--in-place=")) and word.text not in {"-i", "--in-place"} for word in words
        )
        for source in words_of(words, operands) if given and suffix else ():
            self._path(source + suffix, command, "make", creates=True)

    def _looking(self, name: str, command: Command, *, piped: bool) -> tuple[str, ...]:
        judged = judge_call(command.argv, (command.cwd,), piped=piped)
        if judged.problem or not judged.words:
            raise _RefusedError(judged.problem.reason if judged.problem else f"{name}: is not understood")
        words = [
            self._path(word.text, command, "read") if word.role in _PATHS and word.text != "-" else str(word.text)
            for word in judged.words
        ]
        named = any(word.role in _PATHS for word in judged.words)
        descends = name in STARTS_HERE or any(word.text in {"-r", "-R", "--recursive"} for word in judged.words)
        if descends and not named and not piped:
            self._path(".", command, "read")
            if not self.at_home:
                raise _RefusedError(f"{name}: looks at the folder that it is started in")
        return tuple(words)

    def _streams(self, command: Command, stage: Stage) -> Stage:
        for text in command.redirects:
            stage = self._redirected(text, command, stage)
        return stage

    def _redirected(self, text: str, command: Command, stage: Stage) -> Stage:
        script = parse(f": {text}")
        simple = script.pipelines[0].stages[0] if script.pipelines else None
        found = simple.redirects if isinstance(simple, Simple) else ()
        target = found[0].target.value if len(found) == 1 and found[0].target and not script.error else None
        if target is None:
            raise _RefusedError(f"{text}: only a shell knows what this becomes")
        operator, number = found[0].operator, found[0].fd or ""
        if target == "/dev/null" and operator in {">", ">>"} and number == "2":
            return stage.model_copy(update={"stderr": "drop"})
        if operator == "<" and stage.words[0] == "patch" and number in {"", "0"}:
            return stage.model_copy(update={"words": (*stage.words, self._path(target, command, "read"))})
        if operator == "<" and number in {"", "0"}:
            return stage.model_copy(update={"stdin": self._path(target, command, "read")})
        if operator not in {">", ">>", ">|", "&>", "&>>"} or number not in {"", "1"} or stage.stdout is not None:
            raise _RefusedError(f"the redirection {text} is not on the list")
        both = operator.startswith("&") or (stage.stderr == "merge" and self.merging.get(text, False))
        if stage.stderr == "merge" and not both:
            self.merge_stderr = True  # the shell around it has both streams; the file has one
        drop = {"stderr": "drop" if both else stage.stderr, "drop_stdout": True}
        if target == "/dev/null":
            return stage.model_copy(update=drop)
        append = ">>" in operator
        place = self._path(target, command, "change" if append else "make", creates=True)
        stderr = "merge" if both else "keep" if stage.stderr == "merge" else stage.stderr
        return stage.model_copy(update={"stdout": place, "append": append, "stderr": stderr})

    def _path(self, word: str, command: Command, use: Use, *, creates: bool = False) -> str:
        """Return what stands for a path word, and note what is done to it."""
        path = self._plain(word, command)
        if use == "read":
            return self._read(word, path, command)
        if why := self.ground.outside(path):
            raise _RefusedError(why)
        if use == "change" and self.ground.known(path):
            self.read.append(path)
        elif use == "change" and not creates:
            raise _RefusedError(f"{path}: no earlier step of the session wrote it")
        self.written.append(path)
        self._holding(path.rpartition("/")[0])
        self.ground.made.add(path)
        return self._there(word, path, command)

    def _read(self, word: str, path: str, command: Command) -> str:
        ground = self.ground
        if ground.known(path) or (ground.whole(path) and ground.is_folder(path)):
            if not ground.known(path):
                self._holding(path)
            if path not in ground.made:
                self.read.append(path)
            return self._there(word, path, command)
        if ground.holds_part(path) or path in TEMPORARY:
            raise _RefusedError(f"{path}: only a part of it lies in scratch")
        if ground.begins_empty(path):
            raise _RefusedError(f"{path}: no earlier step of the session wrote it")
        there = self.rules.map(path)
        problem = paths.content(there, (None,))
        if problem or any(under(path, folder) for folder in HIDDEN):
            raise _RefusedError(problem.reason if problem else f"{path}: looks otherwise in the cage")
        self.notes.append(f"{there} is the target's own")
        return there

    def _plain(self, word: str, command: Command) -> str:
        if why := undecided(word, command):
            raise _RefusedError(why)
        return recorded_path(word, command)

    def _there(self, word: str, path: str, command: Command) -> str:
        """Return the place of a recorded path in scratch; a relative word stays one where its folder lies there too."""
        if word.startswith(("/", "~")) or command.cwd != self.cwd:
            return self.ground.folder + path + ("/" if word.endswith("/") else "")
        self.at_home = True
        self.folders.append(self.home)
        return word


def words_of(words: Sequence[Word], places: Sequence[int]) -> list[str]:
    """Return the texts of the words at some places."""
    return [words[place].text for place in places]
