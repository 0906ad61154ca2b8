"""The one model under opencode's three shapes: a session of messages, a message of parts."""

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from sessions.formats.opencode_tools import KINDS, Json, Result, conclude, entry, main_input
from sessions.ingest import figures
from sessions.ingest.events import About, Called, Count, Event, Returned, Said, Used
from sessions.models.session import Role, Span
from sessions.times import parse

AGENT = "opencode"
FOLDERS: tuple[str, ...] = ("$XDG_DATA_HOME/opencode", "~/.local/share/opencode")
"""Where opencode keeps its data, on every system."""

ROLES: dict[str, Role] = {"user": "user", "assistant": "agent"}

_SILENT = frozenset({"file", "step-start", "step-finish", "patch", "snapshot", "agent", "retry", "compaction"})
"""Parts that are known and say nothing that is kept: attachments, snapshots, marks."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One JSON object of the log and where it stands there."""

    value: Json
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Frame:
    """What the parts of a session share: its id, its directory, where long outputs lie, from where it was rewound."""

    session: str
    directory: str | None = None
    outputs: tuple[Path, ...] = ()
    reverted: tuple[str, str] = ("", "")
    """Ids of the first message, and the first part of it, that the person took back; empty if nothing was."""


def load(data: bytes) -> dict[str, Any] | None:
    """Return the object that `data` holds as JSON, or None where it holds none: empty, cut, filled with NUL."""
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError:
        try:
            value = json.loads(data.decode("utf-8", "replace"), strict=False)
        except (ValueError, RecursionError):
            return None
    return value if isinstance(value, dict) else None


def output_folders(data: Path) -> tuple[Path, ...]:
    """Return where outputs too long for the log may lie: under the data folder `data`, or this machine's own."""
    share = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")  # noqa: PTH111 - never fails
    own = Path(share) / "opencode"
    return (data / "tool-output", own / "tool-output")


def frame(info: Json, session: str, outputs: tuple[Path, ...] = ()) -> Frame:
    """Return what a session's own record says for all of its parts."""
    revert = [_text(entry(info, "revert", key)) or "" for key in ("messageID", "partID")]
    return Frame(session, _text(info.get("directory")), outputs, (revert[0], revert[1]))


def about(info: Json, session: str) -> About:
    """Return what a session's own record says of it."""
    return About(
        session,
        agent_version=_text(info.get("version")),
        title=_text(info.get("title")),
        cwd=_text(info.get("directory")),
        started=parse(entry(info, "time", "created")),
        ended=parse(entry(info, "time", "updated")),
        parent=_text(info.get("parentID")),
        reconstructed=entry(info, "metadata", "reconstruction") is True,
    )


def tell(info: Json, parts: Iterable[Piece], frame: Frame, count: Count) -> Iterator[Event]:
    """Yield the events of one message: its model, its parts in order, its tokens."""
    role = ROLES.get(str(info.get("role")))
    if role is None:
        count.meet_unknown(f"message:{info.get('role')}")
        return
    teller = _Teller(info, role, frame, count)
    if role == "agent" and info.get("summary") is not True and (model := _model(info)):
        yield About(frame.session, model=model)
    pieces = list(parts)
    for number, piece in enumerate(pieces):
        yield from teller.part(piece, number)
    if role == "agent":
        yield from _used(info, pieces, frame.session)


