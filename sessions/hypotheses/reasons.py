"""What stands behind a source: the rule's family, weight and reason, or the model or person that it names."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from sessions.hypotheses.rules.find.score import ADJUST
from sessions.hypotheses.rules.table import ROWS

Kind = Literal["rule", "model", "person", "unknown"]


@dataclass(frozen=True, slots=True)
class Reason:
    """Who or what set something; `weight` is what a rule adds to the score of a sentence, where it adds anything."""

    source: str
    kind: Kind
    family: str
    weight: float | None
    text: str


FORMS: Mapping[str, str] = {
    "heading": "it stands in a heading, and headings rarely state causes",
    "short": "it has fewer than four words",
    "long": "it has more than sixty words",
    "entity": "it names something: a file, an identifier, a flag",
    "no-terms": "it has no word that tells what it is about",
    "alone": "it is one of a few sentences of its message",
    "opening": "it opens its message",
    "reasoning": "it was thought, not said",
    "user": "the user wrote it",
    "first-message": "the user's first message tells the symptom",
    "report": "its message reports what was done",
    "item-of-causes": "it is an item of a list whose lead announces causes",
    "under-causes": "it stands under a heading that announces causes",
    "lead-line": "it only announces what follows",
    "only-a-link": "it is nothing but a path or a link",
    "settles": "it settles something and guesses nothing",
    "tested-next": "a step soon after it names what it speaks of",
    "not-tested": "no step follows that could test it",
    "acted-on": "an edit after it changes what it names",
    "taken-up": "a conclusion soon after it is on it",
}
"""Why the place and the form of a sentence count; the weights stand in the scoring stage."""

STAGES: Mapping[str, tuple[str, str]] = {
    "symptom": ("symptom", "of the first messages it says best what goes wrong"),
    "score": ("score", "several weak signs add up"),
    "undecided": ("default", "no message and no output settles it"),
    "figures-in-output": ("grounding", "a figure or quoted words of the conclusion stand on this line of the output"),
    "pass-after-fail": ("grounding", "a run that failed passes after an edit that touches what was suspected"),
    "error-gone": ("grounding", "this line of a failure names it, and is gone after an edit that touches it"),
    "its-test-passes": ("grounding", "a test passes that came with an edit for it"),
    "switch": ("grounding", "a switch that names it makes all the difference between two runs of one command"),
    "first-seen-here": ("grounding", "what the finding names stands in this answer, and nobody had named it before"),
    "passes-since": ("default", "an edit acts on it, a run has passed since, and nobody says more"),
    "left": ("default", "it was put forward as a guess and looked into, and then something else was raised"),
    "likeness": ("agrees", "a cosine or correlation near one, or one that is not"),
    "overlap": (
        "link",
        "of the steps around it this one, with the messages before and after, shares most of its telling words",
    ),
}
"""Stages that set something without a row of the table: family and reason."""

_ROWS = {row.name: row for row in ROWS}


def reason(source: str) -> Reason:
    """Return what stands behind `source`, as it is stored: ``rule:NAME``, ``model:NAME``, ``person:NAME``."""
    kind, _, name = source.partition(":")
    if kind == "rule":
        return _rule(source, name)
    if kind == "model":
        return Reason(source, "model", "model", None, f"the model {name} says so")
    if kind == "person":
        return Reason(source, "person", "person", None, f"{name} set it")
    return Reason(source, "unknown", "", None, "")


def _rule(source: str, name: str) -> Reason:
    row = _ROWS.get(name)
    if row is not None:
        return Reason(source, "rule", row.family, row.weight, row.reason)
    if name in ADJUST:
        return Reason(source, "rule", "form", ADJUST[name], FORMS.get(name, "the place and the form of the sentence"))
    family, text = STAGES.get(name, ("", ""))
    return Reason(source, "rule", family, None, text)
