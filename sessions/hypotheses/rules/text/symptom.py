"""The root: what went wrong, in the words of whoever said it first."""

from collections.abc import Sequence

from sessions.hypotheses.rules.find.state import shorten
from sessions.hypotheses.rules.table import SYMPTOMS
from sessions.hypotheses.rules.table.sieve import Sieve
from sessions.hypotheses.rules.text.annotate import terms
from sessions.hypotheses.rules.text.segment import Sentence
from sessions.hypotheses.tree import symptom
from sessions.models.hypothesis import Hypothesis

_FIRST = 8
"""Messages in which the symptom is looked for: a user may give only a link, and the agent tells what it says."""

_ENOUGH = 0.5
_USER = 0.4
_EARLIER = 0.02
_TOLD = Sieve(SYMPTOMS)

UNKNOWN = "What was wrong is not said in the log."


def root(sentences: Sequence[Sentence]) -> Hypothesis:
    """Return the symptom: of the first messages' sentences the one that says best what goes wrong."""
    first = sentences[0].message if sentences else 0
    near = [s for s in sentences if s.message - first < _FIRST and s.shape != "heading"]
    if not near:
        return symptom(UNKNOWN, source="rule:symptom")
    best = max(near, key=lambda s: (_worth(s), -s.number))
    if _worth(best) < _ENOUGH:
        best = next((s for s in near if s.role == "user"), near[0])
    rules = tuple(f"rule:{row.name}" for row, _ in _TOLD.search(best.text))
    return symptom(shorten(best.text), source="rule:symptom", stated_in=best.message, rules=rules)


def _worth(sentence: Sentence) -> float:
    if not terms(sentence.text):
        return 0.0  # "Find out why." names nothing that goes wrong
    words = sum(row.weight for row, _ in _TOLD.search(sentence.text))
    return words + (_USER if sentence.role == "user" else 0.0) - _EARLIER * sentence.number
