"""Which probes would settle the hypotheses of a session: what the app and the reports offer."""

from collections.abc import Mapping

from probes import catalogue, findings
from sessions.models.hypothesis import Tree


def suggest(tree: Tree, title: str) -> Mapping[str, tuple[str, ...]]:
    """Return the names of the probes that would settle each hypothesis of `tree`; none for one that no probe knows."""
    offered = findings.suggest_for(tree, catalogue.probes(), context=title)
    return {node.id: tuple(one.probe.name for one in found) for node, found in offered if found}
