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
_LONG_HEX = re.compile(r"0x[0-9a-fA-F]+|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|\b[0-9a-f]{32,}\b")
_LETTERS = str.maketrans("abcdefABCDEF", "0" * 12)
"""Hexadecimal letters to zeros."""


class Piece(NamedTuple):
    """A piece of a line: what it is, how it may differ, and where it stands."""

    kind: str
    policy: Policy
    start: int
    end: int


Getter = Callable[[str], Any]
Span = tuple[int, int]


class Form:
    """What all lines of one outline have in common."""

    __slots__ = ("firm", "fixed", "kinds", "lively", "loose", "merged", "of_kind", "pieces", "signature", "solid")

    def __init__(self, outline: str, pieces: Sequence[Piece]) -> None:
        """Prepare to look at lines of this outline."""
        self.pieces = tuple(pieces)
        firm = [piece for piece in pieces if piece.policy in FIRM]
        lively = [piece for piece in pieces if piece.policy not in FIRM and piece.kind != "space"]
        self.kinds = frozenset(piece.kind for piece in lively)
        """The kinds of the pieces that may differ at all, blanks aside."""
        self.lively = {kind: [(p.start, p.end) for p in lively if p.kind == kind] for kind in self.kinds}
        """Where the pieces of one such kind stand."""
        self.of_kind = {kind: getter(spans) for kind, spans in self.lively.items()}
        """Return their texts."""
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
        self.firm = [(piece.start, piece.end) for piece in firm]
        """Where stands what must be equal; blanks between columns are left out."""
        self.fixed = getter(self.firm)
        """Returns it."""
        self.merged = _merged([*firm, *(piece for piece in pieces if piece.kind == "space")])
        """The same with blanks, in fewer parts: enough for two lines of one outline."""
        self.solid = getter(self.merged)
        """Returns it."""


def _merged(pieces: Sequence[Piece]) -> list[Span]:
    spans: list[Span] = []
    for piece in sorted(pieces, key=lambda each: each.start):
        if spans and spans[-1][1] == piece.start:
            spans[-1] = (spans[-1][0], piece.end)
        else:
            spans.append((piece.start, piece.end))
    return spans


def getter(spans: Sequence[Span]) -> Getter:
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
    return _LONG_HEX.sub(lambda found: found[0].translate(_LETTERS), outlined)


def _made(outlined: str, *, listing: bool) -> Form:
    logged, frame = LOGGED.search(outlined) is not None, FRAME.match(outlined) is not None
    pieces = []
    for match in PIECE.finditer(outlined):
        start, end = match.span()
        around = Around(outlined[max(0, start - BEFORE) : start], outlined[end : end + BEFORE], logged, frame, listing)
        kind, policy = judge(SHAPE[match.lastgroup or ""], match.group(), around)
        pieces.append(Piece(kind, policy, start, end))
    return Form(outlined, pieces)
