"""A Codex log as it is read: records in, events out."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from sessions import times
from sessions.formats.rollout.exchange import Exchange, Moment
from sessions.formats.rollout.talk import Talk, looks_injected, reasoning_blocks, text_blocks
from sessions.ingest.events import About, Event, Said, Used
from sessions.models.session import Role, Span, TextKind

_RESULTS = frozenset({"function_call_output", "custom_tool_call_output", "tool_search_output"})
_SILENT = frozenset({
    "ghost_snapshot", "compaction", "compaction_summary", "context_compaction", "compaction_trigger", "other",
})  # fmt: skip
_ENVELOPES = frozenset({
    "compacted", "world_state", "inter_agent_communication_metadata", "inter_agent_communication", "event_msg",
    "response_item", "turn_context", "session_meta",
})  # fmt: skip
_NOISE = re.compile(
    r"(?:task|turn)_(?:started|complete|completed|aborted|diff)|context_compacted|token_count|thread_\w+|"
    r"exec_command_(?:begin|output_delta)|exec_approval_request|apply_patch_approval_request|patch_apply_(?:begin|updated)|"
    r"web_search_begin|mcp_\w+|dynamic_tool_call_\w+|view_image_tool_call|image_generation_\w+|collab_\w+|"
    r"sub_agent_activity|error|warning|stream_error|background_event|deprecation_notice|(?:entered|exited)_review_mode|"
    r"undo_\w+|plan_\w+|item_(?:started|completed|updated)|agent_\w+_delta|agent_reasoning_section_break|session_configured|"
    r"guardian_\w+|hook_\w+|model_\w+|terminal_interaction|request_user_input|elicitation_request|skills_\w+|"
    r"shutdown_complete|raw_response_item|realtime_\w+|safety_\w+|user_shell_command\w*"
)
_SPAWNED = "You are the newly spawned agent."
_SPOKEN: Mapping[str, tuple[str, Role, TextKind]] = {
    "user_message": ("message", "user", "text"),
    "agent_message": ("message", "agent", "text"),
    "agent_reasoning": ("text", "agent", "reasoning"),
    "agent_reasoning_raw_content": ("text", "agent", "reasoning"),
}


class Thread:
    """Takes the records of one log in order and gives its events."""

    def __init__(self, fallback: str) -> None:
        """Start an empty thread, with an id for it in case the log does not begin with its own."""
        self._fallback = fallback
        self._session: str | None = None
        self._child = False
        self._copied_from: int | None = None
        self._cwd: str | None = None
        self._model: str | None = None
        self._total: object = None
        self._answers = 0
        self._talk = Talk()
        self._exchange = Exchange(self._talk)

    def take(self, record: Mapping[str, Any], span: Span | None) -> str | None:
        """Take one record; return the name of its type if that is unknown."""
        kind, payload = _text(record, "type"), record.get("payload")
        if "record_type" in record:
            return None
        if not isinstance(payload, dict):
            return self._bare(record, span)
        moment = self._moment(record, span)
        if kind == "session_meta":
            self._meta(payload)
        elif kind == "turn_context":
            self._context(payload)
        elif kind == "response_item":
            return self._item(payload, moment)
        elif kind == "event_msg":
            return self._event(payload, moment)
        elif kind not in _ENVELOPES:
            return str(kind)
        return None

    def events(self) -> Iterator[Event]:
        """Yield all events in the order of the log."""
        for slot in self._talk.slots:
            yield slot.event

    def _moment(self, record: Mapping[str, Any], span: Span | None) -> Moment:
        return Moment(self._session or self._fallback, times.parse(record.get("timestamp")), self._cwd, span)

    def _bare(self, record: Mapping[str, Any], span: Span | None) -> str | None:
        """Take a record of the time before envelopes: the session's line, or an item."""
        if "type" not in record and "id" in record:
            self._meta(record)
            return None
        moment = self._moment(record, span)
        return self._item(record, moment) if "payload" not in record else str(record.get("type"))

    def _meta(self, payload: Mapping[str, Any]) -> None:
        given = payload.get("id") or payload.get("session_id")
        if not isinstance(given, str):
            return
        if self._session is not None:
            if given != self._session and self._child and self._copied_from is None:
                self._copied_from = len(self._talk.slots)
            return
        self._session = given
        parent = _parent(payload)
        self._child = parent is not None
        self._cwd = _text(payload, "cwd") or self._cwd
        self._talk.add(
            About(
                given,
                agent_version=_text(payload, "cli_version"),
                cwd=_text(payload, "cwd"),
                started=times.parse(payload.get("timestamp")),
                parent=parent,
            )
        )

    def _context(self, payload: Mapping[str, Any]) -> None:
        self._cwd = _text(payload, "cwd") or self._cwd
        if self._model is None and (model := _text(payload, "model")):
            self._model = model
            self._talk.add(About(self._session or self._fallback, model=model, cwd=self._cwd))

    def _item(self, payload: Mapping[str, Any], moment: Moment) -> str | None:
        kind = str(payload.get("type"))
        if kind == "message":
            self._message(payload, moment)
        elif kind == "reasoning":
            for text in reasoning_blocks(payload):
                self._say("agent", text, moment, kind="reasoning")
        elif kind in _RESULTS:
            self._exchange.result(payload, moment)
            self._end_copy(payload)
        elif kind == "web_search_call":
            self._exchange.search(payload, moment, event=False)
        elif kind.endswith("_call"):
            self._exchange.call({"name": kind.removesuffix("_call"), **payload}, moment)
        elif kind not in _SILENT:
            return f"response_item/{kind}"
        return None

    def _message(self, payload: Mapping[str, Any], moment: Moment) -> None:
        role = payload.get("role")
        for text in text_blocks(payload.get("content")):
            if role == "assistant":
                self._say("agent", text, moment)
            elif role == "user":
                self._say("user", text, moment)

    def _event(self, payload: Mapping[str, Any], moment: Moment) -> str | None:
        kind = str(payload.get("type"))
        if kind in _SPOKEN:
            key, role, form = _SPOKEN[kind]
            self._say(role, str(payload.get(key) or ""), moment, kind=form, event=True)
        elif kind == "token_count":
            self._tokens(payload.get("info"), moment)
        elif kind == "exec_command_end":
            self._exchange.ended(payload, moment)
        elif kind == "patch_apply_end":
            self._exchange.patched(payload, moment)
        elif kind == "web_search_end":
            self._exchange.search(payload, moment, event=True)
        elif kind == "collab_agent_spawn_end":
            self._exchange.spawned(payload)
        else:
            return self._turn(kind, payload)
        return None

    def _turn(self, kind: str, payload: Mapping[str, Any]) -> str | None:
        if kind in {"task_started", "turn_started"}:
            self._talk.start_turn()
            self._exchange.start_turn()
        elif kind == "thread_rolled_back":
            turns = payload.get("num_turns")
            self._talk.roll_back(turns if isinstance(turns, int) else 0)
        elif kind == "thread_name_updated":
            self._talk.add(About(self._session or self._fallback, title=_text(payload, "thread_name")))
        elif not _NOISE.fullmatch(kind):
            return f"event_msg/{kind}"
        return None

    def _say(self, role: Role, text: str, moment: Moment, *, kind: TextKind = "text", event: bool = False) -> None:
        injected = role == "user" and not event and looks_injected(text)
        said = Said(moment.session, role, text, kind, moment.time, injected=injected, span=moment.span)
        self._talk.say(said, event=event)

    def _tokens(self, info: object, moment: Moment) -> None:
        """Take the tokens of one answer; the same sums again mean that nothing was asked meanwhile."""
        if not isinstance(info, dict) or info.get("total_token_usage") == self._total:
            return
        self._total = info.get("total_token_usage")
        last = info.get("last_token_usage")
        if not isinstance(last, dict) or self._copied_from is not None:
            return
        self._answers += 1
        cached, thought = _number(last, "cached_input_tokens"), _number(last, "reasoning_output_tokens")
        self._talk.add(
            Used(
                moment.session,
                str(self._answers),
                input=max(0, _number(last, "input_tokens") - cached),
                output=max(0, _number(last, "output_tokens") - thought),
                reasoning=thought,
                cache_read=cached,
            )
        )

    def _end_copy(self, payload: Mapping[str, Any]) -> None:
        """Notice where a sub-agent's own work begins: what came before was copied from its parent."""
        if self._copied_from is not None and str(payload.get("output")).startswith(_SPAWNED):
            self._talk.mark_injected(self._copied_from)
            self._copied_from, self._child = None, False


def _parent(payload: Mapping[str, Any]) -> str | None:
    source = payload.get("source")
    spawned = source.get("subagent") if isinstance(source, dict) else None
    thread = spawned.get("thread_spawn") if isinstance(spawned, dict) else None
    return _text(payload, "parent_thread_id") or (
        _text(thread, "parent_thread_id") if isinstance(thread, dict) else None
    )


def _text(payload: Mapping[str, Any], key: str) -> str | None:
    value = payload.get(key)
    return value if isinstance(value, str) and value else None


def _number(usage: Mapping[str, Any], key: str) -> int:
    value = usage.get(key)
    return value if isinstance(value, int) else 0
