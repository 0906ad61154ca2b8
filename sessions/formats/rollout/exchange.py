"""Calls and what came of them in a Codex log."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from sessions.formats.rollout.calls import Request, read_call
from sessions.formats.rollout.outputs import Outcome, is_cut, read_mark, read_outcome
from sessions.formats.rollout.talk import Slot, Talk
from sessions.ingest import figures
from sessions.ingest.events import Called, Returned
from sessions.models.session import Span, StepStatus

_SHORTEST = 0.001
_QUERY = ("query", "url", "pattern")


@dataclass(frozen=True, slots=True)
class Moment:
    """When and where a record stands."""

    session: str
    time: float | None
    cwd: str | None
    span: Span | None


@dataclass(slots=True)
class _Call:
    key: str
    request: Request
    polled: "_Call | None" = None
    outcome: Outcome | None = None
    ended: Outcome | None = None
    child: str | None = None
    returned: Slot | None = None
    """Its result among the events; a better one takes its place as long as no poll has added to it."""


class Exchange:
    """Keeps the calls of a log, pairs what comes back, and adds the events."""

    def __init__(self, talk: Talk) -> None:
        """Add events to `talk`."""
        self._talk = talk
        self._calls: dict[str, _Call] = {}
        self._running: dict[str, _Call] = {}
        self._searches: list[tuple[str, Slot]] = []
        self._number = 0

    def call(self, payload: Mapping[str, Any], moment: Moment) -> None:
        """Take an item that calls a tool."""
        request = read_call(payload)
        key = self._key(payload)
        polled = self._running.get(f"process {request.process}") or self._running.get(f"cell {request.cell}")
        if polled is not None and polled.polled is not None:
            polled = polled.polled
        self._calls[key] = _Call(key, request, polled)
        self._talk.add(
            Called(
                moment.session,
                key,
                request.tool,
                request.kind,
                request.command,
                programs=request.programs,
                cwd=_place(moment.cwd, request.folder),
                time=moment.time,
                polls=polled.key if polled else None,
                span=moment.span,
            )
        )

    def result(self, payload: Mapping[str, Any], moment: Moment) -> None:
        """Take an item with the result of a call."""
        outcome = read_outcome(payload.get("output", payload.get("tools")))
        key = str(payload.get("call_id") or next(reversed(self._calls), ""))
        call = self._calls.get(key) or _Call(key, Request("", "other", ""))
        outcome = read_mark(outcome, call.request.exit_mark)
        call.outcome = outcome
        call.child = outcome.child or call.child
        for name in (
            f"process {outcome.process}" if outcome.process else "",
            f"cell {outcome.cell}" if outcome.cell else "",
        ):
            if name:
                self._running[name] = call
        self._return(call, moment)
        if call.polled is not None:
            self._complete(call, call.polled, outcome, moment)

    def ended(self, payload: Mapping[str, Any], moment: Moment) -> None:
        """Take the event of a command's end: it knows exit code, duration and whole output better than the result."""
        call = self._calls.get(str(payload.get("call_id")))
        if call is not None:
            call.ended = _end_of(payload)
            self._return(call, moment)

    def patched(self, payload: Mapping[str, Any], moment: Moment) -> None:
        """Take the event of a patch's end, where no result came before it."""
        call = self._calls.get(str(payload.get("call_id")))
        if call is not None and call.outcome is None:
            output = f"{payload.get('stdout') or ''}{payload.get('stderr') or ''}"
            call.outcome = Outcome(output, "ok" if payload.get("success") else "error")
            self._return(call, moment)

    def spawned(self, payload: Mapping[str, Any]) -> None:
        """Take the event that names the thread of a new sub-agent."""
        call = self._calls.get(str(payload.get("call_id")))
        thread = payload.get("new_thread_id")
        if call is not None and isinstance(thread, str):
            call.child = thread

    def search(self, payload: Mapping[str, Any], moment: Moment, *, event: bool) -> None:
        """Take a web search, which comes as an item and as an event, in either order, without a common id."""
        command = _searched(payload)
        mine, other = ("event", "item") if event else ("item", "event")
        twin = next((slot for origin, slot in self._searches if origin == other), None)
        if twin is None:
            slot = self._talk.add(
                Called(moment.session, self._key({}), "web_search", "web", command, time=moment.time, span=moment.span)
            )
            self._searches.append((mine, slot))
            call = slot.event
            if isinstance(call, Called):
                self._talk.add(Returned(moment.session, call.call, "", time=moment.time, span=moment.span))
            return
        self._searches.remove((other, twin))
        if isinstance(twin.event, Called) and command:
            twin.event = replace(twin.event, command=twin.event.command or command)

    def start_turn(self) -> None:
        """Forget which searches lack their twin."""
        self._searches.clear()

    def _key(self, payload: Mapping[str, Any]) -> str:
        self._number += 1
        given = str(payload.get("call_id") or payload.get("id") or f"call-{self._number}")
        return given if given not in self._calls else f"{given}~{self._number}"

    def _return(self, call: _Call, moment: Moment) -> None:
        outcome = _merge(call.outcome, call.ended)
        own = call.polled is None
        returned = Returned(
            moment.session,
            call.key,
            outcome.output,
            outcome.status if own else _own_status(outcome),
            outcome.exit_code if own else None,
            "log" if own and outcome.exit_code is not None else None,
            time=moment.time,
            duration=outcome.duration,
            truncated=outcome.truncated,
            child=call.child,
            span=moment.span,
        )
        if call.returned is None:
            call.returned = self._talk.add(returned)
        else:
            call.returned.event = returned

    def _complete(self, poll: _Call, polled: _Call, outcome: Outcome, moment: Moment) -> None:
        """Tell the polled command how it stands; its end, if known, has the whole output and overrides the polls."""
        polled.returned = None
        decisive = {"running", "ok", "error"} if poll.request.cell else {"running"}
        if polled.ended is not None:
            self._return(polled, moment)
            return
        if outcome.exit_code is None and outcome.status not in decisive:
            return
        self._talk.add(
            Returned(
                moment.session,
                polled.key,
                "",
                outcome.status,
                outcome.exit_code,
                "log" if outcome.exit_code is not None else None,
                time=moment.time,
                append=True,
            )
        )


