"""What holds for every tree: one root, every parent in it, no cycle; and the few operations that keep it so."""

from collections import Counter
from collections.abc import Iterable

from sessions.models.hypothesis import Hypothesis, Tree

ROOT_ID = "H0"
ROOT_KEY = "symptom"
"""Id and key of the root: the symptom."""


def faults(tree: Tree) -> tuple[str, ...]:
    """Return what is wrong with `tree`, in words: a repeated id or key, a missing parent, a second root, a cycle."""
    nodes = tree.hypotheses
    everything = (*nodes, *tree.candidates)
    found = [f"two hypotheses have the id {i}" for i in _repeated(h.id for h in everything)]
    found += [f"two hypotheses have the key {k}" for k in _repeated(h.key for h in everything)]
    parents = {h.id: h.parent for h in nodes}
    found += [f"{h.id} hangs under {h.parent}, which is not there" for h in nodes if h.parent not in (None, *parents)]
    roots = [h for h in nodes if h.root]
    if nodes and len(roots) != 1:
        found.append(f"{len(roots)} roots")
    found += [f"{h.id} is a root with a parent" for h in roots if h.parent is not None]
    found += [f"{h.id} hangs under itself" for h in nodes if is_under(h.id, h.parent, parents)]
    return tuple(found)


def is_under(ancestor: str, start: str | None, parents: dict[str, str | None]) -> bool:
    """Return whether the way up from `start` (itself included) meets `ancestor`."""
    seen: set[str] = set()
    while start is not None and start not in seen:
        if start == ancestor:
            return True
        seen.add(start)
        start = parents.get(start)
    return False


def symptom(statement: str, *, source: str, stated_in: int | None = None, rules: tuple[str, ...] = ()) -> Hypothesis:
    """Return the root of a tree."""
    return Hypothesis(
        id=ROOT_ID,
        key=ROOT_KEY,
        root=True,
        statement=statement,
        stated_in=stated_in,
        rules=rules,
        source=source,
    )


def _repeated(values: Iterable[str]) -> list[str]:
    return [value for value, times in Counter(values).items() if times > 1]
