"""What the policy says of a command: its effect, what follows from it, why, and what would be sent instead."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from sessions.models.command import Pipe
from sessions.models.replay import EFFECTS, Decision, Effect

Role = Literal["program", "option", "text", "path", "place"]
"""What a word is to its program. The content of a ``path`` is read, of a ``place`` only its name and attributes."""

_ASKED = frozenset({"read-secret", "read-intrusive", "network"})


class Open(str):
    """A word of which the shell there makes more: a leading ``~`` becomes its home folder, ``*`` and ``?`` names."""

    __slots__ = ()


class Word(NamedTuple):
    """One decoded word of a call, and what it is to the program."""

    text: str
    role: Role


class Problem(NamedTuple):
    """Why a part of a command is not simply reading."""

    effect: Effect
    reason: str


class Place(NamedTuple):
    """Where a part of a command ran when it was recorded: hosts and accounts are the log's, never ours to contact."""

    host: str | None = None
    user: str | None = None
    container: str | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """The policy's answer for one recorded command."""

    command: str
    effect: Effect
    reasons: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    """What differs in the canonical form, and why that is allowed: ``runs without privilege``."""
    pipes: tuple[Pipe, ...] = ()
    """What would be sent, word by word; empty unless every part is understood."""
    roles: tuple[tuple[tuple[Role, ...], ...], ...] = ()
    """The role of every word of `pipes`: per pipeline, stage and word."""
    local_stages: tuple[tuple[str, ...], ...] = ()
    """Filters that the agent's own machine ran on the output of the remote command."""
    place: Place = field(default_factory=Place)
    cwd: str | None = None
    merge_stderr: bool = False
    timeout: float | None = None
    sent: str | None = None

    @property
    def decision(self) -> Decision:
        """What happens without a person's leave; what cannot be sent is refused, whatever it does."""
        return "refuse" if self.sent is None else decide(self.effect)


def decide(effect: Effect) -> Decision:
    """Return the decision that an effect gets unless a person allows more."""
    if effect == "read":
        return "run"
    return "ask" if effect in _ASKED else "refuse"


def highest(effects: Iterable[Effect]) -> Effect:
    """Return the highest of some effects; ``read`` of none."""
    return max(effects, key=EFFECTS.index, default="read")


def worst(problems: Iterable[Problem | None]) -> Problem | None:
    """Return the first of those problems that have the highest effect; None if there is none."""
    found = [problem for problem in problems if problem]
    return max(found, key=_rank) if found else None


def _rank(problem: Problem) -> int:
    return EFFECTS.index(problem.effect)
