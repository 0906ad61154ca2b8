"""Hypotheses: what was suspected, what the evidence said, how it ended."""

from typing import Literal

from sessions.models.session import Tokens
from sessions.models.strict import Strict

Verdict = Literal["open", "refuted", "confirmed", "abandoned"]
Support = Literal["grounded", "claimed", "contradicted"]
Stance = Literal["supports", "refutes", "neutral"]

MARKS: dict[str, str] = {"confirmed": "✓", "refuted": "✗", "abandoned": "⊘", "open": "?"}
"""The mark of each verdict, on every screen and in every report."""

DEAD_ENDS = frozenset({"refuted", "abandoned"})
"""The verdicts that make a hypothesis a dead end."""

PERSON = "person:"
"""How the source of what a person set begins; their name follows."""

LONGEST_STATEMENT = 200
"""Characters of a statement."""


class Evidence(Strict):
    """A step that speaks for or against a hypothesis, with the line of its output (or command) that does."""

    step: int
    stance: Stance
    quote: str
    """Verbatim from the step's output or command, one line."""
    deciding: bool = False
    """The verdict rests on this one."""
    predicate: str = ""
    """What must hold of the step's output for this to stand, as `sessions.hypotheses.predicates` reads it."""
    source: str
    """The rule, model or person that put it there: ``rule:NAME``, ``model:NAME``, ``person:NAME``."""


class Turn(Strict):
    """A verdict that a hypothesis got during the session, and the message at which it got it."""

    message: int | None
    verdict: Verdict
    quote: str = ""
    """The sentence of that message, or the output line, that decided."""
    source: str


class Cost(Strict):
    """What was spent on a hypothesis: steps, wall time in seconds, tokens where the log has them."""

    steps: int = 0
    seconds: float | None = None
    tokens: int | None = None
    """All tokens of the model's answers together; None: the log does not record them."""
    used: Tokens | None = None
    """The same by kind, and their price in US dollars where the log has it."""


class Hypothesis(Strict):
    """A possible cause of the symptom, stated as one; the root of the tree is the symptom itself."""

    id: str
    """``H1`` …, within a session; the root is ``H0``."""
    key: str
    """Names the same hypothesis in every analysis of the same log (where it was first stated)."""
    parent: str | None = None
    root: bool = False
    statement: str
    verdict: Verdict = "open"
    support: Support = "claimed"
    stated_in: int | None = None
    """Ordinal of the message in which it is first stated."""
    decided_in: int | None = None
    """Ordinal of the message in which its verdict fell; None while undecided."""
    history: tuple[Turn, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    cost: Cost = Cost()
    score: float = 0.0
    """What ranks candidates; of no meaning outside one session."""
    rules: tuple[str, ...] = ()
    """Names of the rules that fired."""
    source: str

    @property
    def by_person(self) -> bool:
        """Whether a person set it last."""
        return self.source.startswith(PERSON)

    @property
    def only_said(self) -> bool:
        """Whether nothing but a person's word carries it."""
        return self.by_person and self.support == "claimed"


class Tree(Strict):
    """The hypotheses of one session, root first, and the ranked suspicions under the threshold."""

    hypotheses: tuple[Hypothesis, ...] = ()
    candidates: tuple[Hypothesis, ...] = ()
    note: str = ""
    """What the reader of the tree must know, e.g. that the rules cover English only."""
