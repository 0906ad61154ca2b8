"""A session told as a post-mortem: what both the page and the Markdown text are laid out from."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from sessions.hypotheses import spending
from sessions.models.hypothesis import DEAD_ENDS, MARKS, Cost, Evidence, Hypothesis, Turn
from sessions.models.session import Message, Step
from sessions.reports.collect import ReportData
from sessions.reports.excerpts import Part, Row, excerpt, mark
from sessions.reports.fleet import Matrix, matrix
from sessions.reports.replays import Replay, replays

OUTCOMES = {"confirmed": "cause", "refuted": "dead end", "abandoned": "dead end", "open": "open"}
"""What a verdict makes of a hypothesis, in the words of a post-mortem."""

SUPPORTS = {
    "grounded": "carried by tool output",
    "claimed": "only claimed by the agent",
    "contradicted": "contradicted by the log's own output",
}


@dataclass(frozen=True, slots=True)
class Node:
    """A hypothesis in its place in the tree. `begin` and `end` are shares of the session, from 0 to 1."""

    hypothesis: Hypothesis
    depth: int
    begin: float
    end: float
    children: tuple["Node", ...] = ()

    @property
    def mark(self) -> str:
        """The mark of its verdict."""
        return MARKS[self.hypothesis.verdict]

    @property
    def outcome(self) -> str:
        """Cause, dead end or open."""
        return OUTCOMES[self.hypothesis.verdict]

    @property
    def support(self) -> str:
        """What carries the verdict, in words."""
        if self.hypothesis.only_said:
            return "said by a person who cites no output"
        return SUPPORTS[self.hypothesis.support]

    @property
    def deciding(self) -> Evidence | None:
        """The piece of evidence on which the verdict rests."""
        return next((each for each in self.hypothesis.evidence if each.deciding), None)

    @property
    def deciding_turn(self) -> Turn | None:
        """The last verdict that came with words to quote."""
        turns = [turn for turn in self.hypothesis.history if turn.quote and turn.verdict == self.hypothesis.verdict]
        return turns[-1] if turns else None


@dataclass(frozen=True, slots=True)
class CitedStep:
    """A step that evidence rests on, the lines of its output around the quotes, and who cites it."""

    step: Step
    command: tuple[Part, ...]
    rows: tuple[Row, ...]
    cited_by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Moment:
    """A verdict that fell, in the order of the session."""

    hypothesis: Hypothesis
    turn: Turn
    time: str | None


@dataclass(frozen=True)
class Narrative:
    """One session's post-mortem."""

    data: ReportData
    roots: tuple[Node, ...] = field(default=())

    @cached_property
    def nodes(self) -> tuple[Node, ...]:
        """All hypotheses but the symptom, depth first."""
        return tuple(node for root in self.roots for node in _walk(root) if not node.hypothesis.root)

    @property
    def branches(self) -> tuple[Node, ...]:
        """The hypotheses directly under the symptom."""
        return tuple(node for root in self.roots for node in (root.children if root.hypothesis.root else (root,)))

    @property
    def symptom(self) -> Hypothesis | None:
        """The root of the tree."""
        return next((each for each in self.data.tree.hypotheses if each.root), None)

    @property
    def causes(self) -> tuple[Node, ...]:
        """The confirmed hypotheses."""
        return tuple(node for node in self.nodes if node.hypothesis.verdict == "confirmed")

    @property
    def dead_ends(self) -> tuple[Node, ...]:
        """The refuted and abandoned ones, the dearest first."""
        ends = [node for node in self.nodes if node.hypothesis.verdict in DEAD_ENDS]
        return tuple(sorted(ends, key=lambda node: -node.hypothesis.cost.steps))

    @property
    def spent_on_dead_ends(self) -> Cost:
        """What the dead ends cost together."""
        return spending.total([node.hypothesis.cost for node in self.dead_ends])

    @property
    def undecided(self) -> tuple[Node, ...]:
        """Those that the log leaves open."""
        return tuple(node for node in self.nodes if node.hypothesis.verdict == "open")

    @cached_property
    def timeline(self) -> tuple[Moment, ...]:
        """Every verdict of every hypothesis, in the order of the messages at which they fell."""
        times = {message.ordinal: message.time for message in self.data.messages}
        moments = [
            Moment(node.hypothesis, turn, None if turn.message is None else times.get(turn.message))
            for node in self.nodes
            for turn in node.hypothesis.history
        ]
        return tuple(sorted(moments, key=lambda each: (each.turn.message is None, each.turn.message or 0)))

    @cached_property
    def cited_steps(self) -> tuple[CitedStep, ...]:
        """The steps that evidence names, in order."""
        citing = _citing(self.data.tree.hypotheses)
        return tuple(_cite(step, citing[step.ordinal]) for step in self.data.steps if step.ordinal in citing)

    @cached_property
    def cited_messages(self) -> tuple[Message, ...]:
        """The messages in which something was stated or decided, in order."""
        wanted = {ordinal for each in self.data.tree.hypotheses for ordinal in _messages_of(each)}
        return tuple(message for message in self.data.messages if message.ordinal in wanted)

    @cached_property
    def replays(self) -> tuple[Replay, ...]:
        """The replays of the session's evidence."""
        return tuple(replays(self.data))

    @cached_property
    def fleet(self) -> Matrix | None:
        """The last replays on each of several targets beside each other."""
        return matrix(self.data.runs)


def narrate(data: ReportData) -> Narrative:
    """Return the post-mortem of `data`."""
    last = max((message.ordinal for message in data.messages), default=0) + 1
    known = {each.id for each in data.tree.hypotheses}
    top = [each for each in data.tree.hypotheses if each.parent not in known]
    return Narrative(data, tuple(_grow(each, data.tree.hypotheses, 0, last) for each in top))


def _grow(hypothesis: Hypothesis, every: tuple[Hypothesis, ...], depth: int, last: int) -> Node:
    begin = hypothesis.stated_in or 0
    end = hypothesis.decided_in if hypothesis.decided_in is not None else last - 1
    return Node(
        hypothesis,
        depth,
        begin=min(begin / last, 1.0),
        end=min((max(end, begin) + 1) / last, 1.0),
        children=tuple(_grow(each, every, depth + 1, last) for each in every if each.parent == hypothesis.id),
    )


def _walk(node: Node) -> Iterator[Node]:
    yield node
    for child in node.children:
        yield from _walk(child)


def _citing(hypotheses: Iterable[Hypothesis]) -> dict[int, list[tuple[str, str]]]:
    """Return for each step the hypotheses that cite it, each with its quote."""
    citing: dict[int, list[tuple[str, str]]] = {}
    for hypothesis in hypotheses:
        for evidence in hypothesis.evidence:
            citing.setdefault(evidence.step, []).append((hypothesis.id, evidence.quote))
    return citing


def _cite(step: Step, citing: list[tuple[str, str]]) -> CitedStep:
    quotes = [quote for _, quote in citing]
    in_output = [quote for quote in quotes if quote in step.output]
    return CitedStep(
        step,
        command=mark(step.command, [quote for quote in quotes if quote not in in_output]),
        rows=excerpt(step.output, in_output),
        cited_by=tuple(dict.fromkeys(name for name, _ in citing)),
    )


def _messages_of(hypothesis: Hypothesis) -> Iterator[int]:
    for ordinal in (hypothesis.stated_in, hypothesis.decided_in, *(turn.message for turn in hypothesis.history)):
        if ordinal is not None:
            yield ordinal
