"""The second pass: does the output that a confirmed verdict cites carry the claim? Asked without the log's talk."""

from collections.abc import Mapping, Sequence

from sessions.hypotheses.model.answers import Opinion
from sessions.hypotheses.model.excerpt import words
from sessions.hypotheses.model.ground import STANCES, Ground
from sessions.hypotheses.model.merge import Entry
from sessions.hypotheses.model.requests import Question, ask_check
from sessions.models.session import Step

_MOST_STEPS = 3
_LIMIT = 4_000
"""Characters shown of each output."""


def questions(entries: Sequence[Entry], steps: Mapping[int, Step]) -> dict[str, Question]:
    """Return the check of each confirmed entry that cites output, by the entry's key."""
    return {
        e.key: ask_check(e.key, e.statement, _shown(e, steps), _LIMIT)
        for e in entries
        if e.held and e.verdict == "confirmed" and e.carrying()
    }


def settle(entries: Sequence[Entry], opinions: Mapping[str, Opinion | None], ground: Ground) -> None:
    """Set what carries each verdict; a confirmed one whose check has no answer that can be used stays claimed."""
    for entry in entries:
        if entry.verdict == "confirmed":
            _settle(entry, opinions.get(entry.key), ground)
        elif entry.verdict in STANCES:
            entry.support = "grounded" if entry.carrying() else "claimed"


def _settle(entry: Entry, opinion: Opinion | None, ground: Ground) -> None:
    entry.support = "claimed"
    if opinion is None or opinion.answer == "does-not-carry":
        return
    cited = {e.step for e in entry.carrying()}
    if opinion.step not in cited or ground.line(opinion.step, opinion.quote) is None:
        ground.account.drop("check", "its quote does not stand in the step")
        return
    ground.account.keep("check")
    entry.support = "grounded" if opinion.answer == "carries" else "contradicted"


def _shown(entry: Entry, steps: Mapping[int, Step]) -> list[tuple[Step, frozenset[str]]]:
    return [(steps[e.step], words([e.quote, entry.statement])) for e in entry.carrying()[-_MOST_STEPS:]]
