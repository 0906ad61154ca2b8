"""What a replay's screen shows: the steps of its plan, and the page of each: before, while and after it runs."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from textual.content import Content

from sessions.models.replay import Decision, Plan, PlannedStep, RunStep
from sessions.store.rows import RunRow
from tui.messages import Call
from tui.screens.pages import lines
from tui.screens.pages.marks import Marked, locate
from tui.widgets import figures
from tui.widgets.beside import LONGEST, Beside
from tui.widgets.blocks import Block, Listing, Prose, blank
from tui.widgets.calls import Line
from tui.widgets.ink import ink, inline

DECISIONS: dict[Decision, tuple[str, str]] = {
    "run": (" ▶ ", "good"),
    "ask": ("[ ]", "doubtful"),
    "refuse": (" ■ ", "bad"),
}
"""Mark and ink of each decision of the policy; one that is consented to is ``[x]``."""

OUTCOMES = {"completed": "good", "refused": "muted", "not-replayable": "muted"}
COMPARISONS = {
    "identical": "good", "equivalent": "good", "reordered": "good", "drift": "doubtful", "moved": "doubtful",
    "changed": "bad", "exit-status-changed": "bad",
}  # fmt: skip
MOST_TOKENS = 40
"""Differences that are listed above the texts; all are marked in them."""
TAIL = 40
"""Lines of an output that is still coming which are shown."""


@dataclass(frozen=True, slots=True)
class Row:
    """One step of the plans, for the targets on which the same would be done with it."""

    step: PlannedStep
    targets: tuple[str, ...]

    @property
    def call(self) -> Call:
        """What a consent to it covers."""
        return self.step.step, self.step.covered


@dataclass
class Progress:
    """How far the runs are: what a person consented to, what is under way, what came back, and the stored runs."""

    consented: set[Call] = field(default_factory=set)
    running: set[tuple[str, int]] = field(default_factory=set)
    done: dict[tuple[str, int], RunStep] = field(default_factory=dict)
    coming: dict[tuple[str, int], str] = field(default_factory=dict)
    runs: Sequence[RunRow] = ()

    def hear(self, place: tuple[str, int], text: str) -> None:
        """Take more of what a step prints; only as much is kept as is shown."""
        self.coming[place] = "".join((self.coming.get(place, "") + text).splitlines(keepends=True)[-TAIL:])


def rows(plans: Sequence[Plan]) -> tuple[Row, ...]:
    """Return the steps of all plans, in order; targets that would get the same share a row."""
    found: dict[tuple[object, ...], Row] = {}
    for plan in plans:
        for step in plan.steps:
            key = (step.step, step.decision, step.covered, step.user, step.reasons)
            known = found.get(key)
            found[key] = Row(known.step if known else step, (*(known.targets if known else ()), plan.target))
    return tuple(sorted(found.values(), key=lambda row: row.step.step))


def summary(plans: Sequence[Plan]) -> str:
    """Return what would happen: ``3 steps would run on gpu1, 1 is asked about, 2 are refused``."""
    counts = Counter(step.decision for plan in plans for step in plan.steps)
    where = plans[0].target if len(plans) == 1 else figures.several(len(plans), "target")
    words = [f"{figures.several(counts['run'], 'step')} would run on {where}"]
    for told, number in (("asked about", counts["ask"]), ("refused", counts["refuse"])):
        if number:
            words.append(f"{number} {'is' if number == 1 else 'are'} {told}")
    return ", ".join(words)


def line(row: Row, progress: Progress) -> Line:
    """Return the line of a step: what becomes of it, and what it is."""
    where = "" if len(row.targets) == 1 else f"{len(row.targets)} targets  "
    told = inline(row.step.sent or row.step.command, "" if row.step.sent else "muted")
    return _state(row, progress), ink(f"step {row.step.step:<4} ", "strong") + ink(where, "accent") + told


def _state(row: Row, progress: Progress) -> Content:
    places = [(target, row.step.step) for target in row.targets]
    done = [progress.done[place] for place in places if place in progress.done]
    if any(place in progress.running for place in places) and len(done) < len(places):
        return ink(" …  running", "root")
    if done and row.step.sent:
        counts = Counter(came.comparison or came.outcome for came in done)
        most, number = counts.most_common(1)[0]
        more = f" {number} of {len(places)}" if number < len(places) else ""
        return ink(f"    {most}{more}", COMPARISONS.get(most, OUTCOMES.get(most, "doubtful")))
    sign, name = DECISIONS[row.step.decision]
    sign = "[x]" if row.call in progress.consented else sign
    return ink(f"{sign} {row.step.effect if row.step.decision != 'refuse' else 'refused'}", name)


def page(row: Row, progress: Progress, recorded: str) -> list[Block]:
    """Return the page of a step; `recorded` is its recorded output. Call this from a worker: it aligns texts."""
    step = row.step
    blocks: list[Block] = [Prose(ink("$ ", "accent") + inline(step.command, "code"), hang=2), blank()]
    blocks += _sending(row, progress)
    blocks += _scratch(step)
    for target in row.targets:
        place = (target, step.step)
        if (came := progress.done.get(place)) is not None:
            blocks += _came(target, came, progress.runs)
            if step.sent and came.output and came.comparison != "identical":
                blocks += _texts(target, came, recorded)
        elif place in progress.running:
            blocks += _coming(target, progress.coming.get(place, ""))
    if not any((target, step.step) in progress.done for target in row.targets):
        output = locate(recorded, ())
        blocks += [*lines.heading("Recorded output"), Listing(output.lines[:LONGEST])]
    return blocks


def _sending(row: Row, progress: Progress) -> Iterator[Block]:
    step = row.step
    if step.sent:
        user = f"as {step.user}" if step.user else "as the target's login"
        where = ", ".join(row.targets)
        yield Prose(
            Content("  ").join([inline(f"sends to {where}, {user}:", "muted"), inline(step.sent, "accent")]), hang=2
        )
        for stage in step.local_stages:
            yield Prose(ink("then here:  ", "muted") + inline(" ".join(stage), "muted"), hang=2)
        for recorded, mapped in step.mapped_paths if not (step.scratch and step.scratch.written) else ():
            yield Prose(inline(f"{recorded} stands for {mapped}", "muted"), hang=2)
    yield lines.field("effect", ink(step.effect, DECISIONS[step.decision][1]))
    yield lines.field("decision", _decision(row, progress))
    for place, reason in enumerate(step.reasons):
        yield lines.field("" if place else "why", inline(reason, "muted" if step.decision == "run" else "doubtful"))


def _scratch(step: PlannedStep) -> Iterator[Block]:
    """Yield what runs in a scratch folder and what lies there: to be seen before a person consents."""
    if step.scratch is None:
        return
    yield from lines.heading("In a scratch folder")
    yield lines.field("folder", inline(step.scratch.folder))
    for place, (path, there) in enumerate(step.scratch.written):
        yield lines.field("" if place else "writes", inline(f"{there}, which is {path} in the log", "doubtful"))
    for place, path in enumerate(step.scratch.read):
        yield lines.field("" if place else "reads", inline(f"{path}, as earlier steps of this plan leave it"))
    for place, file in enumerate(step.scratch.files):
        origins = ", ".join(map(str, file.origins))
        yield lines.field("" if place else "files", inline(f"{file.path} of step {origins}: {file.place}"))
    for name, value in step.scratch.env:
        yield lines.field("with", inline(f"{name}={value}"))
    if step.scratch.script:
        yield from lines.heading("The code that runs")
        yield Listing(locate(step.scratch.script, ()).lines[:LONGEST])


def _decision(row: Row, progress: Progress) -> Content:
    if row.step.decision == "run":
        return ink("runs: it is proven to be reading", "good")
    if row.step.decision == "refuse":
        never = "" if row.step.effect in {"code", "writes"} else ": no consent can change that"
        return ink(f"refused{never or ' in this plan'}", "bad")
    if row.call in progress.consented:
        return ink("[x] you consent: it runs with the others", "good")
    return ink("[ ] asked about: space gives your consent, without it this does not run", "doubtful")


def _coming(target: str, text: str) -> Iterator[Block]:
    yield from lines.heading(f"On {target}")
    yield Prose(ink("running …", "root"))
    shown = locate(text, ()).lines
    yield from (Prose(inline(line, "code"), indent=2, hang=2) for line in shown)


def _came(target: str, came: RunStep, runs: Sequence[RunRow]) -> Iterator[Block]:
    yield from lines.heading(f"On {target}")
    text = ink(came.outcome, OUTCOMES.get(came.outcome, "bad"))
    if came.comparison:
        text += ink(" · ", "muted") + ink(came.comparison, COMPARISONS.get(came.comparison, "muted"))
    took = figures.duration(came.duration)
    words = [took, f"exit {came.exit_code}" if came.exit_code else "", came.detail]
    yield Prose(Content("  ").join([text, inline(" · ".join(word for word in words if word), "muted")]), hang=2)
    for rule in came.rules:
        yield lines.field("by a rule", inline(rule, "muted"))
    yield from _standings(target, came.step, runs)
    yield from _tokens(came)


def _standings(target: str, step: int, runs: Sequence[RunRow]) -> Iterator[Block]:
    for one in (standing for run in runs if run.target == target for standing in run.standings):
        if one.step == step:
            told = ink(one.standing, lines.STANDINGS.get(one.standing, "doubtful"))
            yield lines.field(one.hypothesis, Content("  ").join([told, inline(one.why, "muted")]))


def _tokens(came: RunStep) -> Iterator[Block]:
    for token in came.tokens[:MOST_TOKENS]:
        kind = " ".join(word for word in (token.kind, token.where) if word)
        changed = inline(token.recorded or "nothing") + ink(" → ", "muted") + inline(token.new or "nothing", "strong")
        yield lines.field(f"line {token.line}", Content(" ").join([inline(f"{kind}:", "muted"), changed]))
    if len(came.tokens) > MOST_TOKENS:
        yield lines.field("", ink(f"and {len(came.tokens) - MOST_TOKENS} more", "muted"))


def _texts(target: str, came: RunStep, recorded: str) -> Iterator[Block]:
    """Yield the texts beside each other; tokens that differ are marked on the line of the recording, and opposite."""
    differing = frozenset(token.line - 1 for token in came.tokens)
    left = _with(recorded, [(token.line - 1, token.recorded) for token in came.tokens])
    right = locate(came.output, [token.new for token in came.tokens if token.kind != "line"])
    yield from lines.heading(f"Recorded  |  on {target}")
    yield Prose(ink("≠ differs   ≈ the same by a rule   < only recorded   > only there", "faint"))
    yield Beside(left.lines, right.lines, differing=differing, marks=(left.marks, right.marks))
    longest = max(len(left.lines), len(right.lines))
    if longest > LONGEST:
        yield Prose(ink(f"the first {LONGEST:,} of {longest:,} lines", "muted"))


def _with(text: str, values: Sequence[tuple[int, str]]) -> Marked:
    """Return the lines of a text, and where the given values stand on the given lines."""
    output = locate(text, ())
    marks: dict[int, list[tuple[int, int]]] = {}
    for number, value in values:
        at = output.lines[number].find(value) if value and 0 <= number < len(output.lines) else -1
        if at >= 0:
            marks.setdefault(number, []).append((at, at + len(value)))
    return Marked(output.lines, marks)
