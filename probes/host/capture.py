"""Output as it arrives: kept up to a limit, counted and dropped beyond it."""

import asyncio
import hashlib
from collections.abc import Callable
from typing import Protocol

from probes.host.script import header

_CHUNK = 64 * 1024
FLOOD = 1 << 30
"""Bytes of output after which a command is ended instead of listened to."""


class Stream(Protocol):
    """Where bytes come from."""

    async def read(self, n: int, /) -> bytes:
        """Return some bytes; none at the end."""
        ...


class Capture:
    """The two streams of one run, each cut at `limit` bytes; draining goes on so that the exit status arrives."""

    def __init__(
        self,
        mark: str,
        limit: int,
        heard: Callable[[bytes], None] | None = None,
        errors: Callable[[bytes], None] | None = None,
    ) -> None:
        """Prepare for a run whose wrapper uses `mark`.

        `heard` and `errors` get what is kept of standard output and standard error, as it comes.
        """
        self.mark = mark
        self._heard = {"stdout": heard, "stderr": errors}
        self._limit = limit
        self._kept = {"stdout": bytearray(), "stderr": bytearray()}
        self._room = {"stdout": limit, "stderr": limit + 4096}
        self.seen = 0
        """Bytes that came, kept or not."""
        self.truncated = False
        self._whole: hashlib._Hash | None = None
        """Of standard output, once it is longer than what is kept."""
        self.told = asyncio.Event()
        """Set once the wrapper has told its process group, or standard error has ended."""

    @property
    def flooded(self) -> bool:
        """Whether more came than anybody will wait for."""
        return self.seen > FLOOD

    @property
    def group(self) -> int | None:
        """The remote process group, once told."""
        return header(bytes(self._kept["stderr"][:4096]), self.mark)[0]

    def stdout(self) -> bytes:
        """Return what was kept of standard output."""
        return bytes(self._kept["stdout"])

    def stderr(self) -> tuple[bytes, bool]:
        """Return what was kept of standard error without the wrapper's lines, and whether the folder is missing."""
        _, missing, rest = header(bytes(self._kept["stderr"]), self.mark)
        return rest[: self._limit], missing

    def digest(self) -> str:
        """Return the SHA-256 of all of standard output, kept or not; empty where all was kept."""
        return self._whole.hexdigest() if self._whole is not None else ""

    async def drain(self, name: str, stream: Stream) -> None:
        """Read `stream` to its end, or until it floods."""
        while chunk := await stream.read(_CHUNK):
            self._take(name, chunk)
            if name == "stderr" and not self.told.is_set() and self.group is not None:
                self.told.set()
            if self.flooded:
                break
        if name == "stderr":
            self.told.set()

    def _take(self, name: str, chunk: bytes) -> None:
        kept = self._kept[name]
        room = self._room[name] - len(kept)
        kept += chunk[:room]
        self.seen += len(chunk)
        self.truncated = self.truncated or len(chunk) > room
        if name == "stdout" and len(chunk) > room:
            self._whole = self._whole or hashlib.sha256(kept)
            self._whole.update(chunk[room:])
        heard = self._heard[name]
        if room > 0 and heard is not None:
            self._say(name, chunk[:room], heard)

    def _say(self, name: str, chunk: bytes, heard: Callable[[bytes], None]) -> None:
        """Pass on what came, the wrapper's own lines aside: the first piece of standard error begins with them."""
        if name == "stderr" and not self.told.is_set():
            if self.group is None:
                return
            chunk = header(bytes(self._kept[name]), self.mark)[2]
        if chunk:
            heard(chunk)
