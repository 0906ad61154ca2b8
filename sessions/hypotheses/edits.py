"""A person's corrections, laid over whatever an analysis says: what a person set is never overwritten.

An edit names a hypothesis by its key, which every analysis of the same log gives to the same hypothesis, so the same
edits can be applied again to a newer tree. An edit of a candidate makes it a node. An edit whose hypothesis is no
longer there has no effect, except that what a person added stays. An edit that does not fit (a parent that is not
there, a verdict that does not exist) has no effect either: `problem` tells beforehand.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Annotated, Protocol

from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError, field_validator

from sessions.hypotheses.draft import Draft
from sessions.hypotheses.predicates import parse
from sessions.hypotheses.tree import is_under
from sessions.models.hypothesis import (
    LONGEST_STATEMENT,
    PERSON,
    Evidence,
    Hypothesis,
    Stance,
    Support,
    Tree,
    Turn,
    Verdict,
)

_Statement = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_STATEMENT)]
_STANCES: Mapping[Verdict, Stance] = {"confirmed": "supports", "refuted": "refutes"}


class Edit(Protocol):
    """One correction as it is stored."""

    @property
    def key(self) -> str:
        """Key of the hypothesis it is about; for an added one the key it gets, ``person:N``."""

    @property
    def action(self) -> str:
        """A name in `ACTIONS`."""

    @property
    def value(self) -> Mapping[str, object]:
        """What the action needs."""

    @property
    def author(self) -> str:
        """Who made it."""


class _Value(BaseModel):
    """What an action needs, and the action."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    @abstractmethod
    def lay(self, draft: Draft, key: str, author: str) -> None:
        """Change the node `key` of `draft` on behalf of `author`."""


class _NewStatement(_Value):
    statement: _Statement

    def lay(self, draft: Draft, key: str, author: str) -> None:
        node = draft.touch(key, author)
        if node is not None:
            draft.put(node, statement=self.statement, source=f"{PERSON}{author}")


class _NewVerdict(_Value):
    verdict: Verdict
    support: Support | None = None
    quote: str = ""
    step: int | None = None
    message: int | None = None

    def lay(self, draft: Draft, key: str, author: str) -> None:
        node = draft.touch(key, author)
        if node is None or node.root:
            return
        cited = (self.step is not None and self.quote != "") or _is_carried(node, self.verdict)
        source = f"{PERSON}{author}"
        turn = Turn(message=self.message, verdict=self.verdict, quote=self.quote, source=source)
        draft.put(
            node,
            verdict=self.verdict,
            support=self.support or ("grounded" if cited else "claimed"),
            history=(*node.history, turn),
            evidence=self._evidence(node, source),
            decided_in=node.decided_in if self.message is None else self.message,
            source=source,
        )

    def _evidence(self, node: Hypothesis, source: str) -> tuple[Evidence, ...]:
        if self.step is None:
            return node.evidence
        stance = _STANCES.get(self.verdict, "neutral")
        deciding = Evidence(step=self.step, stance=stance, quote=self.quote, deciding=True, source=source)
        rest = (e.model_copy(update={"deciding": False}) for e in node.evidence if e.step != self.step)
        return (*rest, deciding)


def _is_carried(node: Hypothesis, verdict: Verdict) -> bool:
    """Whether output carries a verdict already: it did before, or a person cited a line for it."""
    if verdict == node.verdict and node.support == "grounded":
        return True
    return any(_speaks_for(piece, verdict) for piece in node.evidence if piece.source.startswith(PERSON))


def _speaks_for(piece: Evidence, verdict: Verdict) -> bool:
    return piece.quote != "" and piece.stance == _STANCES.get(verdict)


class _NewParent(_Value):
    parent: str | None

    def lay(self, draft: Draft, key: str, author: str) -> None:
        node = draft.touch(key, author)
        parent = draft.find(self.parent)
        if node is None or node.root or (self.parent is not None and parent is None):
            return
        target = parent.id if parent is not None else draft.root_id()
        if target != node.id:
            draft.hang(node, target)
            draft.put(draft.nodes[node.key], source=f"{PERSON}{author}")