def _own_status(outcome: Outcome) -> StepStatus:
    """Return how a poll itself went: what it polls may run on or have failed."""
    failed = outcome.exit_code is None and outcome.status in {"error", "rejected", "interrupted"}
    return outcome.status if failed else "ok"


def _merge(outcome: Outcome | None, ended: Outcome | None) -> Outcome:
    if outcome is None or ended is None:
        return outcome or ended or Outcome("")
    if len(ended.output) >= len(outcome.output):
        return ended
    return replace(ended, output=outcome.output, truncated=outcome.truncated)


def _end_of(payload: Mapping[str, Any]) -> Outcome:
    code = payload.get("exit_code")
    output = str(payload.get("aggregated_output") or "")
    if not output:
        output = f"{payload.get('stdout') or ''}{payload.get('stderr') or ''}"
    status: StepStatus = "error" if code else "ok"
    if payload.get("status") == "declined":
        return Outcome(output, "rejected")
    return Outcome(output, status, figures.exit_code(code), _seconds(payload.get("duration")), is_cut(output))


def _seconds(duration: object) -> float | None:
    """Return seconds; None below a millisecond, which no process takes: 0.118 to 0.128 often give a wrong figure."""
    if not isinstance(duration, dict):
        return None
    whole, rest = (figures.seconds(duration.get(part) or 0) for part in ("secs", "nanos"))
    if whole is None or rest is None or whole + rest / 1e9 < _SHORTEST:
        return None
    return whole + rest / 1e9


def _searched(payload: Mapping[str, Any]) -> str:
    action = payload.get("action")
    places = (action, payload) if isinstance(action, dict) else (payload,)
    for place in places:
        for key in _QUERY:
            if isinstance(place.get(key), str) and place[key]:
                return str(place[key])
    return ""


def _place(cwd: str | None, folder: str | None) -> str | None:
    if folder is None or cwd is None or re.match(r"[/~\\]|[A-Za-z]:", folder):
        return folder or cwd
    return f"{cwd.rstrip('/')}/{folder}"
