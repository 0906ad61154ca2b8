"""Notices of background tasks, which Claude Code writes into user texts, queue operations and attachments."""

import re
from dataclasses import dataclass

from sessions.ingest import figures

_NOTICE = re.compile(r"<task-notification>(.*?)</task-notification>", re.DOTALL)
_FIELD = re.compile(r"<(task-id|tool-use-id|status|summary|result)>(.*?)</\1>", re.DOTALL)
_CODE = re.compile(r"exit code (-?\d+)")


@dataclass(frozen=True, slots=True)
class Notice:
    """What a notice says: the task, the call that started it, how it ended, and with what."""

    task: str
    call: str | None
    state: str
    exit_code: int | None
    result: str


def read_notices(text: str) -> list[Notice]:
    """Return the notices that make up a text; none where a text merely holds or mentions one."""
    if not text.lstrip().startswith("<task-notification>"):
        return []
    return [notice for match in _NOTICE.finditer(text) if (notice := _read(match.group(1))) is not None]


def _read(body: str) -> Notice | None:
    fields = {match.group(1): match.group(2).strip() for match in _FIELD.finditer(body)}
    if "task-id" not in fields:
        return None
    code = _CODE.search(fields.get("summary", ""))
    return Notice(
        task=fields["task-id"],
        call=fields.get("tool-use-id"),
        state=fields.get("status", "completed"),
        exit_code=figures.exit_code(code.group(1)) if code else None,
        result=fields.get("result", ""),
    )
