"""What a report is made of: everything the store has of one session, read once."""

from dataclasses import dataclass

from sessions.models.hypothesis import Tree
from sessions.models.session import Message, Step
from sessions.store.reader import Reader
from sessions.store.rows import ProbeRow, RunRow, SessionRow


@dataclass(frozen=True, slots=True)
class ReportData:
    """One session, whole; every renderer is a function of this."""

    session: SessionRow
    messages: tuple[Message, ...]
    steps: tuple[Step, ...]
    tree: Tree
    runs: tuple[RunRow, ...]
    probes: tuple[ProbeRow, ...] = ()


def collect(reader: Reader, session: str) -> ReportData:
    """Return what the store has of `session` (an id, a unique prefix, ``latest``). Raises UnknownSession."""
    row = reader.resolve(session)
    return ReportData(
        session=row,
        messages=reader.messages(row.id),
        steps=reader.steps(row.id),
        tree=reader.tree(row.id),
        runs=reader.runs(row.id),
        probes=reader.probes(row.id),
    )
