"""The tree of a Claude Code conversation: which records lie on branches that were rewound."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf


@dataclass(frozen=True, slots=True)
class Node:
    """One record of the tree; nodes come in the order of the log.

    `answer` is the id of the model's answer, of a result the answer that made the call. A `loose` record, a compaction
    or the program's own progress, goes on from the record before it in the log where its parent is not known.
    """

    uuid: str
    parent: str | None
    time: float | None = None
    answer: str | None = None
    loose: bool = False


def dead_ids(nodes: Sequence[Node]) -> set[str]:
    """Return the ids of the records that do not lead to the last one.

    Three things look like a branch and are none: results of parallel calls, several calls of one answer, and talk that
    went on while the program chained up its progress records beside it.
    """
    parents = _parents(nodes)
    line = _line(nodes, parents)
    if len(line) == len(parents):
        return set()
    branches = _branches(nodes, parents, line)
    answers = {node.answer for node in nodes if node.uuid in line and node.answer}
    begins = {parents[node.uuid]: node.time for node in nodes if node.uuid in line}
    dead: set[str] = set()
    for members in branches.values():
        root = members[0]
        went_on = begins.get(parents[root.uuid])
        if root.answer not in answers and _over_before(members, went_on):
            dead.update(node.uuid for node in members)
    return dead


def _parents(nodes: Sequence[Node]) -> dict[str, str | None]:
    parents: dict[str, str | None] = {}
    before: str | None = None
    for node in nodes:
        lost = node.parent is not None and node.parent not in parents
        joins = lost or (node.parent is None and node.loose)
        parents.setdefault(node.uuid, before if joins else node.parent)
        before = node.uuid
    return parents


def _line(nodes: Sequence[Node], parents: Mapping[str, str | None]) -> set[str]:
    line: set[str] = set()
    at = nodes[-1].uuid if nodes else None
    while at is not None and at not in line:
        line.add(at)
        at = parents[at]
    return line


def _branches(nodes: Sequence[Node], parents: Mapping[str, str | None], line: set[str]) -> dict[str, list[Node]]:
    """Return the records off the line by the first one of their branch, which leads each list."""
    roots: dict[str, str] = {}
    branches: dict[str, list[Node]] = {}
    for node in nodes:
        if node.uuid in line:
            continue
        above = parents[node.uuid]
        root = roots.get(above, node.uuid) if above else node.uuid
        roots[node.uuid] = root
        branches.setdefault(root, []).append(node)
    return branches


def _over_before(members: Sequence[Node], went_on: float | None) -> bool:
    ended = max((node.time for node in members if node.time is not None), default=-inf)
    return went_on is None or ended <= went_on
