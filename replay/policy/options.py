"""The grammar of one program's command line, as data, and what it makes of some words.

Options match exactly: no abbreviations, clusters of short flags are taken apart, ``--`` is honoured, and whatever is
not listed makes the call unknown.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from replay.policy.judgement import Problem, Role, Word
from sessions.models.replay import Effect

COUNT = r"[+-]?\d{1,18}"
SIZE = r"[+-]?\d{1,18}([bcwkKMGT]|[KMGT]i?B)?"
LIST = r"[\d,-]{1,200}"
NAME = r"[A-Za-z0-9][\w.+-]*"

Found = tuple[tuple[str, str | None], ...]


@dataclass(frozen=True, slots=True)
class Call:
    """The words of one call, taken apart: options with their values in order, and operands."""

    options: Found
    operands: tuple[str, ...]

    def has(self, *names: str) -> bool:
        """Tell whether any of the options is given."""
        return any(name in names for name, _ in self.options)

    def values(self, *names: str) -> tuple[str, ...]:
        """Return the values given to the options."""
        return tuple(value for name, value in self.options if name in names and value is not None)


Check = Callable[[Call], Problem | None]
Rewrite = Callable[[Call], Sequence[Word]]


@dataclass(frozen=True, slots=True)
class Program:
    """What is known of one program.

    `flags`: options without a value, blank-separated. `valued`: options with one, and its kind: ``text``, ``path``,
    ``place`` or a regular expression for the whole value. `operands`: their kinds; the last holds for all further ones
    up to `most`. `refused`: options that do more than read, and what. `examples` are tests.
    """

    name: str
    flags: str = ""
    valued: Mapping[str, str] = field(default_factory=dict)
    operands: tuple[str, ...] = ("path",)
    least: int = 0
    most: int = 1000
    number: str | None = None
    """The option that ``-5`` stands for."""
    instead: tuple[str, ...] = ()
    """Options that take the place of the first operand."""
    refused: Mapping[str, Problem] = field(default_factory=dict)
    dashes: bool = True
    """Whether ``--`` ends the options."""
    joined: bool = False
    """Whether long options take their value after ``=`` only."""
    fixed: tuple[str, ...] = ()
    """Words put right behind the program's name."""
    check: Check | None = None
    rewrite: Rewrite | None = None
    parse: Callable[[Sequence[str]], Sequence[Word] | Problem] | None = None
    """Instead of all this, for programs whose command line is a language of its own."""
    subcommands: Mapping[str, "Program"] = field(default_factory=dict)
    effect: Effect = "read"
    examples: tuple[str, ...] = ()


def understand(program: Program, words: Sequence[str]) -> Sequence[Word] | Problem:
    """Return the canonical words of a call with their roles, or why it is not on the list.

    `words` are the decoded arguments, without the program's name.
    """
    if program.parse is not None:
        return program.parse(words)
    words = words[len(program.fixed) :] if tuple(words[: len(program.fixed)]) == program.fixed else words
    if program.subcommands:
        return _subcommand(program, words)
    call = _take_apart(program, words)
    if isinstance(call, Problem):
        return call
    problem = _bounds(program, call) or (program.check(call) if program.check else None)
    if problem:
        return problem
    if program.rewrite is not None:
        return program.rewrite(call)
    return _canonical(program, call)


def _subcommand(program: Program, words: Sequence[str]) -> Sequence[Word] | Problem:
    if not words:
        return Problem("unknown", f"{program.name}: no subcommand")
    inner = program.subcommands.get(words[0])
    if inner is None:
        return _refusal(program, words[0])
    rest = understand(inner, words[1:])
    if isinstance(rest, Problem):
        return rest
    fixed = [Word(word, "option") for word in program.fixed]
    return [*fixed, Word(words[0], "option"), *rest]


