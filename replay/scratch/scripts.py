"""Which recorded step runs a script of which the text is known: Python or a shell, from a file, ``-c`` or a heredoc."""

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass

from probes.host.script import emit
from replay import filters
from replay.policy.judge import judge
from replay.policy.judgement import Place as Spot
from replay.policy.lines.walk import Walk
from replay.policy.template import judge_source
from replay.scratch.changes import changes
from sessions.models.command import Command, Pipe, Stage
from sessions.models.session import Step
from sessions.shell.unwrap import unwrap

NEVER = frozenset({"system", "destructive"})
"""Effects that no consent lets run."""
_PYTHON = re.compile(r"python(3(\.\d{1,2})?)?")
_SHELLS = frozenset({"bash", "sh"})
_PYTHON_FLAGS = re.compile(r"-[uBIEsSOq]+")
_SHELL_FLAGS = re.compile(r"-[euxvfslco]+")
_LEFT_OUT = frozenset({"--login", "--norc", "--noprofile"})
"""They only choose which profile is read, and none is."""
_SET = frozenset({"pipefail", "errexit", "nounset", "xtrace", "noglob"})
_QUIET = frozenset({"2>/dev/null", "2> /dev/null", "</dev/null", "< /dev/null"})
_STEERING = re.compile(r"LD_\w+|PATH|HOME|IFS|ENV|BASH_ENV|PYTHONHOME|PYTHONSTARTUP|PS4|PROMPT_COMMAND|NECROPSY\w*")
"""Variables that decide which programs run, or are ours."""
_ENDING = re.compile(r"os\.(remove|unlink|rmdir|removedirs|kill|killpg)|shutil\.rmtree")
_ENDING_METHODS = frozenset({"unlink", "rmtree", "killpg"})


@dataclass(frozen=True, slots=True)
class Script:
    """A call of an interpreter, taken apart; `file` is the operand that names the script, None for ``-c`` and input."""

    command: Command
    python: bool
    flags: tuple[str, ...]
    file: str | None
    text: str | None
    """The code of ``-c`` or of standard input."""
    stdin: bool
    arguments: tuple[str, ...]
    filters: tuple[tuple[str, ...], ...]
    """Canonical words of the filters behind it."""


def find(step: Step) -> Script | str:
    """Return the one script that a step runs, or why there is none that could run by itself.

    Where a shell is given a text, what that runs may be the script, or else the text is.
    """
    found = _only(step, step.commands)
    if isinstance(found, Script):
        return found
    around = unwrap(step.command, step.cwd, into_shells=False)
    return found if around == step.commands else _only(step, around)


def _only(step: Step, commands: Sequence[Command]) -> Script | str:
    calls = [command for command in commands if interprets(command)]
    if len(calls) != 1:
        return "runs no script, or more than one"
    call = calls[0]
    writing = {number for number, command in enumerate(commands) if _only_writes(command, step)}
    others = [
        command for number, command in enumerate(commands)
        if command is not call and number not in writing and command.pipeline != call.pipeline
    ]  # fmt: skip
    if others:
        return f"runs {others[0].argv[0] if others[0].argv else 'more'} beside its script"
    problem = _hindrance(call)
    if problem:
        return problem
    behind = [command for command in commands if command.pipeline == call.pipeline and command is not call]
    if any(command.stage < call.stage for command in behind):
        return "its script reads what another program prints"
    words = canonical(behind)
    return words if isinstance(words, str) else _taken_apart(call, words)


def harm(step: Step) -> str:
    """Return what in a step's own command line no consent lets run; empty if there is nothing."""
    return _harm_of_shell(step.command, step.cwd)


def harm_of_code(text: str, *, python: bool) -> str:
    """Return what in a script's text no consent lets run, as far as it can be seen; empty if nothing is."""
    if not python:
        return _harm_of_shell(text, None)
    if judge_source(text).effect in NEVER:
        return "the code removes or ends something"
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            if _ENDING.fullmatch(name) or name.rpartition(".")[2] in _ENDING_METHODS:
                return f"the code calls {name[:80]}, which removes or ends something"
    return ""


def _harm_of_shell(text: str, cwd: str | None) -> str:
    found = Walk().script(text, Spot(), (cwd,)).problems
    return next((problem.reason for problem in found if problem.effect in NEVER), "")


def interprets(command: Command) -> bool:
    """Tell whether a call is that of Python or of a shell."""
    name = command.argv[0].rpartition("/")[2] if command.argv else ""
    return name in _SHELLS or _PYTHON.fullmatch(name) is not None


