"""Every message of the app: what screens ask for, and what comes back from the workers that do it.

What they carry is frozen. A screen posts a request, which bubbles up to the app; the app hands it to `tui.commands`;
the answer is posted to the screen that asked.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from textual.message import Message
from textual.screen import Screen

from sessions.errors import NecropsyError
from sessions.models.hypothesis import Tree
from sessions.models.replay import Plan, RunStep
from sessions.store.rows import EditRow, RunRow


@dataclass(frozen=True, slots=True)
class Edit:
    """One correction of a tree: `action` and `value` are those of `sessions.hypotheses.edits`."""

    key: str
    action: str
    value: Mapping[str, object]


@dataclass
class EditAsked(Message):
    """A person corrected the tree of a session; `asker` is answered, by default the screen on top."""

    session: str
    edits: Sequence[Edit]
    asker: Screen[Any] | None = None


@dataclass
class Edited(Message):
    """The corrections are stored; `keys` are those of the hypotheses that they are about, in their order."""

    session: str
    keys: Sequence[str] = ()


@dataclass
class SuggestionsAsked(Message):
    """Which probes would settle the hypotheses of a session is wanted."""

    tree: Tree
    title: str


@dataclass
class Suggested(Message):
    """The names of the probes that would settle a hypothesis, by its id."""

    probes: Mapping[str, Sequence[str]]


@dataclass
class UndoAsked(Message):
    """The person's last corrections of a session, so many, must go; `asker` is answered."""

    session: str
    count: int
    asker: Screen[Any] | None = None


@dataclass
class Undone(Message):
    """Corrections were taken back, the latest first; none where there was none."""

    session: str
    edits: Sequence[EditRow]


@dataclass
class ExportAsked(Message):
    """The post-mortem of a session is wanted as a file; `form` is md, html or json."""

    session: str
    form: str
    path: Path


@dataclass
class Exported(Message):
    """The file is written."""

    path: Path


@dataclass(frozen=True, slots=True)
class TargetLine:
    """One entry of the targets file, as a person reads and writes it; empty where nothing is set."""

    name: str
    host: str = ""
    port: str = ""
    user: str = ""
    identity: str = ""
    recorded: tuple[str, ...] = ()
    paths: tuple[tuple[str, str], ...] = ()


@dataclass
class TargetsAsked(Message):
    """The entries of the targets file are wanted."""


@dataclass
class TargetsRead(Message):
    """The entries of the targets file at `path`, in its order."""

    targets: Sequence[TargetLine]
    path: Path


@dataclass
class TargetSaveAsked(Message):
    """A person wants an entry written; `previous` is its name so far, None for a new one."""

    target: TargetLine
    previous: str | None = None


@dataclass
class TargetRefused(Message):
    """The entry cannot be saved: a sentence for each setting that is wrong."""

    problems: Sequence[str]


@dataclass
class TargetRemoveAsked(Message):
    """A person wants an entry gone."""

    name: str


@dataclass
class TryAsked(Message):
    """Whether a target can be reached is wanted."""

    name: str


@dataclass
class Tried(Message):
    """What came of it: what answered, or why nothing did, and what to do about it."""

    name: str
    reached: bool
    told: str


@dataclass
class DiscoverAsked(Message):
    """Path rules are wanted for what a session names, from what is found on a target."""

    name: str
    session: str


@dataclass
class Discovered(Message):
    """What was found: for each recorded prefix its kind and where it may lie on the target.

    One place is a proposal, several are for a person to choose from, none says that nothing like it is there.
    """

    name: str
    found: Sequence[tuple[str, str, tuple[str, ...]]]


Call = tuple[int, str | None]
"""A step and what would be sent for it: consent to a call holds on every target to which the same would be sent."""


@dataclass
class PlanAsked(Message):
    """Plans are wanted: `steps` to run again on the targets or ranges `on`; `mapping` is recorded host to target.

    `allowed` is what the plans may ask about beside what the policy asks about: ``code``, ``writes``.
    """

    session: str
    on: Sequence[str]
    steps: Sequence[int]
    mapping: Mapping[str, str]
    allowed: frozenset[str] = frozenset()


@dataclass
class Planned(Message):
    """The plans are made, one for each target; nothing has run."""

    plans: Sequence[Plan]


@dataclass
class RunAsked(Message):
    """A person wants the plans that were made last carried out, and consents to these calls that they ask about."""

    consented: frozenset[Call]


@dataclass
class CancelAsked(Message):
    """The run must end, and what runs on its targets with it."""


@dataclass
class Started(Message):
    """A step is being sent to a target."""

    target: str
    step: int


@dataclass
class Heard(Message):
    """More lines of what a step prints have come."""

    target: str
    step: int
    text: str


@dataclass
class Ran(Message):
    """A step came back."""

    target: str
    result: RunStep


@dataclass
class Finished(Message):
    """The runs are over and stored."""

    runs: Sequence[RunRow]
    cancelled: bool = False


@dataclass
class Failed(Message):
    """Something that was asked for cannot be done: what, and what to do about it."""

    title: str
    message: str
    hint: str = ""

    @classmethod
    def of(cls, error: NecropsyError) -> "Failed":
        """Return the message for an error."""
        return cls(error.title, error.message, error.hint)
