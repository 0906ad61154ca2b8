"""The grammar of one program's command line, as data, and what it makes of some words.

Options match exactly: no abbreviations, clusters of short flags are taken apart, ``--`` is honoured, and whatever is
not listed makes the call unknown.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from replay.policy.judgement import Problem, Role, Word
from replay.policy.patterns import explodes

COUNT = r"[+-]?\d{1,18}"
SIZE = r"[+-]?\d{1,18}([bcwkKMGT]|[KMGT]i?B)?"
FORMAT = r"(?s:(?!.*%[^A-Za-z%]*\d{4}).*)"
"""A format of fields, none of them wider than a thousand characters."""
MANY = 1000
"""Operands of a program that takes any number."""
LIST = r"[\d,-]{1,200}"
NAME = r"[A-Za-z0-9][\w.+-]*"

Found = tuple[tuple[str, str | None], ...]


class Call(NamedTuple):
    """The words of one call, taken apart: options with their values in order, and operands."""

    options: Found
    operands: tuple[str, ...]

    def has(self, *names: str) -> bool:
        """Tell whether any of the options is given."""
        return any(name in names for name, _ in self.options)

    def values(self, *names: str) -> tuple[str, ...]:
        """Return the values given to the options."""
        return tuple(value for name, value in self.options if name in names and value is not None)


class Understood(NamedTuple):
    """A call in its canonical words, without the program's name."""

    words: tuple[Word, ...]
    asks: Problem | None = None
    """Why it is more than reading, though it is known what it does."""
    note: str = ""
    """What differs from the recorded call, and why that is allowed."""


Answer = Understood | Problem
Check = Callable[[Call], Problem | None]


@dataclass(frozen=True, slots=True)
class Program:
    """What is known of one program.

    `flags`: options without a value, blank-separated. `valued`: options with one, and its kind: ``text``, ``path``,
    ``place``, ``pattern`` (one that the program matches) or a regular expression for the whole value. `operands`:
    their kinds; the last holds for all further ones up to `most`. `refused`: options that do more than read, and what.
    `examples` are tests.
    """

    name: str
    flags: str = ""
    valued: Mapping[str, str] = field(default_factory=dict)
    operands: tuple[str, ...] = ("path",)
    least: int = 0
    most: int = MANY
    overflow: Problem | None = None
    """What an operand beyond `most` does."""
    number: str | None = None
    """The option that ``-5`` stands for."""
    instead: tuple[str, ...] = ()
    """Options that take the place of the first operand."""
    refused: Mapping[str, Problem] = field(default_factory=dict)
    dashes: bool = True
    """Whether ``--`` ends the options."""
    joined: bool = False
    """Whether long options take their value after ``=`` only, and short ones never stand in clusters."""
    equals: bool = False
    """Whether the canonical form has ``=`` between a long option and its value."""
    optional: Mapping[str, str] = field(default_factory=dict)
    """Options that may have a value, but only in the same word: ``--color=never``, ``-M90%``."""
    fixed: tuple[str, ...] = ()
    """Words put right behind the program's name."""
    check: Check | None = None
    """What makes a call unknown or worse although all its words are on the list."""
    weigh: Check | None = None
    """What makes a call one to be asked about."""
    parse: Callable[[Sequence[str]], Answer] | None = None
    """Instead of all this, for programs whose command line is a language of its own."""
    subcommands: Mapping[str, "Program"] = field(default_factory=dict)
    asks: Problem | None = None
    """Why every call of it is one to be asked about."""
    note: str = ""
    examples: tuple[str, ...] = ()
    """Calls that are read."""
    asked: tuple[str, ...] = ()
    """Calls that are asked about."""


def understand(program: Program, words: Sequence[str]) -> Answer:
    """Return the canonical form of a call, or why it is not on the list.

    `words` are the decoded arguments, without the program's name.
    """
    if program.parse is not None:
        return program.parse(words)
    if program.fixed and tuple(words[: len(program.fixed)]) == program.fixed:
        words = words[len(program.fixed) :]
    if program.subcommands:
        return _subcommand(program, words)
    call = _take_apart(program, words)
    if isinstance(call, Problem):
        return call
    problem = _bounds(program, call) or (program.check(call) if program.check else None)
    if problem:
        return problem
    asks = program.asks or (program.weigh(call) if program.weigh else None)
    return Understood(tuple(_canonical(program, call)), asks, program.note)


