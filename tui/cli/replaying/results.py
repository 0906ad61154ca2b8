"""What came of replays, drawn: a run step by step, several targets side by side."""

from typing import Any

from rich.table import Table
from rich.text import Text

from probes.host.layers import Layer
from sessions.models.replay import RunStep
from sessions.reports.fleet import Matrix
from sessions.reports.replays import differences
from sessions.store.rows import RunRow
from tui.cli import output

_WORTHS = {"upheld": "green", "overturned": "bold red", "undetermined": "yellow"}
_CELLS = {**_WORTHS, "holds": "green", "holds-with-drift": "green", "contradicted": "red"}


def step_line(step: RunStep) -> str:
    """Return a step of a run as one line."""
    compared = f", {step.comparison}" if step.comparison else ""
    return f"step {step.step}: {step.outcome}{compared}" + (f" ({step.detail})" if step.detail else "")


def draw_run(done: RunRow) -> None:
    """Print a run: its steps, what they do to the evidence, what the verdicts are worth."""
    output.emit(Text(f"Run {done.number} on {done.target}", style="bold"))
    for layer in layers_of(done):
        output.emit(layer_line(layer))
    for step in done.steps:
        output.emit(output.words(step_line(step), indent=2))
        for reason in (*step.reasons, *filter(None, [differences(done, step)])):
            output.emit(output.words(reason, "dim", indent=6))
        for token in step.tokens[:3]:
            what = f"{token.where} {token.kind}".strip()
            line = f"line {token.line}: {token.recorded} → {token.new} ({what})"
            output.emit(output.words(line, "dim", indent=6))
    for standing in done.standings:
        line = f"{standing.hypothesis} step {standing.step}: {standing.standing}: {standing.why}"
        output.emit(output.words(line, indent=2))
    for worth in done.worths:
        output.emit(
            Text.assemble(
                (f"  {worth.hypothesis} ", "bold"), (worth.worth, _WORTHS[worth.worth]), ": ", output.words(worth.why)
            )
        )


def layers_of(done: RunRow) -> tuple[Layer, ...]:
    """Return the layers that stood between the run and its target, as they were found when it was connected."""
    found = done.fingerprint.get("layers")
    return tuple(Layer.model_validate(each) for each in found) if isinstance(found, list) else ()


def layer_line(layer: Layer) -> Text:
    """Return a layer as one line: in force or not, and how or why not."""
    mark = ("in force      ", "green") if layer.in_force else ("not in force  ", "yellow")
    return Text.assemble("  ", mark, f"{layer.name}  ", output.words(layer.how, "dim"))


def draw_matrix(found: Matrix) -> None:
    """Print evidence by targets; targets that came out the same share a column."""
    head = ["evidence", *(", ".join(each.targets) for each in found.columns)]
    rows = [
        [f"{hypothesis} {'verdict' if step is None else f'step {step}'}", *(each.cells[n] for each in found.columns)]
        for n, (hypothesis, step) in enumerate(found.rows)
    ]
    table = Table(box=None, pad_edge=False)
    for name in head:
        table.add_column(output.words(name))
    for row in rows:
        table.add_row(*(output.words(cell, _CELLS.get(cell.split(" ")[0], "")) for cell in row))
    output.emit(table)


def describe(done: RunRow) -> dict[str, Any]:
    """Return a run as JSON has it."""
    return {
        "run": done.number,
        "session": done.session,
        "target": done.target,
        "differs": done.fingerprint.get("differs", []),
        "layers": [layer.model_dump(mode="json") for layer in layers_of(done)],
        "started": done.started,
        "finished": done.finished,
        "steps": [step.model_dump(mode="json") for step in done.steps],
        "standings": [standing.model_dump(mode="json") for standing in done.standings],
        "worths": [worth.model_dump(mode="json") for worth in done.worths],
    }
