"""From messages and steps to a hypothesis tree, by named rules."""

from collections.abc import Sequence

from sessions.hypotheses.tree import symptom
from sessions.models.hypothesis import Tree
from sessions.models.session import Message, Step

VERSION = "rules-0"
"""Names the rules; a tree made by other ones is made anew."""


def analyze(messages: Sequence[Message], steps: Sequence[Step]) -> Tree:  # noqa: ARG001 - the stages that read steps follow
    """Return the hypothesis tree of one session."""
    first = next((m for m in messages if m.role == "user" and not m.injected), None)
    statement = first.text.strip().split("\n")[0][:200] if first else "No symptom is stated."
    return Tree(hypotheses=(symptom(statement, source="rule:symptom", stated_in=first.ordinal if first else None),))
