"""``docker exec`` and its kin: what they run is judged like anything else, and a person is asked before it starts."""

import re
from collections.abc import Sequence

from replay.policy.judgement import Open, Place, Problem
from replay.policy.lines.wrapped import Wrapped

_NAME = re.compile(r"[A-Za-z0-9][\w.@/-]*")
_STARTS = Problem("read-intrusive", "starts a process inside a container")
_CLIENT = Problem("network", "kubectl: asks the cluster, and starts a process inside a container")


def take_docker(words: Sequence[str]) -> Wrapped | Problem | None:
    """Take ``docker exec [-it] [-u USER] [-w FOLDER] CONTAINER`` off; None for every other subcommand."""
    if list(words[1:2]) != ["exec"]:
        return None
    kept: list[str] = []
    rest = list(words[2:])
    while rest and rest[0].startswith("-"):
        option = rest.pop(0)
        if option in {"-u", "--user", "-w", "--workdir"} and rest:
            kept += [option, rest.pop(0)]
        elif re.fullmatch(r"--(user|workdir)=[\w./:-]+", option):
            kept.append(option)
        elif not re.fullmatch(r"-[it]+|--tty|--interactive", option):
            return Problem("unknown", f"{words[0]} exec: option {option} is not on the list")
    return _wrapped([words[0], "exec", *kept], rest, _STARTS)


def take_kubectl(words: Sequence[str]) -> Wrapped | Problem | None:
    """Take ``kubectl exec [-n NAMESPACE] POD [-c CONTAINER] --`` off; None for every other subcommand."""
    if "exec" not in words[1:4] or "--" not in words:
        return None
    place = list(words).index("--")
    before = [word for word in words[1:place] if not re.fullmatch(r"-[it]+|--tty|--stdin", word)]
    form = r"(-n [\w-]+ )?exec( -n [\w-]+)? [A-Za-z0-9][\w./-]*( -n [\w-]+)?( -c [\w-]+)?( -n [\w-]+)?"
    if not re.fullmatch(form, " ".join(before)):
        return Problem("unknown", "kubectl exec: not one of the forms on the list")
    found = _wrapped([words[0], *before], ["pod", *words[place + 1 :]], _CLIENT)
    if isinstance(found, Problem):
        return found
    return Wrapped(words=found.words, place=found.place, problem=found.problem, outside=(words[0], *before, "--"))


def take_incus(words: Sequence[str]) -> Wrapped | Problem | None:
    """Take ``incus exec [--user N] [--cwd FOLDER] INSTANCE --`` off; None for every other subcommand."""
    if list(words[1:2]) != ["exec"]:
        return None
    place = list(words).index("--") if "--" in words else 0
    before = [word for word in words[2:place] if word not in {"-t", "-T", "-n"}]
    option = r"(--user[ =]\d+|--cwd[ =][\w./-]+)"
    named = re.fullmatch(rf"({option} )*(?P<name>[A-Za-z0-9][\w:/-]*)( {option})*", " ".join(before))
    if not place or named is None:
        return Problem("unknown", "incus exec: not one of the forms on the list")
    outside = [words[0], "exec", *(word for word in before if word != named["name"])]
    found = _wrapped(outside, [named["name"], *words[place + 1 :]], _STARTS)
    if isinstance(found, Problem):
        return found
    return Wrapped(words=found.words, place=found.place, problem=found.problem, outside=(*found.outside, "--"))


def _wrapped(outside: list[str], rest: list[str], problem: Problem) -> Wrapped | Problem:
    if len(rest) < 2 or not _NAME.fullmatch(rest[0]):  # noqa: PLR2004 -- a container and a program
        return Problem("unknown", f"{outside[0]} exec: no container, or no program")
    if any(isinstance(word, Open) for word in (*outside, *rest)):
        return Problem("unknown", f"{outside[0]} exec: is given a word that the shell around it expands")
    container = Place(container=f"{outside[0]}:{rest[0]}")
    return Wrapped(words=tuple(rest[1:]), place=container, problem=problem, outside=(*outside, rest[0]))
