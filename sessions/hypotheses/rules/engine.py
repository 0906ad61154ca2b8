"""From messages and steps to a hypothesis tree, by named rules, stage after stage.

Segment, annotate, score, identify, follow, choose, state, focus, decide, link, place: each stage is a pure function of
records that the stages before it made, so that any of them can be replaced. Rules narrow; they do not understand: what
comes out is a short list of suspicions with places, steps and claimed verdicts, and a grounded one only where output
carries it.
"""

from collections.abc import Sequence

from sessions.hypotheses.rules.find.choose import bar
from sessions.hypotheses.rules.find.follow import follow
from sessions.hypotheses.rules.find.identify import Suspicion, identify
from sessions.hypotheses.rules.find.score import score
from sessions.hypotheses.rules.find.state import state
from sessions.hypotheses.rules.judge.decide import Decision, decide
from sessions.hypotheses.rules.judge.focus import costs, focus
from sessions.hypotheses.rules.judge.link import NARROW, link
from sessions.hypotheses.rules.judge.mend import mend
from sessions.hypotheses.rules.judge.place import place
from sessions.hypotheses.rules.judge.proof import proofs
from sessions.hypotheses.rules.judge.record import Record
from sessions.hypotheses.rules.judge.speak import conclusions
from sessions.hypotheses.rules.table import AGAINST, STANCES, SUSPICIONS, VERSION
from sessions.hypotheses.rules.table.sieve import Sieve
from sessions.hypotheses.rules.text.annotate import annotate
from sessions.hypotheses.rules.text.language import note
from sessions.hypotheses.rules.text.segment import segment
from sessions.hypotheses.rules.text.symptom import root
from sessions.hypotheses.tree import ROOT_ID
from sessions.models.hypothesis import Cost, Hypothesis, Tree
from sessions.models.session import Message, Step

__all__ = ["VERSION", "analyze"]

SENTENCE_RULES = Sieve((*SUSPICIONS, *AGAINST, *STANCES))
"""The rules that are tried on every sentence."""

_FEWEST_CANDIDATES = 20
_CANDIDATES_PER_NODE = 3


def analyze(messages: Sequence[Message], steps: Sequence[Step]) -> Tree:
    """Return the hypothesis tree of one session: the symptom, what was suspected, and ranked weaker suspicions.

    A log that grows keeps the keys of what it had.
    """
    sentences = segment(messages)
    notes = annotate(sentences, SENTENCE_RULES)
    first_user = next((s.message for s in sentences if s.role == "user"), None)
    suspicions, rarity = identify(score(notes, messages, first_user), notes)
    record = Record(messages, steps, notes, rarity)
    follow(record, suspicions)
    opens = bar(suspicions, messages)
    nodes = [s for s in suspicions if s.score >= opens]
    weaker = sorted((s for s in suspicions if s.score < opens), key=lambda s: -s.score)
    candidates = weaker[: max(_FEWEST_CANDIDATES, _CANDIDATES_PER_NODE * len(nodes))]
    return Tree(
        hypotheses=(root(sentences), *settle(record, nodes, steps)),
        candidates=tuple(_candidate(record, c, len(nodes) + n) for n, c in enumerate(candidates, 1)),
        note=note(messages),
    )


def settle(record: Record, nodes: Sequence[Suspicion], steps: Sequence[Step]) -> tuple[Hypothesis, ...]:
    """Return the hypotheses that the suspicions `nodes`, in the order in which they are stated, end as."""
    record.suspicions, record.held = nodes, focus(nodes, record.count)
    record.mended = mend(record, nodes)
    record.proofs = tuple(proofs(record))
    record.concluded = conclusions(record)
    decisions = {s.key: decide(record, s) for s in nodes}
    parents = place(record, nodes, decisions)
    ids = {s.key: f"H{number}" for number, s in enumerate(nodes, 1)}
    spent = costs(record.held, {key: d.message for key, d in decisions.items()}, record.messages, steps)
    return tuple(
        _node(
            record,
            s,
            decisions[s.key],
            spent.get(s.key, Cost()),
            (ids[s.key], ids.get(parents.get(s.key, ""), ROOT_ID)),
        )
        for s in nodes
    )


def _node(record: Record, suspicion: Suspicion, decision: Decision, cost: Cost, place_: tuple[str, str]) -> Hypothesis:
    rules = _rules(suspicion)
    return Hypothesis(
        id=place_[0],
        key=suspicion.key,
        parent=place_[1],
        statement=state(suspicion, record.by_number),
        verdict=decision.verdict,
        support=decision.support,
        stated_in=suspicion.message,
        decided_in=decision.message,
        history=decision.turns,
        evidence=link(record, suspicion, decision.evidence, decision.message),
        cost=cost,
        score=round(suspicion.score, 3),
        rules=tuple(dict.fromkeys((*rules, *decision.rules))),
        source=rules[0] if rules else "rule:score",
    )


def _candidate(record: Record, suspicion: Suspicion, number: int) -> Hypothesis:
    rules = _rules(suspicion)
    return Hypothesis(
        id=f"H{number}",
        key=suspicion.key,
        statement=state(suspicion, record.by_number),
        verdict="open",
        stated_in=suspicion.message,
        evidence=link(record, suspicion, (), None, NARROW),
        score=round(suspicion.score, 3),
        rules=rules,
        source=rules[0] if rules else "rule:score",
    )


def _rules(suspicion: Suspicion) -> tuple[str, ...]:
    stated = (rule for mention in suspicion.mentions for rule in mention.rules)
    return tuple(dict.fromkeys((*stated, *(f"rule:{name}" for name in suspicion.fate))))
