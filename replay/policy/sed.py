"""Which sed scripts only print: addresses with p, =, q, d, and substitutions without the flags that write or run."""

import re

from replay.policy.judgement import Problem
from replay.policy.options import Call
from replay.policy.patterns import explodes

_LONGEST = 4096
_MOST = 10_000
"""Times that a line may become longer."""
_REGEX = r"/(?:[^/\\\n]|\\[^\n])*/I?"
_ADDRESS = rf"(?:\d+(?:~\d+)?|\$|{_REGEX})"
_RANGE = rf"(?:{_ADDRESS}(?:\s*,\s*(?:{_ADDRESS}|[+~]\d+))?\s*!?\s*)?"
_SUBSTITUTE = "|".join(
    rf"s{mark}(?:[^{mark}\\\n]|\\[^\n])*{mark}((?:[^{mark}\\\n]|\\[^\n])*){mark}([gpiI0-9]*)"
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
    whole = "\n".join(scripts(call))
    return None if prints_only(whole) else _problem(whole)


def prints_only(script: str) -> bool:
    """Tell whether a script does nothing but print, delete from what is printed, replace in it, and end."""
    if not script or len(script) > _LONGEST or explodes(script):
        return False
    place, growth = 0, 1
    while place < len(script):
        found = _COMMAND.match(script, place) or _BLOCK.match(script, place)
        if found is None or found.end() == place:
            return False
        growth *= _growth(found)
        place = found.end()
    return growth <= _MOST


def _growth(command: re.Match[str]) -> int:
    """Return how many times longer a line may become by a command: a replacement everywhere, or of what is found."""
    if command.re is not _COMMAND or command.lastindex is None:
        return 1
    replacement, flags = command[command.lastindex - 1], command[command.lastindex]
    return max(len(replacement), 1) if "g" in flags or re.search(r"&|\\\d", replacement) else 1


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
