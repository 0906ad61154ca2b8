"""What the reader returns: plain frozen rows, not validated again."""

from dataclasses import dataclass

from sessions.models.hypothesis import Hypothesis
from sessions.models.probe import ProbeReport
from sessions.models.replay import EvidenceStanding, HypothesisStanding, PlannedStep, RunStep
from sessions.models.session import Tokens


@dataclass(frozen=True, slots=True)
class SessionRow:
    """One session, as a listing shows it; `hypotheses` counts the tree without its root."""

    id: str
    format: str
    agent: str
    agent_version: str | None
    title: str
    model: str | None
    cwd: str | None
    started: str | None
    ended: str | None
    parent: str | None
    live: bool
    reconstructed: bool
    source: str
    tokens: Tokens
    messages: int
    steps: int
    hypotheses: int
    dead_ends: int
    causes: int
    note: str


@dataclass(frozen=True, slots=True)
class StepLine:
    """One step as a list shows it: without its output, of which `output_size` gives the length in bytes."""

    ordinal: int
    message: int | None
    kind: str
    tool: str
    command: str
    output_size: int
    status: str
    exit_code: int | None
    started: str | None
    duration: float | None
    truncated: bool
    continues: int | None
    child: str | None
    abandoned: bool


@dataclass(frozen=True, slots=True)
class EditRow:
    """One correction by a person."""

    number: int
    key: str
    action: str
    value: dict[str, object]
    author: str
    time: str


@dataclass(frozen=True, slots=True)
class Hit:
    """A place that a search found: `kind` is message, command or output; `snippet` is plain text of one line."""

    session: str
    title: str
    kind: str
    ordinal: int
    snippet: str


@dataclass(frozen=True, slots=True)
class Recollection:
    """A hypothesis of some session: `time` is when it was decided, or when the session began."""

    session: str
    title: str
    time: str | None
    hypothesis: Hypothesis


@dataclass(frozen=True, slots=True)
class RunRow:
    """One replay on one target."""

    number: int
    session: str
    target: str
    started: str
    finished: str | None
    fingerprint: dict[str, object]
    plan: tuple[PlannedStep, ...]
    steps: tuple[RunStep, ...]
    standings: tuple[EvidenceStanding, ...]
    worths: tuple[HypothesisStanding, ...]


@dataclass(frozen=True, slots=True)
class ProbeRow:
    """One run of a probe; `hypothesis` is the id of the one that it was asked for."""

    number: int
    session: str | None
    hypothesis: str | None
    report: ProbeReport
