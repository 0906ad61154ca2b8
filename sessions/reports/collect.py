"""What a report is made of: everything the store has of one session, read once."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from sessions.models.hypothesis import Tree
from sessions.models.session import Message, Step
from sessions.store.reader import Reader
from sessions.store.rows import ProbeRow, RunRow, SessionRow

Suggest = Callable[[Tree, str], Mapping[str, tuple[str, ...]]]
"""From a tree and a title to the names of probes by hypothesis."""


@dataclass(frozen=True, slots=True)
class ReportData:
    """One session, whole; every renderer is a function of this."""

    session: SessionRow
    messages: tuple[Message, ...]
    steps: tuple[Step, ...]
    tree: Tree
    runs: tuple[RunRow, ...]
    probes: tuple[ProbeRow, ...] = ()
    settling: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Names of the probes that would settle a hypothesis, by its id."""


def collect(reader: Reader, session: str, suggest: Suggest | None = None) -> ReportData:
    """Return what the store has of `session` (an id, a unique prefix, ``latest``). Raises UnknownSession.

    `suggest` knows which probes would settle the hypotheses of a tree.
    """
    row = reader.resolve(session)
    tree = reader.tree(row.id)
    return ReportData(
        session=row,
        messages=reader.messages(row.id),
        steps=reader.steps(row.id),
        tree=tree,
        runs=reader.runs(row.id),
        probes=reader.probes(row.id),
        settling=suggest(tree, row.title) if suggest else {},
    )
