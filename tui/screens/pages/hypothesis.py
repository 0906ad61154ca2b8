"""The page of one hypothesis: what was claimed, how it ended, and on which lines that rests."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from textual.content import Content

from sessions import times
from sessions.models.hypothesis import Evidence, Hypothesis
from sessions.models.session import Step
from sessions.store.rows import ProbeRow, Recollection, RunRow
from tui.screens.pages import lines
from tui.screens.pages.marks import locate
from tui.widgets import figures
from tui.widgets.blocks import Block, Listing, Place, Prose, blank
from tui.widgets.ink import ink, inline, mark, verdict_words
from tui.widgets.steps import STANCES

CONTEXT = 2
"""Lines of output shown before and behind a quote."""

SUPPORTS: Mapping[str, str] = {
    "grounded": "grounded: tool output carries it",
    "claimed": "claimed: only the agent's words carry it",
    "contradicted": "contradicted: the log's own output speaks against what the agent concluded",
}
_BY_PERSON = "claimed: by a person who cites no output"


@dataclass(frozen=True, slots=True)
class View:
    """A hypothesis, and what the store says around it; `steps` are those of its evidence, by ordinal.

    `before` is what another session found out about the same, `probes` what diagnostics said of it, `settling` names
    those that would settle it, `note` is what the reader of the whole tree must know.
    """

    hypothesis: Hypothesis
    steps: Mapping[int, Step]
    runs: Sequence[RunRow]
    before: Recollection | None = None
    probes: Sequence[ProbeRow] = ()
    settling: Sequence[str] = ()
    note: str = ""


def compose(view: View) -> list[Block]:
    """Return the page."""
    one = view.hypothesis
    blocks: list[Block] = [
        Prose(_verdict(one)),
        blank(),
        Prose(ink(one.statement, "strong")),
        blank(),
        *_noted(view.note),
        *_facts(one),
        *tested_before(view.before),
        *_worths(view),
        *_probes(view),
    ]
    if one.evidence:
        blocks += [*lines.heading("Evidence"), *evidence(view)]
    if one.history:
        blocks += lines.heading("History")
        blocks += _history(one)
    return blocks


def _verdict(one: Hypothesis) -> Content:
    if one.root:
        return mark(one) + ink("  the symptom", "root")
    return mark(one) + ink(f"  {verdict_words(one)}", one.verdict)


def _noted(note: str) -> list[Block]:
    return [Prose(inline(note, "doubtful")), blank()] if note else []


def _facts(one: Hypothesis) -> Iterator[Block]:
    if not one.root:
        ink_name = "" if one.support == "grounded" else one.support
        words = _BY_PERSON if one.only_said else SUPPORTS[one.support]
        yield lines.field("support", ink(words, ink_name))
    for label, ordinal in (("stated in", one.stated_in), ("decided in", one.decided_in)):
        if ordinal is not None:
            yield lines.field(label, lines.link(f"message {ordinal}"), Place("message", str(ordinal)))
    yield lines.field("set by", inline(one.source))
    if spent := _spent(one):
        yield lines.field("cost", ink(spent))


def tested_before(before: Recollection | None) -> Iterator[Block]:
    """Yield the line that says how the same ended in another session; it leads there."""
    if before is not None:
        one = before.hypothesis
        said = ink(f"{one.verdict}, {one.support}", one.verdict) + ink(f" on {times.local(before.time)[:10]} in ")
        link = inline(before.title or before.session, "accent") + ink(f" ({one.id})", "muted")
        told = ink("tested before: ", "strong") + said + link
        yield Prose(told, hang=lines.LABEL, target=Place("session", before.session))


def _probes(view: View) -> Iterator[Block]:
    for row in view.probes:
        report, document = row.report, row.report.document
        said = [f"{finding.answer} on {report.target}: {finding.why}" for finding in document.findings]
        for words in said or [f"{document.status} on {report.target}: {document.detail}"]:
            yield lines.field("probe", inline(f"{report.probe}: {words}"))
    if view.settling:
        yield lines.field("settled by", inline(", ".join(view.settling), "accent"))


def _spent(one: Hypothesis) -> str:
    cost = one.cost
    words = [figures.several(cost.steps, "step")] if cost.steps else []
    words += [figures.duration(cost.seconds)] if cost.seconds else []
    if words or cost.tokens:
        words += [figures.several(cost.tokens, "token") if cost.tokens is not None else "tokens not recorded"]
    words += [paid] if (paid := figures.dollars(cost.used)) else []
    return " · ".join(words)


def _worths(view: View) -> Iterator[Block]:
    for run in view.runs:
        for worth in run.worths:
            if worth.hypothesis == view.hypothesis.id:
                name = {"upheld": "good", "overturned": "bad"}.get(worth.worth, "doubtful")
                text = inline(f"on {run.target}:") + Content(" ") + ink(worth.worth, name)
                yield lines.field("replayed", Content("  ").join([text, inline(worth.why, "muted")]))


def evidence(view: View) -> Iterator[Block]:
    """Yield every piece of evidence with the lines around its quote, what decided first."""
    for place, piece in enumerate(sorted(view.hypothesis.evidence, key=lambda piece: not piece.deciding)):
        yield from [blank()] if place else []
        yield from _evidence(view, piece)


def _evidence(view: View, piece: Evidence) -> Iterator[Block]:
    place = Place("step", str(piece.step))
    decides = ink(" · decides", "strong") if piece.deciding else Content("")
    title = ink(f"{STANCES[piece.stance]} {piece.stance}", piece.stance) + decides
    yield Prose(
        Content("  ").join([title, lines.link(f"step {piece.step}"), inline(piece.source, "faint")]), target=place
    )
    step = view.steps.get(piece.step)
    if step is None:
        yield Prose(inline(piece.quote, "quote"), indent=2, target=place)
    else:
        yield Prose(inline(step.command[:400], "muted"), indent=2, hang=2, target=place)
        yield _excerpt(step, piece, place)
    for text in lines.replayed(view.runs, piece.step, view.hypothesis):
        yield Prose(text, indent=2, hang=2)


def _excerpt(step: Step, piece: Evidence, place: Place) -> Block:
    output = locate(step.output, [piece.quote])
    if not output.marks:  # the quote is of the command, or of an output that the log has since lost
        return Prose(inline(piece.quote, "quote"), indent=2, target=place)
    start, part = output.around(CONTEXT)
    return Listing(part.lines, marks=part.marks, first=start + 1, target=place)


def _history(one: Hypothesis) -> Iterator[Block]:
    for turn in one.history:
        place = None if turn.message is None else Place("message", str(turn.message))
        where = "" if turn.message is None else f"message {turn.message}"
        head = lines.link(f"{where:<14}") + ink(f"{turn.verdict:<11}", turn.verdict)
        yield Prose(head + inline(turn.quote or turn.source, "muted"), hang=25, target=place)
