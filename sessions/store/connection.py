"""Opening the file: for writing, for reading only, and the look at its head that comes before either."""

import os
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING

from sessions.errors import StoreProblem
from sessions.store.schema import APPLICATION, VERSION
from sessions.store.trouble import translated

if TYPE_CHECKING:
    from sqlite_utils import Database

BUSY_SECONDS = 5.0
"""How long a writer waits for another one."""

_HEAD = 100
_MAGIC = b"SQLite format 3\0"
_NUMBERS = {"schema_version": 40, "user_version": 60, "application_id": 68}
"""Where the file's head keeps them."""


def open_for_writing(path: Path) -> "Database":
    """Return the store at `path`, made if it is missing, in the present layout.

    Raises StoreProblem, with the file unchanged, if it is newer than this program or no store at all.
    """
    from sqlite_utils import Database  # noqa: PLC0415 (listing and showing must not pay for this import)

    from sessions.store.migrations import migrate  # noqa: PLC0415 (as above)

    check_head(path)
    _make_folder(path)
    with translated(path):
        # A replay waits for the disk beside its event loop, one thread after the other.
        connection = sqlite3.connect(path, timeout=BUSY_SECONDS, check_same_thread=False)
        try:
            db = Database(connection, execute_plugins=False)
            for pragma in ("journal_mode = WAL", "synchronous = NORMAL", "foreign_keys = ON", "secure_delete = ON"):
                db.execute(f"PRAGMA {pragma}")
            if _number(connection, "user_version") != VERSION:
                migrate(db)
        except BaseException:
            connection.close()
            raise
    return db


def open_for_reading(path: Path) -> sqlite3.Connection:
    """Return a connection that cannot write; it works beside a writer, and in a folder that may not be written.

    Raises StoreProblem if there is no store at `path`, or it is newer than this program.
    """
    if not check_head(path):
        raise StoreProblem(f"there is no store at {path}", hint="Run `necropsy ingest` first.")
    with translated(path):
        try:
            return _connect(path, "mode=ro")
        except sqlite3.OperationalError:
            if os.access(path.parent, os.W_OK) or _log_of(path).exists():
                raise
            return _connect(path, "mode=ro&immutable=1")


def check_head(path: Path) -> bool:
    """Tell whether tables stand in the file at `path`, by its first bytes: SQLite itself may write when it opens one.

    Raises StoreProblem if it is no store, or a newer one.
    """
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            raise _no_database(path)  # opening a pipe would wait for its other end
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except FileNotFoundError:
        return False
    except OSError as error:
        raise StoreProblem(f"{path} cannot be read: {error.strerror}", hint="Name another one with --store.") from error
    if not head:
        return False
    if not head.startswith(_MAGIC) or len(head) < _HEAD:
        raise _no_database(path)
    numbers = {name: int.from_bytes(head[at : at + 4], "big") for name, at in _NUMBERS.items()}
    return _judge(path, _numbers_with_log(path) if _log_size(path) else numbers)


def _no_database(path: Path) -> StoreProblem:
    return StoreProblem(f"{path} is not a database", hint="Name another file with --store; this one was not changed.")


def _judge(path: Path, numbers: dict[str, int]) -> bool:
    """A file without any table is a store whose making was interrupted: it is made anew."""
    if not numbers["schema_version"]:
        return False
    if numbers["application_id"] != APPLICATION:
        raise StoreProblem(
            f"{path} is a database, but not a store of necropsy",
            hint="Name another file with --store; this one was not changed.",
        )
    if numbers["user_version"] > VERSION:
        raise StoreProblem(
            f"{path} was written by a newer necropsy (layout {numbers['user_version']}, this one knows {VERSION})",
            hint="Upgrade necropsy, or name another store with --store; this one was not changed.",
        )
    return True


def _numbers_with_log(path: Path) -> dict[str, int]:
    with translated(path):
        connection = _connect(path, "mode=ro")
        try:
            return {name: _number(connection, name) for name in _NUMBERS}
        finally:
            connection.close()


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    address = f"{path.absolute().as_uri()}?{mode}"
    # One reader may be handed from thread to thread: SQLite itself serialises what they ask.
    connection = sqlite3.connect(address, uri=True, timeout=BUSY_SECONDS, check_same_thread=False)
    try:
        connection.execute("SELECT count(*) FROM sqlite_master")
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _make_folder(path: Path) -> None:
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StoreProblem(
            f"the folder {path.parent} cannot be made: {error.strerror}", hint="Name another store with --store."
        ) from error


def _log_of(path: Path) -> Path:
    return path.with_name(path.name + "-wal")


def _log_size(path: Path) -> int:
    try:
        return _log_of(path).stat().st_size
    except OSError:
        return 0


def _number(connection: sqlite3.Connection, pragma: str) -> int:
    return int(connection.execute(f"PRAGMA {pragma}").fetchone()[0])
