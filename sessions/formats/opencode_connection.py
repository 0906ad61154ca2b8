"""Open opencode's database for reading while opencode may be running: never written to, and never without its log.

The newest turns are in the write-ahead log beside the database, so it is opened as SQLite opens it, not as a bare
file. Where that is impossible (locked by the running agent, or a folder in which SQLite cannot make its index of the
log), a private copy of both is read instead.
"""

import shutil
import sqlite3
import tempfile
import weakref
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import lru_cache
from pathlib import Path
from urllib.parse import quote

from sessions.errors import BadInput, EnvironmentProblem

_PATIENCE = 0.5
"""Seconds to wait for a lock before a copy is made."""

_ATTEMPTS = 3
_BESIDE = ("", "-wal", "-journal")
"""What makes up a database; the ``-shm`` is an index of the log, which SQLite makes anew for a copy."""


@contextmanager
def connect(path: Path) -> Iterator[sqlite3.Connection]:
    """Give a connection that only reads, with text as bytes. Raises BadInput or EnvironmentProblem."""
    with closing(_open(path)) as connection:
        connection.text_factory = bytes
        try:
            yield connection
        except sqlite3.DatabaseError as error:
            raise BadInput(f"{path} is no usable database: {error}") from error


def _open(path: Path) -> sqlite3.Connection:
    try:
        return _probe(path, "mode=ro")
    except sqlite3.OperationalError as error:
        return _open_otherwise(path, error)
    except sqlite3.DatabaseError as error:
        raise BadInput(f"{path} is no usable database: {error}") from error


def _open_otherwise(path: Path, error: sqlite3.OperationalError) -> sqlite3.Connection:
    locked = "locked" in str(error)
    try:
        if not locked and not _size(path, "-wal") and not _size(path, "-journal"):
            return _probe(path, "mode=ro&immutable=1")
        return _probe(_copy(path, _stamp(path)).path, "mode=rw")
    except (sqlite3.DatabaseError, OSError) as again:
        raise EnvironmentProblem(
            f"{path} cannot be read: {error}; nor can a copy of it: {again}",
            hint="Close opencode, or copy the database with its -wal file to another folder, and try again.",
        ) from again


def _probe(path: Path, how: str) -> sqlite3.Connection:
    connection = sqlite3.connect(f"file:{quote(str(path))}?{how}", uri=True, timeout=_PATIENCE, check_same_thread=False)
    try:
        connection.execute("PRAGMA query_only = 1")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.DatabaseError:
        connection.close()
        raise
    return connection


class _Copy:
    """A copy in a folder that only this user can enter; it goes when nobody holds it any more."""

    def __init__(self, source: Path) -> None:
        folder = Path(tempfile.mkdtemp(prefix="necropsy-"))
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        self.path = folder / "copy.db"
        for end in _BESIDE:
            beside = Path(f"{source}{end}")
            if beside.exists():
                shutil.copyfile(beside, f"{self.path}{end}")


@lru_cache(maxsize=1)
def _copy(path: Path, stamp: tuple[object, ...]) -> _Copy:
    """Copy once for all sessions of a database, again if it grew; a checkpoint while copying would mix two states."""
    for _ in range(_ATTEMPTS):
        copy = _Copy(path)
        if _stamp(path) == stamp:
            return copy
        stamp = _stamp(path)
    raise OSError("it changes faster than it can be copied")


def _stamp(path: Path) -> tuple[object, ...]:
    return tuple(_state(Path(f"{path}{end}")) for end in _BESIDE)


def _state(path: Path) -> tuple[int, int] | None:
    return (path.stat().st_size, path.stat().st_mtime_ns) if path.exists() else None


def _size(path: Path, end: str) -> int:
    beside = Path(f"{path}{end}")
    return beside.stat().st_size if beside.exists() else 0
