"""Rows of `hypotheses`, and the ids that stay with a hypothesis from one analysis to the next."""

from collections.abc import Iterable
from typing import Any

from sessions.models.hypothesis import Cost, Evidence, Hypothesis, Turn
from sessions.models.session import Tokens
from sessions.store.tables.packing import pack, pack_models, unpack

COLUMNS = (
    "session, id, key, place, candidate, parent, root, statement, verdict, support, stated_in, decided_in, history, "
    "evidence, cost, score, rules, source"
)
INSERT = f"INSERT INTO hypotheses ({COLUMNS}) VALUES ({', '.join('?' * 18)})"  # noqa: S608 (names from above)

Row = tuple[Any, ...]


def to_row(session: str, hypothesis: Hypothesis, place: int, *, candidate: bool) -> Row:
    """Return the row of a hypothesis; `place` orders the tree."""
    return (
        session,
        hypothesis.id,
        hypothesis.key,
        place,
        int(candidate),
        hypothesis.parent,
        int(hypothesis.root),
        hypothesis.statement,
        hypothesis.verdict,
        hypothesis.support,
        hypothesis.stated_in,
        hypothesis.decided_in,
        pack_models(hypothesis.history),
        pack_models(hypothesis.evidence),
        pack(hypothesis.cost.model_dump()),
        float(hypothesis.score),
        pack(hypothesis.rules),
        hypothesis.source,
    )


def from_row(row: Row) -> Hypothesis:
    """Return the hypothesis of a row, not validated again."""
    fields = dict(zip(_NAMES, row, strict=True))
    for name in ("session", "place", "candidate"):
        del fields[name]
    fields["root"] = bool(fields["root"])
    fields["history"] = tuple(_turn(each) for each in unpack(fields["history"]))
    fields["evidence"] = tuple(Evidence.model_construct(**each) for each in unpack(fields["evidence"]))
    fields["cost"] = _cost(unpack(fields["cost"]))
    fields["rules"] = tuple(unpack(fields["rules"]))
    return Hypothesis.model_construct(**fields)


def _turn(fields: dict[str, Any]) -> Turn:
    return Turn.model_construct(**fields)


def _cost(fields: dict[str, Any]) -> Cost:
    used = fields.pop("used", None)
    return Cost.model_construct(**fields, used=None if used is None else Tokens.model_construct(**used))


class Numbers:
    """Gives a hypothesis the id its key had before, else the next free one: H0 the root, H1 …, candidates C1 …."""

    def __init__(self, known: Iterable[tuple[str, str]]) -> None:
        """Start from the (id, key) pairs that were given out before."""
        self._ids = {(id_[0], key): id_ for id_, key in known}
        self._highest = {"H": 0, "C": 0}
        for letter, key in self._ids:
            number = int(self._ids[letter, key][1:])
            self._highest[letter] = max(self._highest[letter], number)
        self.fresh: list[tuple[str, str]] = []

    def id_of(self, hypothesis: Hypothesis, *, candidate: bool) -> str:
        """Return the id of a hypothesis; a new one is also in `fresh`, as (id, key)."""
        if hypothesis.root:
            return "H0"
        letter = "C" if candidate else "H"
        known = self._ids.get((letter, hypothesis.key))
        if known is not None:
            return known
        self._highest[letter] += 1
        fresh = f"{letter}{self._highest[letter]}"
        self._ids[letter, hypothesis.key] = fresh
        self.fresh.append((fresh, hypothesis.key))
        return fresh


_NAMES = tuple(name.strip() for name in COLUMNS.split(","))
