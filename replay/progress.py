"""What a replay tells while it runs."""

from collections.abc import Callable
from dataclasses import dataclass

from sessions.models.replay import EvidenceStanding, HypothesisStanding, RunStep

MOST = 256 * 1024
"""Bytes of one step's output that are told while it runs; all of it is judged when it has ended."""


@dataclass(frozen=True, slots=True)
class Began:
    """The run has its number in the store; `total` steps are planned, `sending` of them will be sent."""

    run: int
    total: int
    sending: int


@dataclass(frozen=True, slots=True)
class Sending:
    """A step is about to be sent; its intent is on the disk."""

    step: int


@dataclass(frozen=True, slots=True)
class Heard:
    """More whole lines of what a step prints have come: to be shown, not to be judged."""

    step: int
    text: str


@dataclass(frozen=True, slots=True)
class Done:
    """A step has its outcome, and it is stored. Steps come in the order of the plan."""

    result: RunStep


@dataclass(frozen=True, slots=True)
class Ended:
    """The run is over and stored."""

    run: int
    standings: tuple[EvidenceStanding, ...]
    worths: tuple[HypothesisStanding, ...]


Progress = Began | Sending | Heard | Done | Ended


class Lines:
    """Collects pieces of output and tells every whole line once, made safe by `clean`."""

    def __init__(self, clean: Callable[[bytes], str], tell: Callable[[str], None]) -> None:
        self._clean = clean
        self._tell = tell
        self._rest = b""
        self._left = MOST

    def take(self, piece: bytes) -> None:
        """Take a piece; a line that is not whole yet waits for the next."""
        if self._left <= 0:
            return
        self._left -= len(piece)
        lines, newline, self._rest = (self._rest + piece).rpartition(b"\n")
        if newline:
            self._tell(self._clean(lines + newline))
