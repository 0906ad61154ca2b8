"""Reading options by a grammar: what a program's letters and long names mean, and nothing unknown."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from sessions.shell.fields import Field


@dataclass(frozen=True, slots=True)
class Grammar:
    """The options of one program: letters and long names that stand alone, and those that take a value."""

    flags: str = ""
    valued: str = ""
    long_flags: frozenset[str] = frozenset()
    long_valued: frozenset[str] = frozenset()
    permutes: bool = False
    """Options are also read behind operands, up to ``--``."""


def grammar(flags: str = "", valued: str = "", long: str = "", *, permutes: bool = False) -> Grammar:
    """A grammar from plain text; in `long` a name that takes a value ends in ``=``."""
    names = long.split()
    return Grammar(
        flags,
        valued,
        frozenset(name for name in names if not name.endswith("=")),
        frozenset(name[:-1] for name in names if name.endswith("=")),
        permutes,
    )


@dataclass(slots=True)
class Options:
    """What was read: options in order, operands met on the way, and the fields behind them."""

    found: list[tuple[str, str]] = field(default_factory=list)
    operands: list[Field] = field(default_factory=list)
    rest: list[Field] = field(default_factory=list)
    ended: bool = False
    """``--`` was met."""
    problem: str | None = None
    """The option that the grammar does not know, or that lacks its value or needs a shell."""

    def last(self, *names: str) -> str | None:
        """The value of the last option with one of these names."""
        return next((value for name, value in reversed(self.found) if name in names), None)

    def every(self, *names: str) -> list[str]:
        """All values of the options with one of these names."""
        return [value for name, value in self.found if name in names]

    def has(self, *names: str) -> bool:
        """Whether one of these names was given."""
        return any(name in names for name, _ in self.found)


def read(fields: Sequence[Field], known: Grammar) -> Options:
    """Read the options at the start of `fields` (the program's name not among them)."""
    options = Options()
    rest = iter(fields)
    for each in rest:
        text = each.value
        if text == "--":
            options.ended = True
            break
        if not text.startswith("-") or text == "-":
            if known.permutes:
                options.operands.append(each)
                continue
            options.rest = [each, *rest]
            return options
        options.problem = _read(each, rest, known, options) or options.problem
        if options.problem:
            break
    options.rest = list(rest)
    return options


def _read(each: Field, rest: Iterator[Field], known: Grammar, options: Options) -> str | None:
    """Read one argument with options; the problem, if there is one."""
    if not each.exact:
        return f"option {each.shown} needs a shell"
    if each.value.startswith("--"):
        return _read_long(each.value[2:], rest, known, options)
    return _read_cluster(each.value[1:], rest, known, options)


def _read_long(text: str, rest: Iterator[Field], known: Grammar, options: Options) -> str | None:
    name, equals, value = text.partition("=")
    if name in known.long_valued:
        if not equals:
            following = next(rest, None)
            if following is None:
                return f"option --{name} lacks its value"
            value = following.value
    elif name not in known.long_flags:
        return f"option --{name} is not known"
    options.found.append((name, value))
    return None


def _read_cluster(letters: str, rest: Iterator[Field], known: Grammar, options: Options) -> str | None:
    for index, letter in enumerate(letters):
        if letter in known.flags:
            options.found.append((letter, ""))
        elif letter in known.valued:
            value = letters[index + 1 :]
            if not value:
                following = next(rest, None)
                if following is None:
                    return f"option -{letter} lacks its value"
                value = following.value
            options.found.append((letter, value))
            return None
        else:
            return f"option -{letter} is not known"
    return None
