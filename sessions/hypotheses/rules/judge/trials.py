"""The same thing run again: which steps run one program on one thing, and how each run came out."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sessions.hypotheses.rules.judge.marks import Mark
from sessions.models.command import Command
from sessions.models.session import Step

Outcome = Literal["passes", "fails", ""]

_SETUP = frozenset(
    {"cd", "echo", "printf", "export", "set", "source", ".", "mkdir", "rm", "cp", "mv", "ln", "touch", "sleep", "kill"}
    | {"pkill", "true", "wait", "chmod", "pwd", "date", "gofmt", "prettier", "test", "["}
)
"""Programs that only prepare, or say where they are."""

_READERS = frozenset(
    {"grep", "egrep", "rg", "sed", "cat", "head", "tail", "nl", "less", "awk", "ls", "find", "wc", "stat", "jq", "tree"}
    | {"which", "file", "gh", "diff", "sort", "uniq", "cut"}
)
"""Programs that show what stands in files: neither a success nor a failure."""

_GIT_KEEPS = frozenset(
    {"show", "diff", "log", "grep", "blame", "add", "commit", "checkout", "switch", "restore", "stash", "reset", "rm"}
    | {"mv", "tag", "branch", "init", "rev-parse", "config", "-C", ""}
)
"""What git does that shows or keeps text, and runs nothing."""

_GIT_TRIES = frozenset({"push", "fetch", "clone", "pull", "merge", "rebase", "ls-remote", "apply"})
"""What git does that can fail or succeed; the rest of it answers a question."""

_ASKS = frozenset({"doc", "env", "mod"})
"""Verbs that ask a program for something."""

_LONGEST = 120
"""Characters of a word that names a thing."""

_VERB = re.compile(r"^[a-z][a-z:-]*$")
_TROUBLE = re.compile(r"(?i)command not found|no such file|\berror\b(?!s?: 0)|not recognized|cannot find")
"""What an output says that is no success, whatever the exit status of its pipeline is."""

_TAIL = 4_000
_ASSIGNS = re.compile(r"^[A-Za-z_]\w*=")
_EVERYTHING = frozenset({".", "./...", "...", "--", ""})
_CHECKS = re.compile(r"\b(?:test|tests|check|verify|lint|vet|build|compile|typecheck|pytest|jest|vitest|tsc)\b")


@dataclass(frozen=True, slots=True)
class Call:
    """What one command line is a run of: program and verb, what it is run on, and the switches it is run with."""

    program: tuple[str, ...]
    things: frozenset[str]
    switches: frozenset[str]

    def is_like(self, other: "Call") -> bool:
        """Whether both run the same program on the same thing; one that names no thing runs on all."""
        if self.program != other.program:
            return False
        return not self.things or not other.things or bool(self.things & other.things)


@dataclass(frozen=True, slots=True)
class Trial:
    """A step that ran something, and how that came out."""

    step: Step
    call: Call
    outcome: Outcome
    seconds: float
    """As the output says it, 0 where it does not."""

    @property
    def message(self) -> int:
        """Ordinal of the message before it."""
        return self.step.message or 0


def trial(step: Step, marks: Sequence[Mark]) -> Trial | None:
    """Return what a step tried: its last call that is more than preparing and reading; None if there is none."""
    tried = calls(step)
    return Trial(step, tried[-1], _outcome(step, tried[-1], marks), _seconds(step.output)) if tried else None


def changes(step: Step) -> bool:
    """Return whether a shell step changes something: writes to a file outside the scratch folder, or sets something."""
    return any(_changes(command) for command in step.commands)


def _changes(command: Command) -> bool:
    if (command.cwd or "").startswith(_SCRATCH):
        return False
    words = [word for word in command.argv if not _ASSIGNS.match(word)]
    name, verb = (words[0].rsplit("/", 1)[-1] if words else ""), (words[1] if len(words) > 1 else "")
    if (name, verb) in _SETS or name in _WRITES or (name in {"sed", "perl"} and any(w[:2] == "-i" for w in words)):
        return True
    written = (redirect.lstrip("0123456789>| ") for redirect in command.redirects if redirect.lstrip("1")[:1] == ">")
    return any(not target.startswith((*_SCRATCH, "/dev/", "&")) for target in written)


_SCRATCH = ("/tmp", "/private/tmp", "/var/tmp")  # noqa: S108 - names in a log, no files of ours
_WRITES = frozenset({"tee", "patch", "chmod", "chown", "install", "systemctl", "sysctl", "update-alternatives"})
_SETS = frozenset(
    {("git", "apply"), ("git", "revert"), ("pip", "install"), ("pip3", "install"), ("uv", "add"), ("uv", "pip")}
    | {("npm", "install"), ("npm", "i"), ("yarn", "add"), ("pnpm", "add"), ("go", "get"), ("cargo", "add")}
    | {("cargo", "update"), ("kubectl", "apply"), ("kubectl", "set"), ("kubectl", "patch"), ("helm", "upgrade")}
    | {("apt-get", "install"), ("apt", "install"), ("brew", "install"), ("docker", "restart")}
)
"""What sets, installs or restarts something."""


def calls(step: Step) -> list[Call]:
    """Return what a step runs that is more than preparing and reading."""
    commands = step.commands or (Command(argv=tuple(step.command.split()), text=step.command),)
    found = (_call(c) for c in commands if c.stage == 0 and "substitution" not in c.within)
    return [call for call in found if call is not None]


def _seconds(output: str) -> float:
    """Return the time that a shell's `time` printed: ``0.868 total`` or ``real 0m1.127s``."""
    told = _TOTAL.search(output) or _REAL.search(output)
    if told is None:
        return 0.0
    return float(told["seconds"]) + 60 * float(told.groupdict().get("minutes") or 0)


_TOTAL = re.compile(r"(?P<seconds>\d+\.\d+) total\b")
_REAL = re.compile(r"(?m)^real\s+(?:(?P<minutes>\d+)m)?(?P<seconds>\d+(?:\.\d+)?)s?\s*$")


def _call(command: Command) -> Call | None:
    words = list(command.argv)
    switches = {f"{name}={value}" for name, value in command.env.items()}
    while words and _ASSIGNS.match(words[0]):
        switches.add(words.pop(0))
    if not words:
        return None
    name = words[0].rsplit("/", 1)[-1]
    verb = words[1] if len(words) > 1 and _VERB.match(words[1]) else ""
    if name in _SETUP or name in _READERS or verb in _ASKS or (name == "git" and verb in _GIT_KEEPS):
        return None
    rest = words[1 + bool(verb) :]
    switches |= {word for word in rest if word.startswith("-")}
    things = {word.rstrip("/") for word in rest if len(word) <= _LONGEST and not word.startswith("-")} - _EVERYTHING
    return Call((name, verb), frozenset(things), frozenset(switches))


def _outcome(step: Step, call: Call, marks: Sequence[Mark]) -> Outcome:
    """Return how a run came out: a failure that it prints counts whatever the exit status of its pipeline is."""
    shown = {mark.showing for mark in marks}
    if call.program[0] == "git" and call.program[1] not in _GIT_TRIES:
        return ""
    if "fails" in shown or (step.exit_code not in {0, None} and step.status != "rejected"):
        return "fails"
    if "passes" in shown:
        return "passes"
    checks = step.exit_code == 0 and _CHECKS.search(" ".join((*call.program, *call.things)))
    return "passes" if checks and not _TROUBLE.search(step.output[-_TAIL:]) else ""