def _subcommand(program: Program, words: Sequence[str]) -> Answer:
    if not words:
        return Problem("unknown", f"{program.name}: no subcommand")
    inner = program.subcommands.get(words[0])
    if inner is None:
        return _refusal(program, words[0])
    rest = understand(inner, words[1:])
    if isinstance(rest, Problem):
        return rest
    fixed = [Word(word, "option") for word in program.fixed]
    return Understood((*fixed, Word(words[0], "option"), *rest.words), rest.asks or program.asks, rest.note)


@cache
def _names(flags: str) -> frozenset[str]:
    return frozenset(flags.split())


def _take_apart(program: Program, words: Sequence[str]) -> Call | Problem:
    flags = _names(program.flags)
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
    if word in flags or word in program.optional:
        return ((word, None),)
    name, equals, value = word.partition("=")
    if _takes(program, name, word, equals):
        return _value(program, name, value if equals else None, queue)
    if name in program.refused or word in program.refused:
        return _refusal(program, name if name in program.refused else word)
    if program.number and re.fullmatch(r"-\d{1,9}", word):
        return ((program.number, word[1:]),)
    if word.startswith("--") or program.joined:
        return _abbreviated(program, name)
    return _cluster(program, flags, word, queue)


def _takes(program: Program, name: str, word: str, equals: str) -> bool:
    """Tell whether a word is an option with its value behind ``=`` or in the next word."""
    if name in program.valued:
        return word.startswith("--") or program.joined or not equals
    return name in program.optional and word.startswith("--") and bool(equals)


def _abbreviated(program: Program, name: str) -> Problem:
    """Name what an option does that is not on the list, if it can only be short for one that is refused."""
    meant = [known for known in program.refused if known.startswith(name)] if len(name) > len("--x") else []
    if len(meant) == 1:
        return _refusal(program, meant[0])
    return Problem("unknown", f"{program.name}: option {name} is not on the list")


def _cluster(program: Program, flags: frozenset[str], word: str, queue: list[str]) -> Found | Problem:
    found: list[tuple[str, str | None]] = []
    for place in range(1, len(word)):
        name = f"-{word[place]}"
        if name in program.refused:
            return _refusal(program, name)
        if name in program.valued:
            value = _value(program, name, word[place + 1 :] or None, queue)
            return value if isinstance(value, Problem) else (*found, *value)
        if name in program.optional:
            rest = word[place + 1 :]
            value = _value(program, name, rest, queue) if rest else ((name, None),)
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
    if not fits(_kind(program, name), value):
        return Problem("unknown", f"{program.name}: {name} {value!r} is not on the list")
    return ((name, value),)


def _kind(program: Program, name: str) -> str:
    return program.valued.get(name) or program.optional[name]


def _refusal(program: Program, name: str) -> Problem:
    problem = program.refused.get(name, Problem("unknown", "is not on the list"))
    return Problem(problem.effect, f"{program.name} {name}: {problem.reason}")


def fits(kind: str, value: str) -> bool:
    """Tell whether a value is of its kind."""
    if kind == "pattern":
        return not explodes(value)
    return kind in {"text", "path", "place"} or re.fullmatch(kind, value) is not None


def _kinds(program: Program, call: Call) -> tuple[str, ...]:
    kinds = program.operands
    if program.instead and call.has(*program.instead):
        kinds = kinds[1:]
    return kinds


def _bounds(program: Program, call: Call) -> Problem | None:
    kinds = _kinds(program, call)
    least = program.least - (len(program.operands) - len(kinds))
    if program.overflow and len(call.operands) > program.most:
        return Problem(program.overflow.effect, f"{program.name}: {program.overflow.reason}")
    if not max(least, 0) <= len(call.operands) <= program.most:
        return Problem("unknown", f"{program.name}: {len(call.operands)} operands")
    if call.operands and not kinds:
        return Problem("unknown", f"{program.name}: takes no operand")
    for place, operand in enumerate(call.operands):
        if not fits(kinds[min(place, len(kinds) - 1)], operand):
            return Problem("unknown", f"{program.name}: operand {operand!r} is not on the list")
    return None


def _canonical(program: Program, call: Call) -> Sequence[Word]:
    words = [Word(word, "option") for word in program.fixed]
    for name, value in call.options:
        if value is not None and (name in program.optional or _joins(program, name)):
            words.append(Word(f"{name}={value}" if name.startswith("--") else name + value, "option"))
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


def _joins(program: Program, name: str) -> bool:
    return (program.joined or program.equals) and name.startswith("--")


def _role(kind: str) -> Role:
    if kind == "path":
        return "path"
    return "place" if kind == "place" else "text"
