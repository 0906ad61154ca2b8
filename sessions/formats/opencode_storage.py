"""opencode's file storage (until 1.1): one small JSON file per session, message and part, in two layouts.

    session/PROJECT/SESSION.json   message/SESSION/MESSAGE.json           part/MESSAGE/PART.json
    session/info/SESSION.json      session/message/SESSION/MESSAGE.json   session/part/SESSION/MESSAGE/PART.json

The path tells the ids, not the content: sessions that were moved kept the content of before. A full disk leaves empty
files, a crash files of NUL bytes, and files ending ``.tmp`` lie beside what they were to become.
"""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from glob import escape
from pathlib import Path

from sessions.formats.opencode_parts import AGENT, FOLDERS, Frame, Piece, about, frame, load, output_folders, tell
from sessions.ingest.events import Count, Event
from sessions.ingest.source import Source
from sessions.models.session import Span

name = "opencode-storage"
agent = AGENT
folders = tuple(f"{folder}/{inner}" for folder in FOLDERS for inner in ("storage", "project"))


@dataclass(frozen=True, slots=True)
class _Layout:
    """Where a storage keeps what: patterns below `root`."""

    root: Path
    record: str
    messages: str
    parts: str

    def sessions(self) -> list[str]:
        """Return the ids of all sessions that have a record or messages, oldest first."""
        records = {path.stem for path in self.root.glob(self.record.format(session="*"))}
        folders = self.root.glob(self.messages.format(session="*"))
        return sorted(records | {path.name for path in folders if path.is_dir()}, reverse=True)

    def own_record(self, session: str) -> Path | None:
        """Return the file of the session itself."""
        return next(iter(sorted(self.root.glob(self.record.format(session=escape(session))))), None)

    def message_folder(self, session: str) -> Path:
        """Return the folder of the messages of a session."""
        return self.root / self.messages.format(session=session)

    def part_folder(self, session: str, message: str) -> Path:
        """Return the folder of the parts of a message."""
        return self.root / self.parts.format(session=session, message=message)

    def stray(self, session: str) -> list[Path]:
        """Return the folders of parts without a message; for session ``""`` those of which no session is known."""
        by_session = "{session}" in self.parts
        if by_session != bool(session):
            return []
        sessions = [session] if by_session else self.sessions()
        known = {file.stem for one in sessions for file in _files(self.message_folder(one))}
        return [folder for folder in _folders(self.part_folder(session, "x").parent) if folder.name not in known]


def sniff(path: Path, head: bytes) -> bool:
    """Tell whether a folder is a storage of either layout."""
    return not head and path.is_dir() and _layout(path) is not None


def sources(path: Path) -> Iterable[Source]:
    """Return one source per session, and one (of no `part`) for parts that belong to no message of any session."""
    layout = _layout(path)
    if layout is None:
        return
    for session in layout.sessions():
        yield _source(path, session, _own_files(layout, session))
    if stray := [file for folder in layout.stray("") for file in _files(folder)]:
        yield _source(path, "", stray)


def read(source: Source, count: Count) -> Iterator[Event]:
    """Yield the events of one session; a file that cannot be read is counted and left out."""
    layout, session = _layout(source.path), source.part
    if layout is None:
        return
    for folder in layout.stray(session):
        _skip(folder, count)
    if not session:
        return
    record = layout.own_record(session)
    own = _piece(record, layout.root, count) if record else None
    info = own.value if own else {}
    yield about(info, session)
    # The data folder lies around ``storage``; in the old layout two levels further up.
    data = source.path / ("../../.." if "{session}" in layout.parts else "..")
    shared = frame(info, session, output_folders(data))
    for file in _files(layout.message_folder(session)):
        yield from _message(layout, file, shared, count)


def _message(layout: _Layout, file: Path, shared: Frame, count: Count) -> Iterator[Event]:
    message = _piece(file, layout.root, count)
    folder = layout.part_folder(shared.session, file.stem)
    if message is None:
        _skip(folder, count)
        return
    pieces = [piece for path in _files(folder) if (piece := _piece(path, layout.root, count))]
    yield from tell(message.value, pieces, shared, count)


def _piece(file: Path, root: Path, count: Count) -> Piece | None:
    count.read += 1
    try:
        data = file.read_bytes() if file.suffix == ".json" else b""
    except OSError:
        data = b""
    value = load(data)
    if value is None:
        count.skipped += 1
        return None
    span = Span(start=0, end=len(data), file=file.relative_to(root).as_posix())
    return Piece({**value, "id": file.stem}, span)


def _skip(folder: Path, count: Count) -> None:
    files = len(_files(folder))
    count.read += files
    count.skipped += files


def _layout(path: Path) -> _Layout | None:
    if (path / "session" / "message").is_dir():
        return _Layout(
            path, "session/info/{session}.json", "session/message/{session}", "session/part/{session}/{message}"
        )
    if (path / "message").is_dir() and ((path / "session").is_dir() or (path / "part").is_dir()):
        return _Layout(path, "session/*/{session}.json", "message/{session}", "part/{message}")
    return None


def _own_files(layout: _Layout, session: str) -> list[Path]:
    messages = _files(layout.message_folder(session))
    parts = [part for message in messages for part in _files(layout.part_folder(session, message.stem))]
    record = layout.own_record(session)
    return [*([record] if record else []), *messages, *parts]


def _source(path: Path, session: str, files: list[Path]) -> Source:
    states = [file.stat() for file in files if file.exists()]
    size = sum(state.st_size for state in states)
    newest = max((state.st_mtime_ns for state in states), default=0)
    return Source(path, name, f"{len(states)}:{size}:{newest}", size, session)


def _files(folder: Path) -> list[Path]:
    return sorted(Path(entry.path) for entry in _entries(folder) if entry.is_file())


def _folders(folder: Path) -> list[Path]:
    return sorted(Path(entry.path) for entry in _entries(folder) if entry.is_dir())


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []
