"""The small forms that all pages share."""

from collections.abc import Sequence

from textual.content import Content

from sessions import times
from sessions.models.hypothesis import Hypothesis
from sessions.store.rows import RunRow
from tui.widgets.blocks import Block, Place, Prose, blank
from tui.widgets.ink import ink, inline

LABEL = 11
"""Cells of the labels at the left of a page."""

STANDINGS = {"holds": "good", "holds-with-drift": "good", "contradicted": "bad"}
"""Inks of what a run does to a piece of evidence; the others leave it in doubt."""


def field(label: str, value: Content, target: Place | None = None) -> Prose:
    """Return a labelled line."""
    return Prose(ink(f"{label:<{LABEL}}", "muted") + value, hang=LABEL, target=target)


def heading(title: str) -> Sequence[Block]:
    """Return the heading of a part of a page, with the room above it."""
    return (blank(), Prose(ink(title.upper(), "heading")))


def link(text: str) -> Content:
    """Return the text of something that leads elsewhere."""
    return ink(text, "accent")


def replayed(runs: Sequence[RunRow], step: int, hypothesis: Hypothesis | None = None) -> list[Content]:
    """Return what each run said of a step, a line each: ``on TARGET: identical → holds``."""
    found = []
    for run in runs:
        for one in run.steps:
            if one.step == step:
                said = one.comparison if one.outcome == "completed" and one.comparison else one.outcome
                text = inline(f"on {run.target}: {said}") + _standing(run, step, hypothesis)
                found.append(text + ink(f"   {times.local(one.started or run.started)}", "faint"))
    return found


def _standing(run: RunRow, step: int, hypothesis: Hypothesis | None) -> Content:
    for one in run.standings:
        if one.step == step and hypothesis is not None and one.hypothesis == hypothesis.id:
            why = f" ({one.why})" if one.why else ""
            return ink(" → ", "muted") + inline(one.standing + why, STANDINGS.get(one.standing, "doubtful"))
    return Content("")
