"""Calls, results, polls and notices of a Claude Code log, turned into events."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sessions.formats.claude.calls import STOPS, background_id, command_of, kind_of
from sessions.formats.claude.entries import Entries, Place
from sessions.formats.claude.ledger import Call, Ledger
from sessions.formats.claude.notices import Notice, read_notices
from sessions.formats.claude.results import Result, read_result, state_of
from sessions.ingest.events import Called, Returned

_WHOLE_EACH_TIME = frozenset({"TaskOutput", "AgentOutputTool"})
"""Polls that give the whole output so far; the others give what is new."""


class Exchange:
    """Keeps the calls of a log and adds the events of what comes back."""

    def __init__(self, entries: Entries, outputs: Path) -> None:
        """Add events to `entries`; look for large outputs in the folder `outputs`."""
        self.ledger = Ledger()
        self._entries = entries
        self._outputs = outputs
        self._polled: dict[str, Call] = {}
        self._stopped: dict[str, str] = {}

    def answer_of(self, given: str) -> str | None:
        """Return the id of the model's answer that holds a call."""
        call = self.ledger.find(given)
        return call.answer if call else None

    def call(self, block: Mapping[str, Any], answer: str, place: Place) -> None:
        """Take a tool_use block."""
        given, tool = str(block.get("id")), str(block.get("name"))
        raw = block.get("input")
        arguments = raw if isinstance(raw, dict) else {}
        command = command_of(tool, arguments)
        known = self.ledger.known(given, answer, command)
        call = known or Call(given, place.session, tool, command, answer)
        if known is None:
            self.ledger.enter(given, call)
        polled = self._aim(call, arguments)
        kind = kind_of(tool)
        if kind == "agent" and isinstance(arguments.get("prompt"), str):
            self.ledger.expect_child(arguments["prompt"], call)
        self._entries.add(
            Called(
                place.session, call.key, tool, kind, command,
                programs=(command,) if kind == "shell" and command else (),
                cwd=place.cwd, time=place.time, polls=polled, span=place.span,
            ),
            place,
            key=("call", call.key),
        )  # fmt: skip

    def result(self, block: Mapping[str, Any], extra: object, place: Place) -> None:
        """Take a tool_result block with the record's toolUseResult."""
        given = str(block.get("tool_use_id"))
        call = self.ledger.answer(given)
        if call is None:
            call = Call(given, place.session, "", "", "")
        result = read_result(call.tool, block, extra, self._outputs)
        if result.task:
            self.ledger.start_task(result.task, call)
        if call.key in self._polled:
            self._pass_on(call, result, place)
        else:
            self._return(call, result, place)
        if call.key in self._stopped and result.status == "ok":
            self._stop(self._stopped[call.key], place)

    def notice(self, text: str, place: Place) -> None:
        """Take the notices in a text: each completes the call that started its task, once."""
        for notice in read_notices(text):
            call = self.ledger.task(notice.task) or self.ledger.find(notice.call or "")
            if call is not None and state_of(notice.state) != "running" and self.ledger.finish_task(notice.task):
                self._complete(call, notice, place)

    def _aim(self, call: Call, arguments: Mapping[str, Any]) -> str | None:
        task = background_id(arguments)
        started = self.ledger.task(task)
        if started is None or task is None:
            return None
        if kind_of(call.tool) == "poll":
            self._polled[call.key] = started
            return started.key
        if call.tool in STOPS:
            self._stopped[call.key] = task
        return None

    def _return(self, call: Call, result: Result, place: Place) -> None:
        child = f"{call.session}/{result.agent}" if result.agent else call.child
        self._entries.add(
            Returned(
                call.session, call.key, result.output, result.status, result.exit_code, result.exit_source,
                time=place.time, duration=result.duration, truncated=result.truncated, child=child, span=place.span,
            ),
            place,
        )  # fmt: skip

    def _pass_on(self, call: Call, result: Result, place: Place) -> None:
        """Give a poll its output, and the command that it polls the state, code and, where it is whole, the output."""
        refused = result.status in {"rejected", "interrupted"} and not result.output
        own = Returned(
            call.session, call.key, result.output, result.status if refused else "ok", time=place.time, span=place.span
        )
        self._entries.add(own, place)
        started = self._polled[call.key]
        if refused:
            return
        whole = call.tool in _WHOLE_EACH_TIME and bool(result.output)
        self._entries.add(
            Returned(
                started.session, started.key, result.output if whole else "", result.status, result.exit_code,
                result.exit_source, time=place.time, append=not whole,
            ),
            place,
        )  # fmt: skip
        if result.status != "running":
            self.ledger.finish_task(call.command)

    def _complete(self, call: Call, notice: Notice, place: Place) -> None:
        code = notice.exit_code
        self._entries.add(
            Returned(
                call.session, call.key, notice.result, state_of(notice.state), code,
                "log" if code is not None else None, time=place.time, append=not notice.result,
            ),
            place,
        )  # fmt: skip

    def _stop(self, task: str, place: Place) -> None:
        call = self.ledger.task(task)
        if call is not None and self.ledger.finish_task(task):
            self._entries.add(Returned(call.session, call.key, "", "interrupted", time=place.time, append=True), place)
