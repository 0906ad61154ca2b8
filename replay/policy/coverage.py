"""How much of some commands a replay could run, counted by the family of what they call."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from replay.policy.judgement import Judgement
from replay.policy.programs import families
from sessions.models.replay import Decision
from sessions.shell.unwrap import unwrap

UNKNOWN = "not on the list"
NOTHING = "shell alone"
_BESIDE = frozenset(
    {"cd", "echo", "printf", "true", "sleep", "export", "set", "test", "[", "source", ".", "pushd", "popd"}
)
"""What stands beside what a command is about."""


@dataclass(slots=True)
class Coverage:
    """Decisions by family."""

    counts: dict[str, Counter[Decision]] = field(default_factory=dict)

    def add(self, judgement: Judgement) -> None:
        """Count one command under the family of the first program that it is about."""
        self.counts.setdefault(family(judgement.command), Counter())[judgement.decision] += 1

    def total(self) -> Counter[Decision]:
        """Return the decisions over all families."""
        return sum(self.counts.values(), Counter[Decision]())

    def rows(self) -> Sequence[tuple[str, Counter[Decision]]]:
        """Return families with their decisions, the most frequent first."""
        return sorted(self.counts.items(), key=lambda row: (-row[1].total(), row[0]))


def family(command: str) -> str:
    """Return the family of the first program that a command is about."""
    known = families()
    names = (call.argv[0].rpartition("/")[2] for call in unwrap(command) if call.argv)
    name = next((name for name in names if name not in _BESIDE), None)
    return NOTHING if name is None else known.get(name, UNKNOWN)


def cover(judgements: Iterable[Judgement]) -> Coverage:
    """Return the coverage over some judgements."""
    coverage = Coverage()
    for judgement in judgements:
        coverage.add(judgement)
    return coverage
