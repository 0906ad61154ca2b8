"""What of a model's answer stands in the log. Everything else is dropped, and counted by reason."""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from sessions.hypotheses.model.answers import Cited, Found
from sessions.ingest import display
from sessions.models.hypothesis import LONGEST_STATEMENT, Evidence, Stance, Tree, Verdict
from sessions.models.session import Message, Step

STANCES: dict[Verdict, Stance] = {"confirmed": "supports", "refuted": "refutes"}
"""The stance of a step that carries a verdict."""

_SHORTEST = 4
"""Characters of a quote that is less than its whole line: fewer stand anywhere."""

_NAME = re.compile(r"\w*(?:\w[_.]\w|[a-z][A-Z]|[A-Za-z]\d|::)[\w.:]*")
_SIGNS = re.compile(r"[\W_]+")
_SHORTEST_NAME = 5
_EDGES = " \t\n\"'`…“”"


@dataclass(frozen=True, slots=True)
class Log:
    """What is read: a session, and the tree that the rules make of it."""

    messages: Sequence[Message]
    steps: Sequence[Step]
    hints: Tree


@dataclass(slots=True)
class Account:
    """What was kept of a model's answers, and what was dropped for which reason."""

    kept: Counter[str] = field(default_factory=Counter)
    dropped: Counter[str] = field(default_factory=Counter)

    def keep(self, what: str) -> None:
        """Count one thing that the log bears out."""
        self.kept[what] += 1

    def drop(self, what: str, reason: str, times: int = 1) -> None:
        """Count `times` things that it does not."""
        if times:
            self.dropped[f"{what}: {reason}"] += times


@dataclass(frozen=True, slots=True)
class Place:
    """A message, and words that stand in it."""

    message: int
    quote: str


@dataclass(frozen=True, slots=True)
class Held:
    """What of one hypothesis the log bears out: the verdict is the model's, and rests on what stands beside it."""

    name: str
    statement: str
    stated: Place | None
    verdict: Verdict
    decided: Place | None
    evidence: tuple[Evidence, ...]
    parent: str | None


class Ground:
    """A log that answers are held to."""

    def __init__(self, messages: Sequence[Message], steps: Sequence[Step], source: str) -> None:
        """Take a log; `source` (``model:NAME``) signs what is kept."""
        self._messages = {m.ordinal: m.text for m in messages}
        self._steps = {s.ordinal: s for s in steps}
        self._source = source
        self.account = Account()

    def hold(self, found: Found, messages: Collection[int], steps: Collection[int]) -> Held | None:
        """Return what of `found` the log bears out; `messages` and `steps` are those that the model was shown.

        None where it has no statement, or one about things of which the log never speaks.
        """
        statement = display.line(display.clean(found.statement)).strip()
        if not statement:
            self.account.drop("hypothesis", "no statement")
            return None
        if not self._names_known(statement):
            self.account.drop("hypothesis", "it names what does not stand in the log")
            return None
        evidence = self._evidence(found.evidence, steps)
        stated = self.place(found.stated_in, found.stated_quote, messages)
        decided = None if found.decided_in is None else self.place(found.decided_in, found.decided_quote, messages)
        if found.decided_in is not None and decided is None:
            self.account.drop("decision", "its words do not stand in the message")
        return Held(found.name, shorten(statement), stated, found.verdict, decided, evidence, found.parent)

    def place(self, message: int | None, quote: str, shown: Collection[int]) -> Place | None:
        """Return the place that is cited if it is one of the `shown` messages and the words stand there."""
        if message is None or message not in shown:
            return None
        there = locate(quote, self._messages.get(message, ""))
        return None if there is None else Place(message, there)

    def line(self, step: int, quote: str) -> str | None:
        """Return the line of a step's output or command in which `quote` stands, as far as it was quoted."""
        there = self._steps.get(step)
        return None if there is None else locate(quote, there.output) or locate(quote, there.command)

    def _names_known(self, statement: str) -> bool:
        """Whether, of the names in a statement that look like code, the log has any; words may be the model's own."""
        names = {folded for name in _NAME.findall(statement) if len(folded := _letters(name)) >= _SHORTEST_NAME}
        return not names or any(name in self._letters_of_log for name in names)

    @cached_property
    def _letters_of_log(self) -> str:
        told = (*self._messages.values(), *(f"{s.command} {s.output}" for s in self._steps.values()))
        return " ".join(map(_letters, told))

    def _evidence(self, cited: Sequence[Cited], shown: Collection[int]) -> tuple[Evidence, ...]:
        kept: dict[int, Evidence] = {}
        for piece in cited:
            evidence = self._piece(piece, shown)
            if evidence is not None and (piece.step not in kept or evidence.deciding):
                kept[piece.step] = evidence
        return tuple(kept.values())

    def _piece(self, piece: Cited, shown: Collection[int]) -> Evidence | None:
        if piece.step not in self._steps:
            self.account.drop("evidence", "no such step")
            return None
        if piece.step not in shown:
            self.account.drop("evidence", "a step that was not shown")
            return None
        line = self.line(piece.step, piece.quote)
        if line is None:
            self.account.drop("evidence", "its quote does not stand in the step")
            return None
        self.account.keep("evidence")
        return Evidence(step=piece.step, stance=piece.stance, quote=line, deciding=piece.deciding, source=self._source)


def locate(quote: str, text: str) -> str | None:
    """Return the words of `quote` as they stand in `text` on one line (the longest, of several), or None.

    White space is folded, and marks that a model puts around a quotation are taken off.
    """
    for wanted in dict.fromkeys((quote, _unbarred(quote))):
        there = _find(wanted.split(), text)
        if there is not None:
            return there
    return None


def _find(words: Sequence[str], text: str) -> str | None:
    if not words:
        return None
    match = re.search(r"\s+".join(map(re.escape, words)), text)
    if match is None:
        return None
    line = max((part.strip() for part in match[0].split("\n")), key=len)
    if len(line) < _SHORTEST and not re.search(rf"(?m)^\s*{re.escape(line)}\s*$", text):
        return None
    return line


def _unbarred(quote: str) -> str:
    bare = quote.strip(_EDGES)
    return bare[2:].strip(_EDGES) if bare[:2] in {"| ", "$ "} else bare


def _letters(text: str) -> str:
    """Return a text without case and signs, so that ``sm_120`` is SM120."""
    return _SIGNS.sub("", text.lower())


def shorten(statement: str) -> str:
    """Return a statement of at most the characters that one may have, cut at a word."""
    if len(statement) <= LONGEST_STATEMENT:
        return statement
    return statement[: LONGEST_STATEMENT - 1].rsplit(" ", 1)[0] + "…"
