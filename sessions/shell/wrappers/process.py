"""Programs that start another one as another user, with a limit, or with other settings."""

import re
from collections.abc import Mapping

from sessions.shell.fields import Field
from sessions.shell.place import Inner, Peeled, Place, Source, Stop
from sessions.shell.wrappers.options import Grammar, grammar, read

_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=", re.ASCII)
_DURATION = re.compile(r"(\d+(?:\.\d*)?|\.\d+)([smhd]?)\Z")
_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}

_SUDO = grammar(
    "AbEHikKnPSsvV", "ughpCTrtDR",
    "user= group= host= prompt= chdir= login non-interactive preserve-env set-home stdin reset-timestamp shell",
)  # fmt: skip
_DOAS = grammar("nsL", "uC")
_SU = grammar(
    "lmpP",
    "csgGw",
    "login command= shell= group= supp-group= preserve-environment pty whitelist-environment=",
    permutes=True,
)
_ENV = grammar("i0", "uC", "ignore-environment unset= chdir= null")
_TIMEOUT = grammar("vpf", "ks", "foreground preserve-status verbose kill-after= signal=")

_PLAIN: Mapping[str, Grammar] = {
    "nice": grammar("0123456789", "n", "adjustment="),
    "ionice": grammar("t", "cnpPu", "class= classdata= ignore"),
    "stdbuf": grammar("", "ioe", "input= output= error="),
    "nohup": grammar(),
    "setsid": grammar("cfw", "", "ctty fork wait"),
    "time": grammar("pvaq", "fo", "portability verbose append quiet format= output="),
    "command": grammar("p"),
    "builtin": grammar(),
    "exec": grammar("cl", "a"),
    "chronic": grammar("ev"),
    "unbuffer": grammar("p"),
    "proxychains": grammar("q", "f"),
    "proxychains4": grammar("q", "f"),
    "rtk": grammar(),
}
"""Wrappers that say nothing of the place; a command with a wrapper's unknown option is left as it is."""


def peel_sudo(fields: list[Field], place: Place) -> Peeled:
    """``sudo [-u USER] [NAME=VALUE] PROGRAM``; without a program the call stays."""
    options = read(fields[1:], _SUDO)
    place = place._replace(sudo=True, user=options.last("u", "user") or "root")
    if directory := options.last("D", "chdir"):
        place = place.move(directory)
    return _with_variables(options.rest, place, options.problem)


def peel_doas(fields: list[Field], place: Place) -> Peeled:
    """``doas [-u USER] PROGRAM``."""
    options = read(fields[1:], _DOAS)
    place = place._replace(sudo=True, user=options.last("u") or "root")
    return _onwards(options.rest, place, options.problem)


def peel_su(fields: list[Field], place: Place) -> Peeled:
    """``su [-] [USER] -c TEXT``."""
    options = read([each for each in fields[1:] if each.value != "-"], _SU)
    user = options.operands[0].value if options.operands else "root"
    place = place._replace(sudo=True, user=user)
    text = options.last("c", "command")
    if options.problem or text is None:
        return Stop(place.doubt(options.problem or "su runs nothing that the log shows"))
    exact = all(each.exact for each in fields)
    return Source(text, place if exact else place.doubt("part of the text was expanded before su", exact=False))


def peel_env(fields: list[Field], place: Place) -> Peeled:
    """``env [-i] [-u NAME] [-C DIR] [NAME=VALUE] PROGRAM``."""
    options = read(fields[1:], _ENV)
    if directory := options.last("C", "chdir"):
        place = place.move(directory)
    return _with_variables(options.rest, place, options.problem)


def peel_timeout(fields: list[Field], place: Place) -> Peeled:
    """``timeout DURATION PROGRAM``: the smallest of several limits holds."""
    options = read(fields[1:], _TIMEOUT)
    if options.problem or not options.rest:
        return Stop(place)
    seconds = _seconds(options.rest[0].value)
    if seconds is None:
        return Stop(place.doubt(f"timeout {options.rest[0].shown} is no duration"))
    limit = seconds if place.timeout is None else min(seconds, place.timeout)
    return _onwards(options.rest[1:], place._replace(timeout=limit or place.timeout), None)


def peel_plain(fields: list[Field], place: Place) -> Peeled:
    """One of the wrappers that only stand in front; ``command -v`` runs nothing."""
    if fields[0].value == "command" and len(fields) > 1 and fields[1].value in {"-v", "-V"}:
        return Stop(place)
    options = read(fields[1:], _PLAIN[fields[0].value.rpartition("/")[2]])
    return _onwards(options.rest, place, options.problem)


PEELERS = {
    "sudo": peel_sudo,
    "doas": peel_doas,
    "su": peel_su,
    "env": peel_env,
    "timeout": peel_timeout,
    "gtimeout": peel_timeout,
    **dict.fromkeys(_PLAIN, peel_plain),
}


def _seconds(text: str) -> float | None:
    found = _DURATION.match(text)
    return float(found.group(1)) * _SECONDS[found.group(2)] if found else None


def _onwards(rest: list[Field], place: Place, problem: str | None) -> Peeled:
    """What is left runs in `place`; nothing left, or an option that is not known: the call stays."""
    if problem:
        return Stop(place.doubt(problem))
    return Inner(rest, place) if rest else Stop(place)


def _with_variables(rest: list[Field], place: Place, problem: str | None) -> Peeled:
    variables: dict[str, str] = {}
    exact = True
    for count, each in enumerate(rest):
        if not _ASSIGNMENT.match(each.value):
            rest = rest[count:]
            break
        name, _, value = each.value.partition("=")
        variables[name] = value
        exact = exact and each.exact
    else:
        rest = []
    return _onwards(rest, place.set_variables(variables, exact=exact), problem)
