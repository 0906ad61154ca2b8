"""The events of a Claude Code log while it is read: each with the records that hold it, so that dead branches tell."""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field, replace

from sessions.formats.claude.tree import Node, dead_ids
from sessions.ingest.events import Called, Event, Said
from sessions.models.session import Span


@dataclass(frozen=True, slots=True)
class Place:
    """Where an event stands: session, record, time, folder, bytes."""

    session: str
    uuid: str | None
    time: float | None
    cwd: str | None
    span: Span


@dataclass(slots=True)
class _Entry:
    event: Event
    records: list[str | None]


@dataclass(slots=True)
class Entries:
    """Collects events, each once, and the tree of records of every session."""

    _entries: list[_Entry] = field(default_factory=list)
    _keys: dict[Hashable, _Entry] = field(default_factory=dict)
    _nodes: dict[str, list[Node]] = field(default_factory=dict)
    _known: dict[str, float | None] = field(default_factory=dict)

    def add(self, event: Event, place: Place, key: Hashable = None) -> None:
        """Add an event; one whose key is there already only gains the record as a second home."""
        if not event.session:
            return
        self._known[event.session] = _later(self._known.get(event.session), place.time)
        entry = self._keys.get(key) if key is not None else None
        if entry is not None:
            entry.records.append(place.uuid)
            return
        entry = _Entry(event, [place.uuid])
        self._entries.append(entry)
        if key is not None:
            self._keys[key] = entry

    def grow(self, session: str, node: Node) -> None:
        """Add a record to the tree of its session."""
        self._nodes.setdefault(session, []).append(node)

    def knows(self, session: str) -> bool:
        """Tell whether the session has any event."""
        return session in self._known

    def holds(self, session: str, uuid: str) -> bool:
        """Tell whether a record belongs to a session."""
        return any(node.uuid == uuid for node in self._nodes.get(session, ()))

    def sessions(self) -> tuple[str, ...]:
        """Return the sessions in the order in which they came."""
        return tuple(self._known)

    def ended(self, session: str) -> float | None:
        """Return the time of the last event of a session."""
        return self._known.get(session)

    def first_human(self, session: str) -> str:
        """Return the first text that a person wrote, empty if there is none."""
        for entry in self._entries:
            event = entry.event
            if isinstance(event, Said) and event.session == session and event.role == "user" and not event.injected:
                return event.text
        return ""

    def events(self) -> Iterator[Event]:
        """Yield the events in order, those on dead branches marked as abandoned."""
        dead = {uuid for nodes in self._nodes.values() for uuid in dead_ids(nodes)}
        for entry in self._entries:
            event = entry.event
            if dead and isinstance(event, Said | Called) and all(record in dead for record in entry.records):
                event = replace(event, abandoned=True)
            yield event


def _later(one: float | None, other: float | None) -> float | None:
    if one is None or other is None:
        return one if other is None else other
    return max(one, other)
