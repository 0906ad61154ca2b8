"""Outlines of many lines at once, by which they are put together: rather too many than one that hides a difference."""

from collections.abc import Callable, Sequence
from itertools import accumulate, count, repeat
from operator import add
from string import hexdigits

from replay.output.forms import outline, zeros
from replay.output.rows.heads import lengths_of_heads

Rows = tuple[Sequence[str], Sequence[str]]
"""Recorded lines and, one for one, the new ones."""

_SAMPLE = 64
"""Lines that tell what it takes to have few forms."""
_FEW = 8
"""One form for so many lines is few."""
_HEX = bytes.maketrans(b"abcdefABCDEF", b"000000000000")
_LONG_SIGNS = (b"-0000-0000-0000-", b"0" * 32)
"""What any identifier or digest has in it, every hexadecimal digit a ``0``."""


def outlines_of(rows: Rows) -> tuple[Sequence[str], Sequence[str]]:
    """Return the outlines of lines, or of their heads, so that there are few if that can be; each begins its line."""
    lengths: tuple[Sequence[int], Sequence[int]] = ([*map(len, rows[0])], [*map(len, rows[1])])
    way = _way(rows[0], lengths[0])
    if way is None:
        lengths = lengths_of_heads(*rows)
        way = _way(rows[0], lengths[0]) or _without_hexadecimals
    return _outlines(rows[0], lengths[0], way), _outlines(rows[1], lengths[1], way)


def _way(lines: Sequence[str], lengths: Sequence[int]) -> Callable[[str], str] | None:
    """Return the least rough way to outline that gives few outlines, as a sample says; None if none does."""
    sample, ends = lines[:_SAMPLE], lengths[:_SAMPLE]
    for way in (outline, _without_addresses, _without_hexadecimals):
        if len(set(_outlines(sample, ends, way))) * _FEW <= len(sample):
            return way
    return None


def _outlines(lines: Sequence[str], lengths: Sequence[int], way: Callable[[str], str]) -> Sequence[str]:
    """Return the outlines of lines as far as they are wanted."""
    text = way("\n".join(lines))
    starts = map(add, accumulate(map(len, lines), initial=0), count())
    return [text[start : start + length] for start, length in zip(starts, lengths, strict=False)]


def _without_addresses(text: str) -> str:
    """Return an outline in which the letters of addresses are zeros too, sooner than a pattern would find them."""
    first, *others = outline(text).split("0x")
    rests = map(str.lstrip, others, repeat(hexdigits))
    return "0x".join([first, *map(str.rjust, rests, map(len, others), repeat("0"))])


def _without_hexadecimals(text: str) -> str:
    """Return an outline in which the letters of addresses, identifiers and digests are zeros too."""
    outlined = outline(text)
    rough = outlined.encode("utf-8", "surrogatepass").translate(_HEX)
    return zeros(outlined) if any(sign in rough for sign in _LONG_SIGNS) else _without_addresses(text)
