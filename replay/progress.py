"""What a replay tells while it runs."""

from dataclasses import dataclass

from sessions.models.replay import EvidenceStanding, HypothesisStanding, RunStep


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
class Done:
    """A step has its outcome, and it is stored. Steps come in the order of the plan."""

    result: RunStep


@dataclass(frozen=True, slots=True)
class Ended:
    """The run is over and stored."""

    run: int
    standings: tuple[EvidenceStanding, ...]
    worths: tuple[HypothesisStanding, ...]


Progress = Began | Sending | Done | Ended
