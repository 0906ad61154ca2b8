"""``ps`` and ``top``: which command runs as whom, and how often."""

import re
from collections.abc import Iterator, Sequence

from replay.output.domains.cells import Cell, Table

_COMMANDS = ("COMMAND", "CMD", "ARGS")
_LIVE = frozenset({
    "PID", "PPID", "TID", "LWP", "SPID", "C", "%CPU", "%MEM", "VSZ", "RSS", "SHR", "RES", "VIRT", "SZ",
    "START", "STIME", "STARTED", "TIME", "TIME+", "ELAPSED", "STAT", "S", "WCHAN",
})  # fmt: skip
_LOOKING = ("ps", "top", "grep", "egrep", "awk", "head", "tail", "sort")
"""Programs that are there only because somebody looks."""
_SHELL = re.compile(r"\S*\b(ba|da|z)?sh +-\w*c +(?P<script>.*)", re.DOTALL)
_SESSION = re.compile(r"sshd(-session)?: ")
_OURS = re.compile(r"read -r _ _ _ _ group _ </proc|mount --make-rprivate / \|\| exit 125|echo [0-9a-f]{16} >&2")
"""What stands in the words of the wrappers around a replayed command (`probes.host.script`, `probes.host.cage`)."""
_OF_AUX = ("USER", "PID", "%CPU", "%MEM", "VSZ", "RSS", "TTY", "STAT", "START", "TIME", "COMMAND")
_OF_EF = ("UID", "PID", "PPID", "C", "STIME", "TTY", "TIME", "CMD")


def processes(text: str, argv: Sequence[str] = ("ps",)) -> Table | None:
    """Read ``ps`` and ``top``, also without their header where `argv` tells the columns.

    Commands, users and how many there are count; threads of the kernel and the looking itself do not.
    """
    lines = text.strip("\n").split("\n")
    start = next((n for n, line in enumerate(lines) if _is_header(line.split())), None)
    names = lines[start].split() if start is not None else _usual(argv)
    if names is None:
        return None
    begin = 0 if start is None else start + 1
    above = [(f"line {n}", Cell(n, "line", line, "text")) for n, line in enumerate(lines[: max(begin - 1, 0)], 1)]
    table = dict([*(above if argv[0].endswith("ps") else ()), *_rows(names, lines[begin:], begin + 1)])
    return None if start is None and not table else table


def _is_header(words: Sequence[str]) -> bool:
    return len(words) > 1 and words[-1] in _COMMANDS and words[0].isupper()


def _usual(argv: Sequence[str]) -> Sequence[str] | None:
    words = [word.lstrip("-") for word in argv[1:]]
    if any(word in {"aux", "auxw", "auxww", "axu"} for word in words):
        return _OF_AUX
    return _OF_EF if "ef" in words else None


def _rows(names: Sequence[str], lines: Sequence[str], first: int) -> Iterator[tuple[str, Cell]]:
    seen: dict[str, int] = {}
    for number, line in enumerate(lines, first):
        values = line.split(None, len(names) - 1)
        if len(values) != len(names):
            yield f"line {line.strip()}", Cell(number, "line", line)
            continue
        if _is_passing(values[-1]):
            continue
        command = values[-1]
        seen[command] = seen.get(command, 0) + 1
        yield f"{command} ({seen[command]})", Cell(number, "process", command)
        for name, value in zip(names[:-1], values, strict=False):
            yield f"{command} ({seen[command]}) {name}", Cell(number, name, value, "any" if name in _LIVE else "exact")


def _is_passing(command: str) -> bool:
    """Tell whether a process is the kernel's own, or there only because somebody is logged in and looks."""
    shell = _SHELL.fullmatch(command)
    if shell and _is_passing(shell["script"].strip(" '\"") or "sh"):
        return True
    if _SESSION.match(command) or _OURS.search(command):
        return "[listener]" not in command
    return command.startswith("[") or command.split(maxsplit=1)[0].rpartition("/")[2] in _LOOKING
