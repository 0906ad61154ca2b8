"""The post-mortem as Markdown, for an issue, a wiki, a pull request."""

from collections.abc import Iterable, Iterator

from sessions.ingest.display import line
from sessions.models.hypothesis import MARKS, Evidence, Hypothesis
from sessions.models.replay import HypothesisStanding
from sessions.reports import wording
from sessions.reports.collect import ReportData
from sessions.reports.excerpts import Row
from sessions.reports.markup import block, code, inline, table
from sessions.reports.narrative import CitedStep, Narrative, Node, narrate
from sessions.reports.replays import Replay

RECONSTRUCTED = (
    "This session says of itself that it is a reconstruction: its outputs were written after the event and prove "
    "nothing about a real host."
)


def render(data: ReportData) -> str:
    """Return the document. Everything from the log stands in it as text: no link, HTML or markup of it is live."""
    story = narrate(data)
    sections = (_head, _summary, _tree, _hypotheses, _timeline, _fleet, _replays, _probes, _steps, _candidates)
    return "\n\n".join(part for section in sections for part in section(story)) + "\n"


def _head(story: Narrative) -> Iterator[str]:
    session = story.data.session
    yield f"# Post-mortem: {inline(session.title or session.id)}"
    facts = [
        inline(" ".join(filter(None, [session.agent, session.agent_version]))),
        inline(session.model or ""),
        inline(wording.moment(session.started)),
        wording.count(session.messages, "message"),
        wording.count(session.steps, "step"),
        f"session {code(session.id)}",
    ]
    yield " · ".join(fact for fact in facts if fact)
    if session.reconstructed:
        yield f"> **Reconstruction.** {RECONSTRUCTED}"
    if session.live:
        yield "> The log was still being written when it was read."
    if story.data.tree.note:
        yield f"> {inline(story.data.tree.note)}"


def _summary(story: Narrative) -> Iterator[str]:
    yield "## Summary"
    if story.symptom:
        yield f"**Symptom.** {inline(story.symptom.statement)}"
    if not story.nodes:
        yield "No hypothesis was found in this session."
        return
    for title, nodes in (("Cause", story.causes), ("Dead ends", story.dead_ends), ("Left open", story.undecided)):
        if nodes:
            spent = f" ({', '.join(wording.whole_costs(story.spent_on_dead_ends))})" if title == "Dead ends" else ""
            yield f"**{title}{spent}**"
            yield "\n".join(
                f"- {node.mark} {_name(node)}: {inline(node.hypothesis.statement)}{_cost(node)}" for node in nodes
            )
    if not story.causes:
        yield "No cause was confirmed."


def _tree(story: Narrative) -> Iterator[str]:
    if not story.nodes:
        return
    yield "## What was suspected"
    symptom = story.symptom.statement if story.symptom else "(no symptom found)"
    yield block("\n".join([line(symptom), *_branches(story.branches, "")]))
    yield "✓ cause · ✗ refuted · ⊘ abandoned · ? open"


def _branches(nodes: tuple[Node, ...], indent: str) -> Iterator[str]:
    for place, node in enumerate(nodes, 1):
        last = place == len(nodes)
        each = node.hypothesis
        yield f"{indent}{'└─' if last else '├─'} {node.mark} {line(each.id)} {line(each.statement)}"
        yield from _branches(node.children, indent + ("   " if last else "│  "))


def _hypotheses(story: Narrative) -> Iterator[str]:
    for node in story.nodes:
        each = node.hypothesis
        yield f"### {node.mark} {_name(node)}: {inline(each.statement)}"
        yield f"**{each.verdict.capitalize()}**, {node.support}.{_places(each)}{_cost(node)}"
        yield from _deciding(node)
        if each.evidence:
            yield table(("step", "stance", "quote", "from"), [_evidence(one) for one in each.evidence])
        if each.id in story.data.settling:
            yield f"Probes that would settle it: {', '.join(map(code, story.data.settling[each.id]))}."


def _places(each: Hypothesis) -> str:
    parts = [
        f"First stated in message {each.stated_in}" if each.stated_in is not None else "",
        f"decided in message {each.decided_in}" if each.decided_in is not None else "",
        f"refines {inline(each.parent)}" if each.parent and each.parent != "H0" else "",
    ]
    told = ", ".join(part for part in parts if part)
    return f" {told[0].upper()}{told[1:]}." if told else ""


def _deciding(node: Node) -> Iterator[str]:
    evidence, turn = node.deciding, node.deciding_turn
    if evidence:
        yield f"> {code(evidence.quote)}\n>\n> output of step {evidence.step}"
    if turn and not (evidence and turn.quote == evidence.quote):
        place = f"message {turn.message}" if turn.message is not None else inline(turn.source)
        yield f"> {inline(turn.quote)}\n>\n> {place}"


