"""Large outputs: each distinct one once, compressed, under the SHA-256 of its UTF-8 bytes."""

import hashlib
import sqlite3
from typing import NamedTuple

import zstandard

from sessions.store.schema import INLINE_OUTPUT

_KEPT = 4096
_LEVEL = 3

GARBAGE = """DELETE FROM blobs WHERE digest = ?1
    AND NOT EXISTS (SELECT 1 FROM steps WHERE blob = ?1)
    AND NOT EXISTS (SELECT 1 FROM run_steps WHERE blob = ?1)"""


class Output(NamedTuple):
    """How an output is stored: its size in bytes, the digest of its blob if it has one, the text kept in the row."""

    size: int
    blob: str | None
    inline: str
    content: bytes | None


def divide(output: str) -> Output:
    """Return what of `output` stays in its row and what goes to a blob; `content` is not compressed yet."""
    if len(output) <= _KEPT:
        return Output(len(output.encode()), None, output, None)
    content = output.encode()
    if len(content) <= INLINE_OUTPUT:
        return Output(len(content), None, output, None)
    return Output(len(content), hashlib.sha256(content).hexdigest(), output[:_KEPT], content)


def keep(connection: sqlite3.Connection, output: Output) -> None:
    """Store the blob of `output`, if it has one that is not there yet."""
    if output.blob is None or output.content is None:
        return
    if connection.execute("SELECT 1 FROM blobs WHERE digest = ?", [output.blob]).fetchone():
        return
    compressed = zstandard.ZstdCompressor(level=_LEVEL).compress(output.content)
    connection.execute("INSERT INTO blobs VALUES (?, ?, ?)", [output.blob, output.size, compressed])


def collect_garbage(connection: sqlite3.Connection, digests: set[str]) -> None:
    """Remove those of `digests` that no row refers to any more."""
    connection.executemany(GARBAGE, [(digest,) for digest in sorted(digests)])


def whole(connection: sqlite3.Connection, inline: str, blob: str | None) -> str:
    """Return the whole output of a row."""
    if blob is None:
        return inline
    content, size = connection.execute("SELECT content, size FROM blobs WHERE digest = ?", [blob]).fetchone()
    return zstandard.ZstdDecompressor().decompress(content, max_output_size=size).decode()
