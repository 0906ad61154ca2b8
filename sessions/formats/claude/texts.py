"""Claude Code's texts: what of a user record was written by a person, and what by the program."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

_TAGS = (
    "command-name", "command-message", "command-args", "command-contents", "local-command-stdout",
    "local-command-stderr", "local-command-caveat", "system-reminder", "task-notification", "bash-input", "bash-stdout",
    "bash-stderr", "ide_opened_file", "ide_selection", "ide_diagnostics", "user-memory-input",
    "user-prompt-submit-hook", "ci-monitor-event", "background-task-input", "teammate-message",
)  # fmt: skip
_TAGGED = re.compile(rf"\s*<({'|'.join(_TAGS)})\b[^>]*>.*?</\1>", re.DOTALL)
_INTERRUPTED = re.compile(r"\[Request interrupted by user[^\]]*\]")
_HUMAN = "human"


def is_injected(record: Mapping[str, Any], text: str) -> bool:
    """Tell whether the program put a user text there: by the marks of its record, or because it is nothing but tags.

    A text in which somebody speaks of such a tag is not: something is left of it when the leading tags are taken off.
    """
    if record.get("isMeta") or record.get("isCompactSummary"):
        return True
    origin = record.get("origin")
    if isinstance(origin, dict) and origin.get("kind", _HUMAN) != _HUMAN:
        return True
    return bool(_INTERRUPTED.fullmatch(text.strip())) or not strip_tags(text)


def strip_tags(text: str) -> str:
    """Return what follows the program's own leading tags."""
    at = 0
    while match := _TAGGED.match(text, at):
        at = match.end()
    return text[at:].strip() if at else text


def text_blocks(content: object) -> Iterator[str]:
    """Yield the texts of a user record; an image leaves ``[image]`` at the text before it, or alone."""
    if isinstance(content, str):
        yield content
        return
    held: str | None = None
    for block in content if isinstance(content, list) else ():
        if not isinstance(block, dict):
            continue
        if block.get("type") == "text":
            if held is not None:
                yield held
            held = str(block.get("text") or "")
        elif block.get("type") in ("image", "document"):
            held = f"{held or ''}\n[{block['type']}]".lstrip("\n")
    if held is not None:
        yield held


def plain(content: object) -> str:
    """Return the text of a result's content: a string as it is, blocks one under the other, images as ``[image]``."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    return "\n".join(_block(block) for block in content)


def _block(block: object) -> str:
    if not isinstance(block, dict):
        return str(block)
    if isinstance(block.get("text"), str):
        return str(block["text"])
    if block.get("type") == "tool_reference":
        return str(block.get("tool_name", ""))
    return f"[{block.get('type', 'unknown')}]"
