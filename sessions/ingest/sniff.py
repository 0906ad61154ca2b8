"""What lies at a path: which format reads it, told by content, never by name."""

import atexit
import hashlib
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from sessions.errors import BadInput, EnvironmentProblem, NecropsyError, NotALog
from sessions.ingest.registry import formats
from sessions.ingest.source import Format, Source

HEAD = 64 * 1024
"""Bytes of a file by which it is recognised: the first line of a log alone may be 20 KB."""

_PASSED_BY = frozenset({".git", ".hg", ".svn", "node_modules", "__pycache__"})
"""Folders in which no agent keeps logs, and which hold more files than all logs together."""

_CHUNK = 1024 * 1024


class Skipped(NamedTuple):
    """A file or folder that was met and not read, and why."""

    path: Path
    reason: str


class Survey(NamedTuple):
    """What was found under a path: what can be read, and what cannot."""

    sources: list[Source]
    skipped: list[Skipped]


def recognise(path: Path) -> list[Source]:
    """Return what can be read at `path`: the sources of a file, or those of all logs in a folder.

    Raises NotALog if there is no log, and BadInput if the path is not there or may not be read.
    """
    path = path.absolute()
    try:
        mode = path.stat().st_mode
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}") from error
    if not stat.S_ISDIR(mode):
        return _of_file(path, mode)
    found = survey(path)
    if not found.sources:
        raise _nothing_in(path, found.skipped)
    return found.sources


def survey(folder: Path) -> Survey:
    """Return all logs in a folder and below, in a stable order, without following links; nothing there is an error."""
    found = Survey([], [])
    seen: set[str] = set()
    for source in _walk(folder, found.skipped):
        if source.name not in seen:
            seen.add(source.name)
            found.sources.append(source)
    return found


def spool(stream: BinaryIO) -> Path:
    """Copy a stream to a file of its own, named by its content and removed when the program ends; return its path.

    Raises NotALog if the stream is empty, and EnvironmentProblem if there is no room for it.
    """
    try:
        folder = Path(tempfile.mkdtemp(prefix="necropsy-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        return _copy(stream, folder)
    except OSError as error:
        raise EnvironmentProblem(
            f"standard input cannot be kept in {tempfile.gettempdir()}: {error.strerror}",
            hint="Free some space there, or set TMPDIR to another folder.",
        ) from error


def _copy(stream: BinaryIO, folder: Path) -> Path:
    digest = hashlib.sha256()
    partial = folder / "partial"
    with partial.open("wb") as file:
        while chunk := stream.read(_CHUNK):
            digest.update(chunk)
            file.write(chunk)
        if not file.tell():
            raise NotALog("standard input is empty")
    return partial.rename(folder / f"standard-input-{digest.hexdigest()[:12]}")


def _of_file(path: Path, mode: int) -> list[Source]:
    if not stat.S_ISREG(mode):
        raise BadInput(f"{path} is not a regular file", hint="Give its content on standard input: necropsy ingest -")
    try:
        head = _head(path)
        if not head:
            raise NotALog(f"{path} is empty")
        reader = _reader_of(path, head)
        if reader is None:
            known = ", ".join(each.name for each in formats())
            raise NotALog(f"{path} is no log of a known format", hint=f"Formats read: {known}.")
        return list(reader.sources(path))
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}") from error


def _walk(folder: Path, skipped: list[Skipped]) -> Iterator[Source]:
    waiting = [(folder, True)]  # a stack of its own: folders may lie deeper than Python can call
    while waiting:
        path, is_folder = waiting.pop()
        if not is_folder:
            yield from _in_folder(path, skipped)
            continue
        try:
            reader = _reader_of(path, b"")
            if reader is not None:
                yield from reader.sources(path)
            else:
                waiting += reversed(_entries(path))
        except OSError as error:
            skipped.append(Skipped(path, error.strerror or str(error)))


def _entries(folder: Path) -> list[tuple[Path, bool]]:
    """Return the files and folders in a folder, no links among them, in the order of their names."""
    with os.scandir(folder) as entries:
        ordered = sorted(entries, key=lambda entry: entry.name)
    found = [(folder / entry.name, entry.is_dir(follow_symlinks=False), entry) for entry in ordered]
    return [
        (path, is_folder)
        for path, is_folder, entry in found
        if (entry.name not in _PASSED_BY if is_folder else entry.is_file(follow_symlinks=False))
    ]


def _in_folder(path: Path, skipped: list[Skipped]) -> Iterator[Source]:
    try:
        yield from _of_file(path, stat.S_IFREG)
    except NecropsyError as error:
        skipped.append(Skipped(path, error.message))


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(HEAD)


def _reader_of(path: Path, head: bytes) -> Format | None:
    return next((each for each in formats() if each.sniff(path, head)), None)


def _nothing_in(folder: Path, skipped: list[Skipped]) -> NotALog:
    if skipped and skipped[0].path == folder:
        return NotALog(f"{folder} cannot be read: {skipped[0].reason}")
    example = f"; the first: {skipped[0].reason}" if skipped else ""
    return NotALog(f"no log was found in {folder} ({len(skipped)} files are none{example})")
