"""One hypothesis that waits for a person, as the terminal shows it: what it says, where, the steps around it."""

from collections.abc import Iterator, Sequence

from rich.text import Text

from sessions import times
from sessions.hypotheses.quotes import decision, pick
from sessions.hypotheses.review import Item, nearby
from sessions.hypotheses.rules.text.annotate import terms
from sessions.ingest import display
from sessions.models.hypothesis import MARKS, Hypothesis
from sessions.models.session import Message, Step
from sessions.store.reader import Reader
from sessions.store.rows import StepLine
from tui.cli.looking import show

MOST = 3
"""Steps that are shown."""

_LINES = 3
"""Lines of an output that are shown where no line of it is quoted."""


def draw(reader: Reader, session: str, item: Item, messages: Sequence[Message], lines: Sequence[StepLine]) -> Text:
    """Return the card of `item`."""
    one = item.hypothesis
    parts = [*_head(item), *_said(one, messages)]
    for ordinal in nearby(one, lines)[:MOST]:
        parts += _step(one, reader.step(session, ordinal))
    before = reader.tested_before(session, one)
    if before is not None:
        when = times.local(before.time)[:10]
        told = f"tested before: {before.hypothesis.verdict} on {when} in {before.session} ({before.hypothesis.id})"
        parts.append(Text(f"  {display.line(told)}", style="magenta"))
    return Text("\n").join(parts)


def _head(item: Item) -> Iterator[Text]:
    one = item.hypothesis
    kind = f"candidate, score {one.score:g}" if item.candidate else f"under {one.parent or 'the symptom'}"
    yield Text.assemble((f"{one.id} ", "bold"), (display.line(one.statement), "bold"))
    proposed = f"{MARKS[one.verdict]} {one.verdict}, {one.support}"
    yield Text.assemble("  proposed: ", (proposed, show.STYLES[one.verdict]), f" · {kind} · {display.line(one.source)}")


def _said(one: Hypothesis, messages: Sequence[Message]) -> Iterator[Text]:
    texts = {
        message.ordinal: message.text for message in messages if message.ordinal in {one.stated_in, one.decided_in}
    }
    if one.stated_in in texts:
        yield _quoted(f"stated in message {one.stated_in}", pick(texts[one.stated_in], terms(one.statement)))
    if one.decided_in in texts:
        yield _quoted(f"decided in message {one.decided_in}", decision(one, texts[one.decided_in]))


def _quoted(place: str, quote: str) -> Text:
    return Text.assemble(f"  {place} ", (f"“{display.line(quote)}”", "dim"))


def _step(one: Hypothesis, step: Step) -> Iterator[Text]:
    pieces = [piece for piece in one.evidence if piece.step == step.ordinal]
    stance = ", ".join(f"{piece.stance}{' and decides' if piece.deciding else ''}" for piece in pieces)
    yield Text.assemble((f"  step {step.ordinal} ", "bold"), stance, f"  $ {display.line(step.command, 100)}")
    quotes = [piece.quote for piece in pieces if piece.quote] or step.output.strip().split("\n")[:_LINES]
    for quote in quotes:
        yield Text(f"    {display.line(quote, 110)}", style="dim")
