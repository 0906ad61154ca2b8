"""sqlite3's errors, translated once, where they leave the store."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sessions.errors import StoreProblem

_WAIT = ("another necropsy is writing to {path}", "Wait until it is done, then try again.")

_BY_CODE: dict[int, tuple[str, str]] = {
    sqlite3.SQLITE_BUSY: _WAIT,
    sqlite3.SQLITE_LOCKED: _WAIT,
    sqlite3.SQLITE_FULL: (
        "the disk is full: {path} cannot grow",
        "Free some space and try again; what was stored before is kept.",
    ),
    sqlite3.SQLITE_READONLY: (
        "{path} cannot be written",
        "Check the permissions of the file and its folder, or name another store with --store.",
    ),
    sqlite3.SQLITE_CANTOPEN: (
        "{path} cannot be opened",
        "Check that its folder exists and may be used, or name another store with --store.",
    ),
    sqlite3.SQLITE_NOTADB: ("{path} is not a database", "Name another file with --store."),
    sqlite3.SQLITE_CORRUPT: (
        "{path} is damaged",
        "Move it away and ingest the logs again; sqlite3's .recover may save the corrections and replays in it.",
    ),
    sqlite3.SQLITE_IOERR: ("the disk failed to read or write {path}", "Check the disk and its space, then try again."),
}


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn every sqlite3 error inside the block into a StoreProblem about `path`."""
    try:
        yield
    except sqlite3.Error as error:
        raise problem(path, error) from error


def problem(path: Path, error: sqlite3.Error) -> StoreProblem:
    """Return the StoreProblem that says what `error` means for the store at `path`, and what to do."""
    code = getattr(error, "sqlite_errorcode", None) or 0
    if "decode to UTF-8" in str(error):  # sqlite3's own, without a code; its text quotes the whole column
        code = sqlite3.SQLITE_CORRUPT
    message, hint = _BY_CODE.get(code & 0xFF, ("{path} cannot be used: " + _braced(error), ""))
    return StoreProblem(message.format(path=path), hint=hint)


def _braced(error: sqlite3.Error) -> str:
    return str(error).replace("{", "{{").replace("}", "}}")
