"""What other programs are told of the store, as plain values: best or newest first."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sessions.errors import StoreProblem
from sessions.models.hypothesis import DEAD_ENDS, Evidence, Hypothesis
from sessions.store.reader import Reader
from sessions.store.rows import Recollection, SessionRow

Value = Mapping[str, Any]


def recall(store: Path, words: str, limit: int, *, writes: bool) -> Sequence[Recollection]:
    """Return earlier hypotheses on the same thing.

    A store of an older layout is brought up to date first; raises StoreProblem where nothing may be written.
    """
    with up_to_date(store, writes=writes) as reader:
        return reader.recall(words, limit)


@contextmanager
def up_to_date(store: Path, *, writes: bool) -> Iterator[Reader]:
    """Open a store whose hypotheses can be recalled. Raises StoreProblem as `recall` does."""
    with Reader.open(store) as reader:
        if reader.recalls:
            yield reader
            return
    if not writes:
        raise StoreProblem(f"{store} is of an older layout.", hint="`necropsy recall WORDS` brings it up to date.")
    from sessions.store.writer import Writer  # noqa: PLC0415 - only an older store needs it

    Writer.open(store).close()
    with Reader.open(store) as reader:
        yield reader


def sessions(store: Path) -> Iterator[Value]:
    """Yield the sessions."""
    with Reader.open(store) as reader:
        for row in reader.sessions():
            yield {
                "session": row.id,
                "title": row.title,
                "agent": row.agent,
                "model": row.model,
                "started": row.started,
                "reconstructed": row.reconstructed,
                "steps": row.steps,
                "hypotheses": row.hypotheses,
                "dead_ends": row.dead_ends,
                "causes": row.causes,
            }


def show(store: Path, session: str) -> Iterator[Value]:
    """Yield the hypotheses of a session, the symptom first. Raises UnknownSession."""
    with Reader.open(store) as reader:
        row = reader.resolve(session)
        for one in reader.tree(row.id).hypotheses:
            yield {**describe(_as_found(row, one)), "root": one.root, "parent": one.parent}


def dead_ends(store: Path, session: str | None) -> Iterator[Value]:
    """Yield what was refuted or abandoned, in one session or in all. Raises UnknownSession."""
    with Reader.open(store) as reader:
        for row in [reader.resolve(session)] if session else reader.sessions():
            for one in reader.tree(row.id).hypotheses if row.dead_ends else ():
                if one.verdict in DEAD_ENDS and not one.root:
                    yield describe(_as_found(row, one))


def ingest(store: Path, path: Path) -> Iterator[Value]:
    """Read logs into the store and yield what came of each. Raises BadInput and StoreProblem."""
    from sessions.ingest import pipeline  # noqa: PLC0415 - formats are loaded only to read logs
    from sessions.ingest.sniff import recognise  # noqa: PLC0415 - as above
    from sessions.store.writer import Writer  # noqa: PLC0415 - as above

    with Writer.open(store) as writer:
        for one in pipeline.ingest(recognise(path), writer):
            yield {
                "source": one.source,
                "format": one.format,
                "status": one.status,
                "sessions": list(one.sessions),
                "messages": one.messages,
                "steps": one.steps,
                "error": one.error,
            }


def describe(found: Recollection) -> Value:
    """Return a hypothesis: where it stands, how it ended, what it cost, and the lines that say so, deciding first."""
    one = found.hypothesis
    return {
        "session": found.session,
        "title": found.title,
        "time": found.time,
        "hypothesis": one.id,
        "statement": one.statement,
        "verdict": one.verdict,
        "support": one.support,
        "source": one.source,
        "stated_in": one.stated_in,
        "decided_in": one.decided_in,
        "evidence": [piece.model_dump(mode="json", warnings=False) for piece in _deciding_first(one)],
        "cost": one.cost.model_dump(warnings=False),
    }


def _deciding_first(one: Hypothesis) -> list[Evidence]:
    return sorted(one.evidence, key=lambda piece: not piece.deciding)


def _as_found(row: SessionRow, one: Hypothesis) -> Recollection:
    return Recollection(row.id, row.title, row.started, one)
