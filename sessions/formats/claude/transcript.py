"""A Claude Code log as it is read: records in, events out once all are known."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from sessions import times
from sessions.formats.claude.entries import Entries, Place
from sessions.formats.claude.exchange import Exchange
from sessions.formats.claude.identity import Identity
from sessions.formats.claude.reports import Reports
from sessions.formats.claude.texts import is_injected, plain, text_blocks
from sessions.formats.claude.tree import Node
from sessions.ingest import figures
from sessions.ingest.events import About, Event, Said, Used
from sessions.models.session import Span

_NOISE = frozenset({
    "progress", "system", "summary", "file-history-snapshot", "file-history-delta", "last-prompt", "permission-mode",
    "mode", "agent-name", "agent-color", "agent-setting", "pr-link", "bridge-session", "tag", "worktree-state",
    "ai-title", "custom-title", "queue-operation", "attachment",
})  # fmt: skip
"""Types that carry no talk of their own; some of them carry other things that are taken."""

_SYNTHETIC = "<synthetic>"


class Transcript:
    """Takes the records of one log in order and gives its events."""

    def __init__(self, path: Path) -> None:
        """Start an empty transcript of the log at `path`."""
        self._identity = Identity(path)
        self._entries = Entries()
        self._exchange = Exchange(self._entries, _outputs(path))
        self._reports = Reports(path)
        self._titles: dict[str, dict[str, str]] = {}
        self._summaries: list[tuple[str, str]] = []
        self._models: set[str] = set()

    def take(self, record: Mapping[str, Any], span: Span) -> str | None:
        """Take one record; return the name of its type if that is unknown."""
        told = self._reports.told_by(record)
        if told is not None:
            self.take(told, span)
        kind = _text(record, "type") or "record without type"
        place = Place(
            session=self._identity.session_of(record),
            uuid=_text(record, "uuid"),
            time=times.parse(record.get("timestamp")),
            cwd=_text(record, "cwd"),
            span=span,
        )
        self._note(record, kind, place)
        message = record.get("message")
        if kind == "assistant" and isinstance(message, dict):
            self._assistant(record, message, place)
        elif kind == "user" and isinstance(message, dict):
            self._user(record, message, place)
        elif kind not in _NOISE and kind not in {"user", "assistant"}:
            return kind
        return None

    def events(self) -> Iterator[Event]:
        """Yield all events in the order of the log, then titles and ends."""
        yield from self._entries.events()
        for session in self._entries.sessions():
            yield About(session, title=self._title(session), ended=self._entries.ended(session))

    def _note(self, record: Mapping[str, Any], kind: str, place: Place) -> None:
        if kind == "summary":
            self._summaries.append((str(record.get("leafUuid")), str(record.get("summary") or "")))
        elif kind in {"ai-title", "custom-title"}:
            title = record.get("customTitle") or record.get("aiTitle")
            self._titles.setdefault(place.session, {})[kind] = str(title or "")
        elif kind == "queue-operation":
            self._exchange.notice(str(record.get("content") or ""), place)
        elif kind in {"user", "assistant", "system", "attachment", "progress"} and place.uuid and place.session:
            self._enter(record, kind, place)

    def _enter(self, record: Mapping[str, Any], kind: str, place: Place) -> None:
        talk = kind in {"user", "assistant"}
        if talk and not self._entries.knows(place.session):
            self._entries.add(About(
                place.session,
                agent_version=_text(record, "version"),
                cwd=place.cwd,
                started=place.time,
                parent=self._identity.parent_of(place.session),
            ), place)  # fmt: skip
        parent = _text(record, "parentUuid") or _text(record, "logicalParentUuid")
        self._entries.grow(
            place.session,
            Node(place.uuid or "", parent, place.time, self._answer_of(record), loose=not talk),
        )
        if kind == "attachment":
            self._attachment(record, place)

    def _answer_of(self, record: Mapping[str, Any]) -> str | None:
        message = record.get("message")
        if not isinstance(message, dict):
            return None
        if isinstance(message.get("id"), str):
            return str(message["id"])
        content = message.get("content")
        for block in content if isinstance(content, list) else ():
            if isinstance(block, dict) and block.get("type") == "tool_result":
                return self._exchange.answer_of(str(block.get("tool_use_id")))
        return None

    def _attachment(self, record: Mapping[str, Any], place: Place) -> None:
        """Take a text that was typed while the agent worked: it has no record of its own."""
        attachment = record.get("attachment")
        if not isinstance(attachment, dict) or attachment.get("type") != "queued_command":
            return
        text = plain(attachment.get("prompt"))
        mode = attachment.get("commandMode", "prompt")
        self._exchange.notice(text, place)
        self._say(Said(place.session, "user", text, injected=mode != "prompt" or is_injected(record, text)), place)

    def _user(self, record: Mapping[str, Any], message: Mapping[str, Any], place: Place) -> None:
        content = message.get("content")
        blocks = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
        results = [block for block in blocks if block.get("type") == "tool_result"]
        extra = record.get("toolUseResult") if len(results) == 1 else None
        for block in results:
            self._exchange.result(block, extra, place)
        for text in text_blocks(content):
            self._exchange.notice(text, place)
            if record.get("isSidechain"):
                self._exchange.ledger.adopt(text, place.session)
            self._say(Said(place.session, "user", text, injected=is_injected(record, text)), place)

    def _assistant(self, record: Mapping[str, Any], message: Mapping[str, Any], place: Place) -> None:
        answer = str(message.get("id") or place.uuid)
        self._model(message, place)
        content = message.get("content")
        if isinstance(content, str):
            content = [{"type": "text", "text": content}]
        by_program = message.get("model") == _SYNTHETIC or bool(record.get("isApiErrorMessage"))
        for block in content if isinstance(content, list) else ():
            if not isinstance(block, dict):
                continue
            if block.get("type") == "text":
                said = Said(place.session, "agent", str(block.get("text") or ""), injected=by_program)
                self._say(said, place, answer)
            elif block.get("type") == "thinking":
                said = Said(place.session, "agent", str(block.get("thinking") or ""), "reasoning")
                self._say(said, place, answer)
            elif block.get("type") in ("tool_use", "server_tool_use"):
                self._exchange.call(block, answer, place)
            elif str(block.get("type")).endswith("_tool_result"):
                self._exchange.result(block, None, place)
        self._tokens(message.get("usage"), answer, place)

    def _say(self, said: Said, place: Place, answer: str | None = None) -> None:
        if said.text.strip():
            mark = answer or place.time or place.uuid
            event = replace(said, time=place.time, span=place.span)
            self._entries.add(event, place, key=(said.session, said.role, mark, said.kind, said.text))

    def _model(self, message: Mapping[str, Any], place: Place) -> None:
        model = _text(message, "model")
        if model and model != _SYNTHETIC and place.session not in self._models:
            self._models.add(place.session)
            self._entries.add(About(place.session, model=model), place)

    def _tokens(self, usage: object, answer: str, place: Place) -> None:
        if not isinstance(usage, dict):
            return
        used = Used(
            place.session,
            answer,
            _number(usage, "input_tokens"),
            _number(usage, "output_tokens"),
            cache_read=_number(usage, "cache_read_input_tokens"),
            cache_write=_number(usage, "cache_creation_input_tokens"),
        )
        # Each record of an answer has the sums so far; a resumed log repeats records with their ids.
        self._entries.add(used, place, key=("used", place.session, answer, place.uuid or place.span))

    def _title(self, session: str) -> str | None:
        titles = self._titles.get(session, {})
        named = [text for leaf, text in self._summaries if self._entries.holds(session, leaf)]
        first = self._entries.first_human(session).strip().splitlines()
        candidates = (titles.get("custom-title"), titles.get("ai-title"), *reversed(named), *first[:1])
        return next((title for title in candidates if title), None)


def _outputs(path: Path) -> Path:
    """Return the folder of the large outputs that belong to a log: a sub-agent's lie in its session's folder."""
    home = path.parent.parent if path.parent.name == "subagents" else path.parent / path.stem
    return home / "tool-results"


def _text(record: Mapping[str, Any], key: str) -> str | None:
    value = record.get(key)
    return value if isinstance(value, str) and value else None


def _number(usage: Mapping[str, Any], key: str) -> int:
    return figures.count(usage.get(key))
