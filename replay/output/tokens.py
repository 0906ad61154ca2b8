"""The tokens of a line of output: typed, and with their values kept.

A value is never erased. What may differ between two runs that say the same (a time, a process id, an address) is
decided by its type and by what stands around it; everything else must be equal.
"""

import re
from collections.abc import Callable
from typing import Literal, NamedTuple

Policy = Literal["exact", "any", "same", "rate"]
"""``any``: another value of the same form says the same. ``same``: one value may stand for another, throughout the
output. ``rate``: within a tolerance."""

RATE_TOLERANCE = 0.2
"""Relative; replay runs at another moment on a machine with other load."""

_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
_DAY = r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)"
_CLOCK = r"\d{1,2}:\d{2}:\d{2}(?:[.,]\d{1,9})?"
_UNIT = r"(?:[KMGTPE]i?B|[KMGTPE]iB|B|bytes)"
_PER = r"(?:tokens?/s|it/s|s/it|[KMGT]i?B/s|TFLOPS?(?:/s)?|req(?:uests)?/s)"
_SPECIAL = rf"(?:{_DAY}|{_MONTH}|GPU-|MIG-|[IWEF]\d{{4}}|sha256:|v\d|[0-9a-f]{{8}})"
_SHAPES = (
    ("space", r"[ \t]+"),
    ("word", rf"(?!{_SPECIAL})[A-Za-z_]\w*"),  # most of a line, told early from all that begins with a letter
    ("time", rf"\d{{4}}[-/]\d\d[-/]\d\d[T ]{_CLOCK}(?:Z|[ ]?[+-]\d\d:?\d\d)?"),
    ("time", rf"{_DAY} {_MONTH} [ \d]?\d {_CLOCK}(?: [A-Z]{{3,4}})? \d{{4}}"),
    ("time", rf"\d\d/{_MONTH}/\d{{4}}:\d\d:\d\d:\d\d [+-]\d{{4}}"),
    ("time", rf"{_MONTH} [ \d]?\d {_CLOCK}"),
    ("time", rf"\d\d-\d\d {_CLOCK}"),
    ("time", r"(?<![\w])[IWEF]\d{4} \d\d:\d\d:\d\d\.\d{6}"),
    ("time", r"(?<![\w])\d{8}-\d{6}(?![\w])"),
    ("listed", rf"(?<![\w]){_MONTH} [ \d]\d (?:\d\d:\d\d| \d{{4}})(?![\w:])"),
    ("clock", rf"(?<![\w:.]){_CLOCK}(?![\w:])"),
    ("dmesg", r"^\[ *\d+\.\d{6}\]"),
    ("gpu", r"(?:GPU|MIG)-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"),
    ("uuid", r"(?<![\w])[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}(?![\w])"),
    ("address", r"(?<![\w])0x[0-9a-fA-F]{8,16}(?![\w])"),
    ("temporary", r"/tmp/(?:tmp[a-z0-9_]{6,10}|torchelastic_[a-z0-9_]+|pip-[a-z-]+-[a-z0-9_]{8})(?![\w])"),  # noqa: S108 - a pattern, not a place
    ("hash", r"(?<![\w])(?:sha256:)?[0-9a-f]{32,128}(?![\w])"),
    ("path", r"(?<![\w.])~?/[\w.+@%:~-]+(?:/[\w.+@%:~=-]*)+"),
    ("rate", rf"(?<![\w.])\d+(?:\.\d+)? ?{_PER}(?![\w])"),
    ("size", rf"(?<![\w.])\d+(?:\.\d+)? ?{_UNIT}(?![\w/])"),
    ("duration", r"(?<![\w.])(?:\d+m)?\d+(?:\.\d+)? ?(?:s|ms|us|µs|ns|secs?|seconds|minutes|hours|min)(?![\w/])"),
    ("percent", r"(?<![\w.])\d+(?:\.\d+)? ?%"),
    ("version", r"(?<![\w.])v?\d+(?:\.\d+){2,}(?:[-+.]?[\w+]+)*|(?<![\w.])\d+\.\d+(?:\.\d+)?[+-][\w.+]+"),
    ("number", r"[-+]?(?<![\w.])\d[\d,]*(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w])"),
    ("word", r"\w+"),
    ("sign", r"."),
)  # fmt: skip
_NAMES = [f"{name}_{place}" for place, (name, _) in enumerate(_SHAPES)]
_TOKEN = re.compile("|".join(f"(?P<{name}>{shape})" for name, (_, shape) in zip(_NAMES, _SHAPES, strict=True)))

_KIND = {name: kind for name, (kind, _) in zip(_NAMES, _SHAPES, strict=True)}
_PLAIN = frozenset({"word", "space", "sign", "hash", "path", "size", "percent", "version"})
"""Types whose policy never depends on what stands around: exact."""

