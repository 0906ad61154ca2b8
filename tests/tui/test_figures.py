"""Figures as a person reads them, and rows fetched by the page."""

import pytest

from sessions.models.hypothesis import Hypothesis
from tui.widgets import figures
from tui.widgets.paging import KEPT, PAGE, Pages
from tui.widgets.tree import branches


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(None, ""), (0.04, "0.0s"), (9.96, "10.0s"), (59.4, "59s"), (95, "1m35s"), (7_500, "2h05m"), (266_400, "3d02h")],
)
def test_durations(seconds: float | None, shown: str) -> None:
    assert figures.duration(seconds) == shown


def test_sizes_and_counts() -> None:
    assert [figures.size(n) for n in (812, 12_700, 3_145_728)] == ["812 B", "12.4 KiB", "3.0 MiB"]
    assert figures.several(1, "step") == "1 step"
    assert figures.several(1204, "hypothesis", "hypotheses") == "1,204 hypotheses"


def test_pages_are_fetched_when_looked_at_and_only_so_many_kept() -> None:
    fetched: list[int] = []

    def fetch(start: int, limit: int) -> list[int]:
        fetched.append(start)
        return list(range(start, start + limit))

    pages = Pages(100_000, fetch)
    assert pages.at(99_999) == 99_999
    assert pages.at(99_998) == 99_998
    assert fetched == [99_999 // PAGE * PAGE]
    for number in range(KEPT):
        pages.at(number * PAGE)
    pages.at(99_999)
    assert fetched.count(99_999 // PAGE * PAGE) == 2


def test_a_row_that_the_store_has_lost_is_none() -> None:
    assert Pages(10, lambda _start, _limit: ["only"]).at(3) is None


def test_a_hypothesis_without_its_parent_hangs_on_the_root_and_a_circle_ends() -> None:
    def one(name: str, parent: str | None) -> Hypothesis:
        return Hypothesis(id=name, key=name, parent=parent, root=name == "H0", statement=name, source="rule:a")

    nodes = list(branches([one("H0", None), one("H1", "gone"), one("H2", "H3"), one("H3", "H2"), one("H4", "H1")]))
    assert [(node.first, node.hypothesis.id) for node in nodes] == [("", "H0"), ("└─ ", "H1"), ("   └─ ", "H4")]
