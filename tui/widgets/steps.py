"""The list of steps: what ran, how it ended, and which of them speak for or against the chosen hypothesis."""

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar

from textual.content import Content

from sessions.models.hypothesis import Evidence
from sessions.store.rows import StepLine
from tui.widgets import figures
from tui.widgets.ink import LONGEST, fit, ink, inline, right
from tui.widgets.paging import Pages
from tui.widgets.roster import Roster

KINDS: Mapping[str, str] = {"shell": "$", "poll": "…", "agent": "agent", "other": "tool"}
"""How the list names a kind, where it does not use the kind's own name."""

REMOTE = re.compile(
    r"ssh(?: -[46AaCfGgKkMNnqsTtVvXxYy]+| -[BbcDEeFIiJLlmOopQRSWw] ?\S+)* [\w@.:-]+ (['\"])(.+?)\1?$", re.DOTALL
)
"""A command that is all ``ssh OPTIONS HOST 'COMMAND'``: for the list only; the page of a step shows every word."""

SETTING_OUT = re.compile(r"\Acd [^\n;&|]+(?:&&|;|\n)\s*")
"""A ``cd FOLDER &&`` in front: half of all commands begin so, and the list has no room for it."""

STANCES: Mapping[str, str] = {"supports": "▲", "refutes": "▼", "neutral": "◦"}
"""The mark of each stance."""

ROOMY = 52
"""Cells of width from which durations are shown."""


class StepList(Roster):
    """Steps over pages of the store, or only those that are evidence for the chosen hypothesis."""

    EMPTY: ClassVar[str] = " No step here."

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name of it
        super().__init__(id=id)
        self._steps: Pages[StepLine] = Pages(0, lambda _start, _limit: ())
        self._evidence: Mapping[int, Evidence] = {}
        self._only: Sequence[int] | None = None

    @property
    def count(self) -> int:
        """Number of steps shown."""
        return len(self._steps) if self._only is None else len(self._only)

    @property
    def current(self) -> int | None:
        """Ordinal of the step under the cursor."""
        return self._ordinal(self.cursor) if self.count else None

    @property
    def filtered(self) -> bool:
        """Whether only evidence is shown."""
        return self._only is not None

    def fill(self, steps: Pages[StepLine]) -> None:
        """Take the steps of a session, and show all of them."""
        self.filled = True
        current = self.current
        self._steps = steps
        self._only = None
        self.relay(self.place_of(current))

    def mark(self, evidence: Sequence[Evidence], *, only: bool) -> None:
        """Mark the steps of `evidence`; with `only` show no others. A deciding piece wins over another of its step."""
        current = self.current
        self._evidence = {one.step: one for one in sorted(evidence, key=lambda one: one.deciding)}
        self._only = sorted(step for step in self._evidence if step < len(self._steps)) if only else None
        self.relay(self.place_of(current))

    def go_to(self, ordinal: int) -> None:
        """Put the cursor on a step; where the list does not show it, show all."""
        if self._only is not None and ordinal not in self._only:
            self._only = None
            self.relay(ordinal)
        self.cursor = self.place_of(ordinal)

    def draw(self, index: int, line: int, width: int) -> Content:
        """Return the line of one step."""
        del line
        ordinal = self._ordinal(index)
        step = self._steps.at(ordinal)
        if step is None:
            return ink(f" {ordinal} can no longer be read", "bad")
        digits = max(len(str(len(self._steps))), 3)
        kind, command = told(step)
        head = [
            ink(f" {ordinal:>{digits}} ", "gutter"),
            self._stance(ordinal),
            ink(f" {kind:<6} " if width >= ROOMY else f" {kind[:1]} ", "faint"),
        ]
        tail = [_ending(step)] + ([right(ink(figures.duration(step.duration), "faint"), 8)] if width >= ROOMY else [])
        used = sum(part.cell_length for part in (*head, *tail))
        text = fit(inline(command, "faint" if step.abandoned else ""), max(width - used - 1, 4))
        return Content("").join([*head, text, *tail, Content(" ")])

    def _stance(self, ordinal: int) -> Content:
        evidence = self._evidence.get(ordinal)
        if evidence is None:
            return Content("  ")
        return ink(STANCES[evidence.stance] + ("●" if evidence.deciding else " "), evidence.stance)

    def _ordinal(self, index: int) -> int:
        return index if self._only is None else self._only[index]

    def place_of(self, ordinal: int | None) -> int:
        """Return the index of a step in the list as it is shown; 0 where it is not."""
        if self._only is None:
            return ordinal or 0
        return self._only.index(ordinal) if ordinal in self._only else 0


def told(step: StepLine) -> tuple[str, str]:
    """Return how the list names the kind of a step, and its text without ``ssh HOST`` and ``cd FOLDER &&`` in front."""
    text = step.command or step.tool
    if step.kind != "shell":
        return KINDS.get(step.kind, step.kind), text
    remote = REMOTE.match(text[:LONGEST])
    kind, text = ("ssh", remote[2]) if remote else (KINDS["shell"], text)
    return kind, SETTING_OUT.sub("", text)


def _ending(step: StepLine) -> Content:
    if step.exit_code not in {None, 0}:
        return right(ink(f"exit {step.exit_code}", "bad"), 9)
    words = {"error": "error", "rejected": "rejected", "interrupted": "stopped", "running": "running"}
    if step.status in words:
        return right(ink(words[step.status], "bad" if step.status == "error" else "doubtful"), 9)
    return Content("")
