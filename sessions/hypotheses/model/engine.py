"""From a log to a tree by asking a model part after part; whoever sends the questions is passed in.

Read one after the other, a part is told the hypotheses of those before it and can settle them. Read apart (in batch
files), each is told only the rules' suggestions, and the answers are laid together afterwards.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sessions.errors import BadInput
from sessions.hypotheses.model import check
from sessions.hypotheses.model.answers import Opinion, Reading, Symptom, read_opinion, read_reading
from sessions.hypotheses.model.cut import Window, cut
from sessions.hypotheses.model.ground import Account, Ground, Log, shorten
from sessions.hypotheses.model.merge import Gathering
from sessions.hypotheses.model.plant import plant
from sessions.hypotheses.model.requests import SMALLEST_CONTEXT, Ask, Failure, Frame, Question, Reply, ask_window
from sessions.hypotheses.rules.text.symptom import UNKNOWN
from sessions.hypotheses.tree import symptom
from sessions.ingest import display
from sessions.models.hypothesis import Hypothesis, Tree

_SMALLER = 0.7


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
        """Take a log; `context` is what the model can hold, in tokens, question and answer together.

        Raises BadInput for a context in which nothing has room.
        """
        if context < SMALLEST_CONTEXT:
            raise BadInput(f"A context of {context} tokens is too small; {SMALLEST_CONTEXT:,} are needed.")
        self._log = log
        self._source = f"model:{model}"
        self._hints = [h for h in (*log.hints.hypotheses, *log.hints.candidates) if not h.root]
        self._begin(Frame(context))

    def read(self, ask: Ask) -> Read:
        """Ask about part after part, then check what is confirmed, and return the tree.

        Where a part turns out too long for the model, all is cut smaller and begun again.
        """
        while not self._read_on(ask):
            self._begin(Frame(max(SMALLEST_CONTEXT, int(self._frame.context * _SMALLER))))
        return self._finish(ask)

    def read_apart(self, ask: Ask) -> Read:
        """The same with parts that know nothing of one another."""
        for window, question in zip(self.windows, self.questions(), strict=True):
            self._take(window, question, ask, told=False)
        return self._finish(ask)

    def questions(self) -> list[Question]:
        """Return the question about each part where none knows of the others."""
        return [ask_window(window, self._frame, (), self._suggestions(window, back=True)) for window in self.windows]

    def _begin(self, frame: Frame) -> None:
        self._frame = frame
        self._ground = Ground(self._log.messages, self._log.steps, self._source)
        self._gathering = Gathering(self._log, self._hints, self._ground.account, self._source)
        shifts = {h.stated_in for h in self._log.hints.hypotheses if h.stated_in is not None}
        self.windows = cut(self._log.messages, self._log.steps, frame.room, shifts)
        self._symptom: Hypothesis | None = None
        self._missing: dict[int, str] = {}

    def _read_on(self, ask: Ask) -> bool:
        """Read all parts; return False, with nothing done, where one is too long and could be cut smaller."""
        for window in self.windows:
            failure = self._take(window, self._question(window, known=self._gathering.known()), ask)
            if failure is not None and failure.too_long and self._frame.context > SMALLEST_CONTEXT:
                return False
        return True

    def _question(self, window: Window, known: Sequence[tuple[str, str]]) -> Question:
        return ask_window(window, self._frame, known, self._suggestions(window))

    def _suggestions(self, window: Window, *, back: bool = False) -> list[tuple[str, Hypothesis]]:
        """Return what the rules suspect in a part; with `back` also their nodes of the parts before, the last first."""
        hints = self._gathering.hints.items()
        here = [(name, h) for name, h in hints if h.stated_in in window.messages]
        nodes = {h.key for h in self._log.hints.hypotheses}
        first = min(window.messages, default=0)
        before = [(n, h) for n, h in hints if h.key in nodes and h.stated_in is not None and h.stated_in < first]
        return [*here, *reversed(before)] if back else here

    def _take(self, window: Window, question: Question, ask: Ask, *, told: bool = True) -> Failure | None:
        answer = _readings(question, ask, self._ground.account)
        if isinstance(answer, Failure):
            self._missing[window.number] = answer.reason
            return answer
        for reading in answer:
            self._root(reading.symptom, window)
            held = (self._ground.hold(found, window.messages, window.steps) for found in reading.hypotheses)
            self._gathering.add([h for h in held if h is not None], last=window.last, told=told)
        return None

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
        checks = check.questions(entries, {s.ordinal: s for s in self._log.steps})
        opinions = dict(zip(checks, _opinions(list(checks.values()), ask), strict=True))
        check.settle(entries, opinions, self._ground)
        given = next((h for h in self._log.hints.hypotheses if h.root), None)
        root = self._symptom or given or symptom(UNKNOWN, source="rule:symptom")
        note = _note(self._missing, len(self.windows))
        tree = plant(entries, self._log, root, note, ended=len(self.windows) not in self._missing)
        return Read(tree, self._ground.account, len(self.windows), self._missing)


def _readings(question: Question, ask: Ask, account: Account) -> list[Reading] | Failure:
    """Return the answers to the question about a part, asked once more where the first cannot be read, or not whole."""
    readings: list[Reading] = []
    failure = Failure("the answer is not the JSON that was asked for")
    for attempt in (question, question.repeated()):
        (reply,) = ask([attempt])
        reading = None if isinstance(reply, Failure) else read_reading(reply.text)
        if isinstance(reply, Failure):
            failure = reply
            break
        if reading is None:
            account.drop("answer", "cannot be read")
            continue
        account.drop("hypothesis", "cannot be read", reading.malformed)
        readings.append(reading)
        if not reading.malformed:
            break
    return readings or failure


def _opinions(asked: Sequence[Question], ask: Ask) -> list[Opinion | None]:
    """Return the answers to checks, each asked once more where the first cannot be read."""
    if not asked:
        return []
    replies = ask(asked)
    told = [_opinion(reply) for reply in replies]
    again = [n for n, reply in enumerate(replies) if isinstance(reply, Reply) and told[n] is None]
    for n, reply in zip(again, ask([asked[n].repeated() for n in again]) if again else (), strict=True):
        told[n] = _opinion(reply)
    return told


def _opinion(reply: Reply | Failure) -> Opinion | None:
    return None if isinstance(reply, Failure) else read_opinion(reply.text)


def _note(missing: Mapping[int, str], parts: int) -> str:
    if not missing:
        return ""
    which = ", ".join(map(str, missing))
    return f"The model has not read part {which} of {parts} of this log: what is suspected there is not here."
