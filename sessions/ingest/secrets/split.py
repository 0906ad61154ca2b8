"""Secrets in pieces: wrapped by a terminal, gone over by a progress bar, with something invisible within, or cut."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from sessions.ingest.secrets.rules import BREAK, KEY_TAILS, SPLIT
from sessions.ingest.secrets.scan import Found, Scanner, compile_pattern, provider_rules

_PIECES = re.compile(rb"(" + BREAK.encode("latin-1") + rb")")
_RANDOM = re.compile(rb"(?=.{4})(?=.*[0-9])(?=.*[A-Za-z])|[^.]*[a-z][A-Z]")

_MOST = 12
"""Breaks that are looked at: a token of 2,000 characters in a terminal of 80 columns has more, and is hidden so far."""


def find_split(data: bytes) -> Iterator[Found]:
    """Yield the secrets of providers in `data` that are one only when their pieces are put together, in order."""
    for match in _splits().finditer(data):
        end, secret = _join(match[1])
        if end:
            yield Found(match.start(1), match.start(1) + end, "split", secret)


def _join(text: bytes) -> tuple[int, bytes]:
    """Return where in `text` the secret ends whose pieces it holds, and the secret; 0 if it ends within the first.

    A piece on the next line belongs to it if there is no secret without it, or if it looks random and begins none
    itself: the word after a secret that ends with its line stays.
    """
    pieces = _PIECES.split(text, maxsplit=_MOST)
    joined, size = pieces[0], len(pieces[0])
    end, secret = 0, b""
    for gap, piece in zip(pieces[1::2], pieces[2::2], strict=True):
        own = next(provider_rules().find(piece), None)
        wrapped = b"\n" in gap and not gap.startswith(b"\\")
        if own is not None or (wrapped and _is_secret(joined) and _RANDOM.match(piece) is None):
            break
        joined += piece
        size += len(gap) + len(piece)
        if _is_secret(joined):
            end, secret = size, joined
    return end, secret


def _is_secret(word: bytes) -> bool:
    found = next(provider_rules().find(word), None)
    return found is not None and found.start == 0


def find_tails(data: bytes) -> Iterator[Found]:
    """Yield the ends of private keys in `data` whose beginnings are not there; whole ones must be gone already."""
    return _tails().find(data) if b"PRIVATE KEY" in data else iter(())


@cache
def _tails() -> Scanner:
    return Scanner(KEY_TAILS)


@cache
def _splits() -> Any:
    return compile_pattern(SPLIT)
