"""The page of one step: what ran, where, how it ended, and its whole output with the quotes marked."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from textual.content import Content

from sessions import times
from sessions.models.command import Command
from sessions.models.hypothesis import Evidence, Hypothesis
from sessions.models.session import Step
from sessions.store.rows import RunRow
from tui.screens.pages import lines
from tui.screens.pages.marks import locate
from tui.widgets import figures
from tui.widgets.blocks import Block, Listing, Place, Prose, blank
from tui.widgets.ink import ink, inline, mark
from tui.widgets.steps import STANCES

LONGEST_PROSE = 2_000
"""Characters up to which a command is wrapped as prose; a longer one is listed line by line."""


@dataclass(frozen=True, slots=True)
class View:
    """A step, the hypotheses for which it is evidence (the chosen one alone where it is one of them), and its runs."""

    step: Step
    bearing: Sequence[tuple[Hypothesis, Evidence]]
    runs: Sequence[RunRow]
    words: Sequence[str] = ()
    """What a search looked for; it is marked instead of the quotes."""

    @property
    def quotes(self) -> list[str]:
        """The quotes to mark."""
        return [] if self.words else [evidence.quote for _, evidence in self.bearing]


def compose(view: View) -> list[Block]:
    """Return the page. A list of a 100,000-line output is made in about 0.2 s: call this from a worker."""
    step = view.step
    blocks: list[Block] = [Prose(_title(step)), blank(), *_command(view), blank(), *_facts(step)]
    for hypothesis, evidence in view.bearing:
        blocks.append(_bearing(hypothesis, evidence))
        blocks += [lines.field("replayed", text) for text in lines.replayed(view.runs, step.ordinal, hypothesis)]
    if not view.bearing:
        blocks += [lines.field("replayed", text) for text in lines.replayed(view.runs, step.ordinal)]
    blocks += lines.heading("Output")
    output = locate(step.output, view.quotes, view.words)
    if output.lines:
        blocks.append(Listing(output.lines, marks=output.marks))
    else:
        blocks.append(Prose(ink("none" if step.status != "no-result" else "the log has no result", "muted")))
    return blocks + list(_runs(view))


def _title(step: Step) -> Content:
    parts = [ink(f"step {step.ordinal}  ", "strong"), inline(f"{step.kind} · {step.tool}", "muted")]
    if step.exit_code is not None:
        derived = " (derived)" if step.exit_source == "derived" else ""
        parts.append(ink(f"  exit {step.exit_code}{derived}", "bad" if step.exit_code else "good"))
    elif step.status != "ok":
        parts.append(ink(f"  {step.status}", "doubtful"))
    return Content("").join(parts)


def _command(view: View) -> Iterator[Block]:
    step, command = view.step, locate(view.step.command, view.quotes, view.words)
    if command.marks or len(step.command) > LONGEST_PROSE:
        yield Listing(command.lines, marks=command.marks)
    elif step.command:
        prompt = ink("$ " if step.kind == "shell" else "> ", "accent")
        yield Prose(prompt + ink("\n  ".join(command.lines), "code"), hang=0)


def _facts(step: Step) -> Iterator[Block]:
    if step.started:
        took = f"  took {figures.duration(step.duration)}" if step.duration is not None else ""
        yield lines.field("started", ink(f"{times.local(step.started)}{took}"))
    if step.message is not None:
        yield lines.field("said in", lines.link(f"message {step.message}"), Place("message", str(step.message)))
    if step.cwd:
        yield lines.field("folder", inline(step.cwd))
    yield from _ran(step)
    if step.child:
        yield lines.field("sub-agent", lines.link(step.child), Place("session", step.child))
    yield from _doubts(step)


def _ran(step: Step) -> Iterator[Block]:
    for place, command in enumerate(step.commands):
        if len(step.commands) > 1 or command.host or command.container or command.sudo or command.unresolved:
            yield lines.field("" if place else "ran", _where(command))


def _doubts(step: Step) -> Iterator[Block]:
    if step.truncated:
        yield lines.field("truncated", ink("the agent's program cut this output before it was recorded", "doubtful"))
    if step.abandoned:
        yield lines.field("rewound", ink("on a branch that the agent's user took back", "doubtful"))


def _where(command: Command) -> Content:
    place = inline(command.host or "here", "accent" if command.host else "muted")
    if command.user:
        place = inline(f"{command.user}@", "accent") + place
    for word in (*(f"via {jump}" for jump in command.jumps), command.container, command.cwd and f"in {command.cwd}"):
        place += Content(" ") + inline(word, "muted") if word else Content("")
    trouble = inline(command.unresolved, "doubtful") if command.unresolved else Content("")
    ran = inline(f"{'sudo ' if command.sudo else ''}{command.text}", "code")
    return Content("  ").join(part for part in (place, ran, trouble) if part)


def _bearing(hypothesis: Hypothesis, evidence: Evidence) -> Block:
    text = ink(f"{STANCES[evidence.stance]} {evidence.stance} ", evidence.stance)
    text += mark(hypothesis) + ink(f" {hypothesis.id}  ", "accent") + inline(hypothesis.statement)
    return lines.field("evidence", text, Place("hypothesis", hypothesis.id))


def _runs(view: View) -> Iterator[Block]:
    for run in view.runs:
        for one in run.steps:
            if one.step == view.step.ordinal and one.comparison not in {None, "identical"}:
                yield from lines.heading(f"Output on {run.target}")
                yield from (Prose(inline(reason, "muted")) for reason in (*one.rules, one.detail) if reason)
                yield Listing(locate(one.output, ()).lines)
