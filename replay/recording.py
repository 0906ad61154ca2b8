"""What a replay is held against: the recorded steps, the tree, and how a recorded path is called on the target."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from replay.rewrite import PathRules
from sessions.models.hypothesis import Tree
from sessions.models.session import Step
from sessions.store.reader import Reader


@dataclass(frozen=True, slots=True)
class Recording:
    """One recorded session, as far as a replay needs it."""

    steps: Mapping[int, Step]
    tree: Tree = field(default_factory=Tree)
    reconstructed: bool = False
    rules: PathRules = field(default_factory=PathRules)
    sandbox: bool = False
    """It is replayed in a sandbox: whatever comes says nothing about the host that the log speaks of."""


def load(reader: Reader, session: str, rules: PathRules | None = None, *, sandbox: bool = False) -> Recording:
    """Return the recording of a session of the store. Raises UnknownSession."""
    row = reader.resolve(session)
    steps = {step.ordinal: step for step in reader.steps(row.id)}
    return Recording(steps, reader.tree(row.id), row.reconstructed, rules or PathRules(), sandbox)