class _NewEvidence(_Value):
    step: int
    stance: Stance
    quote: str = ""

    def lay(self, draft: Draft, key: str, author: str) -> None:
        node = draft.touch(key, author)
        if node is None:
            return
        known = next((e for e in node.evidence if e.step == self.step), None)
        piece = Evidence(
            step=self.step,
            stance=self.stance,
            quote=self.quote or (known.quote if known else ""),
            deciding=known is not None and known.deciding,
            predicate=known.predicate if known else "",
            source=f"{PERSON}{author}",
        )
        carries = node.by_person and _speaks_for(piece, node.verdict)
        draft.put(
            node,
            evidence=(*(e for e in node.evidence if e.step != self.step), piece),
            support="grounded" if carries else node.support,
        )


class _NewPredicate(_Value):
    step: int
    predicate: str

    @field_validator("predicate")
    @classmethod
    def _readable(cls, value: str) -> str:
        if value and parse(value) is None:
            raise ValueError("is none: write `max diff < 0.01`, `contains WORDS` or `lacks WORDS`")
        return value

    def lay(self, draft: Draft, key: str, author: str) -> None:
        node = draft.touch(key, author)
        if node is not None:
            changed = {"predicate": self.predicate}
            pieces = (e.model_copy(update=changed) if e.step == self.step else e for e in node.evidence)
            draft.put(node, evidence=tuple(pieces))


class _NoEvidence(_Value):
    step: int

    def lay(self, draft: Draft, key: str, author: str) -> None:
        node = draft.touch(key, author)
        if node is not None:
            draft.put(node, evidence=tuple(e for e in node.evidence if e.step != self.step))


class _Added(_Value):
    statement: _Statement
    verdict: Verdict = "open"
    support: Support = "claimed"
    parent: str | None = None
    stated_in: int | None = None
    decided_in: int | None = None

    def lay(self, draft: Draft, key: str, author: str) -> None:
        if key in draft.nodes or key in draft.candidates:
            return
        parent = draft.find(self.parent)
        source = f"{PERSON}{author}"
        draft.nodes[key] = Hypothesis(
            id=draft.next_id(),
            key=key,
            parent=parent.id if parent is not None else draft.root_id(),
            history=(Turn(message=self.decided_in, verdict=self.verdict, source=source),),
            source=source,
            **self.model_dump(exclude={"parent"}),
        )


class _Merged(_Value):
    into: str

    def lay(self, draft: Draft, key: str, author: str) -> None:
        if key == self.into or not (draft.has(key) and draft.has(self.into)):
            return
        node, into = draft.touch(key, author), draft.touch(self.into, author)
        if node is None or into is None or node.root or node.key == into.key:
            return
        if is_under(node.id, into.id, draft.parents()):
            draft.hang(into, node.parent)
        draft.rehang(node.id, into.id)
        into = draft.nodes[into.key]
        cited = {e.step for e in into.evidence}
        more = (e.model_copy(update={"deciding": False}) for e in node.evidence if e.step not in cited)
        draft.put(into, evidence=(*into.evidence, *more), source=f"{PERSON}{author}")
        draft.drop(node, into)


class _Removed(_Value):
    def lay(self, draft: Draft, key: str, author: str) -> None:  # noqa: ARG002 - all actions are called alike
        draft.candidates.pop(key, None)
        node = draft.nodes.get(key)
        if node is not None and not node.root:
            draft.rehang(node.id, node.parent)
            draft.drop(node)


class _Promoted(_Value):
    def lay(self, draft: Draft, key: str, author: str) -> None:
        draft.touch(key, author)


ACTIONS: Mapping[str, type[_Value]] = {
    "statement": _NewStatement,
    "verdict": _NewVerdict,
    "parent": _NewParent,
    "evidence": _NewEvidence,
    "predicate": _NewPredicate,
    "unevidence": _NoEvidence,
    "add": _Added,
    "merge": _Merged,
    "remove": _Removed,
    "promote": _Promoted,
}
"""What can be done to a hypothesis, by name; each action reads its value from the fields of its class."""


def apply(tree: Tree, edits: Sequence[Edit]) -> Tree:
    """Return `tree` with `edits` laid over it, in their order; a valid tree stays valid."""
    draft = Draft(tree)
    for edit in edits:
        if problem(edit.action, edit.value) is None:
            ACTIONS[edit.action].model_validate(edit.value).lay(draft, edit.key, edit.author)
    return draft.tree()


def problem(action: str, value: Mapping[str, object]) -> str | None:
    """Return what is wrong with an edit, in one sentence, or None where it can be stored."""
    if action not in ACTIONS:
        return f"there is no edit {action}; there are {', '.join(sorted(ACTIONS))}"
    try:
        ACTIONS[action].model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        return f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}"
    return None
