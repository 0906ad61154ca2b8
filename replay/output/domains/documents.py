"""JSON, ``name: value`` and ``name=value``: what is said of each name, whatever the order."""

import re
from collections.abc import Iterator
from typing import Any

import orjson

from replay.output.domains import gpu
from replay.output.domains.cells import Cell, How, Table

_MOMENT = re.compile(
    r"(?:^|[._ ])(?:created(?:_at)?|started(?:_at)?|finished(?:_at)?|timestamp|time|date|uptime\w*)$", re.IGNORECASE
)
_LIVE = re.compile(
    r"(?:^|[._ ])(?:CPU(?:\(s\) scaling)? MHz|BogoMIPS|pid|MainPID|elapsed\w*|duration\w*|latency\w*)$", re.IGNORECASE
)
_PAIR = re.compile(r"(?P<indent>\s*)(?P<name>[^:=\n]{1,80}?)\s*(?P<sign>[:=])\s*(?P<value>.*)")


def json(text: str) -> Table | None:
    """Read one JSON document, or one a line; None if it is none."""
    try:
        return dict(_walk(orjson.loads(text), ""))
    except orjson.JSONDecodeError:
        pass
    try:
        rows = [orjson.loads(line) for line in text.split("\n") if line.strip()]
    except orjson.JSONDecodeError:
        return None
    return dict(_walk(rows, "")) or None


def _walk(value: Any, name: str) -> Iterator[tuple[str, Cell]]:
    if isinstance(value, dict) and value:
        for key, each in value.items():
            yield from _walk(each, f"{name}.{key}" if name else key)
    elif isinstance(value, list) and value:
        for place, each in enumerate(value):
            yield from _walk(each, f"{name}[{place}]")
    else:
        text = value if isinstance(value, str) else orjson.dumps(value).decode()
        yield name or ".", _cell(1, name, text, "text" if isinstance(value, str) else "exact")


def pairs(text: str) -> Table | None:
    """Read lines of names and values, nested by indentation; None where hardly a line is one."""
    table: dict[str, Cell] = {}
    above: list[tuple[int, str]] = []
    others = 0
    for number, line in enumerate(text.split("\n"), 1):
        found = _PAIR.fullmatch(line)
        depth = len(line) - len(line.lstrip())
        above = [each for each in above if each[0] < depth]
        if not line.strip():
            continue
        owner = " / ".join(name for _, name in above)
        name = _free(
            f"{owner} / {found['name'].strip()}".removeprefix(" / ") if found else f"{owner} {line.strip()}", table
        )
        above.append((depth, (found["name"] if found else line).strip()))
        others += found is None
        table[name] = _cell(number, name, found["value"], "text") if found else Cell(number, "line", line, "text")
    return table if others * 2 < len(table) else None


def gpu_pairs(text: str) -> Table | None:
    """Read ``nvidia-smi -q``: as any names and values, judged as those of a GPU."""
    table = pairs(text)
    return table and {name: gpu.cell(each.line, name.rpartition(" / ")[2], each.text) for name, each in table.items()}


def _free(name: str, table: Table) -> str:
    """Return a name that is not taken yet: the second of two alike gets a number."""
    number = 1
    free = name
    while free in table:
        number += 1
        free = f"{name} ({number})"
    return free


def _cell(line: int, name: str, text: str, how: How) -> Cell:
    if _MOMENT.search(name):
        return Cell(line, "time", text, "any")
    if _LIVE.search(name):
        return Cell(line, "moment", text, "any")
    return Cell(line, "value", text, how)
