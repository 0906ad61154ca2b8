"""Cases from the tables: each call alone, with what may stand around it, and with what must not.

A table is named after its family and what a replay may do with its reading calls, ``run`` or ``ask``. A line of it is
``program :: reading options :: operands :: arguments that do more``, parts of a column divided by ``;;``. Options that
take a value stand with it; any two of a line may stand together, but for the ``alone`` tables. ``!`` in front of
arguments: the kernel cannot show here what they do more (they do not end, need a device, a daemon or another user, or
only some versions have them). ``?``: a person is asked.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Literal

from probes.host.script import quote

Expected = Literal["run", "ask", "more"]

MOST = 2
"""Options that stand together in one call."""
FOLDER = Path(__file__).with_name("tables")
FAMILIES = sorted({path.name.partition(".")[0] for path in FOLDER.iterdir()})


def _around(name: str) -> tuple[str, ...]:
    text = Path(__file__).with_name("around").joinpath(f"{name}.txt").read_text()
    return tuple(line.replace("\\n", "\n") for line in text.splitlines())


HARMLESS, INSIDE = _around("harmless"), _around("inside")
"""What may stand around a call; inside, the call is one quoted word."""
HARMFUL, HARMFUL_INSIDE = _around("harmful"), _around("harmful_inside")


@dataclass(frozen=True, slots=True)
class Case:
    """One command line and what a replay may do with it; `shown`: the kernel sees that it does more than read."""

    command: str
    expected: Expected
    shown: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a table."""

    program: str
    options: tuple[str, ...]
    operands: tuple[str, ...]
    harmful: tuple[str, ...]


def lines(table: str) -> Iterator[Line]:
    """Return the lines of a table; one that does not begin with a program belongs to the line before."""
    text = table.strip("\n")
    columns = 4
    pending = ""
    for each in text.split("\n"):
        pending = f"{pending}\n{each}" if pending else each
        parts = pending.split("::")
        if len(parts) < columns or pending.count("'") % 2:
            continue
        program, *rest = (part.strip() for part in parts)
        found = [tuple(item.strip() for item in part.split(";;")) for part in rest]
        yield Line(program, tuple(filter(None, found[0])), found[1], found[2] if rest[2] else ())
        pending = ""


def calls(line: Line, most: int) -> list[str]:
    """Return the reading calls of a line: options alone, and up to `most` together and bundled, and none."""
    chosen = [each for count in range(most + 1) for each in combinations(line.options, count)]
    short = [option for option in line.options if len(option) == len("-x") and option[1].isalpha()]
    bundles = most > 1 and line.program.split()[0] not in {
        "nvidia-smi",
        "xxd",
        "git",
        "find",
        "jq",
        "ip",
        "rocm-smi",
        "python3",
    }
    chosen += [(f"{one}{other[1]}",) for one, other in combinations(short, 2) if bundles]
    return [
        " ".join(filter(None, (line.program, *options, operand))) for options in chosen for operand in line.operands
    ]


@cache
def base(family: str) -> list[Case]:
    """Return the calls of a family with nothing around them; not to be changed."""
    found: list[Case] = []
    for path in sorted(FOLDER.glob(f"{family}.*.txt")):
        expected: Expected = "ask" if path.suffixes[0] == ".ask" else "run"
        most = 1 if ".alone" in path.suffixes else MOST
        for line in lines(path.read_text()):
            found += [Case(call, expected) for call in calls(line, most)]
            found += [_harmful(line, arguments) for arguments in line.harmful]
    return list(dict.fromkeys(found))


def _harmful(line: Line, arguments: str) -> Case:
    if arguments.startswith("?"):
        return Case(f"{line.program} {arguments[1:].strip()}".strip(), "ask")
    silent = arguments.startswith("! ") or arguments == "!" or line.program.split()[0] == "git"
    words = arguments.removeprefix("!").strip() if arguments.startswith("!") else arguments
    return Case(f"{line.program} {words}".strip(), "more", shown=not silent)


def around(family: str, count: int, seed: int) -> list[Case]:
    """Return `count` cases of a family with something around the call, the same for the same seed."""
    chance = random.Random(f"{family} {seed}")  # noqa: S311 -- the same cases for the same seed
    plain = base(family)
    reads = [case for case in plain if case.expected != "more"]
    found: dict[str, Case] = {}
    while len(found) < count:
        case = _placed(chance, chance.choice(plain), chance.choice(reads))
        found.setdefault(case.command, case)
    return list(found.values())


def _placed(chance: random.Random, case: Case, read: Case) -> Case:
    kind = chance.random()
    call = case.command
    if kind < 0.25:
        return Case(chance.choice(HARMLESS).format(call, call), case.expected)
    if kind < 0.4:
        return Case(chance.choice(INSIDE).format(quote(chance.choice(HARMLESS).format(call, call))), case.expected)
    if kind < 0.5:
        return Case(chance.choice(HARMFUL_INSIDE).format(*[quote(read.command)] * 2), "more")
    if kind < 0.6:
        return Case(_worst(chance, call, read.command), _join(case.expected, read.expected))
    return Case(chance.choice(HARMFUL).format(read.command), "more")


def _worst(chance: random.Random, one: str, other: str) -> str:
    both = [one, other]
    chance.shuffle(both)
    return chance.choice((" && ", "; ", " || ", "\n")).join(both)


def _join(one: Expected, other: Expected) -> Expected:
    order: tuple[Expected, ...] = ("run", "ask", "more")
    return max(one, other, key=order.index)
