"""What a piece of a line is, and how it may differ, judged by what stands around it."""

import re
from collections.abc import Callable
from typing import Literal, NamedTuple

Policy = Literal["exact", "any", "ignore", "same", "pointer", "port", "epoch", "rate", "metric", "drift", "canonical"]
"""How two pieces of one kind may differ and still say the same.

``exact``: not at all. ``canonical``: in how they are written. ``any``: another value of the same form. ``ignore``: any
value. ``same``: one value stands for another throughout the output. ``pointer``: so too, if both are addresses of a
process. ``port``: if both are ephemeral. ``epoch``: if both are moments of our time. ``rate``, ``metric``: within a
tolerance. ``drift``: any value, but it is told.
"""

FIRM: frozenset[Policy] = frozenset({"exact", "canonical", "port", "epoch"})
"""Policies whose texts are nearly always equal where lines say the same."""

Judged = tuple[str, Policy]
BEFORE = 40
"""Characters around a piece that may decide what it is."""


class Around(NamedTuple):
    """What stands around a piece: some text before and behind it, and the kind of its line."""

    before: str
    after: str
    logged: bool
    frame: bool
    listing: bool


_PID_BEFORE = re.compile(r"(?:\bp?pid|\btid|\bprocess|\bPID)[ =:#]{1,3}$|^[IWEF]\d{4} \d\d:\d\d:\d\d\.\d{6} +$")
_BRACKET_PID = re.compile(r"^[\w./-]+\[$|[ ][\w./-]+\[$")
_ADDRESS_BEFORE = re.compile(r"(?:\bat |\baddress[ =:]+|\bptr[ =:]+|<[\w. ]+ )$", re.IGNORECASE)
_VALUE_BEFORE = re.compile(r"[\w\]\"']\s?[=]\s?[\"']?$|[\w\"']: ?[\"']?$")
_CONFIGURED = re.compile(
    r"(?:timeout|time-out|timed out|after|within|limit|max|min|every|interval|deadline|ttl)\W*(?:of )?$", re.IGNORECASE
)
_TOOK_BEFORE = re.compile(r"\b(?:took|elapsed|finished in|loaded in|done in)\W{1,3}(?:about )?$", re.IGNORECASE)
_LINE_BEFORE = re.compile(r"\", line $|(?:^|[\[ ])[\w./-]+\.(?:py|cc|cpp|cu|cuh|c|h|hpp|go|rs):$")
_METRIC_BEFORE = re.compile(r"\b(?:\w+_)?(?:loss|grad_norm|perplexity|ppl)[\"']?\s?[:=]\s?$", re.IGNORECASE)
_REPEATED = (re.compile(r"(?:\brepeated |\band |\()$"), re.compile(r"x across|x\]| times| more\b| similar"))
_EPOCH_BEFORE = re.compile(
    r"\b(?:\w*_)?(?:time|timestamp|ts|created|epoch|started|since|mtime)[\"']?\s?[:=]?\s?$", re.IGNORECASE
)
_EPOCH = re.compile(r"\d{10}(?:\.\d+|\d{3}|\d{6}|\d{9})?")
_PORT_BEFORE = re.compile(r"(?:\d{1,3}(?:\.\d{1,3}){3}|\blocalhost|\[::\d?\]|\*):$")
_INODE_BEFORE = re.compile(r"\b(?:socket|pipe|anon_inode):\[$")
_CONTAINER_BEFORE = re.compile(r"\b(?:container|docker|pod|sandbox)(?:[ _-]?id)?[-_/ :=\"']{1,3}$", re.IGNORECASE)
_LOAD_BEFORE = re.compile(r"(?:util(?:ization)?|usage|busy|load)[: ]{1,2}$", re.IGNORECASE)


def judge(shape: str, text: str, around: Around) -> Judged:
    """Return the kind of a piece and how it may differ."""
    if shape in _ALWAYS:
        return _ALWAYS[shape]
    chosen = _BY_PLACE.get(shape)
    return chosen(text, around) if chosen else (shape, "exact")


def _number(text: str, around: Around) -> Judged:
    if _is_pid(text, around):
        return "pid", "same"
    for pattern, judged in _NUMBERS:
        if pattern.search(around.before):
            return judged
    if _EPOCH.fullmatch(text) and _EPOCH_BEFORE.search(around.before):
        return "time", "epoch"
    if _is_source_line(around):
        return "line", "drift"
    before, after = _REPEATED
    if before.search(around.before) and after.match(around.after):
        return "repetition", "drift"
    return "number", "canonical"


_NUMBERS: tuple[tuple[re.Pattern[str], Judged], ...] = (
    (_INODE_BEFORE, ("inode", "same")),
    (_PORT_BEFORE, ("port", "port")),
    (_METRIC_BEFORE, ("metric", "metric")),
)


def _is_pid(text: str, around: Around) -> bool:
    bracketed = around.after.startswith("]:") and _BRACKET_PID.search(around.before) is not None
    return text.isdigit() and (bracketed or _PID_BEFORE.search(around.before) is not None)


def _is_source_line(around: Around) -> bool:
    """``[core.py:58]`` of a log, ``core.cc:58]`` of glog, ``", line 58`` of a traceback."""
    found = _LINE_BEFORE.search(around.before)
    return found is not None and (around.after.startswith("]") or found[0].startswith('"'))


def _listed(_: str, around: Around) -> Judged:
    return "time", "any" if around.listing else "exact"


def _clock(_: str, around: Around) -> Judged:
    return "time", "exact" if _VALUE_BEFORE.search(around.before) else "any"


def _address(_: str, around: Around) -> Judged:
    if around.frame and around.before.endswith(("+ ", "+")):
        return "offset", "ignore"
    return "address", "same" if _ADDRESS_BEFORE.search(around.before) else "pointer"


def _rate(_: str, around: Around) -> Judged:
    return "rate", "exact" if _VALUE_BEFORE.search(around.before) and not around.logged else "rate"


def _duration(_: str, around: Around) -> Judged:
    if _TOOK_BEFORE.search(around.before) or around.after.startswith(" elapsed"):
        return "duration", "ignore"
    configured = _VALUE_BEFORE.search(around.before) or _CONFIGURED.search(around.before)
    return "duration", "ignore" if around.logged and not configured else "exact"


def _percent(_: str, around: Around) -> Judged:
    return "percent", "ignore" if around.logged and _LOAD_BEFORE.search(around.before) else "exact"


def _container(text: str, around: Around) -> Judged:
    if len(text) in {12, 64} and _CONTAINER_BEFORE.search(around.before):
        return "container", "same"
    return "hash", "exact"


_ALWAYS: dict[str, Judged] = {
    "space": ("space", "any"),
    "word": ("word", "exact"),
    "sign": ("sign", "exact"),
    "time": ("time", "any"),
    "dmesg": ("time", "any"),
    "uuid": ("uuid", "same"),
    "request": ("request", "same"),
    "gpu": ("gpu", "same"),
    "temporary": ("temporary", "same"),
    "progress": ("progress", "ignore"),
    "ruler": ("ruler", "ignore"),
    "size": ("size", "canonical"),
    "pci": ("pci", "canonical"),
    "url": ("url", "canonical"),
    "path": ("path", "exact"),
}
_BY_PLACE: dict[str, Callable[[str, Around], Judged]] = {
    "number": _number,
    "listed": _listed,
    "clock": _clock,
    "address": _address,
    "rate": _rate,
    "duration": _duration,
    "percent": _percent,
    "hash": _container,
    "short": _container,
}