def _take_apart(program: Program, words: Sequence[str]) -> Call | Problem:
    flags = frozenset(program.flags.split())
    found: list[tuple[str, str | None]] = []
    operands: list[str] = []
    queue = list(words)
    while queue:
        word = queue.pop(0)
        if word == "--" and program.dashes:
            operands += queue
            break
        if not word.startswith("-") or word == "-":
            operands.append(word)
            continue
        options = _option(program, flags, word, queue)
        if isinstance(options, Problem):
            return options
        found += options
    return Call(tuple(found), tuple(operands))


def _option(program: Program, flags: frozenset[str], word: str, queue: list[str]) -> Found | Problem:
    """Take one option word apart; a value that stands in the next word is taken from `queue`."""
    if word in flags:
        return ((word, None),)
    name, equals, value = word.partition("=")
    if name in program.valued and (word.startswith("--") or program.joined or not equals):
        return _value(program, name, value if equals else None, queue)
    if name in program.refused or word in program.refused:
        return _refusal(program, name if name in program.refused else word)
    if program.number and re.fullmatch(r"-\d{1,9}", word):
        return ((program.number, word[1:]),)
    if word.startswith("--") or program.joined:
        return Problem("unknown", f"{program.name}: option {name} is not on the list")
    return _cluster(program, flags, word, queue)


def _cluster(program: Program, flags: frozenset[str], word: str, queue: list[str]) -> Found | Problem:
    found: list[tuple[str, str | None]] = []
    for place in range(1, len(word)):
        name = f"-{word[place]}"
        if name in program.refused:
            return _refusal(program, name)
        if name in program.valued:
            value = _value(program, name, word[place + 1 :] or None, queue)
            return value if isinstance(value, Problem) else (*found, *value)
        if name not in flags:
            return Problem("unknown", f"{program.name}: option {name} is not on the list")
        found.append((name, None))
    return tuple(found)


def _value(program: Program, name: str, value: str | None, queue: list[str]) -> Found | Problem:
    if value is None:
        if not queue:
            return Problem("unknown", f"{program.name}: {name} has no value")
        if program.joined and name.startswith("--"):
            return Problem("unknown", f"{program.name}: {name} takes its value after =")
        value = queue.pop(0)
    if not _fits(program.valued[name], value):
        return Problem("unknown", f"{program.name}: {name} {value!r} is not on the list")
    return ((name, value),)


def _refusal(program: Program, name: str) -> Problem:
    problem = program.refused.get(name, Problem("unknown", "is not on the list"))
    return Problem(problem.effect, f"{program.name} {name}: {problem.reason}")


def _fits(kind: str, value: str) -> bool:
    return kind in {"text", "path", "place"} or re.fullmatch(kind, value) is not None


def _kinds(program: Program, call: Call) -> tuple[str, ...]:
    kinds = program.operands
    if program.instead and call.has(*program.instead):
        kinds = kinds[1:]
    return kinds


def _bounds(program: Program, call: Call) -> Problem | None:
    kinds = _kinds(program, call)
    least = program.least - (len(program.operands) - len(kinds))
    if not max(least, 0) <= len(call.operands) <= program.most:
        return Problem("unknown", f"{program.name}: {len(call.operands)} operands")
    if call.operands and not kinds:
        return Problem("unknown", f"{program.name}: takes no operand")
    for place, operand in enumerate(call.operands):
        if not _fits(kinds[min(place, len(kinds) - 1)], operand):
            return Problem("unknown", f"{program.name}: operand {operand!r} is not on the list")
    return None


def _canonical(program: Program, call: Call) -> Sequence[Word]:
    words = [Word(word, "option") for word in program.fixed]
    for name, value in call.options:
        if value is not None and program.joined and name.startswith("--"):
            words.append(Word(f"{name}={value}", "option"))
            continue
        words.append(Word(name, "option"))
        if value is not None:
            words.append(Word(value, _role(program.valued[name])))
    kinds = _kinds(program, call)
    if call.operands and program.dashes:
        words.append(Word("--", "option"))
    for place, operand in enumerate(call.operands):
        words.append(Word(operand, _role(kinds[min(place, len(kinds) - 1)])))
    return words


def _role(kind: str) -> Role:
    if kind == "path":
        return "path"
    return "place" if kind == "place" else "text"
