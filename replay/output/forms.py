"""The form of a line: all that does not depend on which digits it has, found once for all lines of that form.

Logs say the same few things again and again with other numbers. Cutting a line into pieces costs a hundred times what
looking at the few that matter does, so the cut is made on the line's *outline* (every digit a ``0``) and kept.
"""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Any, NamedTuple

from replay.output.context import BEFORE, FIRM, Around, Policy, judge
from replay.output.relations import form
from replay.output.shapes import FRAME, LOGGED, PIECE, SHAPE

_DIGITS = bytes.maketrans(b"123456789", b"000000000")
_VARYING = b"0123456789abcdef.,:+- \t"
_BEHIND = 12
"""Characters behind a piece that may decide what it is, and a few more."""
_LONG_HEX = re.compile(r"0x[0-9a-fA-F]+|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|\b[0-9a-f]{32,}\b")
LETTERS = str.maketrans("abcdefABCDEF", "0" * 12)
"""Hexadecimal letters to zeros."""


class Piece(NamedTuple):
    """A piece of a line: what it is, how it may differ, and where it stands."""

    kind: str
    policy: Policy
    start: int
    end: int


Getter = Callable[[str], Any]


class Form:
    """What all lines of one outline have in common."""

    __slots__ = ("digits", "fixed", "kinds", "loose", "of_kind", "pieces", "signature", "solid")

    def __init__(self, outline: str, pieces: Sequence[Piece]) -> None:
        """Prepare to look at lines of this outline."""
        self.pieces = tuple(pieces)
        firm = [piece for piece in pieces if piece.policy in FIRM]
        lively = [piece for piece in pieces if piece.policy not in FIRM and piece.kind != "space"]
        self.kinds = frozenset(piece.kind for piece in lively)
        """The kinds of the pieces that may differ at all, blanks aside."""
        self.of_kind = {kind: getter([(p.start, p.end) for p in lively if p.kind == kind]) for kind in self.kinds}
        """Return the texts of one such kind."""
        self.loose = tuple(piece for piece in lively if piece.policy not in {"any", "ignore"})
        """The pieces whose texts decide together with other lines or by their value."""
        indented = pieces[0].kind == "space" if pieces else False
        self.signature = tuple(
            outline[piece.start : piece.end] if indented and place == 0
            else form(outline[piece.start : piece.end]) if piece.policy == "any" and piece.kind != "space"
            else piece.kind
            for place, piece in enumerate(pieces)
        )  # fmt: skip
        """Lines of equal signature have the same kinds of pieces in the same order, times of the same form."""
        self.fixed = getter([(piece.start, piece.end) for piece in firm])
        """Returns what must be equal of a line; blanks between columns are left out."""
        merged = _merged([*firm, *(piece for piece in pieces if piece.kind == "space")])
        self.solid = getter(merged)
        """Returns the same with blanks, in fewer parts: enough for two lines of one outline."""
        self.digits = getter([(start, end) for start, end in merged if "0" in outline[start:end]])
        """Returns what of that can differ between two lines of one outline."""


def _merged(pieces: Sequence[Piece]) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    for piece in sorted(pieces, key=lambda each: each.start):
        if spans and spans[-1][1] == piece.start:
            spans[-1] = (spans[-1][0], piece.end)
        else:
            spans.append((piece.start, piece.end))
    return spans


def getter(spans: Sequence[tuple[int, int]]) -> Getter:
    """Return what takes these parts out of a line."""
    if not spans:
        return lambda _line: ""
    return itemgetter(*(slice(start, end) for start, end in spans))


def outline(text: str) -> str:
    """Return a text, of one line or of many, with every digit a ``0``."""
    return text.encode("utf-8", "surrogatepass").translate(_DIGITS).decode("utf-8", "surrogatepass")


def gist(text: str) -> str:
    """Return a text without digits, hexadecimal letters, blanks and what joins numbers: the same for like lines."""
    return text.encode("utf-8", "surrogatepass").translate(None, _VARYING).decode("utf-8", "surrogatepass")


def heads(recorded: str, new: str) -> tuple[str, str]:
    """Return two lines without what they end with alike, a little more than a piece's surroundings kept.

    The heads of lines are of few forms where whole lines are of many.
    """
    if not (recorded.isascii() and new.isascii()):
        return recorded, new
    apart = int.from_bytes(recorded.encode(), "big") ^ int.from_bytes(new.encode(), "big")
    alike = ((apart & -apart).bit_length() - 1) // 8
    cut = recorded.find(" ", len(recorded) - alike + _BEHIND)
    if cut < 0:
        return recorded, new
    return recorded[:cut], new[: len(new) - len(recorded) + cut]


def all_heads(recorded: Sequence[str], new: Sequence[str]) -> list[tuple[str, str]]:
    """Return the `heads` of many pairs of lines."""
    left, right = "\n".join(recorded), "\n".join(new)
    if len(left) != len(right) or not (left.isascii() and right.isascii()) or [*map(len, recorded)] != [*map(len, new)]:
        return [heads(a, b) if a[-_BEHIND:] == b[-_BEHIND:] else (a, b) for a, b in zip(recorded, new, strict=True)]
    apart = int.from_bytes(left.encode(), "big") ^ int.from_bytes(right.replace("\n", "\xff").encode("latin-1"), "big")
    # Lines part where a byte of the difference is more than ASCII can make it; what is alike is a zero.
    lines = apart.to_bytes(len(left), "big").split(b"\xf5")
    cuts = [len(line.rstrip(b"\0")) + _BEHIND for line in lines]
    places = [line.find(" ", cut) for line, cut in zip(recorded, cuts, strict=True)]
    return [(a, b) if place < 0 else (a[:place], b[:place]) for a, b, place in zip(recorded, new, places, strict=True)]


@lru_cache(maxsize=16384)
def form_of(outlined: str, *, listing: bool = False) -> Form:
    """Return the form of the lines with this outline; `listing` says that dates are those of ``ls -l``."""
    plain = zeros(outlined)
    return _made(outlined, listing=listing) if plain == outlined else _of_plain(plain, listing=listing)


@lru_cache(maxsize=16384)
def _of_plain(plain: str, *, listing: bool) -> Form:
    return _made(plain, listing=listing)


def zeros(outlined: str) -> str:
    """Return an outline, of one line or of many, with the letters of long hexadecimal numbers zeros too."""
    return _LONG_HEX.sub(lambda found: found[0].translate(LETTERS), outlined)


def _made(outlined: str, *, listing: bool) -> Form:
    logged, frame = LOGGED.search(outlined) is not None, FRAME.match(outlined) is not None
    pieces = []
    for match in PIECE.finditer(outlined):
        start, end = match.span()
        around = Around(outlined[max(0, start - BEFORE) : start], outlined[end : end + BEFORE], logged, frame, listing)
        kind, policy = judge(SHAPE[match.lastgroup or ""], match.group(), around)
        pieces.append(Piece(kind, policy, start, end))
    return Form(outlined, pieces)
