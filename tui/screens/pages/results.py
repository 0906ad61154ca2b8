"""What runs do to the evidence: one target as a list, several as evidence by targets."""

from collections.abc import Iterator, Sequence

from textual.content import Content

from sessions import times
from sessions.reports.fleet import Matrix, matrix
from sessions.store.rows import RunRow
from tui.screens.pages import lines
from tui.widgets.blocks import Block, Prose, blank
from tui.widgets.ink import fit, ink, inline

WORTHS = {"upheld": "good", "overturned": "bad", "undetermined": "doubtful"}
"""Inks of what a run leaves of a verdict."""
CELLS = {**WORTHS, **lines.STANDINGS}
PLACE, CELL = 14, 34
"""Cells of width for a piece of evidence, and for what came out on a target."""


def compose(runs: Sequence[RunRow]) -> list[Block]:
    """Return the page of runs: the last on each target where they are several."""
    side_by_side = matrix(runs)
    if side_by_side is not None:
        return list(_matrix(side_by_side))
    return list(_run(runs[-1])) if runs else [Prose(ink("Nothing has been run again yet.", "muted"))]


def _run(run: RunRow) -> Iterator[Block]:
    yield Prose(inline(f"on {run.target}, {times.local(run.started)}", "muted"))
    yield from lines.heading("What it does to the evidence")
    for one in run.standings:
        text = ink(f"{one.hypothesis:<5}step {one.step:<6}", "accent") + ink(
            one.standing, lines.STANDINGS.get(one.standing, "doubtful")
        )
        yield Prose(Content("  ").join([text, inline(one.why, "muted")]), hang=16)
    for worth in run.worths:
        text = ink(f"{worth.hypothesis:<5}", "accent") + ink(
            f"the verdict is {worth.worth}", WORTHS.get(worth.worth, "doubtful")
        )
        yield Prose(Content("  ").join([text, inline(worth.why, "muted")]), hang=5)


def _matrix(found: Matrix) -> Iterator[Block]:
    """Yield evidence by targets; those that came out the same share a column, and each column says which they are."""
    yield Prose(ink("Evidence by targets; those that came out the same share a column.", "muted"))
    yield blank()
    for number, column in enumerate(found.columns, 1):
        yield lines.field(f"column {number}", inline(", ".join(column.targets), "accent"))
    yield blank()
    heads = [fit(inline(f"{n}  {_some(each.targets)}", "heading"), CELL) for n, each in enumerate(found.columns, 1)]
    yield Prose(Content("").join([fit(ink("evidence", "heading"), PLACE), *heads]))
    for place, (hypothesis, step) in enumerate(found.rows):
        name = f"{hypothesis} verdict" if step is None else f"{hypothesis} step {step}"
        cells = [fit(_cell(each.cells[place]), CELL) for each in found.columns]
        yield Prose(Content("").join([fit(ink(name, "strong" if step is None else ""), PLACE), *cells]), hang=PLACE)


def _some(targets: Sequence[str]) -> str:
    return targets[0] if len(targets) == 1 else f"{targets[0]} and {len(targets) - 1} more"


def _cell(text: str) -> Content:
    return inline(text or "-", CELLS.get(text.partition(" ")[0], "doubtful" if text else "faint"))
