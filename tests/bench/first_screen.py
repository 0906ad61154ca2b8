"""Seconds from the start of the process to the painted list of sessions, in a real pseudo-terminal."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
from collections.abc import Sequence
from pathlib import Path

ROWS, COLUMNS = 40, 120
PATIENCE = 30.0
"""Seconds after which the screen counts as never painted."""

_ESCAPES = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|P[^\x1b]*\x1b\\|.)")


class NeverPaintedError(Exception):
    """What was waited for did not appear on the screen."""


def seconds_to(text: str, words: Sequence[str], home: Path) -> float:
    """Return the seconds until `text` stands on the screen of a program; the program is ended then.

    Raises NeverPaintedError with the end of what it printed instead.
    """
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    environment = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor", "HOME": str(home)}
    start = time.perf_counter()
    process = subprocess.Popen(
        words, stdin=theirs, stdout=theirs, stderr=theirs, env=environment, start_new_session=True
    )
    os.close(theirs)
    try:
        return _wait_for(text.encode(), ours, start)
    finally:
        process.terminate()
        _drain(ours, process)
        os.close(ours)


def _wait_for(text: bytes, terminal: int, start: float) -> float:
    printed = b""
    while time.perf_counter() - start < PATIENCE:
        chunk = _read(terminal)
        if chunk is None:
            break
        printed += chunk
        if text in _ESCAPES.sub(b"", printed):
            return time.perf_counter() - start
    shown = _ESCAPES.sub(b"", printed)[-500:].decode(errors="replace")
    raise NeverPaintedError(f"{text.decode()!r} did not appear; instead: {shown}")


def _read(terminal: int) -> bytes | None:
    """Return what was printed, empty if nothing came for a moment, None at the end."""
    ready, _, _ = select.select([terminal], [], [], 0.1)
    try:
        return (os.read(terminal, 65536) or None) if ready else b""
    except OSError:
        return None


def _drain(terminal: int, process: subprocess.Popen[bytes]) -> None:
    end = time.perf_counter() + 5
    while process.poll() is None and time.perf_counter() < end:
        _read(terminal)
    if process.poll() is None:
        process.kill()
    process.wait()
