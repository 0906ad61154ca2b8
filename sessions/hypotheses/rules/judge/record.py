"""One session as the later stages look at it: its messages, notes and steps, each output read once."""

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from sessions.hypotheses.rules.find.identify import Suspicion
from sessions.hypotheses.rules.find.rarity import Rarity
from sessions.hypotheses.rules.judge.marks import Mark, excerpt, marks
from sessions.hypotheses.rules.judge.stance import Said, stances
from sessions.hypotheses.rules.judge.trials import Trial, calls, changes, trial
from sessions.hypotheses.rules.text.annotate import Note, terms
from sessions.models.session import Message, Step

_TESTS = frozenset({"shell", "poll", "other", "agent"})
_LONGEST_COMMAND = 4_000


@dataclass(frozen=True, slots=True)
class Proof:
    """A run that shows that a suspicion was right, the line that does, by which rule, and from when that is known."""

    key: str
    step: Step
    message: int
    line: str
    rule: str


class Record:
    """What the stages after `identify` share."""

    def __init__(
        self, messages: Sequence[Message], steps: Sequence[Step], notes: Sequence[Note], rarity: Rarity
    ) -> None:
        self.messages = messages
        self.notes = notes
        self.rarity = rarity
        self.steps = [s for s in steps if s.message is not None and not s.abandoned]
        self._places = [s.message if s.message is not None else -1 for s in self.steps]
        self.suspicions: Sequence[Suspicion] = ()
        self.held: Sequence[Suspicion | None] = ()
        self.mended: Mapping[int, str] = {}
        self.proofs: Sequence[Proof] = ()
        self.concluded: Mapping[str, Sequence[tuple[Note, Said]]] = {}
        """What is looked into, what is in focus as each message ends, which edit acts on which suspicion (by key), what
        runs prove, and what is concluded of which (by key): set once the suspicions are chosen."""
        self._runs: dict[int, bool] = {}
        self._lines: dict[int, Sequence[tuple[str, frozenset[str]]]] = {}
        self._spoken: dict[tuple[int, int | None, int | None], frozenset[str]] = {}
        self._marks: dict[int, tuple[Mark, ...]] = {}
        self._terms: dict[tuple[int, str], frozenset[str]] = {}

    @property
    def last(self) -> int:
        """Ordinal of the last message that somebody wrote."""
        return max((m.ordinal for m in self.messages if not m.injected), default=-1)

    @property
    def count(self) -> int:
        """One more than the highest ordinal of a message."""
        return 1 + max([-1, *(m.ordinal for m in self.messages), *self._places])

    def suspicion(self, key: str) -> Suspicion:
        """Return the suspicion with that key."""
        return next(each for each in self.suspicions if each.key == key)

    @cached_property
    def by_message(self) -> dict[int, list[Note]]:
        """The notes of each message."""
        found: dict[int, list[Note]] = {}
        for note in self.notes:
            found.setdefault(note.sentence.message, []).append(note)
        return found

    def spoken(self, message: int, first: int | None, last: int | None) -> frozenset[str]:
        """Return the terms of the sentences `first` to `last`, as a slice, of a message."""
        key = (message, first, last)
        if key not in self._spoken:
            notes = self.by_message.get(message, [])[first:last]
            self._spoken[key] = frozenset().union(*(n.terms for n in notes))
        return self._spoken[key]

    @cached_property
    def by_number(self) -> dict[int, Note]:
        """The notes by the number of their sentence."""
        return {note.sentence.number: note for note in self.notes}

    @cached_property
    def stances(self) -> tuple[tuple[Note, Said], ...]:
        """The sentences that conclude something."""
        return tuple(stances(self.notes))

    @cached_property
    def trials(self) -> tuple[Trial, ...]:
        """The steps that ran something, with how each came out."""
        found = (trial(step, self.marks(step)) for step in self.steps if step.kind == "shell")
        return tuple(each for each in found if each is not None)

    @cached_property
    def fixes(self) -> tuple[Step, ...]:
        """The steps that change what runs."""
        return tuple(step for step in self.steps if is_fix(step) or (step.kind == "shell" and changes(step)))

    def between(self, first: int, last: int) -> Sequence[Step]:
        """Return the steps that ran after message `first` was written and before message `last` was."""
        return self.steps[bisect_left(self._places, first) : bisect_left(self._places, last)]

    def marks(self, step: Step) -> tuple[Mark, ...]:
        """Return what the output of a step shows; nothing for reads and edits, whose outputs are source text."""
        if step.ordinal not in self._marks:
            self._marks[step.ordinal] = marks(step) if self.is_run(step) else ()
        return self._marks[step.ordinal]

    def is_run(self, step: Step) -> bool:
        """Return whether the output of a step is the result of a run: see `is_run`."""
        if step.ordinal not in self._runs:
            self._runs[step.ordinal] = is_run(step)
        return self._runs[step.ordinal]

    def command_terms(self, step: Step) -> frozenset[str]:
        """Return the terms of a step's command."""
        return self._cached(step, "command", _FOLDER.sub("", step.command[:_LONGEST_COMMAND]))

    def output_terms(self, step: Step) -> frozenset[str]:
        """Return the terms of a step's output."""
        return self._cached(step, "output", "" if (step.ordinal, "output") in self._terms else excerpt(step))

    def lines(self, step: Step, longest: int) -> Sequence[tuple[str, frozenset[str]]]:
        """Return the lines of an output that are no longer than `longest`, with their terms."""
        if step.ordinal not in self._lines:
            told = (line.strip() for line in excerpt(step).split("\n") if len(line) <= longest)
            self._lines[step.ordinal] = [(line, terms(line)) for line in told if line]
        return self._lines[step.ordinal]

    def _cached(self, step: Step, what: str, text: str) -> frozenset[str]:
        key = (step.ordinal, what)
        if key not in self._terms:
            self._terms[key] = terms(text)
        return self._terms[key]


