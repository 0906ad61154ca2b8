"""How two pieces may differ and still say the same: each policy as a function, each use as a rule that is shown."""

import re
from collections.abc import Callable
from functools import lru_cache

from replay.output.context import Policy

RATE_TOLERANCE = 0.2
"""Relative; a replay runs at another moment on a machine with other load."""
METRIC_TOLERANCE = 1e-3
"""Relative; losses and norms of the same computation on other hardware."""
_EPHEMERAL = range(32768, 65536)
_EPOCHS = (1_000_000_000, 2_200_000_000)
"""Seconds: September 2001 to September 2039."""

RULES = {
    "time": "times may differ",
    "pid": "process ids stand for one another",
    "address": "addresses stand for one another",
    "offset": "offsets into native functions may differ",
    "uuid": "identifiers stand for one another",
    "request": "request ids stand for one another",
    "container": "container ids stand for one another",
    "inode": "inodes stand for one another",
    "gpu": "GPU identities stand for one another",
    "temporary": "temporary names stand for one another",
    "duration": "durations in a log may differ",
    "progress": "elapsed time and rate of a progress bar",
    "percent": "load at the moment",
    "port": "ephemeral ports may differ",
    "line": "line numbers of source files may differ",
    "repetition": "counts of repeated messages may differ",
    "rate": f"rates within {RATE_TOLERANCE:.0%}",
    "metric": f"losses and norms within {METRIC_TOLERANCE:.1%}",
    "path": "paths as mapped",
    "space": "column padding",
    "ruler": "length of drawn lines",
    "number": "numbers written otherwise",
    "size": "sizes in other units",
    "pci": "PCI addresses written otherwise",
    "url": "signatures in URLs",
}
"""What is shown where two pieces of a kind differ and say the same."""
DRIFTING = frozenset(RULES[kind] for kind in ("rate", "metric", "line", "repetition"))
"""The rules whose use is a drift and no equality."""

BINDING: frozenset[Policy] = frozenset({"same", "pointer"})
"""Policies under which one value stands for one other, throughout and both ways."""


def relation(policy: Policy) -> Callable[[str, str], bool]:
    """Return what tells whether two different texts under one policy say the same, bindings aside."""
    return _RELATIONS.get(policy, _never)


def says_same(policy: Policy, recorded: str, new: str) -> bool:
    """Tell whether two different texts under one policy say the same, bindings aside."""
    return relation(policy)(recorded, new)


def _never(_recorded: str, _new: str) -> bool:
    return False


def form(text: str) -> str:
    """Return the form of a time: numbers as ``0``, names of days and months as ``A``, padding left out."""
    return re.sub(r"\d+", "0", re.sub(r"[A-Za-z]{3,}", "A", re.sub(r"(?<=[ \[]) +", "", text)))


def _of_one_form(recorded: str, new: str) -> bool:
    return form(recorded) == form(new)


_HIGH = frozenset({"7f", "7e", "55", "56"})
_USUAL = len("0x7f0000000000")
_OF_PROCESS = re.compile(r"0x0*(?:7[ef]|5[56])[0-9a-f]{10}", re.IGNORECASE)


def _pointers(recorded: str, new: str) -> bool:
    if len(recorded) == len(new) == _USUAL and recorded[2:4] in _HIGH and new[2:4] in _HIGH:
        return True  # most are, and this is told sooner
    return _OF_PROCESS.fullmatch(recorded) is not None and _OF_PROCESS.fullmatch(new) is not None


def _ports(recorded: str, new: str) -> bool:
    return all(text.isdigit() and int(text) in _EPHEMERAL for text in (recorded, new))


def _epochs(recorded: str, new: str) -> bool:
    return len(recorded) == len(new) and all(_EPOCHS[0] <= int(text[:10]) < _EPOCHS[1] for text in (recorded, new))


def _within(tolerance: float) -> Callable[[str, str], bool]:
    def close(recorded: str, new: str) -> bool:
        (a, unit), (b, other) = _measured(recorded), _measured(new)
        return unit == other and abs(a - b) <= tolerance * max(abs(a), abs(b))

    return close


@lru_cache(maxsize=4096)
def _measured(text: str) -> tuple[float, str]:
    """Return number and unit."""
    found = _MEASURED.match(text)
    return (float(found[1].replace(",", "")), found[2]) if found else (float("nan"), text)


_MEASURED = re.compile(r"([-+]?\d[\d,]*(?:\.\d+)?(?:[eE][-+]?\d+)?) ?(.*)", re.DOTALL)
_FACTORS: dict[str, float] = {"": 1} | {
    f"{letter}{binary}": base**power
    for power, letter in enumerate("KMGTPE", 1)
    for binary, base in (("", 1000), ("i", 1024))
}


def size(text: str) -> float:
    """Return the bytes that a size like ``2.00 GiB`` says; not a number if it is none."""
    number, unit = _measured(text)
    return float(number * _FACTORS.get("" if unit == "bytes" else unit.removesuffix("B"), float("nan")))


def _canonical(recorded: str, new: str) -> bool:
    return _plain(recorded) == _plain(new)


_GROUPED = re.compile(r"[-+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_PCI = re.compile(r"(?:([0-9a-f]{4,8}):)?([0-9a-f]{2}:[0-9a-f]{2}(?:\.\d)?)")
_SIGNED = re.compile(r"(?<=[?&])(X-Amz-\w+|Signature|Expires|token|sig|se|Key-Pair-Id)=[^&#]*", re.IGNORECASE)
_SIZED = re.compile(r"\d[\d.]* ?(?:[KMGTPE]i?)?(?:B|bytes)")


def _plain(text: str) -> str:
    """Return a number without separators, a size in bytes, a PCI address with its domain, a URL without signatures."""
    if text.startswith("http"):
        return _SIGNED.sub(r"\1=", text)
    if _SIZED.fullmatch(text):
        return f"{size(text)!r} B"
    if _GROUPED.fullmatch(text):
        return text.replace(",", "")
    found = _PCI.fullmatch(text.lower())
    return f"{int(found[1] or '0', 16):x}:{found[2]}" if found else text


_RELATIONS: dict[Policy, Callable[[str, str], bool]] = {
    "any": _of_one_form,
    "ignore": lambda _recorded, _new: True,
    "drift": lambda _recorded, _new: True,
    "same": lambda _recorded, _new: True,
    "pointer": _pointers,
    "port": _ports,
    "epoch": _epochs,
    "rate": _within(RATE_TOLERANCE),
    "metric": _within(METRIC_TOLERANCE),
    "canonical": _canonical,
}
