"""Reading the store: through a connection that cannot write, as plain rows that were validated when they went in."""

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from sessions.errors import BadInput, UnknownSession
from sessions.models.hypothesis import Hypothesis, Tree
from sessions.models.replay import RunStep
from sessions.models.session import Message, Step, Tokens
from sessions.store import analyses, contents
from sessions.store.connection import open_for_reading
from sessions.store.finding import recall, search
from sessions.store.rows import EditRow, Hit, ProbeRow, Recollection, RunRow, SessionRow, StepLine
from sessions.store.tables import blobs, journal, probes, runs, sessions, steps
from sessions.store.trouble import translated

_NEWEST_FIRST = "ORDER BY started IS NULL, started DESC, id"
_SESSIONS = f"SELECT {sessions.COLUMNS} FROM sessions {_NEWEST_FIRST}"  # noqa: S608 (names of columns)
_LATEST = f"SELECT {sessions.COLUMNS} FROM sessions WHERE parent IS NULL {_NEWEST_FIRST} LIMIT 1"  # noqa: S608 (as above)
_BELOW = """WITH RECURSIVE below(id, tokens) AS (
    SELECT id, tokens FROM sessions WHERE parent = ?
    UNION SELECT sessions.id, sessions.tokens FROM sessions JOIN below ON sessions.parent = below.id
) SELECT tokens FROM below"""
_SESSION = f"SELECT {sessions.COLUMNS} FROM sessions WHERE id = ?"  # noqa: S608 (as above)
_PREFIX = f"SELECT {sessions.COLUMNS} FROM sessions WHERE substr(id, 1, length(?1)) = ?1 ORDER BY id LIMIT 4"  # noqa: S608 (as above)
_LINES = f"SELECT {steps.LINE_COLUMNS} FROM steps WHERE session = ? AND ordinal >= ? ORDER BY ordinal LIMIT ?"  # noqa: S608 (as above)
_STEP = f"SELECT {steps.COLUMNS} FROM steps WHERE session = ? AND ordinal = ?"  # noqa: S608 (as above)
_RUNS = f"SELECT {runs.COLUMNS} FROM runs WHERE session = ? ORDER BY number"  # noqa: S608 (as above)
_RUN_STEPS = f"SELECT {runs.STEP_COLUMNS} FROM run_steps WHERE run = ? ORDER BY step"  # noqa: S608 (as above)


