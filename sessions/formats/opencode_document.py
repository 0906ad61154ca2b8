"""Walk an export document without taking it whole: each message and part with its bytes, as far as the text goes."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from json import JSONDecoder
from typing import Any

from sessions.formats.opencode_parts import Piece
from sessions.ingest.events import Count
from sessions.models.session import Span

_DOCUMENT = re.compile(r'\{\s*"(?:info|messages|todos)"\s*:')
_MESSAGE = re.compile(r'\{\s*"info"\s*:\s*\{')
_BLANK = re.compile(r"\s*")
_LONGEST_WORD = 5
"""Characters of ``false``: that close to the end, a word that is none was cut short, not damaged."""


@dataclass(slots=True)
class Entry:
    """One message with its parts, or the session's own record (then there are no `parts`)."""

    info: dict[str, Any] = field(default_factory=dict)
    parts: list[Piece] | None = None


class _BrokenError(Exception):
    """The text is not JSON here; `torn` if only because it ends."""

    def __init__(self, *, torn: bool) -> None:
        super().__init__(torn)
        self.torn = torn


class Document:
    """One export; `entries` yields what is in it and counts what is damaged."""

    def __init__(self, data: bytes, count: Count) -> None:
        """Take the text of `data`; bytes that are no UTF-8 are kept as they are, so that places agree with the log."""
        self._cursor = _Cursor(data.decode("utf-8", "surrogateescape").rstrip("\0 \t\r\n"))
        self._count = count

    def entries(self) -> Iterator[Entry]:
        """Yield the session's record and the messages in the order of the document."""
        if not self._cursor.find(_DOCUMENT):
            self._count.skipped += 1
            return
        try:
            yield from self._whole()
        except _BrokenError as broken:
            yield from self._rest(broken)

    def _whole(self) -> Iterator[Entry]:
        cursor = self._cursor
        for key in cursor.members():
            if key == "info" and cursor.peek() == "{":
                yield Entry(cursor.value())
            elif key == "messages" and cursor.peek() == "[":
                for _ in cursor.items():
                    yield from self._message()
            else:
                cursor.value()

    def _message(self) -> Iterator[Entry]:
        entry = Entry(parts=[])
        try:
            self._fill(entry)
        except _BrokenError:
            if entry.info:
                yield entry
            raise
        if entry.info:
            yield entry
        else:
            self._count.skipped += 1

    def _fill(self, entry: Entry) -> None:
        cursor = self._cursor
        for key in cursor.members():
            if key == "info" and cursor.peek() == "{":
                entry.info = cursor.value()
            elif key == "parts" and cursor.peek() == "[":
                entry.parts = []
                for _ in cursor.items():
                    self._part(entry.parts)
            else:
                cursor.value()

    def _part(self, parts: list[Piece]) -> None:
        start = self._cursor.byte()
        value = self._cursor.value()
        if isinstance(value, dict):
            parts.append(Piece(value, Span(start=start, end=self._cursor.byte())))
        else:
            self._count.skipped += 1

    def _rest(self, broken: _BrokenError) -> Iterator[Entry]:
        """Count the damage and go on with the next thing that looks like a message, to the end of the text."""
        self._note(broken)
        while self._cursor.find(_MESSAGE):
            try:
                yield from self._message()
            except _BrokenError as again:
                self._note(again)

    def _note(self, broken: _BrokenError) -> None:
        if broken.torn:
            self._count.live = True
        else:
            self._count.skipped += 1


class _Cursor:
    """A place in a JSON text. Whoever is handed a member or an item moves the place behind it."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._decode = JSONDecoder(strict=False).raw_decode
        self._known = None if text.isascii() else (0, 0)

    def find(self, pattern: re.Pattern[str]) -> bool:
        """Move to the next match of `pattern` and tell whether there is one."""
        match = pattern.search(self._text, self._at)
        self._at = match.start() if match else len(self._text)
        return match is not None

    def byte(self) -> int:
        """Return the place in bytes of the log."""
        if self._known is None:
            return self._at
        at, byte = self._known
        byte += len(self._text[at : self._at].encode("utf-8", "surrogateescape"))
        self._known = (self._at, byte)
        return byte

    def peek(self) -> str:
        """Return the character at the place, empty at the end."""
        return self._text[self._at : self._at + 1]

    def value(self) -> Any:
        """Return the value at the place. Raises _BrokenError."""
        try:
            value, self._at = self._decode(self._text, self._at)
        except (ValueError, RecursionError) as error:
            raise self._broken(getattr(error, "pos", self._at), getattr(error, "msg", "")) from error
        return value

    def members(self) -> Iterator[str]:
        """Yield the keys of the object at the place, each with the place on its value. Raises _BrokenError."""
        for _ in self._inside("{", "}"):
            key = self.value()
            self._take(":")
            yield str(key)

    def items(self) -> Iterator[None]:
        """Yield for each item of the array at the place, with the place on it. Raises _BrokenError."""
        yield from self._inside("[", "]")

    def _inside(self, opening: str, closing: str) -> Iterator[None]:
        self._take(opening)
        if self.peek() == closing:
            self._take(closing)
            return
        while True:
            yield
            self._skip()
            if self.peek() == closing:
                self._take(closing)
                return
            self._take(",")

    def _take(self, character: str) -> None:
        if self.peek() != character:
            raise self._broken(self._at)
        self._at += 1
        self._skip()

    def _skip(self) -> None:
        match = _BLANK.match(self._text, self._at)
        self._at = match.end() if match else self._at

    def _broken(self, place: int, why: str = "") -> _BrokenError:
        self._at += 1  # the search for the next message must not stop where it began
        return _BrokenError(torn=why.startswith("Unterminated") or place >= len(self._text) - _LONGEST_WORD)
