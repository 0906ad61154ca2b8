"""Lines without what they end with alike: heads are of few forms where whole lines are of many."""

import codecs
from collections.abc import Sequence
from itertools import accumulate, repeat

_BEHIND = 12
"""Characters behind a difference that are kept: they may decide what the piece before them is."""
_PAD = "\0"
"""What no cleaned text has."""
_ASCII = bytes(range(128))
_DIFFERS = bytes([0, *[1] * 255])


def heads(recorded: str, new: str) -> tuple[str, str]:
    """Return two lines without what they end with alike, a little more than a piece's surroundings kept."""
    if not (recorded.isascii() and new.isascii()):
        return recorded, new
    apart = int.from_bytes(recorded.encode(), "big") ^ int.from_bytes(new.encode(), "big")
    alike = ((apart & -apart).bit_length() - 1) // 8
    cut = recorded.find(" ", len(recorded) - alike + _BEHIND)
    if cut < 0:
        return recorded, new
    return recorded[:cut], new[: len(new) - len(recorded) + cut]


def lengths_of_heads(recorded: Sequence[str], new: Sequence[str]) -> tuple[Sequence[int], Sequence[int]]:
    """Return how long the `heads` of many pairs of lines are, of the recorded and of the new ones."""
    lengths, others = [*map(len, recorded)], [*map(len, new)]
    widths = lengths if lengths == others else [*map(max, lengths, others)]
    differ = _differences(_laid_out(recorded, lengths, widths), _laid_out(new, others, widths))
    if differ is None:
        return lengths, others
    ends = [end - 1 for end in accumulate(width + 1 for width in widths)]
    lasts = map(differ.rfind, repeat(b"\1"), [0, *(end + 1 for end in ends)], ends)
    cuts = [
        line.find(" ", last - end + length + 1 + _BEHIND)
        for line, last, end, length in zip(recorded, lasts, ends, lengths, strict=True)
    ]
    kept = [length if cut < 0 else cut for cut, length in zip(cuts, lengths, strict=True)]
    if lengths == others:
        return kept, kept
    return kept, [other - length + keep for keep, length, other in zip(kept, lengths, others, strict=True)]


def _laid_out(lines: Sequence[str], lengths: Sequence[int], widths: Sequence[int]) -> str:
    """Return lines as one text, each at the right of its width."""
    return "\n".join(lines if lengths is widths else map(str.rjust, lines, widths, repeat(_PAD)))


def _differences(left: str, right: str) -> bytes | None:
    """Return where two texts of one length differ, a one for each such character; None where there are too many."""
    coded = _coded(left, right)
    if coded is None:
        return None
    apart = int.from_bytes(coded[0], "big") ^ int.from_bytes(coded[1], "big")
    return apart.to_bytes(len(left), "big").translate(_DIFFERS)


def _coded(left: str, right: str) -> tuple[bytes, bytes] | None:
    """Return both texts as one byte for a character; None where they have too many other than ASCII."""
    if left.isascii() and right.isascii():
        return left.encode("ascii"), right.encode("ascii")
    strange = (text.encode("utf-8", "surrogatepass").translate(None, _ASCII) for text in (left, right))
    signs = "".join(sorted({sign for each in strange for sign in each.decode("utf-8", "surrogatepass")}))
    if len(signs) > len(_ASCII):
        return None
    table = codecs.charmap_build(_ASCII.decode() + signs.ljust(len(_ASCII), "\ufffe"))
    return codecs.charmap_encode(left, "strict", table)[0], codecs.charmap_encode(right, "strict", table)[0]
