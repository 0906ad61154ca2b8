"""Compressed logs: Codex packs old rollouts with Zstandard."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import zstandard

from sessions.ingest.events import Count

_MAGIC = b"\x28\xb5\x2f\xfd"
_CHUNK = 1024 * 1024


def is_compressed(head: bytes) -> bool:
    """Tell by the first bytes whether a file is a Zstandard frame."""
    return head.startswith(_MAGIC)


def peek(head: bytes) -> bytes:
    """Return what the first bytes of a compressed file unpack to, as far as they do."""
    try:
        return zstandard.ZstdDecompressor().decompressobj().decompress(head)
    except zstandard.ZstdError:
        return b""


@contextmanager
def open_log(path: Path, count: Count) -> Iterator[io.BufferedReader]:
    """Open a log for reading, unpacked if it is compressed; one that breaks off ends there and counts as live.

    Raises OSError.
    """
    with path.open("rb") as file:
        head = file.read(len(_MAGIC))
        file.seek(0)
        if is_compressed(head):
            yield io.BufferedReader(_Unpacked(file, count), _CHUNK)
        else:
            yield file


class _Unpacked(io.RawIOBase):
    """The unpacked content of a file, frame after frame."""

    def __init__(self, file: BinaryIO, count: Count) -> None:
        super().__init__()
        self._file = file
        self._count = count
        self._unpacker = zstandard.ZstdDecompressor().decompressobj(read_across_frames=True)
        self._ready = b""
        self._over = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # typeshed's Buffer has no length
        while not self._ready and not self._over:
            self._fill()
        part = self._ready[: len(buffer)]
        buffer[: len(part)] = part
        self._ready = self._ready[len(part) :]
        return len(part)

    def _fill(self) -> None:
        packed = self._file.read(_CHUNK // 4)
        try:
            self._ready = self._unpacker.decompress(packed) if packed else b""
        except zstandard.ZstdError:
            self._over = True
            self._count.skipped += 1
            return
        if not packed:
            self._over = True
            self._count.live = self._count.live or not self._unpacker.eof
