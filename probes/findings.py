"""What findings mean for hypotheses: evidence for one, and which probes would settle one."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sessions.models.hypothesis import Hypothesis, Stance, Tree
from sessions.models.probe import Answer, Finding, Probe, ProbeReport, Suspicion

STANCES: dict[Answer, Stance] = {"confirmed": "supports", "refuted": "refutes", "inconclusive": "neutral"}
"""What an answer does to the hypothesis that it is attached to, where that is the one the probe speaks of."""

_GENERAL = frozenset({
    "a", "an", "and", "are", "as", "at", "be", "by", "does", "for", "from",
    "has", "have", "in", "into", "is", "it", "its", "not", "of", "on", "or",
    "than", "that", "the", "their", "them", "there", "this", "to", "was", "which", "with",
    "wrong", "incorrect", "broken", "bug", "issue", "problem", "fault", "cause", "model", "output", "garbage",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A probe that would settle a hypothesis, and why it is thought so."""

    probe: Probe
    suspicion: Suspicion
    score: float
    terms: tuple[str, ...]
    """The terms of the suspicion that the hypothesis holds."""


def stance(finding: Finding) -> Stance:
    """Return what a finding does to its hypothesis."""
    return STANCES[finding.answer]


def sentence(report: ProbeReport) -> str:
    """Return one line for a list: what was found, or why nothing was."""
    document = report.document
    if not document.findings:
        return f"{document.status}: {(document.detail.strip().splitlines() or [report.outcome])[-1]}"
    told = [f"{finding.answer}: {finding.statement} ({finding.why})" for finding in document.findings]
    return "; ".join(told)


def suggest(statement: str, probes: Iterable[Probe], *, context: str = "", most: int = 3) -> tuple[Suggestion, ...]:
    """Return the probes that would settle the hypothesis `statement`, best first, at most `most`.

    A term of a suspicion counts 1 for each of its words; words that the statement shares with the suspicion's own
    statement count a quarter. A probe made for some architectures is offered only where `context` (the symptom, the
    title, the model's name) or the statement names one.
    """
    words, everything = _words(statement), f"{statement} {context}".lower()
    found: dict[str, Suggestion] = {}
    for probe in probes:
        if probe.architectures and not any(name in everything for name in probe.architectures):
            continue
        for suspicion in probe.hypotheses:
            scored = _score(suspicion, statement, words)
            suggestion = Suggestion(probe, suspicion, *scored)
            if suggestion.terms and suggestion.score > getattr(found.get(probe.name), "score", 0.0):
                found[probe.name] = suggestion
    return tuple(sorted(found.values(), key=lambda each: (-each.score, each.probe.name))[:most])


def suggest_for(
    tree: Tree, probes: Iterable[Probe], *, context: str = ""
) -> tuple[tuple[Hypothesis, tuple[Suggestion, ...]], ...]:
    """Return each hypothesis of `tree` with the probes that would settle it; the symptom is part of the context."""
    known = tuple(probes)
    symptom = " ".join(node.statement for node in tree.hypotheses if node.root)
    return tuple(
        (node, suggest(node.statement, known, context=f"{symptom} {context}"))
        for node in tree.hypotheses
        if not node.root
    )


def _score(suspicion: Suspicion, statement: str, words: Sequence[str]) -> tuple[float, tuple[str, ...]]:
    terms = tuple(term for term in suspicion.terms if _holds(statement, term))
    shared = set(words) & set(_words(suspicion.statement))
    return sum(len(term.split()) for term in terms) + len(shared) / 4, terms


def _holds(statement: str, term: str) -> bool:
    pattern = r"[\s_-]*".join(re.escape(word) for word in term.lower().split())
    return re.search(rf"(?<![a-z0-9]){pattern}(?:s|es|ed|ing)?(?![a-z0-9])", statement.lower()) is not None


def _words(text: str) -> list[str]:
    return [word for word in re.findall(r"[a-z0-9_]{2,}", text.lower()) if word not in _GENERAL]