class Reader:
    """A store opened for reading; it sees what was committed, also while a writer is at work.

    All methods raise StoreProblem if the store cannot be read. Ids are whole ones, as `resolve` returns them.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        """Use `connection`."""
        self.path = path
        self._connection = connection

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open the store at `path`. Raises StoreProblem, with what to do, if there is none."""
        return cls(path, open_for_reading(path))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Give the file back."""
        self._connection.close()

    def journal_head(self) -> str:
        """Return the head of the journal of replays, ``COUNT:MAC``."""
        with translated(self.path):
            return journal.head(self._connection)

    def check_journal(self, kept: Sequence[str] = ()) -> journal.Checked:
        """Return what is wrong with the journal of replays, also against the heads that a person `kept`."""
        with translated(self.path):
            return journal.check(self._connection, self.path, kept)

    def sessions(self) -> tuple[SessionRow, ...]:
        """Return all sessions, newest first, those without a time last."""
        with translated(self.path):
            return tuple(map(sessions.from_row, self._connection.execute(_SESSIONS)))

    def resolve(self, name: str) -> SessionRow:
        """Return the session that `name` names: its id, the beginning of it, or ``latest``. Raises UnknownSession.

        The latest is the newest that no other session started as a sub-agent.
        """
        name = name.encode("utf-8", "backslashreplace").decode()  # as bytes of a shell that are no text would be stored
        with translated(self.path):
            row = self._connection.execute(_SESSION, [name]).fetchone()
            if row is None and name == "latest":
                row = self._connection.execute(_LATEST).fetchone()
            if row is not None:
                return sessions.from_row(row)
            rows = self._connection.execute(_PREFIX, [name]).fetchall() if name else []
        if len(rows) == 1:
            return sessions.from_row(rows[0])
        raise _unknown(name, [row[0] for row in rows])

    def spent_below(self, session: str) -> tuple[Tokens, ...]:
        """Return the tokens of each sub-agent of a session, and of theirs."""
        with translated(self.path):
            rows = self._connection.execute(_BELOW, [session]).fetchall()
        return tuple(Tokens.model_validate_json(row[0]) for row in rows)

    def messages(self, session: str) -> tuple[Message, ...]:
        """Return all messages of a session in order."""
        with translated(self.path):
            return contents.read_messages(self._connection, session)

    def steps(self, session: str) -> tuple[Step, ...]:
        """Return all steps of a session in order, with their whole outputs."""
        with translated(self.path):
            return contents.read_steps(self._connection, session)

    def step_lines(self, session: str, start: int = 0, limit: int | None = None) -> tuple[StepLine, ...]:
        """Return up to `limit` steps of a session from the ordinal `start` on, without their outputs."""
        with translated(self.path):
            rows = self._connection.execute(_LINES, [session, start, -1 if limit is None else limit])
            return tuple(map(steps.line_from_row, rows))

    def step(self, session: str, ordinal: int) -> Step:
        """Return one step with its whole output. Raises BadInput if the session has no such step."""
        with translated(self.path):
            row = self._connection.execute(_STEP, [session, ordinal]).fetchone()
            if row is None:
                raise BadInput(f"session {session} has no step {ordinal}", hint=f"See `necropsy steps {session}`.")
            return steps.from_row(row, blobs.whole(self._connection, row[steps.OUTPUT], row[steps.BLOB]))

    def tree(self, session: str) -> Tree:
        """Return the hypotheses of a session, a person's corrections included."""
        with translated(self.path):
            row = self._connection.execute("SELECT note FROM sessions WHERE id = ?", [session]).fetchone()
            return analyses.read_tree(self._connection, session, row[0] if row else "")

    def edits(self, session: str) -> tuple[EditRow, ...]:
        """Return a person's corrections to a session's tree, oldest first."""
        with translated(self.path):
            return analyses.read_edits(self._connection, session)

    def search(self, words: str, session: str | None = None, limit: int = 50) -> tuple[Hit, ...]:
        """Return up to `limit` places that hold all of `words`, best first; any text is a valid question."""
        with translated(self.path):
            return search.find(self._connection, words, session, limit)

    @property
    def recalls(self) -> bool:
        """Whether hypotheses can be recalled: an older layout cannot, until a writer has opened the store."""
        with translated(self.path):
            return recall.is_indexed(self._connection)

    def recall(self, words: str, limit: int = 20) -> tuple[Recollection, ...]:
        """Return up to `limit` hypotheses of all sessions that hold at least half of `words`, best first."""
        with translated(self.path):
            return recall.find(self._connection, words, limit) if self.recalls else ()

    def beliefs(self) -> tuple[Recollection, ...]:
        """Return the hypotheses of all sessions."""
        with translated(self.path):
            return recall.everything(self._connection) if self.recalls else ()

    def tested_before(self, session: str, hypothesis: Hypothesis) -> Recollection | None:
        """Return the hypothesis of another session that says the same and was settled there, if there is one."""
        with translated(self.path):
            return recall.tested_before(self._connection, session, hypothesis) if self.recalls else None

    def runs(self, session: str) -> tuple[RunRow, ...]:
        """Return the replays of a session, oldest first."""
        with translated(self.path):
            rows = self._connection.execute(_RUNS, [session]).fetchall()
            return tuple(runs.from_row(row, self._run_steps(row[0])) for row in rows)

    def probes(self, session: str | None) -> tuple[ProbeRow, ...]:
        """Return what probes said for a session, oldest first; with None what was asked for no session."""
        with translated(self.path):
            return probes.read(self._connection, session)

    def remembered(self, name: str) -> str | None:
        """Return what the writer was asked to remember under `name`."""
        with translated(self.path):
            row = self._connection.execute("SELECT value FROM meta WHERE name = ?", [f"note:{name}"]).fetchone()
            return row[0].decode() if row else None

    def sources(self) -> dict[str, str]:
        """Return the stamp of every source that was taken in, by its name."""
        with translated(self.path):
            return dict(self._connection.execute("SELECT name, stamp FROM sources"))

    def _run_steps(self, run: int) -> tuple[RunStep, ...]:
        rows = self._connection.execute(_RUN_STEPS, [run]).fetchall()
        return tuple(runs.step_from_row(row, blobs.whole(self._connection, row[-1], row[-2])) for row in rows)


def _unknown(name: str, several: list[str]) -> UnknownSession:
    if not several and name == "latest":
        return UnknownSession("the store is empty", hint="Fill it with `necropsy ingest`.")
    if not several:
        return UnknownSession(f"the store has no session {name}", hint="See `necropsy list`.")
    shown = ", ".join(several[:3]) + (", …" if len(several) > 3 else "")  # noqa: PLR2004 (as many as fit on a line)
    return UnknownSession(f"{name} names several sessions: {shown}", hint="Give more of the id.")
