"""Times out of many lines at once, so that most lines of two runs of one program are simply equal.

Only complete times of a few common forms are masked, each form by its own sign: whatever a mask does not cover is seen
by the closer look at the line itself.
"""

import re
from collections.abc import Sequence

Mask = tuple[re.Pattern[str], str]
"""A form of time, and the sign that stands for it."""

# The signs are ASCII, which keeps lines fast to handle, and hold what no cleaned text does.
_MASKS = (
    (re.compile(r"[0-9][0-9]-[0-9][0-9] [0-9][0-9]:[0-9][0-9]:[0-9][0-9][.,][0-9]{3}(?![0-9])"), "\x00time.ms\x00"),
    (re.compile(r"[0-9][0-9]-[0-9][0-9] [0-9][0-9]:[0-9][0-9]:[0-9][0-9](?![.,:]?[0-9])"), "\x00time\x00"),
    (re.compile(r"[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9](?![.,:]?[0-9])"), "\x00Ttime\x00"),
    (re.compile(r"[JFMASOND][a-u][b-y] [ 0-9][0-9] [0-9][0-9]:[0-9][0-9]:[0-9][0-9](?![.,:]?[0-9])"), "\x00Mtime\x00"),
    (re.compile(r"^\[ *[0-9]+\.[0-9]{6}\]", re.MULTILINE), "\x00uptime\x00"),
)  # fmt: skip
_BLOCK = 2048
"""Lines that are masked together, when the first of them is asked for."""
_SAMPLE = 200
"""Lines at the beginning that tell which forms of time a text has."""


class Masked:
    """The lines of a text with their times replaced by the name of their form."""

    def __init__(self, lines: Sequence[str]) -> None:
        """Mask `lines`, as far as they are asked for."""
        self._lines = lines
        self._blocks: dict[int, list[str]] = {}
        sample = "\n".join(lines[:_SAMPLE])
        self.masks: Sequence[Mask] = [each for each in _MASKS if each[0].search(sample)]

    def __getitem__(self, place: int) -> str:
        """Return one line masked."""
        number, within = divmod(place, _BLOCK)
        block = self._blocks.get(number)
        if block is None:
            block = self._blocks[number] = self._block(number * _BLOCK)
        return block[within]

    def _block(self, start: int) -> list[str]:
        text = "\n".join(self._lines[start : start + _BLOCK])
        for pattern, sign in self.masks:
            text = pattern.sub(sign, text)
        return text.split("\n")


def covered(line: str, masks: Sequence[Mask]) -> tuple[str, list[tuple[int, int]]]:
    """Return one line masked, and where in it the times stood. The outline of a line has them at the same places."""
    signs: dict[tuple[int, int], str] = {}
    hidden = line
    for pattern, sign in masks:
        signs |= {found.span(): sign for found in pattern.finditer(hidden)}
        hidden = pattern.sub(lambda found: "\x00" * len(found[0]), hidden)
    spans = sorted(signs)
    edges = [0, *(edge for span in spans for edge in span), len(line)]
    kept = [line[a:b] for a, b in zip(edges[::2], edges[1::2], strict=True)]
    return "".join(text + sign for text, sign in zip(kept, [*(signs[span] for span in spans), ""], strict=True)), spans
