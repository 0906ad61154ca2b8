"""Replay: three axes that are never one: did it run, how does the output compare, what does that do to the claim."""

from typing import Literal

from sessions.models.command import Pipe
from sessions.models.strict import Strict

Effect = Literal[
    "read", "read-secret", "read-intrusive", "network", "writes", "code", "system", "destructive", "unknown"
]
EFFECTS: tuple[Effect, ...] = (
    "read", "read-secret", "read-intrusive", "network", "writes", "code", "system", "destructive", "unknown",
)  # fmt: skip
"""Effects in rising order: a command line has the highest of its parts."""

Decision = Literal["run", "ask", "refuse"]

Outcome = Literal[
    "completed", "refused", "not-replayable", "budget", "unreachable", "auth-failed", "host-key-mismatch",
    "command-missing", "path-missing", "permission-denied", "timed-out", "killed", "output-limit",
    "transport-lost", "unknown",
]  # fmt: skip
Comparison = Literal[
    "identical", "equivalent", "reordered", "drift", "moved", "changed", "exit-status-changed",
    "recording-truncated", "not-comparable",
]  # fmt: skip
Standing = Literal["holds", "holds-with-drift", "contradicted", "not-applicable", "undetermined"]
Worth = Literal["upheld", "overturned", "undetermined"]


class TokenDifference(Strict):
    """One typed token that differs: where (line of the recorded output, from 1), what kind, and both values."""

    line: int
    kind: str
    recorded: str
    new: str
    where: str = ""
    """What it is the value of, where the output of a known program was read: ``0 memory.total``, ``vllm``."""


class Compared(Strict):
    """A comparison, the rules that were needed to reach it, and the tokens that differ."""

    comparison: Comparison
    rules: tuple[str, ...] = ()
    tokens: tuple[TokenDifference, ...] = ()
    detail: str = ""


class Consent(Strict):
    """A person's leave to run one step of one plan, exactly as it stands there."""

    who: str
    when: str
    """UTC, ISO 8601."""


class ScratchFile(Strict):
    """A file that the session wrote, rebuilt in a scratch folder."""

    path: str
    """As recorded."""
    place: str
    """Where it is rebuilt."""
    digest: str
    """SHA-256 of what is written there, its own paths mapped."""
    origins: tuple[int, ...]
    """The steps that its content comes from."""


class Scratch(Strict):
    """A fresh folder on the target in which a step runs; what lies in it comes from the log and from the run itself.

    Recorded code has one of its own; steps that write, and those that read what they wrote, share one.
    """

    folder: str
    script: str = ""
    """The code that runs, as it runs."""
    files: tuple[ScratchFile, ...] = ()
    stdin: bool = False
    """The code is given on standard input."""
    env: tuple[tuple[str, str], ...] = ()
    written: tuple[tuple[str, str], ...] = ()
    """Of a step that writes: each recorded path that it writes, and its place in the folder."""
    read: tuple[str, ...] = ()
    """Of a step that reads: the recorded paths that it finds in the folder."""
    after: tuple[int, ...] = ()
    """Of a step that reads: the writing steps of the plan whose effects it looks at."""


class PlannedStep(Strict):
    """One recorded step as it would run on a target: exactly these words, or not, and why."""

    step: int
    command: str
    """As recorded."""
    effect: Effect
    decision: Decision
    reasons: tuple[str, ...] = ()
    stages: tuple[tuple[str, ...], ...] = ()
    """The words to send, per program call; empty unless it may be sent."""
    pipes: tuple[Pipe, ...] = ()
    """The same with what joins the calls and where their streams go: exactly what an executor gets."""
    local_stages: tuple[tuple[str, ...], ...] = ()
    """Stages that the agent's own machine ran on the remote output (``| tail -5``): applied here, in process."""
    sent: str | None = None
    """The canonical command line that the target would receive, every word quoted."""
    cwd: str | None = None
    merge_stderr: bool = False
    timeout: float = 60.0
    """Seconds; the recorded ``timeout N`` where that is shorter."""
    user: str | None = None
    """As which user it would run; None: the target's login."""
    recorded_host: str | None = None
    target: str
    mapped_paths: tuple[tuple[str, str], ...] = ()
    scratch: Scratch | None = None
    """Of recorded code and of what writes, or reads what was written: where it runs and what is there."""
    consent: Consent | None = None
    """Given for a step that is to be asked about; without it such a step does not run."""

    @property
    def sending(self) -> bool:
        """Whether it will be sent: the policy lets it run, or a person does where the policy asks."""
        return self.decision == "run" or (self.decision == "ask" and self.consent is not None)

    @property
    def kind(self) -> tuple[str, ...]:
        """What one consent for all covers: the same programs in the same order, to the same effect; the same code."""
        return (
            self.effect,
            *(words[0] for words in self.stages),
            *([str(self.covered)] if self.effect == "code" else []),
        )

    @property
    def covered(self) -> str | None:
        """All that a consent to it covers, as one text: what is sent, in which folder, with which code and files.

        None where nothing is sent.
        """
        if self.sent is None or (self.cwd is None and self.scratch is None):
            return self.sent
        return "\n".join((self.sent, self.cwd or "", self.scratch.model_dump_json() if self.scratch else ""))


class Plan(Strict):
    """What a replay would do on one target."""

    session: str
    target: str
    steps: tuple[PlannedStep, ...]


class RunStep(Strict):
    """One step of a run: the three axes, and what is under them."""

    step: int
    outcome: Outcome
    comparison: Comparison | None = None
    rules: tuple[str, ...] = ()
    tokens: tuple[TokenDifference, ...] = ()
    exit_code: int | None = None
    output: str = ""
    sent: str | None = None
    reasons: tuple[str, ...] = ()
    started: str | None = None
    duration: float | None = None
    detail: str = ""


class EvidenceStanding(Strict):
    """What a run does to one piece of evidence."""

    hypothesis: str
    step: int
    standing: Standing
    why: str = ""


class HypothesisStanding(Strict):
    """What a verdict is worth on the target."""

    hypothesis: str
    worth: Worth
    why: str = ""
