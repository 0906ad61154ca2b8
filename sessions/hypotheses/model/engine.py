"""From a log to a tree by asking a model part after part; whoever sends the questions is passed in.

Read one after the other, a part is told the hypotheses of those before it and can settle them. Read apart (in batch
files), each is told only the rules' suggestions, and the answers are laid together afterwards.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from sessions.hypotheses.model import check
from sessions.hypotheses.model.answers import Opinion, Reading, Symptom, read_opinion, read_reading
from sessions.hypotheses.model.cut import Window, cut
from sessions.hypotheses.model.ground import Account, Ground, Log, shorten
from sessions.hypotheses.model.merge import Gathering
from sessions.hypotheses.model.plant import plant
from sessions.hypotheses.model.requests import OVERHEAD, READING_TOKENS, Ask, Failure, Question, ask_window
from sessions.hypotheses.rules.text.symptom import UNKNOWN
from sessions.hypotheses.tree import symptom
from sessions.ingest import display
from sessions.models.hypothesis import Hypothesis, Tree

_SMALLEST_ROOM = 1_000
_HINTS_A_PART = 30


@dataclass(slots=True)
class Read:
    """A tree, what of the answers the log bore out, and which parts have no answer, with the reason."""

    tree: Tree
    account: Account
    parts: int
    missing: dict[int, str] = field(default_factory=dict)


class Reader:
    """Reads one log with one model."""

    def __init__(self, log: Log, model: str, context: int) -> None:
        """Take a log; `context` is what the model can hold, in tokens, question and answer together."""
        self._log = log
        self._source = f"model:{model}"
        self._ground = Ground(log.messages, log.steps, self._source)
        hints = [h for h in (*log.hints.hypotheses, *log.hints.candidates) if not h.root]
        self._gathering = Gathering(log.messages, hints, self._ground.account, self._source)
        shifts = {h.stated_in for h in log.hints.hypotheses if h.stated_in is not None}
        self.windows = cut(log.messages, log.steps, room(context), shifts)
        self._symptom: Hypothesis | None = None
        self._missing: dict[int, str] = {}

    def read(self, ask: Ask) -> Read:
        """Ask about part after part, then check what is confirmed, and return the tree."""
        for window in self.windows:
            question = self._question(window, known=self._gathering.known())
            self._take(window, question, ask)
        return self._finish(ask)

    def read_apart(self, ask: Ask) -> Read:
        """The same with parts that know nothing of one another."""
        for window, question in zip(self.windows, self.questions(), strict=True):
            self._take(window, question, ask)
        return self._finish(ask)

    def questions(self) -> list[Question]:
        """Return the question about each part where none knows of the others."""
        return [self._question(window, known=()) for window in self.windows]

    def _question(self, window: Window, known: Sequence[tuple[str, str]]) -> Question:
        here = [(name, h) for name, h in self._gathering.hints.items() if h.stated_in in window.messages]
        return ask_window(window, known, here[:_HINTS_A_PART])

    def _take(self, window: Window, question: Question, ask: Ask) -> None:
        answer = readable(question, ask, read_reading, self._ground.account)
        if isinstance(answer, Failure):
            self._missing[window.number] = answer.reason
            return
        for _ in range(answer.malformed):
            self._ground.account.drop("hypothesis", "cannot be read")
        self._root(answer.symptom, window)
        held = (self._ground.hold(found, window.messages, window.steps) for found in answer.hypotheses)
        self._gathering.add([h for h in held if h is not None], last=window.last)

    def _root(self, told: Symptom | None, window: Window) -> None:
        if told is None or self._symptom is not None:
            return
        place = self._ground.place(told.stated_in, told.stated_quote, window.messages)
        statement = display.line(display.clean(told.statement)).strip()
        if place is None or not statement:
            self._ground.account.drop("symptom", "its words do not stand in the message")
            return
        self._symptom = symptom(shorten(statement), source=self._source, stated_in=place.message)

    def _finish(self, ask: Ask) -> Read:
        entries = self._gathering.entries
        steps = {s.ordinal: s for s in self._log.steps}
        checks = check.questions(entries, steps)
        opinions = dict(zip(checks, self._opinions(list(checks.values()), ask), strict=True))
        check.settle(entries, opinions, self._ground)
        given = next((h for h in self._log.hints.hypotheses if h.root), None)
        root = self._symptom or given or symptom(UNKNOWN, source="rule:symptom")
        note = _note(self._missing, len(self.windows))
        tree = plant(entries, self._log, root, note, ended=len(self.windows) not in self._missing)
        return Read(tree, self._ground.account, len(self.windows), self._missing)

    def _opinions(self, asked: Sequence[Question], ask: Ask) -> list[Opinion | None]:
        if not asked:
            return []
        first = ask(asked)
        return [None if isinstance(reply, Failure) else read_opinion(reply.text) for reply in first]


def room(context: int) -> int:
    """Return the tokens of a context of `context` tokens that are left for the log."""
    return max(_SMALLEST_ROOM, context - min(OVERHEAD + READING_TOKENS, context // 2))


def readable(
    question: Question, ask: Ask, read: Callable[[str], Reading | None], account: Account
) -> Reading | Failure:
    """Return what a question was answered, asked once more where the first answer cannot be read."""
    reason = ""
    for attempt in (question, question.repeated()):
        (reply,) = ask([attempt])
        if isinstance(reply, Failure):
            return reply
        answer = read(reply.text)
        if answer is not None:
            return answer
        account.drop("answer", "cannot be read")
        reason = "the answer is not the JSON that was asked for"
    return Failure(reason)


def _note(missing: Mapping[int, str], parts: int) -> str:
    if not missing:
        return ""
    which = ", ".join(map(str, missing))
    return f"The model has not read part {which} of {parts} of this log: what is suspected there is not here."
