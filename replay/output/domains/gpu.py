"""``nvidia-smi``: its table, its CSV and its long form, by the names of columns and never by their place."""

import csv
import re
from collections.abc import Iterator, Sequence

from replay.output.domains.cells import Cell, How, Table

_MIB = 64.0
_LIVE = re.compile(
    r"temp|fan|power[. ]?draw|power[. ]?usage|"
    r"utilization|clocks?\b(?!.*max)|gpu-util|timestamp|pcie\.link\.\w+\.current|"
    r"average power|instantaneous|violation|encoder|decoder|fps|latency|samples?$|pid$|process id",
    re.IGNORECASE,
)
_CAPACITY = re.compile(r"limit|max|cap$|slowdown|shutdown|target|throttle", re.IGNORECASE)
_USED = re.compile(
    r"memory[. -]?(?:used|free|usage)|(?:used|free)(?:[. ]gpu)?[. ]memory|^(?:used|free)$", re.IGNORECASE
)
_IDENTITY = re.compile(r"uuid|serial", re.IGNORECASE)


def cell(line: int, name: str, text: str) -> Cell:
    """Return a value of a GPU, judged by its name: temperatures and loads are of the moment, used memory drifts."""
    if _IDENTITY.search(name):
        return Cell(line, "gpu", text, "same")
    if _USED.search(name):
        return Cell(line, "memory used", text, "near", _slack(text))
    how: How = "any" if _LIVE.search(name) and not _CAPACITY.search(name) else "canonical"
    return Cell(line, name, text, how)


def _slack(text: str) -> float:
    """64 MiB or a twentieth, whichever is more, in the unit of the text (bytes where one is written)."""
    number = re.match(r"\s*(\d+(?:\.\d+)?)\s*(MiB|GiB|KiB)?", text)
    if not number:
        return 0.0
    unit = {"MiB": 1024.0**2, "GiB": 1024.0**3, "KiB": 1024.0}.get(number[2] or "", 1.0)
    floor = _MIB * 1024**2 if number[2] else _MIB
    return max(floor, float(number[1]) * unit / 20)


def queried(text: str, fields: Sequence[str], *, headed: bool) -> Table | None:
    """Read the CSV of ``--query-gpu=FIELDS``; rows by index or UUID where there is one, by their order else."""
    rows = [[value.strip() for value in row] for row in csv.reader(text.split("\n")) if row]
    if headed and rows:
        rows = rows[1:]
    if not rows or any(len(row) != len(fields) for row in rows):
        return None
    table: dict[str, Cell] = {}
    for number, row in enumerate(rows, 1 + headed):
        owner = row[fields.index("index")] if "index" in fields else str(number - headed)
        table |= {f"{owner} {name}": cell(number, name, value) for name, value in zip(fields, row, strict=True)}
    return table


_VERSIONS = re.compile(r"(NVIDIA-SMI|Driver Version|CUDA(?: UMD)? Version): *([\w.]+)|NVIDIA-SMI ([\d.]+)")
_ROW = re.compile(r"\| +(\d+) +(\S.*?) +(On|Off|N/A|Enabled|Disabled) *\| *([0-9A-Fa-f:.]+) +(\w+) *\| *(\S+) *\|")
_STATE = re.compile(r"(P\d+|N/A) +(\S+) */ *(\S+) *\| *(\S+) */ *(\S+) *\| *(\S+) +(\S.*?) *\|")
_MIG = re.compile(r"\|[ |]+(?:Enabled|Disabled|N/A) *\|")
_FRAME = re.compile(r"[-+=|\s]*|\|.*\b(?:Persistence-M|Memory-Usage|MIG M\.|Processes:|PID +Type|ID +ID).*")
_OF_ROW = ("name", "persistence", "bus", "display", "ecc")
_OF_STATE = ("pstate", "power draw", "power cap", "memory used", "memory total", "gpu-util", "compute mode")
_PROCESS = re.compile(r"\| +(\d+) +(\S+) +(\S+) +(\d+) +(\w\+?\w?) +(\S.*?) +(\S+) *\|")


def table(text: str) -> Table | None:
    """Read the table that ``nvidia-smi`` prints by itself; None if it is none."""
    found = dict(_cells(text))
    return found if any(" name" in name for name in found) else None


def _cells(text: str) -> Iterator[tuple[str, Cell]]:
    gpu = ""
    seen: dict[str, int] = {}
    for number, line in enumerate(text.split("\n"), 1):
        for name, value, bare in _VERSIONS.findall(line):
            yield (name or "NVIDIA-SMI").replace(" UMD", ""), Cell(number, "version", value or bare)
        row = _ROW.match(line)
        gpu = row[1] if row else gpu
        process = None if row else _PROCESS.match(line)
        if process:
            name = f"{process[1]} process {process[6]}"
            seen[name] = seen.get(name, 0) + 1
            yield f"{name} {seen[name]}", cell(number, "memory used", process[7])
        else:
            yield from ((f"{gpu} {each.kind}", each) for each in _of_gpu(number, line, row))


def _of_gpu(number: int, line: str, row: re.Match[str] | None) -> Iterator[Cell]:
    """Yield what one line of the table says of the GPU whose rows it is among."""
    state = _STATE.search(line)
    if row:
        named = zip(_OF_ROW, row.groups()[1:], strict=True)
        yield from (Cell(number, name, value, "canonical") for name, value in named)
    elif state:
        for name, value in zip(_OF_STATE, state.groups(), strict=True):
            yield cell(number, name, value)._replace(kind=name)
    elif _MIG.fullmatch(line):
        yield Cell(number, "mig", line.strip("| "))
    elif not (_FRAME.fullmatch(line) or _VERSIONS.search(line)):
        yield Cell(number, f"line {'-'.join(re.findall('[A-Za-z]{3,}', line))[:40]}", line, "text")
