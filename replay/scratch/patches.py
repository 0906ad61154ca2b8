"""The patches of Codex and opencode (``*** Begin Patch``): files added, deleted, and updated by hunks of context.

The form is that of the prompt of openai/codex's ``apply_patch``: a hunk begins at ``@@``, its lines with a blank
(kept), ``-`` (taken away) or ``+`` (put in); it applies where its kept and removed lines stand, behind the hunk before.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Action = Literal["add", "update", "delete"]

_HEAD = re.compile(r"\*\*\* (Add|Update|Delete) File: (.+)")
_MOVE = "*** Move to: "


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines that must stand there, and those that stand there afterwards; `section` is a line to look behind."""

    old: tuple[str, ...]
    new: tuple[str, ...]
    section: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """What a patch does to one file."""

    action: Action
    path: str
    content: str = ""
    hunks: tuple[Hunk, ...] = ()
    moved: str = ""


def parts(text: str) -> tuple[Part, ...]:
    """Return what a patch does, file by file; nothing for a text that holds none."""
    found: list[tuple[Action, str, list[str]]] = []
    for line in text.split("\n"):
        head = _HEAD.fullmatch(line.rstrip())
        if head:
            found.append((_ACTIONS[head[1]], head[2].strip(), []))
        elif line.startswith("*** End Patch"):
            break
        elif found:
            found[-1][2].append(line)
    return tuple(_part(action, path, lines) for action, path, lines in found)


_ACTIONS: dict[str, Action] = {"Add": "add", "Update": "update", "Delete": "delete"}


def _part(action: Action, path: str, lines: Sequence[str]) -> Part:
    if action == "add":
        return Part(action, path, "".join(f"{line[1:]}\n" for line in lines if line.startswith("+")))
    moved = next((line.removeprefix(_MOVE).strip() for line in lines[:1] if line.startswith(_MOVE)), "")
    return Part(action, path, hunks=tuple(_hunks(lines[1:] if moved else lines)), moved=moved)


def _hunks(lines: Sequence[str]) -> list[Hunk]:
    found: list[tuple[str, list[str]]] = []
    for line in lines:
        if line.startswith("@@"):
            found.append((line[2:].strip(), []))
        elif line[:1] in {" ", "-", "+"} or not line:
            if not found:
                found.append(("", []))
            found[-1][1].append(line or " ")
    return [_hunk(section, body) for section, body in found]


def _hunk(section: str, body: list[str]) -> Hunk:
    while body and body[-1] == " ":
        body.pop()  # the end of the text, not of the hunk
    old = tuple(line[1:] for line in body if line[0] != "+")
    new = tuple(line[1:] for line in body if line[0] != "-")
    return Hunk(old, new, section)


def apply(content: str, hunks: Sequence[Hunk]) -> str | None:
    """Return `content` with the hunks applied in order; None where one does not fit."""
    lines = content.split("\n")
    start = 0
    for hunk in hunks:
        if hunk.section:
            behind = next((n + 1 for n in range(start, len(lines)) if hunk.section in lines[n]), start)
            start = behind
        place = _find(lines, hunk.old, start)
        if place is None:
            return None
        lines[place : place + len(hunk.old)] = hunk.new
        start = place + len(hunk.new)
    return "\n".join(lines)


def _find(lines: Sequence[str], old: Sequence[str], start: int) -> int | None:
    if not old:
        return len(lines) - 1 if lines and not lines[-1] else len(lines)
    for same in (lambda line: line, str.rstrip):
        wanted = [same(line) for line in old]
        for place in range(start, len(lines) - len(old) + 1):
            if [same(line) for line in lines[place : place + len(old)]] == wanted:
                return place
    return None
