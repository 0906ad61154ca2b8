"""The only way to change the store."""

import secrets
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import TracebackType
from typing import Self

from sessions import times
from sessions.errors import BadInput, StoreProblem, UnknownSession
from sessions.hypotheses.edits import problem
from sessions.ingest.redact import Redactor
from sessions.ingest.source import Source
from sessions.models.hypothesis import Tree
from sessions.models.probe import ProbeReport
from sessions.models.replay import EvidenceStanding, HypothesisStanding, Plan, PlannedStep, RunStep
from sessions.models.session import Session, Tally
from sessions.store import analyses, contents, intake
from sessions.store.connection import open_for_writing
from sessions.store.intake import Standing, Stored
from sessions.store.rows import EditRow
from sessions.store.tables import blobs, journal, probes, runs, words
from sessions.store.tables.packing import pack, pack_models
from sessions.store.trouble import translated

_KEY_BYTES = 32


class Writer:
    """A store opened for writing; every method is one transaction: done whole, or not at all.

    All methods raise StoreProblem if the store cannot be written, and UnknownSession for a session it has not.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection, key: bytes) -> None:
        """Use `connection`; `key` is what the digests of redacted secrets are made with."""
        self.path = path
        self.key = key
        self._connection = connection

    @classmethod
    def open(cls, path: Path, *, key: bytes | None = None) -> Self:
        """Open the store at `path`, made if it is missing. A store keeps its first `key`; by default it is random."""
        connection = open_for_writing(path).conn
        with translated(path):
            connection.execute("INSERT OR IGNORE INTO meta VALUES ('key', ?)", [key or secrets.token_bytes(_KEY_BYTES)])
            connection.commit()
            kept = connection.execute("SELECT value FROM meta WHERE name = 'key'").fetchone()[0]
        connection.isolation_level = None
        return cls(path, connection, kept)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Give the file back."""
        self._connection.close()

    def remember(self, name: str, value: str) -> None:
        """Keep a note of the person's about this store, e.g. that it was agreed to read the agents' folders."""
        with self._transaction() as connection:
            connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", [f"note:{name}", value.encode()])

    def standing(self, source: str) -> Standing | None:
        """Return what is stored of a source; None if it was never taken in."""
        with translated(self.path):
            return intake.standing(self._connection, source)

    def store(self, source: Source, sessions: Sequence[Session], tally: Tally) -> Stored:
        """Take in the sessions of one source; only what differs from the store is written."""
        with self._transaction() as connection:
            return intake.take_in(connection, source, sessions, tally)

    def contents(self, session: str) -> contents.Contents:
        """Return the messages and steps of a session as they are stored."""
        with translated(self.path):
            return contents.read(self._connection, session)

    def unanalysed(self, analysis: str, among: Sequence[str] | None = None) -> tuple[str, ...]:
        """Return the sessions (`among` these, if given) that the rules of version `analysis` have to read (again).

        A tree that a model made stays.
        """
        within = "" if among is None else "AND id IN (SELECT value FROM json_each(?2))"
        query = f"SELECT id FROM sessions WHERE {analyses.DUE} {within} ORDER BY id"  # noqa: S608 (from above)
        with translated(self.path):
            rows = self._connection.execute(query, [analysis] if among is None else [analysis, pack(list(among))])
            return tuple(row[0] for row in rows)

    def save_tree(self, session: str, tree: Tree, analysis: str) -> None:
        """Store what the rules (version `analysis`) or a model (``model:NAME``) made of a session.

        Corrections by a person stay on top.
        """
        with self._transaction() as connection:
            self._require(session)
            analyses.save(connection, session, tree, analysis)

    def edit(self, session: str, key: str, action: str, value: Mapping[str, object], author: str) -> str:
        """Correct a tree and return the key of the hypothesis: named by `key` or id, or a new one for ``add``.

        Raises UnknownHypothesis, and BadInput for an action that is none or a value that does not fit it.
        """
        if isinstance(statement := value.get("statement"), str):
            value = {**value, "statement": self._line(statement)}
        wrong = problem(action, value)
        if wrong is not None:
            raise BadInput(f"this correction cannot be made: {wrong}")
        with self._transaction() as connection:
            self._require(session)
            adds = action == "add"
            key = (
                (key or analyses.free_key(connection, session)) if adds else analyses.find_key(connection, session, key)
            )
            fields = analyses.with_keys(connection, session, value)
            analyses.add_edit(connection, session, EditRow(0, key, action, fields, self._line(author), times.now()))
            return key

    def undo(self, session: str, author: str | None = None) -> EditRow | None:
        """Take the last correction of a session back, or the last by `author`; None where there is none left."""
        with self._transaction() as connection:
            self._require(session)
            return analyses.take_back(connection, session, None if author is None else self._line(author))

    def forget(self, session: str) -> None:
        """Remove a session with all that hangs on it. Its log, ingested again, brings it back."""
        with self._transaction() as connection:
            self._require(session)
            replayed = connection.execute(
                "SELECT DISTINCT blob FROM run_steps WHERE blob IS NOT NULL AND run IN "
                "(SELECT number FROM runs WHERE session = ?)",
                [session],
            ).fetchall()
            contents.remove(connection, session)
            connection.execute(
                "UPDATE sources SET stamp = '' WHERE name = (SELECT source FROM sessions WHERE id = ?)", [session]
            )
            connection.execute("DELETE FROM sessions WHERE id = ?", [session])
            # Sources without a session of their own may have been copies of this one.
            connection.execute("DELETE FROM sources WHERE name NOT IN (SELECT source FROM sessions)")
            blobs.collect_garbage(connection, {row[0] for row in replayed})
            words.purge(connection)
        with translated(self.path):
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def save_probe(self, report: ProbeReport, session: str | None = None, key: str | None = None) -> int:
        """Store what a probe said, asked for the hypothesis `key` (or id) of a session or for none; its number.

        Raises UnknownHypothesis.
        """
        with self._transaction() as connection:
            if session is not None:
                self._require(session)
                key = analyses.find_key(connection, session, key) if key else None
            return probes.add(connection, report, probes.Asked(session, key), Redactor(self.key))

    def start_run(self, session: str, plan: Plan, fingerprint: Mapping[str, object]) -> int:
        """Store the beginning of a replay, in the journal too, and return its number."""
        planned = pack_models(plan.steps)
        with self._transaction() as connection:
            self._require(session)
            started = connection.execute(
                "INSERT INTO runs (session, target, plan, fingerprint, started) VALUES (?, ?, ?, ?, ?)",
                [session, plan.target, planned, pack(dict(fingerprint)), times.now()],
            )
            number = int(started.lastrowid or 0)
            journal.add(connection, self.key, "begin", number, {"plan": journal.digest(self.key, [planned])})
            for step in plan.steps:
                if step.consent is not None:
                    consent = {"step": step.step, "sent": journal.digest(self.key, [step.sent])}
                    journal.add(connection, self.key, "consent", number, consent | step.consent.model_dump())
        self._anchor()
        return number

    def intend(self, run: int, *steps: PlannedStep) -> None:
        """Put on the disk that `steps` are about to be sent: if all ends here, their outcomes stay ``unknown``."""
        self.note(*((run, step) for step in steps))

    def record(self, run: int, step: RunStep) -> None:
        """Store what came of a step, in place of the intent."""
        self.note((run, step))

    def note(self, *entries: tuple[int, PlannedStep | RunStep]) -> None:
        """Store intents (planned steps) and results together, in this order; on the disk if one is an intent."""
        intents = any(isinstance(entry, PlannedStep) for _, entry in entries)
        with self._durably() if intents else nullcontext(), self._transaction() as connection:
            for run, entry in entries:
                if isinstance(entry, PlannedStep):
                    self._keep(connection, run, _intent(entry), "intent")
                else:
                    self._keep(connection, run, entry, "result")

    def finish_run(
        self,
        run: int,
        standings: Sequence[EvidenceStanding],
        worths: Sequence[HypothesisStanding],
        *,
        whole: bool = True,
    ) -> str:
        """Store the end of a replay and what it does to evidence and verdicts; return the head of the journal.

        A run that is not `whole` was ended before its time, and has no time at which it finished.
        """
        found = [pack_models(standings), pack_models(worths)]
        finished = times.now() if whole else None
        with self._durably(), self._transaction() as connection:
            connection.execute(
                "UPDATE runs SET finished = ?, standings = ?, worths = ? WHERE number = ?", [finished, *found, run]
            )
            journal.add(connection, self.key, "end", run, {"found": journal.digest(self.key, found)})
        return self._anchor()

    def _keep(self, connection: sqlite3.Connection, run: int, step: RunStep, kind: str) -> None:
        output = blobs.divide(step.output)
        row = runs.to_row(run, step, output)
        blobs.keep(connection, output)
        connection.execute(runs.REPLACE_STEP, row)
        journal.add(connection, self.key, kind, run, {"step": step.step, "row": journal.digest(self.key, row)})

    def _anchor(self) -> str:
        """Append the head of the journal to the file beside the store. What cannot be anchored does not run."""
        with translated(self.path):
            head = journal.head(self._connection)
        try:
            journal.anchor(self.path, head)
        except OSError as error:
            raise StoreProblem(f"{journal.heads_file(self.path)}: cannot be written: {error.strerror}") from error
        return head

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with translated(self.path):
            try:
                # IMMEDIATE: the wait for another writer happens here, before anything was read.
                self._connection.execute("BEGIN IMMEDIATE")
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    @contextmanager
    def _durably(self) -> Iterator[None]:
        self._connection.execute("PRAGMA synchronous = FULL")
        try:
            yield
        finally:
            self._connection.execute("PRAGMA synchronous = NORMAL")

    def _line(self, text: str) -> str:
        """Return what a person typed as it may be stored: on one line, without secrets and escape sequences."""
        return " ".join(Redactor(self.key).label(text).split())

    def _require(self, session: str) -> None:
        if self._connection.execute("SELECT 1 FROM sessions WHERE id = ?", [session]).fetchone() is None:
            raise UnknownSession(f"the store has no session {session}", hint="See `necropsy list`.")


def _intent(step: PlannedStep) -> RunStep:
    return RunStep(step=step.step, outcome="unknown", sent=step.sent, reasons=step.reasons, started=times.now())
