"""The calls of a Claude Code log, by the ids under which results, polls and notices come back to them."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class Call:
    """A call: `key` is its id in the events, which differs from the log's where a log gives one id twice."""

    key: str
    session: str
    tool: str
    command: str
    answer: str
    answered: bool = False
    child: str | None = None


@dataclass(slots=True)
class Ledger:
    """All calls of one log."""

    _calls: dict[str, list[Call]] = field(default_factory=dict)
    _tasks: dict[str, Call] = field(default_factory=dict)
    _prompts: dict[str, Call] = field(default_factory=dict)
    _finished: set[str] = field(default_factory=set)

    def known(self, given: str, answer: str, command: str) -> Call | None:
        """Return the call that a copied record repeats: same id, same answer, same input."""
        for call in self._calls.get(given, ()):
            if call.answer == answer and call.command == command:
                return call
        return None

    def enter(self, given: str, call: Call) -> None:
        """Add a call under the log's id, and change its key if that id was used before (redactors do that)."""
        same = self._calls.setdefault(given, [])
        if same:
            call.key = f"{given}~{len(same) + 1}"
        same.append(call)

    def answer(self, given: str) -> Call | None:
        """Return the call that a result with this id belongs to: the first one without result, else the last."""
        same = self._calls.get(given)
        if not same:
            return None
        call = next((each for each in same if not each.answered), same[-1])
        call.answered = True
        return call

    def find(self, given: str) -> Call | None:
        """Return the last call with the log's id."""
        same = self._calls.get(given)
        return same[-1] if same else None

    def start_task(self, task: str, call: Call) -> None:
        """Remember which call started a background task."""
        self._tasks.setdefault(task, call)

    def task(self, task: str | None) -> Call | None:
        """Return the call that started a background task."""
        return self._tasks.get(task) if task else None

    def finish_task(self, task: str) -> bool:
        """Note that a task is over; return whether that is news."""
        news = task not in self._finished
        self._finished.add(task)
        return news

    def expect_child(self, prompt: str, call: Call) -> None:
        """Remember the words with which a call starts a sub-agent."""
        self._prompts[prompt] = call

    def adopt(self, prompt: str, child: str) -> None:
        """Give a sub-agent's session to the call that started it with these words, if there is one."""
        call = self._prompts.pop(prompt, None)
        if call is not None and call.session != child:
            call.child = child
