"""Every rule proves itself on two sentences."""

import pytest

from sessions.hypotheses.rules.table import KEEPS, OPENS, ROWS
from sessions.hypotheses.rules.table.row import Row


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.family}-{row.name}")
def test_a_rule_hits_its_example_and_leaves_the_other_alone(row: Row) -> None:
    assert row.hits(row.hit)
    assert not row.hits(row.miss)


def test_a_rule_has_a_name_of_its_own_and_a_reason() -> None:
    names = [row.name for row in ROWS]
    assert len(names) == len(set(names))
    assert all(row.reason and row.hit != row.miss for row in ROWS)


def test_one_weak_cue_alone_opens_nothing() -> None:
    assert 0 < KEEPS < OPENS
    assert all(row.weight <= OPENS for row in ROWS if row.family in {"hedge", "cause", "question", "defect", "code"})