@dataclass(frozen=True, slots=True)
class _Teller:
    info: Json
    role: Role
    frame: Frame
    count: Count

    def part(self, piece: Piece, number: int) -> Iterator[Event]:
        kind = piece.value.get("type")
        if kind in ("text", "reasoning", "subtask"):
            yield self._said(piece)
        elif kind == "tool":
            yield from self._tool(piece, number)
        elif str(kind) not in _SILENT:
            self.count.meet_unknown(f"part:{kind}")

    def _said(self, piece: Piece) -> Said:
        part = piece.value
        made = part.get("synthetic") is True or part.get("ignored") is True or self.info.get("summary") is True
        return Said(
            self.frame.session,
            self.role,
            _text(part.get("prompt" if part["type"] == "subtask" else "text")) or "",
            kind="reasoning" if part["type"] == "reasoning" else "text",
            time=parse(entry(part, "time", "start")) or self._created,
            injected=made,
            abandoned=self._taken_back(part),
            span=piece.span,
        )

    def _tool(self, piece: Piece, number: int) -> Iterator[Event]:
        part = piece.value
        state, tool = _object(part.get("state")), str(part.get("tool", ""))
        given, kind = _object(state.get("input")), KINDS.get(tool, "other")
        # Call ids are the model provider's and may be missing, redacted or used again: the part's own id is unique.
        call = str(part.get("id") or f"{self.info.get('id')}/{number}")
        command = main_input(tool, given)
        yield Called(
            self.frame.session, call, tool, kind, command,
            programs=(command,) if kind == "shell" else (),
            cwd=self._cwd(given),
            time=parse(entry(state, "time", "start")) or self._created,
            abandoned=self._taken_back(part),
            span=piece.span,
        )  # fmt: skip
        result = conclude(tool, state, self.frame.outputs, over=self._over)
        if result is not None:
            yield self._returned(call, state, result, piece.span)

    def _returned(self, call: str, state: Json, result: Result, span: Span | None) -> Returned:
        start, end = parse(entry(state, "time", "start")), parse(entry(state, "time", "end"))
        return Returned(
            self.frame.session, call, result.output, result.status,
            exit_code=result.exit_code,
            exit_source=None if result.exit_code is None else "log",
            time=end,
            duration=None if start is None or end is None else max(0.0, round(end - start, 3)),
            truncated=result.truncated,
            child=_text(entry(state, "metadata", "sessionId")),
            span=span,
        )  # fmt: skip

    @property
    def _created(self) -> float | None:
        return parse(entry(self.info, "time", "created"))

    @property
    def _over(self) -> bool:
        return entry(self.info, "time", "completed") is not None or self.info.get("error") is not None

    def _cwd(self, given: Json) -> str | None:
        base = _text(entry(self.info, "path", "cwd")) or self.frame.directory
        chosen = _text(given.get("workdir"))
        if chosen is None or base is None or chosen.startswith(("/", "~")) or chosen[1:2] == ":":
            return chosen or base
        return os.path.normpath(f"{base}/{chosen}")

    def _taken_back(self, part: Json) -> bool:
        message, first = self.frame.reverted
        own = str(self.info.get("id", ""))
        return bool(message) and (own > message or (own == message and str(part.get("id", "")) >= first))


def _used(info: Json, pieces: list[Piece], session: str) -> Iterator[Used]:
    # An answer of several model calls (old versions) keeps only the last call's tokens: its step-finish parts have all.
    calls = [piece.value for piece in pieces if piece.value.get("type") == "step-finish"] or [info]
    if not any(isinstance(call.get("tokens"), Mapping) for call in calls):
        return
    yield Used(
        session,
        str(info.get("id", "")),
        input=_sum(calls, "tokens", "input"),
        output=_sum(calls, "tokens", "output"),
        reasoning=_sum(calls, "tokens", "reasoning"),
        cache_read=_sum(calls, "tokens", "cache", "read"),
        cache_write=_sum(calls, "tokens", "cache", "write"),
        cost=_cost(calls),
    )


def _sum(calls: list[Json], *path: str) -> int:
    return sum(figures.count(entry(call, *path)) for call in calls)


def _cost(calls: list[Json]) -> float | None:
    costs = [cost for call in calls if (cost := figures.amount(call.get("cost"))) is not None]
    return sum(costs) if costs else None


def _model(info: Json) -> str | None:
    provider, model = _text(info.get("providerID")), _text(info.get("modelID"))
    return f"{provider}/{model}" if provider and model else model


def _object(value: Any) -> Json:
    return value if isinstance(value, Mapping) else {}


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
