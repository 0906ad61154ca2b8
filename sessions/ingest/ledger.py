"""The calls of one session while it is read, and which of them a result belongs to."""

from dataclasses import dataclass, field

from sessions import times
from sessions.ingest import figures
from sessions.ingest.events import Called, Returned
from sessions.models.session import ExitSource, Span, Step, StepStatus
from sessions.shell.unwrap import unwrap


@dataclass(slots=True)
class Call:
    """A call and what has come back of it so far."""

    ordinal: int
    called: Called
    message: int | None
    polled: "Call | None" = None
    answered: bool = False
    outputs: list[str] = field(default_factory=list)
    status: StepStatus = "no-result"
    exit_code: int | None = None
    exit_source: ExitSource | None = None
    end: float | None = None
    duration: float | None = None
    truncated: bool = False
    child: str | None = None
    result_span: Span | None = None

    def take(self, result: Returned) -> None:
        """Let a result replace what came before, or append to it."""
        if not result.append:
            self.outputs.clear()
            self.exit_code = self.exit_source = self.duration = None
        if result.output:
            self.outputs.append(result.output)
        self.answered = True
        self.status = result.status
        self._conclude(result)
        if (seconds := figures.seconds(result.duration)) is not None:
            self.duration = (self.duration or 0.0) + seconds
        self.child = result.child or self.child
        self.result_span = self.result_span or result.span

    def take_poll(self, result: Returned) -> None:
        """Complete the output of a running command by what a poll of it brought, and its end if the poll tells it."""
        if result.output:
            if self.outputs and not self.outputs[-1].endswith("\n"):
                self.outputs.append("\n")
            self.outputs.append(result.output)
        if result.exit_code is not None and self.status == "running":
            self.status = result.status
        self._conclude(result)

    def _conclude(self, result: Returned) -> None:
        if (code := figures.exit_code(result.exit_code)) is not None:
            self.exit_code, self.exit_source = code, result.exit_source
        self.truncated = self.truncated or result.truncated
        self.end = self.end if result.time is None else result.time

    def step(self) -> Step:
        """Return the step, its commands unwrapped."""
        called = self.called
        return Step(
            ordinal=self.ordinal,
            message=self.message,
            kind=called.kind,
            tool=called.tool,
            call_id=called.call,
            command=called.command,
            commands=tuple(command for text in called.programs for command in unwrap(text, cwd=called.cwd)),
            output="".join(self.outputs),
            status=self.status,
            exit_code=self.exit_code,
            exit_source=self.exit_source,
            started=times.iso(called.time),
            duration=self._seconds(),
            truncated=self.truncated,
            continues=self.polled.ordinal if self.polled else None,
            child=self.child,
            abandoned=called.abandoned,
            cwd=called.cwd,
            span=called.span,
            result_span=self.result_span,
        )

    def _seconds(self) -> float | None:
        """The log's own figure, else the time from the call to its last result."""
        if self.duration is not None or self.end is None or self.called.time is None:
            return self.duration
        return max(0.0, round(self.end - self.called.time, 6))


@dataclass(slots=True)
class Ledger:
    """All calls of a session in order, and by the id under which results come."""

    calls: list[Call] = field(default_factory=list)
    _by_id: dict[str, list[Call]] = field(default_factory=dict)
    _early: dict[str, list[Returned]] = field(default_factory=dict)

    def enter(self, called: Called, message: int | None) -> None:
        """Take a call, made after the message with this ordinal."""
        call = Call(len(self.calls), called, message, self._root(called.polls))
        self.calls.append(call)
        self._by_id.setdefault(called.call, []).append(call)
        for result in self._early.pop(called.call, ()):
            self.settle(result)

    def settle(self, result: Returned) -> None:
        """Give a result to its call; one that comes before its call waits for it."""
        call = self._owner(result)
        if call is None:
            self._early.setdefault(result.call, []).append(result)
            return
        call.take(result)
        if call.polled is not None:
            call.polled.take_poll(result)

    def orphans(self) -> int:
        """Return how many results never met a call."""
        return sum(map(len, self._early.values()))

    def _owner(self, result: Returned) -> Call | None:
        """Return the call that a result belongs to, also where redacting a log gave several the same id.

        Then it is the first unanswered one of the latest batch: results of parallel calls come in their order, and a
        batch before it that was never answered will not be.
        """
        same = self._by_id.get(result.call)
        if not same:
            return None
        if result.append:
            return next((call for call in reversed(same) if call.answered), same[-1])
        waiting = [call for call in same if not call.answered]
        if not waiting:
            return same[-1]
        return next(call for call in waiting if call.message == waiting[-1].message)

    def _root(self, polls: str | None) -> Call | None:
        same = self._by_id.get(polls or "")
        if not same:
            return None
        return same[-1].polled or same[-1]
