"""Single files as sources: what both line formats need to name a log and to notice that it grew."""

from pathlib import Path

from sessions.ingest.source import Source


def file_source(path: Path, name: str) -> Source:
    """Return the source of one log file of format `name`; its stamp changes when the file does. Raises OSError."""
    status = path.stat()
    return Source(path=path, format=name, stamp=f"{status.st_size}-{status.st_mtime_ns}", size=status.st_size)