_NOTES = re.compile(r"\S+\.(?:md|txt|rst|adoc)\s*(?:\n|$)", re.IGNORECASE)


def is_fix(step: Step) -> bool:
    """Return whether a step changes what runs: edits of notes and documents do not."""
    return step.kind == "edit" and not _NOTES.match(step.command)


_WRAPPING = re.compile(
    r"^(?:\s*(?:sudo|time|cd (?:\"[^\"]*\"|'[^']*'|\S+) *(?:&&|;)|ssh (?:-\S+ )*\S+ ['\"]?"
    r"|bash -l?c ['\"]|[A-Z_]+=\S*)\s*)+"
)
_READERS = re.compile(
    r"(?:\S*/)?(?:grep|egrep|rg|sed|cat|head|tail|nl|less|awk|ls|find|git (?:show|diff|log|grep|blame)|wc|stat)\b"
)


_LOG = re.compile(r"\.(?:log|out)\b")
_FOLDER = re.compile(r"^\s*cd (?:\"[^\"]*\"|'[^']*'|\S+)\s*(?:&&|;|\n)")


def is_run(step: Step) -> bool:
    """Return whether the output of a step is the result of a run; what stands in a file that is shown is none."""
    return step.kind in _TESTS and (not _only_reads(step) or bool(_LOG.search(step.command)))


def _only_reads(step: Step) -> bool:
    reads = bool(_READERS.match(_WRAPPING.sub("", step.command[:_LONGEST_COMMAND])))
    return not calls(step) if step.commands and step.kind == "shell" else reads


def names(record: Record, suspicion: Suspicion, words: frozenset[str]) -> bool:
    """Return whether `words` name what is suspected: two of its names, or a name and enough of its other terms."""
    core = suspicion.core
    calls = (core & suspicion.entities) or suspicion.entities
    named, common = calls & words, core & words
    if len(common) < min(_FEWEST, len(core)) or (calls and not named):
        return False
    by_name = len(named) >= _FEWEST and record.rarity.coverage(calls, named) >= _NAMED
    return by_name or record.rarity.coverage(core, common) >= _TOLD


_FEWEST = 2
_NAMED = 0.35
_TOLD = 0.25


def names_no_cause(suspicion: Suspicion) -> bool:
    """Return whether the words of a suspicion say what is done or wished for: no cause that a run could prove."""
    return any(row.name in _NO_CAUSE for row in suspicion.best.rules)


_NO_CAUSE = frozenset({"doing", "design", "conditional-help"})
