"""The page of a replay: what would run and what not; then what is running; then what came of it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from textual.content import Content

from sessions.models.replay import Plan, PlannedStep, RunStep
from sessions.store.rows import RunRow
from tui.screens.pages import lines
from tui.widgets import figures
from tui.widgets.blocks import Block, Prose, blank
from tui.widgets.ink import ink, inline

DECISIONS = {"run": ("▶", "good"), "ask": ("?", "doubtful"), "refuse": ("■", "bad")}
"""Mark and ink of each decision of the policy."""

OUTCOMES = {"completed": "good", "refused": "muted", "not-replayable": "muted"}
COMPARISONS = {
    "identical": "good", "equivalent": "good", "reordered": "good", "drift": "doubtful", "moved": "doubtful",
    "changed": "bad", "exit-status-changed": "bad",
}  # fmt: skip


@dataclass
class Progress:
    """How far a run is: the step that is being sent, what came back, and at the end the stored run."""

    current: int | None = None
    done: dict[int, RunStep] = field(default_factory=dict)
    run: RunRow | None = None


def compose(plan: Plan, progress: Progress) -> list[Block]:
    """Return the page."""
    blocks: list[Block] = []
    for step in plan.steps:
        blocks += _step(step, progress)
    if progress.run is not None:
        blocks += _result(progress.run)
    return blocks


def summary(plan: Plan) -> str:
    """Return how many steps would run and how many would not: ``3 steps would run on gpu1, 2 are refused``."""
    run = sum(step.decision == "run" for step in plan.steps)
    refused = len(plan.steps) - run
    text = f"{figures.several(run, 'step')} would run on {plan.target}"
    return f"{text}, {refused} {'is' if refused == 1 else 'are'} refused" if refused else text


def _step(step: PlannedStep, progress: Progress) -> Iterator[Block]:
    sign, name = DECISIONS[step.decision]
    head = ink(f"{sign} step {step.step}  ", name) + inline(step.command[:600], "code")
    yield Prose(head, hang=2)
    if step.sent and step.decision == "run":
        user = f"as {step.user}" if step.user else "as the target's login"
        yield Prose(ink(f"sends, {user}:  ", "muted") + inline(step.sent, "accent"), indent=2, hang=2)
        for stage in step.local_stages:
            yield Prose(ink("then here:  ", "muted") + inline(" ".join(stage), "muted"), indent=2, hang=2)
        for recorded, mapped in step.mapped_paths:
            yield Prose(inline(f"{recorded} stands for {mapped}", "muted"), indent=2, hang=2)
    for reason in step.reasons:
        yield Prose(inline(reason, "muted" if step.decision == "run" else "doubtful"), indent=2, hang=2)
    if (came := progress.done.get(step.step)) is not None:
        yield from _came(came)
    elif progress.current == step.step:
        yield Prose(ink("running …", "root"), indent=2)
    yield blank()


def _came(came: RunStep) -> Iterator[Block]:
    text = ink(came.outcome, OUTCOMES.get(came.outcome, "bad"))
    if came.comparison:
        text += ink(" · ", "muted") + ink(came.comparison, COMPARISONS.get(came.comparison, "muted"))
    took = figures.duration(came.duration)
    words = [took, f"exit {came.exit_code}" if came.exit_code else "", *came.rules, came.detail]
    yield Prose(
        Content("  ").join([text, inline(" · ".join(word for word in words if word), "muted")]), indent=2, hang=2
    )
    for token in came.tokens[:5]:
        said = f"line {token.line}: {token.kind} {token.recorded} → {token.new}"
        yield Prose(inline(said, "muted"), indent=4, hang=2)


def _result(run: RunRow) -> Iterator[Block]:
    yield from lines.heading("What it does to the evidence")
    names: Mapping[str, str] = lines.STANDINGS
    for one in run.standings:
        text = ink(f"{one.hypothesis:<5}step {one.step:<6}", "accent") + ink(
            one.standing, names.get(one.standing, "doubtful")
        )
        yield Prose(Content("  ").join([text, inline(one.why, "muted")]), hang=16)
    for worth in run.worths:
        name = {"upheld": "good", "overturned": "bad"}.get(worth.worth, "doubtful")
        text = ink(f"{worth.hypothesis:<5}", "accent") + ink(f"the verdict is {worth.worth}", name)
        yield Prose(Content("  ").join([text, inline(worth.why, "muted")]), hang=5)
