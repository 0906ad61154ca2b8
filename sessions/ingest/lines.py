r"""JSON lines, read by bytes: every record with its place, and nothing lost for one line that is broken.

What real logs hold and what is made of it: two records on one line, the line feed between them missing (both are read;
repaired), a record that breaks off and is written again on the same line (the whole one is read; repaired), NUL blocks
left by a crash (taken out; repaired), bytes that are no UTF-8 (replaced; repaired), escapes that a redactor damaged,
``\userab0e@example.org`` where ``\n`` and a name stood (the backslash is kept as one; repaired), a byte order mark,
CRLF, lone surrogates, NaN (read). A line that stays unreadable is skipped; the last line without a line feed is then
no error but a log still being written.
"""

import json
import re
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import orjson

from sessions.errors import BadInput
from sessions.ingest.events import Count
from sessions.models.session import Span

_CHUNK = 1024 * 1024
_MARK = b"\xef\xbb\xbf"
_PADDING = b" \t\r\n\0"
_BLANK = " \t\r\n\0,"
_OPENING = 12
"""Bytes by which a record that starts anew on the same line is told: enough for ``{"timestamp"``."""
_ATTEMPTS = 16
"""Places on one line at which a record is looked for, so that a hostile line cannot cost more than a few readings."""

_ESCAPE = re.compile(rb'\\(["\\/bfnrt]|u[0-9a-fA-F]{4})?')

_LENIENT = json.JSONDecoder(strict=False)


class Record(NamedTuple):
    """One record and its bytes in the log."""

    value: dict[str, Any]
    span: Span


def read_lines(log: Path | BinaryIO, count: Count) -> Iterator[Record]:
    """Yield the records of a log of JSON lines in order, and account for each line in `count`.

    Raises BadInput if the file cannot be read.
    """
    try:
        with log.open("rb", buffering=_CHUNK) if isinstance(log, Path) else nullcontext(log) as file:
            yield from _read(file, count)
    except OSError as error:
        raise BadInput(f"{getattr(log, 'name', log)} cannot be read: {error.strerror or error}") from error


def parse(content: bytes) -> object:
    """Return the JSON value of `content`, invalid UTF-8 replaced. Raises ValueError."""
    try:
        return orjson.loads(content)
    except orjson.JSONDecodeError:
        return _parse_leniently(content)


def _read(file: BinaryIO, count: Count) -> Iterator[Record]:
    start = 0
    for line in file:
        end = start + len(line)
        try:
            value = orjson.loads(line)
        except orjson.JSONDecodeError:
            yield from _mend(line, start, count)
        else:
            if type(value) is dict:
                count.read += 1
                begin = start if line.startswith(b"{") else end - len(line.lstrip())
                yield Record(value, _span(begin, start + len(line.rstrip())))
            else:
                count.skipped += 1
        start = end


def _mend(line: bytes, start: int, count: Count) -> Iterator[Record]:
    """Read what there is on a line that is not exactly one JSON value."""
    body = line.removeprefix(_MARK).lstrip(_PADDING)
    start += len(line) - len(body)
    body = body.rstrip(_PADDING)
    if not body:
        count.skipped += b"\0" in line
        return
    pieces, whole = _pieces(body)
    if not pieces:
        pieces = _with_escapes_mended(body)
    torn = not whole and not line.endswith(b"\n") and (not pieces or pieces[-1].end < len(body))
    records = [Record(value, _span(start + at, start + end)) for value, at, end in pieces]
    count.read += len(records)
    count.live = count.live or torn
    count.skipped += not whole and not torn and not records
    count.repaired += bool(records) and (not whole or len(records) > 1 or b"\0" in line or not _is_text(body))
    yield from records


class _Piece(NamedTuple):
    value: dict[str, Any]
    start: int
    end: int


def _pieces(body: bytes) -> tuple[list[_Piece], bool]:
    """Return the records in `body` with their places in it, and whether nothing but records is there."""
    text = body.decode("utf-8", "surrogateescape")
    pieces: list[_Piece] = []
    whole, at, offset, counted, attempts = True, 0, 0, 0, 0
    while at < len(text):
        end = _end_of_value(text, at)
        if end is None:
            whole = False
            attempts += 1
            again = text.find(text[:_OPENING], at + 1) if attempts < _ATTEMPTS else -1
            if again < 0:
                break
            at = again
            continue
        offset += _size(text[counted:at])
        content = text[at:end].encode("utf-8", "surrogateescape")
        value = parse(content)
        if isinstance(value, dict):
            pieces.append(_Piece(value, offset, offset + len(content)))
        else:
            whole = False
        offset += len(content)
        counted = end
        at = _next_sign(text, end)
    return pieces, whole


def _with_escapes_mended(body: bytes) -> list[_Piece]:
    """Return the one record that `body` is once each backslash that escapes nothing stands for itself."""
    try:
        value = parse(_ESCAPE.sub(lambda escape: escape[0] if escape[1] else rb"\\", body))
    except ValueError:
        return []
    return [_Piece(value, 0, len(body))] if isinstance(value, dict) else []


def _end_of_value(text: str, at: int) -> int | None:
    try:
        return _LENIENT.raw_decode(text, at)[1]
    except (ValueError, RecursionError):
        return None


def _next_sign(text: str, at: int) -> int:
    while at < len(text) and text[at] in _BLANK:
        at += 1
    return at


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogateescape"))


def _is_text(body: bytes) -> bool:
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True


def _parse_leniently(content: bytes) -> object:
    try:
        return _LENIENT.decode(content.decode("utf-8", "replace"))
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def _span(start: int, end: int) -> Span:
    return Span.model_construct(start=start, end=end)
