"""The page of a hypothesis that waits for a person: what is proposed, where it was said, the steps around it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from textual.content import Content

from sessions.hypotheses.quotes import decision, pick
from sessions.hypotheses.review import Item
from sessions.hypotheses.rules.text.annotate import terms
from sessions.models.session import Message, Step
from tui.screens.pages import hypothesis, lines
from tui.widgets.blocks import Block, Listing, Place, Prose, blank
from tui.widgets.ink import ink, inline, mark

LINES = 8
"""Lines of an output that are shown where none is quoted."""


@dataclass(frozen=True, slots=True)
class View:
    """One that waits; `around` is what its own page shows, with the steps nearby."""

    item: Item
    around: hypothesis.View
    said: Sequence[Message]


def compose(view: View) -> list[Block]:
    """Return the page."""
    one = view.item.hypothesis
    kind = f"candidate, score {one.score:g}" if view.item.candidate else f"in the tree, under {one.parent or 'nothing'}"
    blocks: list[Block] = [
        Prose(ink(one.statement, "strong")),
        blank(),
        lines.field(
            "proposed",
            mark(one)
            + ink(f" {one.verdict}", one.verdict)
            + ink(f", {one.support}", "" if one.support == "grounded" else one.support),
        ),
        lines.field("set by", inline(one.source) + ink(f"   {kind}", "muted")),
        *_quotes(view),
        *hypothesis.tested_before(view.around.before),
    ]
    if one.evidence:
        blocks += [*lines.heading("Evidence"), *hypothesis.evidence(view.around)]
    elif view.around.steps:
        blocks += [*lines.heading("Steps around it"), *_steps(tuple(view.around.steps.values()))]
    return blocks


def _quotes(view: View) -> Iterator[Block]:
    one = view.item.hypothesis
    texts = {message.ordinal: message.text for message in view.said}
    if one.stated_in in texts:
        yield _quote("stated", one.stated_in, pick(texts[one.stated_in], terms(one.statement)))
    if one.decided_in in texts:
        yield _quote("decided", one.decided_in, decision(one, texts[one.decided_in]))


def _quote(label: str, message: int, quote: str) -> Block:
    where = lines.link(f"message {message}")
    return lines.field(label, where + Content("  ") + inline(f"“{quote}”", "muted"), Place("message", str(message)))


def _steps(steps: Sequence[Step]) -> Iterator[Block]:
    for number, step in enumerate(steps):
        place = Place("step", str(step.ordinal))
        yield from [blank()] if number else []
        yield Prose(
            lines.link(f"step {step.ordinal}") + inline(f"  {step.command[:400]}", "muted"), hang=2, target=place
        )
        shown = [inline(line).plain for line in step.output.strip().split("\n")[:LINES]]
        yield Listing(shown, target=place)
