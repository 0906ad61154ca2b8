"""The way of a log into the store: read, cleaned and redacted, built, stored, analysed; one source after the other.

A source is stored in one transaction, its sessions' trees in one each behind it. An ingest that is interrupted at any
moment and run again ends in the same store as an undisturbed one: a source is there whole or not at all, and sessions
without a tree are analysed at the next occasion.
"""

import dataclasses
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from sessions.errors import NecropsyError, StoreProblem
from sessions.hypotheses.rules import engine
from sessions.ingest.builder import build, tally
from sessions.ingest.events import Count, Event
from sessions.ingest.redact import Redactor, redact
from sessions.ingest.registry import BrokenFormat, format_named
from sessions.ingest.source import Source
from sessions.models.session import Session, Tally
from sessions.store.writer import Writer

Progress = Callable[[int], None]
"""Told how many bytes were just dealt with."""

Status = Literal["new", "updated", "unchanged", "known", "empty", "failed"]


@dataclass(frozen=True, slots=True)
class Ingested:
    """What came of one source: `messages` and `steps` are those of all its sessions together.

    ``unchanged``: nothing new in it; ``known``: the store has all of it from another source; ``empty``: no session in
    it; ``failed``: `error` says why, and nothing of it was stored.
    """

    source: str
    format: str
    status: Status
    sessions: tuple[str, ...] = ()
    tally: Tally = field(default_factory=Tally)
    messages: int = 0
    steps: int = 0
    error: str | None = None


def ingest(sources: Iterable[Source], writer: Writer, *, progress: Progress | None = None) -> Iterator[Ingested]:
    """Take sources into the store and yield what came of each, when it is done.

    A source that cannot be read is reported and the rest goes on. Raises StoreProblem.
    """
    redactor = Redactor(writer.key)
    analyse(writer, writer.unanalysed(engine.VERSION))
    for source in sources:
        yield _ingest(source, writer, redactor)
        if progress is not None:
            progress(source.size)


def analyse(writer: Writer, sessions: Iterable[str]) -> None:
    """Let the rules make the trees of `sessions` anew. Raises StoreProblem."""
    for session in sessions:
        told = writer.contents(session)
        writer.save_tree(session, engine.analyze(told.messages, told.steps), engine.VERSION)


def read(source: Source, redactor: Redactor, count: Count) -> list[Session]:
    """Return the sessions of a source as they may be stored, accounted for in `count`.

    Raises BadInput or EnvironmentProblem if it cannot be read.
    """
    try:
        events = format_named(source.format).read(source, count)
        return build(_redacted(events, redactor, count), source, count)
    except NecropsyError:
        raise
    except Exception as error:
        # A log in which a reader, perhaps another package's, stumbles must not take the logs behind it away.
        message = f"its reader failed on it, which is a bug: {type(error).__name__}: {error}"
        raise BrokenFormat(message, hint="Please report it.") from error


def _redacted(events: Iterable[Event], redactor: Redactor, count: Count) -> Iterator[Event]:
    """Yield `events` as they may be stored; once they have all come, `count` may be stored too."""
    for event in events:
        yield redact(event, redactor)
    shown: dict[str, int] = {}
    for name, number in count.unknown_types.items():
        kept = redactor.label(name)
        shown[kept] = shown.get(kept, 0) + number
    count.unknown_types = shown


def _ingest(source: Source, writer: Writer, redactor: Redactor) -> Ingested:
    source = dataclasses.replace(source, shown=redactor.label(source.name))
    known = writer.standing(source.name)
    if known is not None and known.stamp == source.stamp:
        return Ingested(
            source.name, source.format, "unchanged", known.sessions, known.tally, known.messages, known.steps
        )
    count = Count()
    try:
        sessions = read(source, redactor, count)
    except StoreProblem:
        raise
    except NecropsyError as error:
        return Ingested(source.name, source.format, "failed", error=redactor.label(error.message))
    account = tally(count, sessions)
    stored = writer.store(source, sessions, account)
    fresh = set(writer.unanalysed(engine.VERSION, stored.sessions))
    for name, session in zip(stored.sessions, sessions, strict=True):
        if name in fresh:
            writer.save_tree(name, engine.analyze(session.messages, session.steps), engine.VERSION)
    messages = sum(len(session.messages) for session in sessions)
    steps = sum(len(session.steps) for session in sessions)
    return Ingested(source.name, source.format, stored.status, stored.sessions, account, messages, steps)
