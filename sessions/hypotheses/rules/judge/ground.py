"""Whether tool output carries what a message concludes."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sessions.hypotheses.rules.find.identify import Suspicion
from sessions.hypotheses.rules.judge.link import LONGEST_QUOTE
from sessions.hypotheses.rules.judge.marks import Mark, Showing, excerpt
from sessions.hypotheses.rules.judge.record import Record, names
from sessions.hypotheses.rules.judge.speak import FINDINGS
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
    if not found and claim.rule in FINDINGS:
        found = list(_new(record, suspicion, claim))
    return tuple(found[:_MOST])


def speaks_against(record: Record, claim: Claim) -> bool:
    """Return whether the last run before a claim says otherwise, or the next one after it: a failure, a difference."""
    if claim.verdict == "confirmed" and _fails_next(record, claim.note.sentence.message):
        return True
    runs = [step for step in claim.steps if step.kind in {"shell", "poll"} and step.output]
    if not runs:
        return False
    shown = {mark.showing for mark in record.marks(runs[-1])}
    wanted: Showing = "differs" if claim.verdict == "refuted" else "fails"
    return wanted in shown and not shown & {"passes", "agrees"}


def _fails_next(record: Record, message: int) -> bool:
    """Whether the next run after a message, of something that ran before, fails with nothing changed in between."""
    after = next((t for t in record.trials if t.message >= message), None)
    if after is None or after.outcome != "fails":
        return False
    if any((s.message or 0) >= message and s.ordinal < after.step.ordinal for s in record.fixes):
        return False
    return any(t.call.is_like(after.call) for t in record.trials if t.step.ordinal < after.step.ordinal)


def _against(record: Record, suspicion: Suspicion, claim: Claim, step: Step) -> Evidence | None:
    """A figure, code or quoted words of the conclusion on a line that shows no defect, or a comparison that agrees."""
    if not record.is_run(step):
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
    return None


_ANSWER = 10
"""Lines up to which an output answers what was asked; a longer one, or one that passed through a filter, lists
whatever there is."""

_JUST_BEFORE = 2
_BACK = 8
"""Messages before a statement, and before a finding, whose runs can have shown what the finding names."""


def _new(record: Record, suspicion: Suspicion, claim: Claim) -> Iterator[Evidence]:
    """Yield the runs that show what a finding names and nobody had named before they ran."""
    message = claim.note.sentence.message
    names = [span for span in spans(claim.paragraph) if len(span) >= _LONG_SPAN]
    for step in reversed(record.between(max(suspicion.message - _JUST_BEFORE, message - _BACK), message)):
        for name in names if step.kind in {"shell", "poll"} and record.is_run(step) else ():
            if name not in step.output or name in step.command or _first_told(record, name) <= (step.message or 0):
                continue
            lines = [line.strip() for line in step.output.split("\n") if line.strip()]
            line = next((line for line in lines if name in line), "")
            if len(lines) <= _ANSWER and 0 < len(line) <= _WIDE and not any(c.stage for c in step.commands):
                yield _evidence(step, claim, line, "rule:first-seen-here")
                break


def _first_told(record: Record, name: str) -> int:
    return next((m.ordinal for m in record.messages if name in m.text), len(record.messages))


_SHARED = 2
_FRICTION = re.compile(r"\.\w+:\d+:\d+:|No such file or directory|command not found|ModuleNotFoundError|syntax error")
"""Compilers, linters and shells: what they miss is not what was suspected."""


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
