"""What a person names as deciding: how it is written, and when it holds."""

import pytest

from sessions.hypotheses.edits import apply, problem
from sessions.hypotheses.predicates import parse
from sessions.models.hypothesis import Evidence, Hypothesis, Tree
from sessions.store.rows import EditRow


@pytest.mark.parametrize(
    ("text", "output", "holds"),
    [
        ("max diff < 0.01", "layer 0: max diff 0.00012", True),
        ("max diff < 0.01", "layer 0: max diff 0.00012\nlayer 1: max diff 0.3", False),
        ("max diff < 0.01", "max diff: nan", False),
        ("max diff < 0.01", "relmax diff 0.00012", None),
        ("max diff < 0.01", "max diff", None),
        ("free >= 2048", "free: 81,559 MiB", True),
        ("Xid == 79", "NVRM: Xid 79, pid=4", True),
        ("Xid == 79", "NVRM: Xid 790", False),
        ("loss != 0", "loss=1e-3", True),
        ("contains TritonMLABackend", "Using TritonMLABackend for", True),
        ("contains TritonMLA", "Using TritonMLABackend for", False),
        ("lacks CUDA error", "all well", True),
        ("lacks CUDA error", "CUDA error: 700", False),
    ],
)
def test_a_predicate_holds_or_not_or_the_output_does_not_tell(text: str, output: str, holds: bool | None) -> None:  # noqa: FBT001 - expected value
    predicate = parse(text)
    assert predicate is not None
    assert predicate.holds(output) is holds


@pytest.mark.parametrize("text", ["", "max diff", "max diff < small", "< 3", "contains", "contains  "])
def test_what_is_no_predicate(text: str) -> None:
    assert parse(text) is None


def test_a_predicate_is_laid_over_evidence_and_stays_when_its_quote_changes() -> None:
    root = Hypothesis(id="H0", key="k0", root=True, statement="s", source="rule:x")
    piece = Evidence(step=4, stance="refutes", quote="max diff 0.1", deciding=True, source="rule:x")
    tree = Tree(
        hypotheses=(root, Hypothesis(id="H1", key="k1", parent="H0", statement="s", evidence=(piece,), source="x"))
    )
    edits = [
        EditRow(1, "k1", "predicate", {"step": 4, "predicate": "max diff < 0.5"}, "ana", ""),
        EditRow(2, "k1", "evidence", {"step": 4, "stance": "refutes", "quote": "max diff"}, "ana", ""),
    ]
    kept = apply(tree, edits).hypotheses[1].evidence[0]
    assert (kept.predicate, kept.quote, kept.deciding) == ("max diff < 0.5", "max diff", True)
    assert "is none" in (problem("predicate", {"step": 4, "predicate": "small"}) or "")
