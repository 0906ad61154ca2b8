"""The talk in a Codex log, which writes most of it twice: as an item for the model and as an event for the screen."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sessions.ingest.events import Called, Event, Said

_TAGGED = re.compile(r"\s*<([A-Za-z][\w-]*)(?: [^>]*)?>.*</\1(?: [^>]*)?>\s*", re.DOTALL)
_PROGRAM = frozenset({
    "permissions", "skill", "skills", "personality", "apps", "plugins", "hook", "realtime", "INSTRUCTIONS",
})  # fmt: skip
_AGENTS = re.compile(r"\s*# AGENTS\.md instructions\b")
_PICTURE = "[image]"
_IMAGE = re.compile(r"\s*</?image\b[^>]*>\s*")


def looks_injected(text: str) -> bool:
    """Tell whether a user text is context that the program adds: wrapped whole in a tag of its own, or AGENTS.md."""
    if _AGENTS.match(text):
        return True
    match = _TAGGED.fullmatch(text)
    return match is not None and ("_" in match.group(1) or match.group(1) in _PROGRAM)


def text_blocks(content: object) -> Iterator[str]:
    """Yield the texts of a message's content; an image leaves ``[image]`` at the text before it, or alone."""
    blocks = [{"text": content}] if isinstance(content, str) else content if isinstance(content, list) else []
    held: str | None = None
    for block in blocks:
        text = _text_of(block)
        if text == _PICTURE:
            held = f"{held or ''}\n{_PICTURE}".lstrip("\n")
        elif text is not None:
            if held is not None:
                yield held
            held = text
    if held is not None:
        yield held


def _text_of(block: object) -> str | None:
    """Return a block's text; that of an image is its mark, the tags that the program sets around images are none."""
    if not isinstance(block, dict):
        return None
    text = block.get("text")
    if isinstance(text, str):
        return None if _IMAGE.fullmatch(text) else text
    return _PICTURE if "image" in str(block.get("type")) else None


def reasoning_blocks(payload: Mapping[str, Any]) -> Iterator[str]:
    """Yield the readable thoughts of a reasoning item: its summary, else its content; both are empty if encrypted."""
    for name in ("summary", "content"):
        found = [text for text in text_blocks(payload.get(name)) if text.strip()]
        if found:
            yield from found
            return


@dataclass(slots=True)
class Slot:
    """An event in its place; twins share one."""

    event: Event


@dataclass(slots=True)
class Talk:
    """Collects the events of a log in order."""

    slots: list[Slot] = field(default_factory=list)
    _open: dict[tuple[str, str, str, str], list[Slot]] = field(default_factory=dict)
    _turns: list[int] = field(default_factory=list)

    def add(self, event: Event) -> Slot:
        """Add an event that has no twin."""
        slot = Slot(event)
        self.slots.append(slot)
        return slot

    def say(self, said: Said, *, event: bool) -> None:
        """Add a text from an item or from an `event`; one whose twin is there already adds nothing.

        A user text that comes as an event was written by a person, whatever it looks like.
        """
        if not said.text.strip():
            return
        text = said.text.removesuffix(_PICTURE).strip()
        twins = self._open.get(("item" if event else "event", said.role, said.kind, text))
        if twins:
            slot = twins.pop(0)
            if isinstance(slot.event, Said) and event:
                slot.event = replace(slot.event, injected=False)
            return
        slot = self.add(said)
        self._open.setdefault(("event" if event else "item", said.role, said.kind, text), []).append(slot)
        if said.role == "user" and not said.injected:
            self._turns.append(len(self.slots) - 1)

    def start_turn(self) -> None:
        """Forget which texts still lack their twin: twins stand in one turn."""
        self._open.clear()

    def roll_back(self, turns: int) -> None:
        """Mark the last turns, each from a person's text on, as abandoned."""
        if turns < 1 or not self._turns:
            return
        first = self._turns[-turns] if turns <= len(self._turns) else self._turns[0]
        del self._turns[-turns:]
        for slot in self.slots[first:]:
            if isinstance(slot.event, Said | Called):
                slot.event = replace(slot.event, abandoned=True)

    def mark_injected(self, start: int) -> None:
        """Mark all texts from a place on: the program copied them from another thread."""
        for slot in self.slots[start:]:
            if isinstance(slot.event, Said):
                slot.event = replace(slot.event, injected=True)
        self._turns.clear()
