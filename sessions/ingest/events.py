"""The few events to which every log format reduces its records.

A reader emits them in the order of the log. `session` is the agent's own id; a source may hold several sessions, and
their events may come interleaved. The builder folds them into sessions: it numbers messages and calls, pairs calls
with results by id, sums tokens, and computes durations. Times are epoch seconds.
"""

from dataclasses import dataclass, field

from sessions.models.session import ExitSource, Role, Span, StepKind, StepStatus, TextKind


@dataclass(frozen=True, slots=True)
class About:
    """Something the log says of a session; later events fill in and, for the title and the end, replace."""

    session: str
    agent_version: str | None = None
    title: str | None = None
    model: str | None = None
    cwd: str | None = None
    started: float | None = None
    ended: float | None = None
    parent: str | None = None
    reconstructed: bool = False


@dataclass(frozen=True, slots=True)
class Said:
    """One text or reasoning block. Blank ones are dropped by the builder."""

    session: str
    role: Role
    text: str
    kind: TextKind = "text"
    time: float | None = None
    injected: bool = False
    abandoned: bool = False
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Called:
    """A tool call. `programs` are the shell commands of the call: none for other tools, several for a Codex program."""

    session: str
    call: str
    tool: str
    kind: StepKind
    command: str
    programs: tuple[str, ...] = ()
    cwd: str | None = None
    time: float | None = None
    polls: str | None = None
    """For a poll: the call it polls; its output also completes that one's."""
    abandoned: bool = False
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Returned:
    """The result of a call, or a part of it: a later one with the same call appends only if `append`."""

    session: str
    call: str
    output: str
    status: StepStatus = "ok"
    exit_code: int | None = None
    exit_source: ExitSource | None = None
    time: float | None = None
    duration: float | None = None
    """Seconds, where the log has its own figure."""
    truncated: bool = False
    child: str | None = None
    append: bool = False
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Used:
    """Tokens of one model answer; the last event with the same `answer` counts."""

    session: str
    answer: str
    input: int = 0
    output: int = 0
    reasoning: int = 0
    cache_read: int = 0
    cache_write: int = 0
    cost: float | None = None


Event = About | Said | Called | Returned | Used


@dataclass(slots=True)
class Count:
    """Accounts for every record while a source is read; the one mutable thing a reader is given."""

    read: int = 0
    repaired: int = 0
    skipped: int = 0
    unknown: int = 0
    unknown_types: dict[str, int] = field(default_factory=dict)
    live: bool = False
    """The source ends in the middle of a record."""

    def meet_unknown(self, name: str) -> None:
        """Count a record of a type that the reader does not know; it is kept out, not treated as an error."""
        self.unknown += 1
        self.unknown_types[name] = self.unknown_types.get(name, 0) + 1
