"""A session's report as both front ends write it: the store, and the probes that would settle what is open."""

from collections.abc import Mapping
from pathlib import Path

from probes import catalogue, findings
from sessions.models.hypothesis import Tree
from sessions.reports.collect import collect
from sessions.reports.render import RENDERERS
from sessions.store.reader import Reader


def render(store: Path, session: str, form: str) -> str:
    """Return the report of a session (an id, a unique prefix, ``latest``) in a format of `RENDERERS`.

    Raises UnknownSession and StoreProblem.
    """
    with Reader.open(store) as reader:
        return RENDERERS[form](collect(reader, session, suggest))


def suggest(tree: Tree, title: str) -> Mapping[str, tuple[str, ...]]:
    """Return the names of the probes that would settle each hypothesis of `tree`; none for one that no probe knows."""
    offered = findings.suggest_for(tree, catalogue.probes(), context=title)
    return {node.id: tuple(one.probe.name for one in found) for node, found in offered if found}
