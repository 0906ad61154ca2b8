"""A session before it is written in some agent's format: what was said and what was run, in order."""

from dataclasses import dataclass

from sessions.models.session import Role, TextKind


@dataclass(frozen=True)
class Say:
    """A message."""

    text: str
    role: Role = "agent"
    kind: TextKind = "text"


@dataclass(frozen=True)
class Ran:
    """A shell command and what it printed."""

    command: str
    output: str
    code: int = 0


Part = Say | Ran
