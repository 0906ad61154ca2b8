"""Two texts beside each other: what was recorded on the left, what came now on the right."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import accumulate, zip_longest

from textual.content import Content

from tui.widgets.blocks import Place, cuts
from tui.widgets.ink import fit, ink

LONGEST = 2_000
"""Lines of each text that are laid beside each other; finding what belongs together takes time with their square."""

SIGNS: Mapping[str, tuple[str, str]] = {
    "same": ("│", "faint"), "alike": ("≈", "muted"), "differs": ("≠", "bad"), "lost": ("<", "bad"), "new": (">", "bad"),
}  # fmt: skip
"""The sign between two lines, which tells without colour what holds of them, and its ink."""

Stretch = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two lines that belong together, by their numbers from 0; None: the text has none."""

    left: int | None
    right: int | None
    sign: str


class Beside:
    """A block of two columns. The lines must be harmless already; `marks` are stretches of lines of either text.

    `differing` are the numbers of the recorded lines, from 0, on which something differs that no rule explains.
    """

    def __init__(
        self,
        left: Sequence[str],
        right: Sequence[str],
        *,
        differing: frozenset[int] = frozenset(),
        marks: tuple[Mapping[int, Sequence[Stretch]], Mapping[int, Sequence[Stretch]]] = ({}, {}),
    ) -> None:
        self.target: Place | None = None
        self._texts = (left[:LONGEST], right[:LONGEST])
        self._marks = marks
        self._pairs = pairs(*self._texts, differing)
        self._gutter = len(str(max(len(left), len(right), 1))) + 1
        self._tops: tuple[int, list[int]] = (-1, [0])

    def height(self, width: int) -> int:
        """Return the number of lines at this width, folds included."""
        return self._places(width)[-1]

    def line(self, index: int, width: int) -> Content:
        """Return one line on the screen: a line of each text, or a fold of them, and the sign between."""
        tops = self._places(width)
        number = bisect_right(tops, index, hi=len(tops) - 1) - 1
        pair, fold = self._pairs[number], index - tops[number]
        sign, name = SIGNS[pair.sign]
        halves = [self._half(side, place, fold, width) for side, place in enumerate((pair.left, pair.right))]
        return halves[0] + ink(f" {sign if fold == 0 else '│'} ", name if fold == 0 else "faint") + halves[1]

    def marked(self, width: int) -> Sequence[int]:
        """Return the lines on the screen on which a difference begins."""
        tops = self._places(width)
        return [top for top, pair in zip(tops, self._pairs, strict=False) if pair.sign not in {"same", "alike"}]

    def _half(self, side: int, number: int | None, fold: int, width: int) -> Content:
        room = self._room(width)
        folds = [] if number is None else [*cuts(self._texts[side][number], room), len(self._texts[side][number])]
        if number is None or fold >= len(folds) - 1:
            return Content(" " * (self._gutter + room))
        start, end = folds[fold], folds[fold + 1]
        body = Content.styled(self._texts[side][number][start:end], ".ink--code")
        for low, high in self._marks[side].get(number, ()):
            if low < end and high > start:
                body = body.stylize(".ink--quote", max(low - start, 0), min(high, end) - start)
        gutter = f"{number + 1:>{self._gutter - 1}} " if fold == 0 else " " * self._gutter
        return ink(gutter, "gutter") + fit(body, room)

    def _room(self, width: int) -> int:
        return max((width - 3) // 2 - self._gutter, 8)

    def _places(self, width: int) -> list[int]:
        if self._tops[0] != width:
            room = self._room(width)
            heights = (max(self._folds(0, one.left, room), self._folds(1, one.right, room)) for one in self._pairs)
            self._tops = (width, list(accumulate(heights, initial=0)))
        return self._tops[1]

    def _folds(self, side: int, number: int | None, room: int) -> int:
        return 1 if number is None else len(cuts(self._texts[side][number], room))


def pairs(left: Sequence[str], right: Sequence[str], differing: frozenset[int] = frozenset()) -> tuple[Pair, ...]:
    """Return which lines belong together, in order; lines that differ are paired as far as there are as many."""
    found: list[Pair] = []
    for kind, a, b, c, d in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        for here, there in zip_longest(range(a, b), range(c, d)):
            if kind == "equal":
                sign = "same"
            elif here is None:
                sign = "new"
            elif there is None:
                sign = "lost"
            else:
                sign = "differs" if here in differing else "alike"
            found.append(Pair(here, there, sign))
    return tuple(found)
