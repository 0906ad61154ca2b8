"""Secrets out, before anything is stored, shown or logged.

A secret is replaced whole by ``<redacted:KIND:ab12>``. The four digits are those of a keyed digest: equal secrets stay
comparable within one store, and without the store's key a guess cannot be checked against them.
"""

import base64
import binascii
import dataclasses
import hashlib
import hmac
import re
import secrets as random
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, TypeVar
from urllib.parse import unquote_to_bytes

from sessions.ingest.display import clean
from sessions.ingest.events import Event
from sessions.ingest.secrets import MARK
from sessions.ingest.secrets.scan import Found, base64_words, command_rules, escaped_words, provider_rules, text_rules
from sessions.ingest.secrets.split import find_split, find_tails

_READABLE = re.compile(rb"[\t\n\r -~]*")
_QUOTES = re.compile(rb"""\\?['"]|\\\\""")
_PEEK = 24
"""Characters of base64 that are decoded to see whether the rest is worth it; a multiple of four."""

_SHORT = 100
"""Characters up to which a text is remembered."""

AnyEvent = TypeVar("AnyEvent", bound=Event)


class Redactor:
    """Replaces secrets. `key` makes the tokens of one store comparable; without one they are so within this object."""

    def __init__(self, key: bytes | None = None) -> None:
        """Keep the store's `key`, or draw one that nobody else has."""
        self._key = key or random.token_bytes(32)
        # Ids come with every event, and a command comes again as its own program: each is searched once.
        self.label = lru_cache(maxsize=8192)(lambda text: self.text(clean(text)))
        self.program = lru_cache(maxsize=64)(lambda text: self.command(clean(text)))

    def text(self, text: str) -> str:
        """Return `text` (cleaned before) without its secrets, also those written in base64 or URL escapes."""
        data = _encode(text)
        whole = self._replace(data, find_split(data))
        shown = self._replace(whole, text_rules().find(whole))
        shown = self._decoded(self._replace(shown, find_tails(shown)))
        return text if shown == data else _decode(shown)

    def command(self, command: str) -> str:
        """Return a shell `command` without its secrets; a bare word stays one word, for the token is quoted there."""
        data = _encode(command)
        data = self._replace(data, find_split(data))
        for rules in (text_rules(), command_rules()):
            data = self._replace(data, rules.find(data), quoted=True)
        return _decode(self._decoded(self._replace(data, find_tails(data))))

    def _replace(self, data: bytes, found: Iterable[Found], *, quoted: bool = False) -> bytes:
        parts: list[bytes] = []
        place, outer = 0, b""
        for secret in found:
            token = self._token(secret.kind, secret.joined or data[secret.start : secret.end])
            outer = _open_quote(data[place : secret.start], outer)
            quote = _missing_quote(data, secret, outer) if quoted else b""
            parts += [data[place : secret.start], quote, token, quote]
            place = secret.end
        return data if not parts else b"".join((*parts, data[place:]))

    def _token(self, kind: str, secret: bytes) -> bytes:
        """Return the token for `secret`, of the provider's kind where its form shows one."""
        own = next(provider_rules().find(secret), None)
        digest = hmac.new(self._key, secret, hashlib.sha256).hexdigest()[:4]
        return f"{MARK}{own.kind if own else kind}:{digest}>".encode()

    def _decoded(self, data: bytes) -> bytes:
        if b"%" in data:
            data = escaped_words().sub(self._unquoted, data)
        blobs = (
            Found(match.start(), match.end(), "encoded")
            for match in base64_words().finditer(data)
            if _hides_secret(match[0])
        )
        return self._replace(data, blobs)

    def _unquoted(self, match: re.Match[bytes]) -> bytes:
        plain = unquote_to_bytes(match[0])
        shown = self._replace(plain, text_rules().find(plain))
        return match[0] if shown == plain else clean(shown.decode(errors="replace")).encode()


def redact(event: AnyEvent, redactor: Redactor) -> AnyEvent:
    """Return `event` as it may be stored: every text of it cleaned for display and then without its secrets."""
    changes: dict[str, Any] = {
        name: value for name, old in _texts(event) if (value := _redacted(name, old, redactor)) != old
    }
    return dataclasses.replace(event, **changes) if changes else event


def _texts(event: Event) -> Iterator[tuple[str, str | tuple[str, ...]]]:
    for field in dataclasses.fields(event):
        value = getattr(event, field.name)
        if isinstance(value, str | tuple):
            yield field.name, value


def _redacted(name: str, value: str | tuple[str, ...], redactor: Redactor) -> str | tuple[str, ...]:
    if isinstance(value, tuple):
        return tuple(map(redactor.program, value))
    if name == "command":
        return redactor.program(value)
    return redactor.label(value) if len(value) <= _SHORT else redactor.text(clean(value))


def _hides_secret(word: bytes) -> bool:
    """Tell whether `word` is base64 of a text that holds a secret."""
    if _READABLE.fullmatch(_from_base64(word[:_PEEK])) is None:
        return False
    plain = _from_base64(word)
    return _READABLE.fullmatch(plain) is not None and next(text_rules().find(plain), None) is not None


def _from_base64(word: bytes) -> bytes:
    try:
        return base64.b64decode(word.rstrip(b"=") + b"=" * (-len(word.rstrip(b"=")) % 4), altchars=b"-_")
    except binascii.Error:
        return b"\x00"


def _missing_quote(data: bytes, secret: Found, outer: bytes) -> bytes:
    """Return the quote that keeps a token one word of a shell where `secret` was a bare one; empty where it was not."""
    if data[secret.start - 1 : secret.start] in {b"'", b'"', b"`"}:
        return b""
    return b'"' if outer == b"'" else b"'"


def _open_quote(text: bytes, quote: bytes) -> bytes:
    """Return the outermost quote that is open at the end of `text` where `quote` was at its beginning."""
    for match in _QUOTES.finditer(text):
        mark = match[0]
        if not quote and mark in {b"'", b'"'}:
            quote = mark
        elif mark == quote or (quote == b"'" and mark == b"\\'"):
            quote = b""
    return quote


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _decode(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass")
