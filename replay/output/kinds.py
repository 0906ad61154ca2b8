"""How an output is to be read, told by the command that printed it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from replay.policy.sed import line_range

_READERS = frozenset(
    {"cat", "sed", "head", "tail", "grep", "egrep", "fgrep", "nl", "tac", "cut", "diff", "cmp", "comm"}
)
_LOGS = re.compile(r"(\.(log|out|err|txt\.\d+)(\.\d+)?$|/var/log/|^/proc/|^/sys/|/logs?/|nohup)")
_UNORDERED = frozenset({"find", "ps", "pgrep", "lsmod", "ss", "du", "lsof"})
_RECURSIVE = frozenset({"-r", "-R", "--recursive", "-rn", "-nr"})


@dataclass(frozen=True, slots=True)
class Kind:
    """What is known of an output."""

    source: bool = False
    """Text of a file that is no log: every character counts."""
    listing: bool = False
    """``ls -l``: its dates say when a file was last touched."""
    unordered: bool = False
    numbered: bool = False
    """``grep -n``: every line begins with its number."""
    file: str | None = None
    """The one file that was printed, whole or a range of its lines."""
    first: int | None = None
    """Its first printed line, from 1."""


def kind_of(argv: Sequence[str] | None) -> Kind:
    """Return how the output of a call is to be read; `argv` is None where the command is not known."""
    if not argv:
        return Kind()
    name = argv[0].rpartition("/")[2]
    options = [word for word in argv[1:] if word.startswith("-") and word != "--"]
    operands = [word for word in argv[1:] if not word.startswith("-")]
    if name in _READERS:
        return _reader(name, options, operands)
    letters = {letter for option in options if not option.startswith("--") for letter in option[1:]}
    return Kind(listing=name == "ls" and "l" in letters, unordered=name in _UNORDERED)


def _reader(name: str, options: Sequence[str], operands: Sequence[str]) -> Kind:
    files = _files(name, operands)
    source = bool(files) and not any(_LOGS.search(file) for file in files)
    if name.endswith("grep"):
        numbered = any("n" in option[1:] for option in options if not option.startswith("--"))
        unordered = not _RECURSIVE.isdisjoint(options)
        return Kind(source, unordered=unordered, numbered=numbered or "--line-number" in options)
    if len(files) != 1 or not source:
        return Kind(source)
    span = line_range(operands[0]) if name == "sed" and operands else None
    first = span[0] if span else 1 if name in {"cat", "head"} else None
    return Kind(source, file=files[0] if first else None, first=first)


def _files(name: str, operands: Sequence[str]) -> list[str]:
    if name == "sed" or name.endswith("grep"):
        return list(operands[1:])
    if name in {"head", "tail"}:
        return [word for word in operands if not re.fullmatch(r"[+-]?\d+[a-zA-Z]?", word)]
    return list(operands)