_PID_BEFORE = re.compile(r"(?:\bp?pid|\btid|\bprocess|\bPID)[ =:#]{1,3}$")
_BRACKET_PID = re.compile(r"^[\w./-]+\[$|[ ][\w./-]+\[$")
_ADDRESS_BEFORE = re.compile(r"(?:\bat |\baddress[ =:]+|\bptr[ =:]+|<[\w. ]+ )$", re.IGNORECASE)
_VALUE_BEFORE = re.compile(r"[\w\]\"']\s?[=]\s?[\"']?$|[\w\"']: ?[\"']?$")
_CONFIGURED = re.compile(
    r"(?:timeout|time-out|timed out|after|within|limit|max|min|every|interval|deadline|ttl)\W*(?:of )?$", re.IGNORECASE
)
_LEVEL = r"(?:INFO|WARN(?:ING)?|ERROR|DEBUG|CRITICAL|FATAL)\b"
_LOG_LINE = re.compile(
    rf"^(?:\(\w+(?: pid=\d+)?\) ?)?(?:\[?{_LEVEL}|\[?\d{{4}}[-/]\d\d[-/]\d\d|{_MONTH} [ \d]?\d {_CLOCK}|"
    r"[IWEF]\d{4} |\[ *\d+\.\d+\]|real\t|user\t|sys\t)|\b(?:took|elapsed|finished in|loaded in)\b"
)


class Token(NamedTuple):
    """A piece of a line: its type, its text, and how it may differ."""

    kind: str
    text: str
    policy: Policy = "exact"


def tokens(line: str, *, listing: bool = False) -> list[Token]:
    """Return all of a line as tokens; `listing` says that dates are those of ``ls -l``."""
    log = _LOG_LINE.search(line) is not None
    found = []
    for match in _TOKEN.finditer(line):
        name = _KIND[match.lastgroup or ""]
        if name in _PLAIN:
            found.append(Token(name, match.group()))
            continue
        before = line[max(0, match.start() - 40) : match.start()]
        around = _Around(before, line[match.end() : match.end() + 2], log, listing)
        kind, policy = _judge(name, match.group(), around)
        found.append(Token(kind, match.group(), policy))
    return found


class _Around(NamedTuple):
    """What stands around a piece of a line."""

    before: str
    after: str
    log: bool
    listing: bool


def _judge(kind: str, text: str, around: _Around) -> tuple[str, Policy]:
    """Return the type of a piece and how it may differ, from what stands around it."""
    if kind in _ALWAYS:
        return _ALWAYS[kind]
    judge = _BY_PLACE.get(kind)
    return judge(text, around) if judge else (kind, "exact")


def _number(text: str, around: _Around) -> tuple[str, Policy]:
    return ("pid", "same") if _is_pid(text, around.before, around.after) else ("number", "exact")


def _listed(_: str, around: _Around) -> tuple[str, Policy]:
    return "time", "any" if around.listing else "exact"


def _clock(_: str, around: _Around) -> tuple[str, Policy]:
    return "time", "exact" if _VALUE_BEFORE.search(around.before) else "any"


def _address(text: str, around: _Around) -> tuple[str, Policy]:
    return "address", "same" if _is_address(text, around.before) else "exact"


def _rate(_: str, around: _Around) -> tuple[str, Policy]:
    return "rate", "exact" if _VALUE_BEFORE.search(around.before) and not around.log else "rate"


def _duration(_: str, around: _Around) -> tuple[str, Policy]:
    return "duration", "any" if around.log and not _is_configured(around.before) else "exact"


_ALWAYS: dict[str, tuple[str, Policy]] = {
    "time": ("time", "any"),
    "dmesg": ("time", "any"),
    "uuid": ("uuid", "same"),
    "gpu": ("gpu", "same"),
    "temporary": ("temporary", "same"),
}
_BY_PLACE: dict[str, Callable[[str, _Around], tuple[str, Policy]]] = {
    "number": _number,
    "listed": _listed,
    "clock": _clock,
    "address": _address,
    "rate": _rate,
    "duration": _duration,
}


def _is_pid(text: str, before: str, after: str) -> bool:
    return text.isdigit() and (
        _PID_BEFORE.search(before) is not None or (after.startswith("]:") and _BRACKET_PID.search(before) is not None)
    )


def _is_address(text: str, before: str) -> bool:
    return _ADDRESS_BEFORE.search(before) is not None or text.startswith(("0x7f", "0x55", "0x56"))


def _is_configured(before: str) -> bool:
    return _VALUE_BEFORE.search(before) is not None or _CONFIGURED.search(before) is not None


def form(text: str) -> str:
    """Return the form of a time: numbers as ``0``, names of days and months as ``A``, padding left out."""
    return re.sub(r"\d+", "0", re.sub(r"[A-Za-z]{3,}", "A", re.sub(r"(?<=[ \[]) +", "", text)))


def rate(text: str) -> tuple[float, str]:
    """Return number and unit of a rate."""
    found = re.match(r"([\d.]+) ?(.*)", text)
    return (float(found[1].rstrip(".")), found[2]) if found else (0.0, text)
