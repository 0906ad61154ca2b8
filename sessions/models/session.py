"""A session as its log tells it: messages, steps, tokens, and where each stands in the log."""

from collections.abc import Mapping
from typing import Literal

from sessions.models.command import Command
from sessions.models.strict import Strict

Role = Literal["user", "agent"]
TextKind = Literal["text", "reasoning"]
StepKind = Literal["shell", "read", "edit", "search", "web", "agent", "poll", "other"]
StepStatus = Literal["ok", "error", "rejected", "interrupted", "running", "no-result"]
ExitSource = Literal["log", "derived"]


class Span(Strict):
    """A byte range of the log, `start` to `end` (exclusive); for logs of many files `file` names the one."""

    start: int
    end: int
    file: str | None = None


TOKEN_KINDS = ("input", "output", "reasoning", "cache_read", "cache_write")
"""Tokens are counted by these kinds."""


class Tokens(Strict):
    """Tokens as the log counts them, each answer once, and their cost in US dollars where the log has it."""

    input: int = 0
    output: int = 0
    reasoning: int = 0
    cache_read: int = 0
    cache_write: int = 0
    cost: float | None = None

    @property
    def total(self) -> int:
        """All of them together."""
        return sum(getattr(self, kind) for kind in TOKEN_KINDS)


class Message(Strict):
    """One non-empty text or reasoning block of the user or the agent; `ordinal` counts them from 0."""

    ordinal: int
    role: Role
    kind: TextKind = "text"
    text: str
    time: str | None = None
    injected: bool = False
    """Put there by the agent's program (reminders, environment, command echoes), not written by anyone."""
    abandoned: bool = False
    """On a branch that was rewound."""
    span: Span | None = None
    tokens: Tokens | None = None
    """Of the model's answers that end with this message, or came after it without words; None: the log has none."""


class Step(Strict):
    """One tool call with its result; `ordinal` counts the calls from 0."""

    ordinal: int
    message: int | None = None
    """Ordinal of the last message before the call; None if there was none."""
    kind: StepKind
    tool: str
    """The agent's own name of the tool."""
    call_id: str | None = None
    command: str = ""
    """The recorded text after decoding; for other kinds the tool's main input: path, pattern, patch, query."""
    commands: tuple[Command, ...] = ()
    output: str = ""
    status: StepStatus = "ok"
    exit_code: int | None = None
    exit_source: ExitSource | None = None
    started: str | None = None
    duration: float | None = None
    """Seconds."""
    truncated: bool = False
    """The agent's program cut the output before it was recorded."""
    continues: int | None = None
    """For a poll: the step it polls."""
    child: str | None = None
    """For a sub-agent: its session."""
    abandoned: bool = False
    cwd: str | None = None
    span: Span | None = None
    result_span: Span | None = None


class Tally(Strict):
    """Every record of a log accounted for."""

    read: int = 0
    repaired: int = 0
    skipped: int = 0
    unknown: int = 0
    unknown_types: Mapping[str, int] = {}
    calls_without_result: int = 0


class Session(Strict):
    """One agent's work on one task, whole."""

    id: str
    """The agent's own id of the session."""
    format: str
    agent: str
    """opencode, claude-code, codex."""
    agent_version: str | None = None
    title: str = ""
    model: str | None = None
    cwd: str | None = None
    started: str | None = None
    ended: str | None = None
    parent: str | None = None
    """The session that started this one as a sub-agent."""
    live: bool = False
    """The log ends in the middle of a record: it is still being written."""
    reconstructed: bool = False
    """The log itself says that it is a reconstruction: its outputs prove nothing about a real host."""
    source: str
    """Path of the log."""
    tokens: Tokens = Tokens()
    tally: Tally = Tally()
    messages: tuple[Message, ...] = ()
    steps: tuple[Step, ...] = ()
