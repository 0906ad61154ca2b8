"""Whether tool output carries what a message concludes."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sessions.hypotheses.rules.find.identify import Suspicion
from sessions.hypotheses.rules.judge.link import LONGEST_QUOTE
from sessions.hypotheses.rules.judge.marks import Mark, Showing, excerpt
from sessions.hypotheses.rules.judge.record import Record, is_run, names
from sessions.hypotheses.rules.text.annotate import Note, entities, figures, spans, terms
from sessions.models.hypothesis import Evidence, Stance, Verdict
from sessions.models.session import Step

_MOST = 3
_QUOTED = re.compile(r"[\"“']([^\"”'\n]{6,80})[\"”']")
_LONG_SPAN = 8
_AGAINST = frozenset({"lacks", "differs", "fails"})
_LACKING = frozenset({"rule:lack", "rule:defect"})


@dataclass(frozen=True, slots=True)
class Claim:
    """What a message concludes of a suspicion, and the steps from which it can conclude it."""

    verdict: Verdict
    rule: str
    note: Note
    paragraph: str
    steps: tuple[Step, ...]


def ground(record: Record, suspicion: Suspicion, claim: Claim) -> tuple[Evidence, ...]:
    """Return the deciding evidence of a claim, latest step first; empty where only the agent's words carry it."""
    find = _against if claim.verdict == "refuted" else _for
    found = [piece for step in reversed(claim.steps) if (piece := find(record, suspicion, claim, step)) is not None]
    return tuple(found[:_MOST])


def speaks_against(record: Record, claim: Claim) -> bool:
    """Return whether the last run before a claim says otherwise: a failure, or a difference."""
    runs = [step for step in claim.steps if step.kind in {"shell", "poll"} and step.output]
    if not runs:
        return False
    shown = {mark.showing for mark in record.marks(runs[-1])}
    wanted: Showing = "differs" if claim.verdict == "refuted" else "fails"
    return wanted in shown and not shown & {"passes", "agrees"}


def _against(record: Record, suspicion: Suspicion, claim: Claim, step: Step) -> Evidence | None:
    """A figure, code or quoted words of the conclusion on a line that shows no defect, or a comparison that agrees."""
    if not is_run(step):
        return None
    marks = record.marks(step)
    agreeing = next((m for m in marks if m.showing == "agrees"), None)
    if agreeing is None and any(m.showing in _AGAINST for m in marks):
        return None
    line = anchor(claim, step, avoid=marks)
    if line is not None:
        return _evidence(step, claim, line, "rule:figures-in-output")
    if agreeing is not None and _bears(record, suspicion, step, agreeing):
        return _evidence(step, claim, agreeing.line, agreeing.rule)
    return None


def _for(record: Record, suspicion: Suspicion, claim: Claim, step: Step) -> Evidence | None:
    """A line that names what is missing, or a pass after an edit that touches what is suspected."""
    marks = record.marks(step)
    said = suspicion.entities | entities(claim.paragraph)
    lacking = any(rule in _LACKING for m in suspicion.mentions for rule in m.rules)
    for mark in marks if lacking and claim.rule != "rule:fixed" else ():
        if _FRICTION.search(mark.line):
            continue
        if mark.showing in {"lacks", "differs"} and len(terms(mark.line) & said) >= _SHARED:
            return _evidence(step, claim, mark.line, mark.rule)
    passing = [m for m in marks if m.showing in {"passes", "agrees"} and "(cached)" not in m.line]
    if not passing or any(m.showing == "fails" for m in marks):
        return None
    edits = [s for s in claim.steps if record.mended.get(s.ordinal) == suspicion.key and s.ordinal < step.ordinal]
    telling = next((m for m in passing if edits and _is_new(record, claim, step, m, edits)), None)
    return None if telling is None else _evidence(step, claim, telling.line, "rule:pass-after-fix")


_SHARED = 2
_FRICTION = re.compile(r"\.\w+:\d+:\d+:|No such file or directory|command not found|ModuleNotFoundError|syntax error")
"""Compilers, linters and shells: what they miss is not what was suspected."""


def _is_new(record: Record, claim: Claim, step: Step, mark: Mark, edits: Sequence[Step]) -> bool:
    """Whether a pass after an edit is new: the edits name what passed, or a run like it failed before."""
    if any(name in edit.command for name in _NAME.findall(mark.line) for edit in edits):
        return True
    before = (s for s in claim.steps if s.ordinal < step.ordinal and s.kind == step.kind)
    failed = (s for s in before if any(m.showing == "fails" for m in record.marks(s)))
    return any(record.rarity.likeness(record.command_terms(s), record.command_terms(step)) >= _ALIKE for s in failed)


_NAME = re.compile(r"\b[A-Za-z_]\w{9,}\b")
_ALIKE = 0.6


def _bears(record: Record, suspicion: Suspicion, step: Step, mark: Mark) -> bool:
    words = record.command_terms(step) | terms(mark.line)
    return names(record, suspicion, words) or bool(words & suspicion.entities)


def anchor(claim: Claim, step: Step, avoid: Sequence[Mark] = ()) -> str | None:
    """Return the line of the output on which a figure, code or quoted words of the conclusion stand."""
    shunned = {mark.line for mark in avoid if mark.showing in _AGAINST}
    numbers = figures(claim.paragraph)
    pieces = tuple(_pieces(claim.paragraph))
    for line in excerpt(step).split("\n"):
        bare = line.strip()
        if not bare or bare in shunned or len(bare) > _WIDE:
            continue
        if (numbers and _same_figures(numbers, figures(bare))) or any(piece in bare for piece in pieces):
            return bare
    return None


_WIDE = 2_000


def _pieces(paragraph: str) -> Iterator[str]:
    for span in spans(paragraph):
        if len(span) >= _LONG_SPAN and " " in span:
            yield span
    for quoted in _QUOTED.findall(paragraph):
        if " " in quoted:
            yield quoted


def _same_figures(said: frozenset[str], shown: frozenset[str]) -> bool:
    if said & shown:
        return True
    return any(_rounds(one, other) for one in said if "." in one for other in shown if "." in other)


def _rounds(said: str, shown: str) -> bool:
    """Whether the figure that is shown, rounded as the said one is, gives it: 0.1280 and 0.128, 0.19191 and 0.192."""
    if "e" in said.lower() or "e" in shown.lower():
        return float(said) == float(shown)
    places = len(said.partition(".")[2])
    return places >= _DECIMALS and f"{float(shown):.{places}f}" == said


_DECIMALS = 2


def _evidence(step: Step, claim: Claim, line: str, source: str) -> Evidence:
    stance: Stance = "refutes" if claim.verdict == "refuted" else "supports"
    return Evidence(step=step.ordinal, stance=stance, quote=line[:LONGEST_QUOTE].strip(), deciding=True, source=source)
