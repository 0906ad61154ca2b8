"""``ls -l``, ``df``, ``free``, ``ps`` and ``pip list``: tables with a name in every row."""

import re
from collections.abc import Iterator

from replay.output.domains.cells import Cell, Table, quantity

_ENTRY = re.compile(
    r"(?P<mode>[-dlbcps][-rwxsStT]{9}[.+@]?) +(?P<links>\d+) +(?P<owner>\S+) +(?P<group>\S+) +"
    r"(?P<size>\d+, +\d+|[\d.,]+[KMGTP]?) "
    r"(?P<date>\w{3} [ \d]\d (?:\d\d:\d\d| \d{4})|\d{4}-\d\d-\d\d [\d:.]+(?: [+-]\d{4})?) (?P<name>.+)"
)
_TEN_PERCENT, _FULL = 0.1, 5.0


def files(text: str) -> Table | None:
    """Read ``ls -l``: mode, owner, size and name of every entry count, its date and the total do not."""
    table: dict[str, Cell] = {}
    folder = ""
    for number, line in enumerate(text.split("\n"), 1):
        found = _ENTRY.fullmatch(line)
        if found:
            table |= {f"{folder}{found['name']} {key}": cell for key, cell in _entry(found, number)}
        elif line.endswith(":"):
            folder = f"{line[:-1]}/"
        elif line and not line.startswith("total "):
            table[f"line {line}"] = Cell(number, "line", line, "text")
    return table or None


def _entry(found: re.Match[str], number: int) -> Iterator[tuple[str, Cell]]:
    directory = found["mode"].startswith("d")
    for key in ("mode", "owner", "group", "size"):
        # What a folder itself takes, and how many folders link to it, is the file system's business.
        yield key, Cell(number, key, found[key], "any" if directory and key == "size" else "canonical")
    yield "date", Cell(number, "time", found["date"], "any")


_OF_DF = ("Filesystem", "Size", "Used", "Avail", "Use%")


def filesystems(text: str) -> Table | None:
    """Read ``df``, also without its header: what there is counts, what is used drifts by a tenth of the whole."""
    header, *rows = text.split("\n")
    headed = header.startswith("Filesystem") and "Mounted on" in header
    names = header.removesuffix("Mounted on").split() if headed else list(_OF_DF)
    table: dict[str, Cell] = {}
    for number, row in enumerate(rows if headed else [header, *rows], 2 if headed else 1):
        values = row.split(None, len(names))
        if len(values) != len(names) + 1:
            return None
        whole = quantity(values[2 if "Type" in names else 1])
        for name, value in zip(names, values, strict=False):
            table[f"{values[-1]} {name}"] = _used(number, name, value, whole)
    return table


def _used(number: int, name: str, value: str, whole: float) -> Cell:
    if name.endswith("%"):
        return Cell(number, "share used", value, "near", _FULL)
    if name in {"Used", "Available", "Avail", "IUsed", "IFree", "Free"}:
        return Cell(number, "space used", value, "near", whole * _TEN_PERCENT)
    return Cell(number, "size" if name not in {"Filesystem", "Type"} else "filesystem", value, "canonical")


_OF_FREE = ("total", "used", "free", "shared", "buff/cache", "available")


def memory(text: str) -> Table | None:
    """Read ``free``, also without its header: totals count, the rest drifts by a quarter of the total."""
    lines = text.split("\n")
    headed = lines[0].split()[:1] == ["total"]
    names = lines[0].split() if headed else list(_OF_FREE)
    table: dict[str, Cell] = {}
    for number, row in enumerate(lines[headed:], 1 + headed):
        what, colon, values = row.partition(":")
        cells = values.split()
        if not cells or not colon:
            return None
        slack = quantity(cells[0]) / 4
        table |= {
            f"{what} {name}": Cell(number, "size", value)
            if name == "total"
            else Cell(number, "memory used", value, "near", slack)
            for name, value in zip(names, cells, strict=False)
        }
    return table


_PINNED = re.compile(r"(?P<name>[A-Za-z0-9][\w.-]*)(?:==| @ | +)(?P<version>\S+)(?: .*)?")
_IGNORED = re.compile(r"(?:Package +Version.*|[- ]+|#.*|\s*)")


def packages(text: str) -> Table | None:
    """Read ``pip list``, ``pip freeze`` and ``conda list``: name to version, in any order."""
    table: dict[str, Cell] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if _IGNORED.fullmatch(line):
            continue
        found = _PINNED.fullmatch(line.removeprefix("-e "))
        name = re.sub(r"[-_.]+", "-", found["name"]).lower() if found else f"line {number}"
        table[name] = Cell(number, "version", found["version"]) if found else Cell(number, "line", line, "text")
    return table or None


def moments(text: str) -> Table | None:
    """Read ``date`` and ``uptime``, which say nothing but when they were asked."""
    return {"moment": Cell(1, "time", text, "any")} if text and "\n" not in text else None


_STATUS = re.compile(r" *(?:File|Size|Device|Access|Modify|Change|Birth): .*")
_LAST_READ = re.compile(r"Access: \d{4}-.*")


def status(text: str) -> Table | None:
    """Read ``stat`` in its usual form: all counts but when a file was last read, which looking at it changes."""
    lines = text.rstrip("\n").split("\n")
    if not all(_STATUS.fullmatch(line) for line in lines):
        return None
    return {
        f"{line.split(':')[0].strip()} {number}": Cell(number, "time", line, "any")
        if _LAST_READ.fullmatch(line)
        else Cell(number, "line", line, "text")
        for number, line in enumerate(lines, 1)
    }