def _evidence(one: Evidence) -> tuple[str, ...]:
    return (str(one.step), one.stance + (" (decides)" if one.deciding else ""), code(one.quote), inline(one.source))


def _timeline(story: Narrative) -> Iterator[str]:
    if not story.timeline:
        return
    yield "## How the verdicts fell"
    yield table(
        ("message", "time", "hypothesis", "verdict", "words", "from"),
        [
            (
                "" if moment.turn.message is None else str(moment.turn.message),
                inline(wording.moment(moment.time)),
                inline(moment.hypothesis.id),
                f"{MARKS[moment.turn.verdict]} {moment.turn.verdict}",
                inline(moment.turn.quote),
                inline(moment.turn.source),
            )
            for moment in story.timeline
        ],
    )


def _fleet(story: Narrative) -> Iterator[str]:
    found = story.fleet
    if found is None:
        return
    yield "## Evidence by target"
    yield table(
        ("hypothesis", "step", *(inline(", ".join(each.targets)) for each in found.columns)),
        [
            (inline(hypothesis), "verdict" if step is None else str(step), *(each.cells[n] for each in found.columns))
            for n, (hypothesis, step) in enumerate(found.rows)
        ],
    )


def _replays(story: Narrative) -> Iterator[str]:
    for replay in story.replays:
        run = replay.run
        yield f"## Replay {run.number} on {inline(run.target)}"
        finished = f"finished {inline(wording.moment(run.finished))}" if run.finished else "not finished"
        yield f"Started {inline(wording.moment(run.started))}, {finished}."
        if replay.determined:
            yield table(("hypothesis", "verdict is", "why"), _worths(replay.determined))
        yield table(
            ("step", "outcome", "comparison", "standing of the evidence", "why"),
            [
                (
                    str(one.step.step),
                    one.step.outcome,
                    _comparison(one.step.comparison, one.step.rules),
                    one.standing or "",
                    inline(one.why),
                )
                for one in replay.steps
            ],
        )
        yield from _undetermined(replay)


def _probes(story: Narrative) -> Iterator[str]:
    if not story.data.probes:
        return
    yield "## Probes"
    yield table(
        ("asked for", "probe", "on", "answer", "why"),
        [
            (
                inline(row.hypothesis or ""),
                code(row.report.probe),
                inline(row.report.target),
                inline(answer),
                inline(why),
            )
            for row in story.data.probes
            for answer, why in wording.answers(row.report)
        ],
    )


def _undetermined(replay: Replay) -> Iterator[str]:
    if replay.undetermined:
        yield "**Undetermined here** (the run says neither yes nor no):"
        yield table(("hypothesis", "verdict is", "why"), _worths(replay.undetermined))


def _worths(worths: Iterable[HypothesisStanding]) -> list[tuple[str, ...]]:
    return [(inline(each.hypothesis), each.worth, inline(each.why)) for each in worths]


def _comparison(comparison: str | None, rules: tuple[str, ...]) -> str:
    return (comparison or "") + (f" ({inline(', '.join(rules))})" if rules else "")


def _steps(story: Narrative) -> Iterator[str]:
    if story.cited_steps:
        yield "## The steps that the evidence rests on"
    for cited in story.cited_steps:
        yield f"### Step {cited.step.ordinal}"
        yield _step_facts(cited)
        yield block("".join(part.text for part in cited.command), "sh" if cited.step.kind == "shell" else "text")
        if cited.rows:
            yield block("\n".join(map(_row, cited.rows)))


def _step_facts(cited: CitedStep) -> str:
    step = cited.step
    facts = [
        f"cited by {inline(', '.join(cited.cited_by))}",
        inline(step.tool),
        f"exit {step.exit_code}" if step.exit_code is not None else "",
        wording.duration(step.duration),
        inline(wording.moment(step.started)),
        "output cut by the agent's program" if step.truncated else "",
    ]
    return " · ".join(fact for fact in facts if fact)


def _row(row: Row) -> str:
    return f"{row.number:>6}  {row.text}" if row.number else f"     ⋯  {wording.count(row.skipped, 'line')}"


def _candidates(story: Narrative) -> Iterator[str]:
    candidates = story.data.tree.candidates
    if candidates:
        yield "## Suspicions under the threshold"
        yield "\n".join(
            f"- {MARKS[each.verdict]} {inline(each.statement)}"
            + (f" (message {each.stated_in})" if each.stated_in is not None else "")
            for each in candidates
        )


def _name(node: Node) -> str:
    return inline(node.hypothesis.id)


def _cost(node: Node) -> str:
    return f" *{', '.join(wording.costs(node.hypothesis.cost))}*" if node.hypothesis.cost.steps else ""
