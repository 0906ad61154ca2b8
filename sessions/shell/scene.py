"""What a shell knows while it works through a script: the place, variables, functions."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from sessions.shell.fields import Field, expand, fill, join, known
from sessions.shell.place import Place
from sessions.shell.syntax import Assignment, Compound, Part, Script, Simple, Word
from sessions.shell.words import decode_assigned

_READERS = frozenset({"read", "mapfile", "readarray", "unset", "local", "declare", "typeset", "readonly", "let"})
_UNKNOWABLE = frozenset({"source", ".", "eval"})
_ACTIVATE = re.compile(r"(?:(.*)/)?bin/activate\Z", re.DOTALL)
_LOST = "the directory depends on what came before"
_OPTION = re.compile(r"[-+][A-Za-z]+\Z")


_LONGEST_VALUE = 4096
"""Characters of a variable: what doubles itself in every line must not fill the memory."""


@dataclass(slots=True)
class Scene:
    """One shell; it changes as its script goes on."""

    place: Place
    scope: dict[str, tuple[Part, ...]] = field(default_factory=dict)
    functions: set[str] = field(default_factory=set)
    unsure: set[str] = field(default_factory=set)
    """Variables that were set behind ``&&`` or ``||``: known no further than that list."""
    before: str | None = None
    """The directory before the last ``cd``."""
    strayed: bool = False
    """A ``cd`` stood behind ``&&``: the directory is known no further than that list."""

    def fork(self, place: Place | None = None) -> "Scene":
        """A child of this shell: it knows the same, and what it learns is lost with it."""
        scope, functions, unsure = dict(self.scope), set(self.functions), set(self.unsure)
        return Scene(place or self.place, scope, functions, unsure, self.before, self.strayed)

    def settle(self) -> None:
        """A list is over: forget what it may not have set."""
        self.forget(self.unsure)
        self.unsure.clear()
        if self.strayed:
            self.place = self.place.doubt(_LOST)
        self.strayed = False

    def lose_directory(self, directory: str | None) -> None:
        """It is `directory` or another one."""
        self.place = self.place._replace(cwd=directory).doubt(_LOST)

    def forget(self, names: Iterable[str]) -> None:
        """Take variables for unknown."""
        for name in names:
            self.scope.pop(name, None)

    # -- what a simple command does to the shell

    def absorb(self, simple: Simple, after: str, *, sure: bool) -> bool:
        """Take a command that only changes the shell as context; False if it is a call to be listed.

        `sure` is False where the command may not have run, `after` is the operator before it.
        """
        if not simple.words:
            if simple.redirects:
                return False
            self.assign(simple.assignments, sure=sure)
            return True
        if simple.assignments or not isinstance(simple.words[0].value, str):
            return False
        name = simple.words[0].value
        if name in {"cd", "pushd", "popd"} and after == "||":
            self.lose_directory(self.place.cwd)
            return True
        return self._absorb_call(simple, name, sure=sure)

    def _absorb_call(self, simple: Simple, name: str, *, sure: bool) -> bool:
        if name in {"cd", "pushd", "popd"}:
            self.strayed = self.strayed or not sure
            return self._move(expand(simple.words, self.scope))
        if name == "export":
            return self._export(simple.words[1:], sure=sure)
        if name in {"source", "."}:
            return self._activate(expand(simple.words, self.scope))
        if name == "set":
            return all(_OPTION.match(word.text) or word.text == "pipefail" for word in simple.words[1:])
        return False

    def assign(self, assignments: Iterable[Assignment], *, sure: bool) -> None:
        """Set variables."""
        for each in assignments:
            parts = fill(each.value, self.scope) if each.value else ()
            if each.appends:
                parts = (*self.scope.get(each.name, (Part(f"${each.name}", "variable", name=each.name),)), *parts)
            if each.value is None or not _worth_knowing(parts):
                self.forget([each.name])
                continue
            self.scope[each.name] = parts
            if not sure:
                self.unsure.add(each.name)
            if each.name in self.place.env:
                self.place = self.place.set_variables({each.name: join(parts)}, exact=known(parts))

    def _export(self, words: Iterable[Word], *, sure: bool) -> bool:
        words = tuple(words)
        if any(word.text.startswith("-") for word in words) or not words:
            return False
        for word in words:
            name, equals, text = word.text.partition("=")
            if equals:
                self.assign([Assignment(name, decode_assigned(text), text)], sure=sure)
            parts = self.scope.get(name)
            if parts is not None:
                self.place = self.place.set_variables({name: join(parts)}, exact=known(parts))
        return True

    def _move(self, fields: list[Field]) -> bool:
        operands = [each for each in fields[1:] if not _OPTION.match(each.value) and each.value != "--"]
        if len(operands) > 1:
            return False
        before = self.place.cwd
        if fields[0].value == "popd" or (operands and operands[0].value == "-"):
            if self.before is None:
                self.place = self.place.doubt("the directory before is not known")
            else:
                self.place = self.place._replace(cwd=self.before)
        else:
            self._enter(operands[0] if operands else None)
        self.before = before
        return True

    def _enter(self, operand: Field | None) -> None:
        if operand is None:
            self.place = self.place.move("~")
            return
        home = operand.word.why == ("tilde",) or operand.value in {"$HOME", "${HOME}"}
        self.place = self.place.move(operand.value)
        if not operand.exact and not home:
            self.place = self.place.doubt(f"directory {operand.shown} needs a shell")

    def _activate(self, fields: list[Field]) -> bool:
        """``source …/bin/activate``: the environment it enters, as a variable. Other files: nothing is known after."""
        found = _ACTIVATE.match(fields[1].value) if len(fields) == 2 else None  # noqa: PLR2004 -- source and a file
        if not found:
            return False
        folder = found.group(1) or "."
        self.place = self.place.set_variables({"VIRTUAL_ENV": self.place.move(folder).cwd or folder})
        return True

    def witness(self, name: str, words: Iterable[Word]) -> None:
        """A listed call that may set variables: what it may have set is not known any more."""
        if name in _UNKNOWABLE or name in self.functions:
            self.scope.clear()
        elif name in _READERS:
            self.forget(word.text.partition("=")[0] for word in words)


def _worth_knowing(parts: tuple[Part, ...]) -> bool:
    """Whether a value is short, and its unknown parts can stand where the variable does."""
    size = sum(len(part.text) + 1 for part in parts)
    return size <= _LONGEST_VALUE and all(part.kind not in {"substitution", "process"} for part in parts)


def assigned_names(script: Script | None) -> set[str]:
    """Names of the variables that a script may set, a call of a function or a sourced file aside."""
    names: set[str] = set()
    for pipeline in script.pipelines if script else ():
        for stage in pipeline.stages:
            if isinstance(stage, Compound):
                names |= {stage.subject, *assigned_names(stage.body)}
            else:
                names |= {each.name for each in stage.assignments}
                names |= {word.text.partition("=")[0] for word in stage.words}
    return names
