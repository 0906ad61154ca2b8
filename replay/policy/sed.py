"""Which sed scripts only print: addresses with p, =, q, d, and substitutions without the flags that write or run."""

import re

from replay.policy.judgement import Problem
from replay.policy.options import Call

_LONGEST = 4096
_REGEX = r"/(?:[^/\\\n]|\\[^\n])*/I?"
_ADDRESS = rf"(?:\d+(?:~\d+)?|\$|{_REGEX})"
_RANGE = rf"(?:{_ADDRESS}(?:\s*,\s*(?:{_ADDRESS}|[+~]\d+))?\s*!?\s*)?"
_SUBSTITUTE = "|".join(
    rf"s{mark}(?:[^{mark}\\\n]|\\[^\n])*{mark}(?:[^{mark}\\\n]|\\[^\n])*{mark}[gpiI0-9]*"
    for mark in (r"/", r"\|", "#", ",", "@", ":", "%", "!")
)
_PRINT = r"(?:p|=|d|l|[qQ]\d{0,3})"
_COMMAND = re.compile(rf"\s*{_RANGE}(?:{_PRINT}|{_SUBSTITUTE})\s*(?:[;\n]|\Z)")
_BLOCK = re.compile(rf"\s*{_RANGE}\{{((?:\s*(?:{_PRINT})\s*;?)+)\}}\s*(?:[;\n]|\Z)")
_RANGES = re.compile(r"\s*(\d+)\s*(?:,\s*(\d+|\$))?\s*p\s*;?\s*")
_DANGER = (
    ("e", Problem("code", "sed: the script runs a program")),
    ("wW", Problem("writes", "sed: the script writes a file")),
)


def scripts(call: Call) -> tuple[str, ...]:
    """Return the scripts of a sed call."""
    return call.values("-e", "--expression") or call.operands[:1]


def check_sed(call: Call) -> Problem | None:
    """Return what speaks against a sed call; None if all that its scripts do is print."""
    if any(script.startswith(("#n", "-")) for script in scripts(call)):
        return Problem("unknown", "sed: the script is not on the list")
    for script in scripts(call):
        if not prints_only(script):
            return _problem(script)
    return None


def prints_only(script: str) -> bool:
    """Tell whether a script does nothing but print, delete from what is printed, replace in it, and end."""
    if not script or len(script) > _LONGEST:
        return False
    place = 0
    while place < len(script):
        found = _COMMAND.match(script, place) or _BLOCK.match(script, place)
        if found is None or found.end() == place:
            return False
        place = found.end()
    return True


def line_range(script: str) -> tuple[int, int | None] | None:
    """Return first and last line (None: the end) of a script that prints one range of lines; None for others."""
    found = _RANGES.fullmatch(script)
    if found is None:
        return None
    first = int(found[1])
    if found[2] is None:
        return first, first
    return first, None if found[2] == "$" else int(found[2])


def _problem(script: str) -> Problem:
    """Name the worst that a script which is not on the list may do."""
    flags = "".join(found[2] for found in re.finditer(r"s([/|#,@:%!]).*?\1.*?\1(\w*)", script))
    letters = re.sub(r"s([/|#,@:%!]).*?\1.*?\1\w*|" + _REGEX, ";", script)
    for marks, problem in _DANGER:
        if set(marks) & set(flags) or re.search(rf"(?:^|[\s;,\d$}}{{!])[{marks}]", letters):
            return problem
    return Problem("unknown", f"sed: the script {script!r} is not on the list")
