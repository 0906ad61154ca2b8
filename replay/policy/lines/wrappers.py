"""Programs that run another one: what they wrap, and what of them is dropped."""

import re
from collections.abc import Callable, Mapping, Sequence

from replay.policy.judgement import Open, Place, Problem
from replay.policy.known import TRUSTED, is_own_client
from replay.policy.lines.containers import take_docker, take_incus, take_kubectl
from replay.policy.lines.wrapped import Wrapped

_SSH_VALUED = "BbcDEeFIiJLlmOoPpQRSWw"
_SSH_TUNNELS = frozenset("LRDWNfwMOQGV")
_SSH_RUNS = re.compile(
    r"\s*(ProxyCommand|LocalCommand|PermitLocalCommand|KnownHostsCommand|RemoteCommand)\b", re.IGNORECASE
)
_DURATION = re.compile(r"(\d+(?:\.\d+)?)([smhd]?)")
LEFT_OUT = "locale and variables that readers do not use are left out"
_UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_PLAIN_VARIABLES = re.compile(
    r"(LC_\w+|LANG|LANGUAGE|TERM|COLUMNS|NO_COLOR|PYTHONUNBUFFERED|DEBIAN_FRONTEND|CUDA_VISIBLE_DEVICES|HF_HUB_OFFLINE|VLLM_LOGGING_LEVEL)=[\w.,:-]*"
)


Taker = Callable[[Sequence[str]], Wrapped | Problem | None]


def unwrap(words: Sequence[str]) -> Wrapped | Problem | None:
    """Take one wrapper off; None if the program is none, a Problem if it is used in a way that is not known."""
    folder, slash, name = words[0].rpartition("/")
    taker = _TAKERS.get(name) if not slash or folder in TRUSTED or is_own_client(words[0]) else None
    found = taker(words) if taker else None
    if isinstance(found, Wrapped) and name != "ssh" and _opened(words) != _opened(found.words):
        return Problem("unknown", f"{words[0]}: is given a word that the shell around it expands")
    return found


def _opened(words: Sequence[str]) -> int:
    return sum(isinstance(word, Open) for word in words)


def _options(words: Sequence[str], flags: str, valued: str) -> tuple[list[tuple[str, str]], list[str]] | None:
    """Take leading short options apart; None if there is one that is not known."""
    found: list[tuple[str, str]] = []
    rest = list(words)
    while rest and rest[0].startswith("-") and rest[0] not in {"-", "--"}:
        cluster = rest.pop(0)[1:]
        while cluster:
            letter, cluster = cluster[0], cluster[1:]
            if letter in valued:
                if not cluster and not rest:
                    return None
                found.append((letter, cluster or rest.pop(0)))
                cluster = ""
            elif letter in flags:
                found.append((letter, ""))
            else:
                return None
    return found, rest[1:] if rest[:1] == ["--"] else rest


def _ssh(words: Sequence[str]) -> Wrapped | Problem:
    found, rest = [], list(words[1:])
    host = ""
    while rest:
        taken = _options(rest, "46AaCfGgKkMNnqsTtVvXxYy", _SSH_VALUED)
        if taken is None:
            return Problem("unknown", "ssh: an option that is not known")
        options, rest = taken
        found += options
        if host or not rest:
            break
        host = rest.pop(0)
    if not host or not rest:
        return Problem("unknown", "ssh: an interactive session or no host")
    if _opened([host, *rest]):
        return Problem("unknown", "ssh: is given a word that the shell on this side expands")
    if problem := _ssh_problem(found):
        return problem
    return Wrapped(script=" ".join(rest), place=_destination(host, found))


def _ssh_problem(found: Sequence[tuple[str, str]]) -> Problem | None:
    for letter, value in found:
        if letter in _SSH_TUNNELS:
            return Problem("unknown", f"ssh -{letter}: is not replayable")
        if letter == "o" and _SSH_RUNS.match(value):
            return Problem("unknown", f"ssh -o {value.split('=')[0].strip()}: runs a program on this side")
    return None


def _destination(host: str, found: Sequence[tuple[str, str]]) -> Place:
    user, _, name = host.removeprefix("ssh://").rpartition("@")
    named = [value for letter, value in found if letter == "l"]
    if host.startswith("ssh://"):
        name = name.partition(":")[0]
    return Place(host=name, user=user or (named[0] if named else None))


def _sshpass(words: Sequence[str]) -> Wrapped | Problem:
    taken = _options(words[1:], "ev", "pfdP")
    if taken is None or not taken[1] or taken[1][0] != "ssh":
        return Problem("unknown", "sshpass: in a form that is not known")
    return Wrapped(words=tuple(taken[1]), note="the recorded password is not used")


