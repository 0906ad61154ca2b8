"""Which hypotheses of a tree can stand for those of an annotation: found by term and place, paired one to one."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sessions.hypotheses.gold import Suspected
from sessions.hypotheses.quotes import fold, squash
from sessions.models.hypothesis import LONGEST_STATEMENT, Tree
from sessions.models.session import Message, Step

NEAR = 3
"""Messages between two statements of one hypothesis."""

_SHORT_TERM = 4


@dataclass(frozen=True, slots=True)
class Guess:
    """A hypothesis that is held against an annotation; `steps` are those of its evidence."""

    id: str
    parent: str | None
    statement: str
    verdict: str
    support: str
    stated_in: int | None
    steps: frozenset[int]


@dataclass(frozen=True, slots=True)
class Told:
    """A log as an engine read it, white space squashed, and what it made of it; the root is left out."""

    messages: Mapping[int, str]
    steps: Mapping[int, tuple[str, str]]
    hypotheses: tuple[Guess, ...]
    candidates: tuple[Guess, ...]

    @classmethod
    def of(cls, messages: Iterable[Message], steps: Iterable[Step], tree: Tree) -> "Told":
        """Return what is scored of a session and its tree."""
        return cls.of_report(
            {
                "messages": [{"ordinal": each.ordinal, "text": each.text} for each in messages],
                "steps": [{"ordinal": each.ordinal, "command": each.command, "output": each.output} for each in steps],
                "hypotheses": [each.model_dump(warnings=False) for each in tree.hypotheses],
                "candidates": [each.model_dump(warnings=False) for each in tree.candidates],
            }
        )

    @classmethod
    def of_report(cls, report: Mapping[str, Any]) -> "Told":
        """Return what is scored of a JSON report. Raises KeyError and TypeError where it is none."""
        return cls(
            {each["ordinal"]: squash(each.get("text", "")) for each in report["messages"]},
            {
                each["ordinal"]: (squash(each.get("command", "")), squash(each.get("output", "")))
                for each in report["steps"]
            },
            tuple(_guess(each) for each in report["hypotheses"] if not each.get("root")),
            tuple(_guess(each) for each in report.get("candidates", ())),
        )


@dataclass(frozen=True, slots=True)
class Place:
    """Where the log has an annotated hypothesis: messages, and for each piece of evidence the steps with its quote."""

    stated: frozenset[int]
    cited: tuple[frozenset[int], ...]
    missing: int

    @property
    def steps(self) -> frozenset[int]:
        """All steps of its evidence."""
        return frozenset().union(*self.cited)


def locate(one: Suspected, told: Told) -> Place:
    """Return where `told` has an annotated hypothesis."""
    quote = squash(one.stated_quote)
    stated = frozenset(ordinal for ordinal, text in told.messages.items() if quote and quote in text)
    cited = [_steps_with(squash(piece.quote), told) for piece in one.evidence]
    found = tuple(steps for steps in cited if steps)
    return Place(stated, found, (not stated) + len(cited) - len(found))


def _steps_with(quote: str, told: Told) -> frozenset[int]:
    return frozenset(ordinal for ordinal, texts in told.steps.items() if quote and any(quote in text for text in texts))


def rank(one: Suspected, place: Place, guesses: Sequence[Guess]) -> list[int]:
    """Return the numbers of the guesses that can stand for `one`, the nearest first."""
    words = [fold(term) for term in one.terms]
    weighed = ((_nearness(place, guess), number) for number, guess in enumerate(guesses) if _names(guess, words))
    return [number for near, number in sorted(weighed, key=lambda each: (-each[0], each[1])) if near]


def _nearness(place: Place, guess: Guess) -> int:
    stated = guess.stated_in
    near = stated is not None and any(abs(stated - ordinal) <= NEAR for ordinal in place.stated)
    return len(guess.steps & place.steps) + 2 * near


def _names(guess: Guess, words: Sequence[str]) -> bool:
    if len(guess.statement) > LONGEST_STATEMENT:
        return False
    statement = f" {fold(guess.statement)} "
    return any(f" {word} " in statement or (len(word) > _SHORT_TERM and word in statement) for word in words)


def match(edges: Sequence[Sequence[int]]) -> dict[int, int]:
    """Return a largest set of pairs (left to right), found by augmenting paths, lefts and edges in their order."""
    left_of: dict[int, int] = {}

    def assign(left: int, tried: set[int]) -> bool:
        for right in edges[left]:
            if right not in tried:
                tried.add(right)
                if right not in left_of or assign(left_of[right], tried):
                    left_of[right] = left
                    return True
        return False

    for left in range(len(edges)):
        assign(left, set())
    return {left: right for right, left in left_of.items()}


def _guess(fields_: Mapping[str, Any]) -> Guess:
    return Guess(
        str(fields_["id"]),
        fields_.get("parent"),
        str(fields_["statement"]),
        str(fields_["verdict"]),
        str(fields_.get("support", "")),
        fields_.get("stated_in"),
        frozenset(piece["step"] for piece in fields_.get("evidence", ())),
    )
