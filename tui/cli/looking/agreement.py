"""How the rules' tree and another of the same session agree, in the terminal and as plain values."""

from rich.text import Text

from sessions.hypotheses.agreement import Agreement, compare
from sessions.ingest import display
from sessions.models.hypothesis import MARKS, Hypothesis, Tree
from tui.cli import output
from tui.cli.output import Column

_COLUMNS = (Column("rules"), Column("tree"), Column("statement"))


def draw_agreement(rules: Tree, tree: Tree) -> None:
    """Print how many hypotheses both have, with which verdicts, and every disagreement for a person to settle."""
    found = compare(rules, tree)
    output.emit(_summary(found))
    rows = [
        *((one, other, other) for one, other in found.parting),
        *((one, None, one) for one in found.left),
        *((None, other, other) for other in found.right),
    ]
    if rows:
        output.emit_table(_COLUMNS, [[_verdict(one), _verdict(other), _named(shown)] for one, other, shown in rows])


def describe_agreement(rules: Tree, tree: Tree) -> dict[str, object]:
    """Return the same as plain values."""
    found = compare(rules, tree)
    return {
        "both": len(found.pairs),
        "same_verdict": found.agreeing,
        "different": [
            {"id": other.id, "statement": other.statement, "rules": one.verdict, "tree": other.verdict}
            for one, other in found.parting
        ],
        "only_rules": [{"statement": node.statement, "verdict": node.verdict} for node in found.left],
        "only_tree": [{"id": n.id, "statement": n.statement, "verdict": n.verdict} for n in found.right],
    }


def _summary(found: Agreement) -> Text:
    return Text(
        f"Both have {len(found.pairs)} hypotheses, {found.agreeing} with the same verdict; {len(found.left)} only the "
        f"rules, {len(found.right)} only the tree."
    )


def _verdict(node: Hypothesis | None) -> Text:
    return Text("-") if node is None else Text(f"{MARKS[node.verdict]} {node.verdict}")


def _named(node: Hypothesis) -> Text:
    return Text(display.line(node.statement))
