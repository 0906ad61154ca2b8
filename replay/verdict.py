"""What a run does to the evidence, and what each verdict is worth on the target.

A reproduced output holds, whatever the evidence says for or against. A changed one contradicts only if the cited tokens
changed. What was skipped, lost, cut short or never a real output leaves the evidence undetermined.
"""

from collections.abc import Mapping, Sequence

from replay.output.context import FIRM
from replay.output.tokens import tokens
from replay.recording import Recording
from sessions.hypotheses.predicates import Predicate, parse
from sessions.models.hypothesis import Evidence, Hypothesis, Tree
from sessions.models.replay import EvidenceStanding, HypothesisStanding, RunStep, Standing, Worth

_ABSENT = frozenset({"path-missing", "command-missing"})
_IN_SANDBOX: tuple[Standing, str] = ("undetermined", "a sandbox proves nothing about the host that the log speaks of")
_HOLDING = {
    "identical": ("holds", "the output is the same"),
    "equivalent": ("holds", "the output says the same"),
    "reordered": ("holds", "the same lines in another order"),
    "moved": ("holds", "the same lines stand elsewhere"),
    "drift": ("holds-with-drift", "figures drifted within their tolerance"),
}


def standings(
    recording: Recording, results: Sequence[RunStep]
) -> tuple[tuple[EvidenceStanding, ...], tuple[HypothesisStanding, ...]]:
    """Return the standing of every piece of evidence that was replayed, and the worth of every verdict on it."""
    ran = {result.step: result for result in results}
    pieces = [
        (hypothesis, evidence) for hypothesis in recording.tree.hypotheses for evidence in hypothesis.evidence
        if evidence.step in ran
    ]  # fmt: skip
    found = {
        (hypothesis.id, evidence.step): _stand(hypothesis, evidence, ran[evidence.step], recording)
        for hypothesis, evidence in pieces
    }
    worths = tuple(_worth(hypothesis, found) for hypothesis in _touched(recording.tree, ran))
    return tuple(found.values()), worths


def _touched(tree: Tree, ran: Mapping[int, RunStep]) -> list[Hypothesis]:
    return [
        hypothesis
        for hypothesis in tree.hypotheses
        if not hypothesis.root and any(evidence.step in ran for evidence in hypothesis.evidence)
    ]


def _stand(hypothesis: Hypothesis, evidence: Evidence, result: RunStep, recording: Recording) -> EvidenceStanding:
    standing, why = _IN_SANDBOX if recording.sandbox else _judge(evidence, result, recording)
    return EvidenceStanding(hypothesis=hypothesis.id, step=evidence.step, standing=standing, why=why)


def _judge(evidence: Evidence, result: RunStep, recording: Recording) -> tuple[Standing, str]:
    if result.outcome in _ABSENT:
        return "not-applicable", result.detail or result.outcome
    if result.outcome != "completed":
        return "undetermined", result.outcome
    predicate = parse(evidence.predicate) if evidence.predicate else None
    if predicate is not None:
        return _required(predicate, result)
    held = _HOLDING.get(result.comparison or "")
    if held:
        return ("holds-with-drift" if held[0] != "holds" else "holds"), held[1]
    if result.comparison in {"changed", "exit-status-changed"}:
        return _cited(evidence, result, recording)
    return "undetermined", result.comparison or "not compared"


def _required(predicate: Predicate, result: RunStep) -> tuple[Standing, str]:
    """Tell whether what a person named as deciding holds; then it alone decides, whatever else changed."""
    holds = predicate.holds(result.output)
    if holds is None:
        return "undetermined", f"the output does not tell whether {predicate.text}"
    if not holds:
        return "contradicted", f"it does not hold that {predicate.text}"
    same = result.comparison in {"identical", "equivalent", "reordered", "moved"}
    return ("holds" if same else "holds-with-drift"), f"it holds that {predicate.text}"


def _cited(evidence: Evidence, result: RunStep, recording: Recording) -> tuple[Standing, str]:
    """Tell whether what the evidence quotes still stands in a changed output."""
    step = recording.steps.get(evidence.step)
    quote = evidence.quote.strip()
    if not quote or step is None or not _stands(quote, step.output):
        return "undetermined", "the output changed, and the evidence quotes no line of it"
    if _stands(recording.rules.map_text(quote), result.output) or _stands(quote, result.output):
        return "holds-with-drift", "the output changed, but not in what the evidence quotes"
    return "contradicted", "what the evidence quotes is no longer there"


def _stands(quote: str, output: str) -> bool:
    if quote in output:
        return True
    wanted = _shape(quote)
    return any(wanted in _shape(line) for line in output.split("\n"))


def _shape(line: str) -> str:
    """Return a line with blanks as one and with its volatile tokens named by their kind: for search only."""
    return "".join(
        " " if token.kind == "space" else token.text if token.policy in FIRM else f"⟨{token.kind}⟩"
        for token in tokens(line)
    )


def _worth(hypothesis: Hypothesis, found: Mapping[tuple[str, int], EvidenceStanding]) -> HypothesisStanding:
    deciding = [piece for piece in hypothesis.evidence if piece.deciding] or list(hypothesis.evidence)
    stood = [found.get((hypothesis.id, piece.step)) for piece in deciding]
    worth, why = _roll_up([standing.standing if standing else None for standing in stood])
    return HypothesisStanding(hypothesis=hypothesis.id, worth=worth, why=why)


def _roll_up(stood: Sequence[Standing | None]) -> tuple[Worth, str]:
    against = sum(standing == "contradicted" for standing in stood)
    holding = sum(standing in {"holds", "holds-with-drift"} for standing in stood)
    if against:
        return "overturned", f"{against} of {len(stood)} deciding pieces of evidence no longer stand"
    if holding == len(stood):
        return "upheld", f"all {holding} deciding pieces of evidence stand"
    return "undetermined", f"{holding} of {len(stood)} deciding pieces of evidence stand, the rest is not known"