def _sudo(words: Sequence[str]) -> Wrapped | Problem:
    taken = _options(words[1:], "nEHSkb", "ugph")
    if taken is None or not taken[1] or "=" in taken[1][0] or ("b", "") in taken[0]:
        return Problem("system", "sudo: in a form that is not known")
    if ("S", "") in taken[0]:
        return Problem("unknown", "sudo -S: what it is given is a password, which would go to the program instead")
    return Wrapped(words=tuple(taken[1]), note="runs without privilege: sudo is not used")


def _timeout(words: Sequence[str]) -> Wrapped | Problem:
    rest = [word for word in words[1:] if word not in {"--foreground", "--preserve-status", "-v"}]
    taken = _options([word for word in rest if not re.fullmatch(r"--(signal|kill-after)=\w+", word)], "v", "ks")
    if taken is None or len(taken[1]) < 2:  # noqa: PLR2004 - a duration and a program
        return Problem("unknown", "timeout: in a form that is not known")
    found = _DURATION.fullmatch(taken[1][0])
    if found is None:
        return Problem("unknown", f"timeout: {taken[1][0]!r} is no duration")
    return Wrapped(words=tuple(taken[1][1:]), timeout=float(found[1]) * _UNITS[found[2]] or None)


def _plain(flags: str, valued: str) -> Callable[[Sequence[str]], Wrapped | Problem]:
    """Return what takes a wrapper off that changes nothing that counts here."""

    def take(words: Sequence[str]) -> Wrapped | Problem:
        taken = _options(words[1:], flags, valued)
        if taken is None or not taken[1]:
            return Problem("unknown", f"{words[0]}: in a form that is not known")
        return Wrapped(words=tuple(taken[1]))

    return take


def _command(words: Sequence[str]) -> Wrapped | Problem:
    if words[1:2] in (["-v"], ("-v",)) and len(words) == 3:  # noqa: PLR2004 - command -v NAME
        return Wrapped(words=("which", words[2]))
    return _plain("p", "")(words)


def _nohup(words: Sequence[str]) -> Wrapped | Problem:
    return Wrapped(words=tuple(words[1:]) or ("nohup",), problem=Problem("writes", "nohup: writes nohup.out"))


def _env(words: Sequence[str]) -> Wrapped | Problem:
    rest = list(words[1:])
    if not rest:
        return Wrapped(words=("printenv",))
    notes = []
    while rest and "=" in rest[0] and not rest[0].startswith("-"):
        if not plain_variable(rest[0]):
            return Problem("unknown", f"env: sets {rest[0].partition('=')[0]}")
        notes.append(rest.pop(0))
    if not rest or rest[0].startswith("-"):
        return Problem("unknown", "env: in a form that is not known")
    return Wrapped(words=tuple(rest), note=LEFT_OUT if notes else "")


_ELSEWHERE = re.compile(r"(DOCKER|CONTAINER)_(HOST|CONTEXT)|KUBECONFIG|INCUS_REMOTE")


def refuse_variable(name: str) -> Problem:
    """Return why a call is refused that sets a variable which may change what it does."""
    elsewhere = ": asks another engine or cluster than the target's own" if _ELSEWHERE.fullmatch(name) else ""
    return Problem("unknown", f"sets {name}{elsewhere}")


def plain_variable(assignment: str) -> bool:
    """Tell whether ``NAME=value`` sets what the replay sets itself, or what no program that only reads asks for."""
    return _PLAIN_VARIABLES.fullmatch(assignment) is not None


def _shell(words: Sequence[str]) -> Wrapped | Problem:
    options = [word for word in words[1:] if word.startswith("-")]
    rest = list(words[1 + len(options) :])
    known = all(re.fullmatch(r"-[lc]+|--norc|--noprofile|--login", option) for option in options)
    asked = any("c" in option[1:] for option in options if not option.startswith("--"))
    if len(rest) == 1 and known and asked:
        return Wrapped(script=rest[0], note="no profile is read" if "l" in "".join(options) else "")
    return Problem("code", f"{words[0]}: runs a script")


_TAKERS: Mapping[str, Taker] = {
    "ssh": _ssh,
    "sshpass": _sshpass,
    "sudo": _sudo,
    "timeout": _timeout,
    "nice": _plain("", "n"),
    "stdbuf": _plain("", "ioe"),
    "time": _plain("p", ""),
    "command": _command,
    "env": _env,
    "nohup": _nohup,
    "docker": take_docker,
    "podman": take_docker,
    "nerdctl": take_docker,
    "kubectl": take_kubectl,
    "incus": take_incus,
    "bash": _shell,
    "sh": _shell,
}
