"""What the kernel counts and measures all the time: only names, and what the machine has in all, stay as they are."""

import re
from collections.abc import Sequence

from replay.output.domains.cells import Cell, Table

_COUNTED = re.compile(
    r"/proc/(meminfo|loadavg|uptime|stat|vmstat|interrupts|softirqs|diskstats|schedstat|slabinfo|buddyinfo|zoneinfo"
    r"|pressure/(cpu|io|memory|irq)|net/(dev|snmp|netstat|sockstat)|self/net/dev)"
)
_NUMBER = re.compile(r"[-+\d][\d.,:/%]*(days?|min|[smhKMGT]i?B?)?,?")
_WHOLE = re.compile(r"(MemTotal|SwapTotal|VmallocTotal|CommitLimit|HugePages_Total|Hugepagesize):")


def is_counting(argv: Sequence[str]) -> bool:
    """Tell whether a call prints files of the kernel that only count."""
    operands = [word for word in argv[1:] if word.startswith("/")]
    return bool(operands) and all(_COUNTED.fullmatch(word) for word in operands)


def counters(text: str) -> Table | None:
    """Read rows of names and numbers: names and totals count, all other numbers drift."""
    table: dict[str, Cell] = {}
    seen: dict[str, int] = {}
    for number, line in enumerate(text.split("\n"), 1):
        words = line.split()
        name = " ".join(word for word in words if not _NUMBER.fullmatch(word)) or "numbers"
        seen[name] = seen.get(name, 0) + 1
        values = " ".join(word for word in words if _NUMBER.fullmatch(word))
        row = f"{name} ({seen[name]})"
        table[row] = Cell(number, "size", values) if _WHOLE.match(line) else Cell(number, "counter", values, "any")
    return table or None
