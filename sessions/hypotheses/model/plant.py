"""The tree that the entries make: nodes with ids and costs; unsettled ones, and what only rules see, as candidates."""

from collections.abc import Sequence

from sessions.hypotheses.model.ground import Log
from sessions.hypotheses.model.merge import Entry
from sessions.hypotheses.rules.find.identify import Suspicion
from sessions.hypotheses.rules.judge.focus import costs, focus
from sessions.hypotheses.tree import ROOT_ID
from sessions.models.hypothesis import Cost, Evidence, Hypothesis, Tree, Turn

_STILL_FRESH = 4
"""A hypothesis stated in this many last messages is open, not abandoned, if nobody says how it ended."""

_UNSETTLED = {"verdict": "open", "support": "claimed", "parent": None, "decided_in": None, "history": ()}
UNSETTLED = "rule:never-taken-up-again"


def plant(entries: Sequence[Entry], log: Log, root: Hypothesis, note: str, *, ended: bool = True) -> Tree:
    """Return the tree of `entries` under `root`; `ended` says whether the log's last part was read.

    An entry whose verdict had nothing to rest on becomes a candidate, as do the rules' suspicions that it left alone.
    """
    nodes = [entry for entry in entries if entry.held]
    if ended:
        for entry in nodes:
            _leave(entry, len(log.messages))
    ids = {id(entry): f"H{number}" for number, entry in enumerate(nodes, 1)}
    spent = _costs(nodes, log)
    planted = [_node(entry, ids, spent.get(entry.key, Cost())) for entry in nodes]
    weaker = [_candidate(entry) for entry in entries if not entry.held]
    keys = {h.key for h in (*planted, *weaker)}
    hints = (h for h in (*log.hints.hypotheses, *log.hints.candidates) if not h.root and h.key not in keys)
    weaker += [h.model_copy(update=_UNSETTLED) for h in hints]
    numbered = [h.model_copy(update={"id": f"H{len(nodes) + n}"}) for n, h in enumerate(weaker, 1)]
    return Tree(hypotheses=(root, *planted), candidates=tuple(numbered), note=note)


def _leave(entry: Entry, count: int) -> None:
    """What was stated, and never settled or spoken of at the end, was abandoned."""
    if entry.verdict == "open" and not entry.settled_last and entry.stated.message < count - _STILL_FRESH:
        entry.verdict = "abandoned"
        entry.turns.append(Turn(message=None, verdict="abandoned", source=UNSETTLED))


def _node(entry: Entry, ids: dict[int, str], cost: Cost) -> Hypothesis:
    above = entry.parent
    while above is not None and id(above) not in ids:
        above = above.parent
    return Hypothesis(
        id=ids[id(entry)],
        key=entry.key,
        parent=ROOT_ID if above is None else ids[id(above)],
        statement=entry.statement,
        verdict=entry.verdict,
        support=entry.support,
        stated_in=entry.stated.message,
        decided_in=entry.decided,
        history=tuple(entry.turns),
        evidence=_evidence(entry),
        cost=cost,
        rules=entry.rules,
        source=entry.source,
    )


def _candidate(entry: Entry) -> Hypothesis:
    return Hypothesis(
        id=entry.key,
        key=entry.key,
        statement=entry.statement,
        stated_in=entry.stated.message,
        evidence=_evidence(entry),
        rules=entry.rules,
        source=entry.source,
    )


def _evidence(entry: Entry) -> tuple[Evidence, ...]:
    carrying = {e.step for e in entry.carrying()}
    return tuple(e.model_copy(update={"deciding": e.step in carrying}) for _, e in sorted(entry.evidence.items()))


def _costs(nodes: Sequence[Entry], log: Log) -> dict[str, Cost]:
    """Return what each hypothesis cost, by the same measure as the rules': the steps while it was in focus."""
    raised = [
        Suspicion(e.key, e.stated.message, e.statement, [], frozenset(), frozenset(), _places(e))
        for e in sorted(nodes, key=lambda e: e.stated.message)
    ]
    held = focus(raised, len(log.messages))
    return costs(held, {e.key: e.decided for e in nodes}, log.messages, log.steps)


def _places(entry: Entry) -> set[int]:
    return {entry.stated.message}