def _only_writes(command: Command, step: Step) -> bool:
    """Tell whether a call does nothing but write a file of which the content is known."""
    if not command.argv or command.argv[0] not in {"cat", "echo", "printf", "tee"}:
        return False
    made = changes(step.model_copy(update={"commands": (command,)}))
    return bool(made) and all(change.kind in {"whole", "append"} for change in made)


def _hindrance(call: Command) -> str:
    if call.within:
        return f"its script runs inside {call.within[0]}"
    if call.unresolved or not call.literal:
        return call.unresolved or "only a shell knows the words of the call"
    if call.container:
        return "its script ran inside a container"
    if set(call.redirects) - _QUIET or call.redirects_outside:
        return "the output of its script goes to a file"
    steering = [name for name in call.env if _STEERING.fullmatch(name)]
    return f"sets {steering[0]}" if steering else ""


def canonical(behind: Sequence[Command]) -> tuple[tuple[str, ...], ...] | str:
    """Return the canonical words of filters that the agent's machine ran, or why they cannot be run here."""
    if not behind:
        return ()
    if any(command.redirects or not command.literal for command in behind):
        return "a filter behind its script is not known"
    stages = (Stage(words=("cat",)), *(Stage(words=command.argv) for command in behind))
    judged = judge(emit((Pipe(stages=stages),)))
    if judged.decision != "run":
        return f"a filter behind its script: {'; '.join(judged.reasons)}"
    words = tuple(stage.words for stage in judged.pipes[0].stages[1:])
    unsupported = filters.unsupported(words)
    return f"a filter behind its script cannot be run here: {unsupported}" if unsupported else words


def _taken_apart(call: Command, words: tuple[tuple[str, ...], ...]) -> Script | str:
    shell = call.argv[0].rpartition("/")[2] in _SHELLS
    return (_of_shell(call, words) if shell else _of_python(call, words)) or "runs an interpreter in an unknown form"


def _of_python(call: Command, words: tuple[tuple[str, ...], ...]) -> Script | None:
    rest = list(call.argv[1:])
    flags: list[str] = []
    while rest and _PYTHON_FLAGS.fullmatch(rest[0]):
        flags.append(rest.pop(0))
    match rest:
        case ["-c", text, *arguments]:
            return Script(call, True, tuple(flags), None, text, False, tuple(arguments), words)  # noqa: FBT003 - fields
        case [] | ["-"] if call.stdin is not None:
            return Script(call, True, (*flags, *rest), None, call.stdin, True, (), words)  # noqa: FBT003 - fields
        case [file, *arguments] if not file.startswith("-") and call.stdin is None:
            return Script(call, True, tuple(flags), file, None, False, tuple(arguments), words)  # noqa: FBT003 - fields
    return None


def _of_shell(call: Command, words: tuple[tuple[str, ...], ...]) -> Script | None:
    taken = _shell_options(list(call.argv[1:]))
    if taken is None:
        return None
    letters, flags, rest = taken
    if "c" in letters:
        arguments = tuple(rest[2:])  # behind the name that it calls itself
        return Script(call, False, flags, None, rest[0], False, arguments, words) if rest else None  # noqa: FBT003 - fields
    if call.stdin is not None and ("s" in letters or not rest):
        return Script(call, False, flags, None, call.stdin, True, tuple(rest), words)  # noqa: FBT003 - fields
    if call.stdin is None and rest and "s" not in letters:
        return Script(call, False, flags, rest[0], None, False, tuple(rest[1:]), words)  # noqa: FBT003 - fields
    return None


def _shell_options(rest: list[str]) -> tuple[set[str], tuple[str, ...], list[str]] | None:
    """Return the letters of a shell's options, the options that are kept, and what stands behind them."""
    letters: set[str] = set()
    kept: list[str] = []
    while rest and rest[0].startswith("-") and rest[0] not in {"-", "--"}:
        word = rest.pop(0)
        if word in _LEFT_OUT:
            continue
        if not _SHELL_FLAGS.fullmatch(word):
            return None
        letters.update(word[1:])
        kept += [f"-{letter}" for letter in word[1:] if letter in "euxvf"]
        for _ in range(word.count("o")):
            if not rest or rest[0] not in _SET:
                return None
            kept += ["-o", rest.pop(0)]
    return letters, tuple(kept), rest[1:] if rest and rest[0] in {"-", "--"} else rest
