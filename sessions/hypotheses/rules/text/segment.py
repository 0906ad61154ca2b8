"""Messages cut into sentences; code, injected text and pasted output are left out."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from sessions.models.session import Message, Role

Shape = Literal["paragraph", "item", "heading"]

_FENCE = re.compile(r"(?ms)^[ \t]*(```|~~~).*?(?:^[ \t]*\1[ \t]*$|\Z)")
_TAG = re.compile(r"<([a-z][a-z0-9_-]{2,40})>")
_ITEM = re.compile(r"^\s*(?:[-*+•]|\d{1,2}[.)]|`\d{1,2}\.`|\(?[a-h]\))\s+")
_HEADING = re.compile(r"^\s*#{1,6}\s+|^\*\*[^*]{2,80}\*\*:?$")
_END = re.compile(
    r"(?<=[.!?:;])(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\bvs\.)(?<!\betc\.)(?<!\bcf\.)[\"')\]*]*\s+(?=[\"'(\[*_`]*(?:[A-Z0-9~`]"
    r"|[a-z]+[A-Z_./-]\w))"
)
_SOFT_END = re.compile(r"[:;][\"')\]*]*$")
_OUTPUT_LIKE = re.compile(
    r"^\s*(?:\$ |\u276f|>|#\s?\w+@|\d{4}-\d\d-\d\d|\[?\d\d:\d\d:\d\d|at \S+\(|File \"|\|)|^[^\s/\\]*+[/\\]\S*:\d|\\$"
    r"|^\s*--?\w[\w-]*(?:[= ]\S+)?\s*$|^[^a-z]*$|^\s*[\w.-]+=\S+$"
)
_LONG_USER_TEXT = 6_000
"""Characters from which a user's text is a pasted document: only its sections about causes are read."""

_CAUSES = re.compile(r"(?i)\b(?:cause|problem|why|diagnos|analysis|root|issue|bug|finding|symptom)")


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of a message. `text` stands in the message as it is, but for white space."""

    number: int
    """In the session."""
    message: int
    index: int
    """In the message."""
    text: str
    role: Role
    reasoning: bool
    shape: Shape
    block: int
    """Number of the paragraph, list or heading in the message."""
    lead: int | None
    """For list items: number of the sentence that opens the list."""
    heading: int | None
    """Number of the heading under which it stands."""
    depth: int
    """For list items: how far the item is indented."""
    company: int
    """Sentences of its message."""

    @property
    def key(self) -> str:
        """Names the place; a log that grows keeps it."""
        return f"m{self.message}.{self.index}"


def segment(messages: Sequence[Message]) -> tuple[Sentence, ...]:
    """Return the sentences of what user and agent wrote, in order."""
    found: list[Sentence] = []
    for message in messages:
        if not message.injected and not message.abandoned:
            found.extend(_sentences(message, len(found)))
    return tuple(found)


def _sentences(message: Message, first: int) -> Iterator[Sentence]:
    pieces = list(_pieces(message))
    lead: int | None = None
    heading: int | None = None
    for index, (shape, block, depth, text) in enumerate(pieces):
        if shape != "item":
            lead = first + index
        if shape == "heading":
            heading = first + index
        yield Sentence(
            number=first + index,
            message=message.ordinal,
            index=index,
            text=text,
            role=message.role,
            reasoning=message.kind == "reasoning",
            shape=shape,
            block=block,
            lead=lead if shape == "item" else None,
            heading=heading,
            depth=depth,
            company=len(pieces),
        )


def _pieces(message: Message) -> Iterator[tuple[Shape, int, int, str]]:
    text = _without_tags(_FENCE.sub("\n", message.text)) if "<" in message.text or "`" in message.text else message.text
    pasted = message.role == "user" and len(message.text) > _LONG_USER_TEXT
    reading = not pasted
    for block, (shape, depth, lines) in enumerate(_blocks(text)):
        if shape == "heading" and pasted:
            reading = bool(_CAUSES.search(lines))
        if reading:
            for sentence in _split(lines):
                yield shape, block, depth, sentence


def _without_tags(text: str) -> str:
    """Return `text` without its elements, in time that grows with it also where most are never closed, as in HTML."""
    kept: list[str] = []
    place, unclosed = 0, set[str]()
    for tag in _TAG.finditer(text):
        if tag.start() < place or tag[1] in unclosed:
            continue
        end = text.find(f"</{tag[1]}>", tag.end())
        if end < 0:
            unclosed.add(tag[1])
            continue
        kept += [text[place : tag.start()], "\n"]
        place = end + len(f"</{tag[1]}>")
    return "".join((*kept, text[place:]))


def _blocks(text: str) -> Iterator[tuple[Shape, int, str]]:
    """Yield paragraphs, list items and headings with their indentation; hard-wrapped lines are joined."""
    held: list[str] = []
    shape: Shape = "paragraph"
    depth = 0
    for line in text.split("\n"):
        bare = line.strip()
        kind = _shape(line) if bare and not _OUTPUT_LIKE.search(line) else None
        if kind != "paragraph" and held:
            yield shape, depth, " ".join(held)
            held = []
        if kind is None:
            continue
        if not held:
            shape, depth = kind, len(line) - len(line.lstrip())
        held.append(_ITEM.sub("", line).strip().lstrip("#").strip())
        if kind == "heading":
            yield shape, depth, held.pop()
    if held:
        yield shape, depth, " ".join(held)


def _shape(line: str) -> Shape:
    if _ITEM.match(line):
        return "item"
    return "heading" if _HEADING.match(line) else "paragraph"


def _split(text: str) -> Iterator[str]:
    """Yield the sentences of a paragraph; what ends in a colon or semicolon stays with what follows it."""
    held: list[str] = []
    for piece in _cut(text):
        held.append(piece)
        if not _SOFT_END.search(piece):
            yield " ".join(held)
            held = []
    if held:
        yield " ".join(held)


def _cut(text: str) -> Iterator[str]:
    start = seen = marks = 0
    for match in _END.finditer(text):
        marks += text.count("`", seen, match.start())
        seen = match.start()
        if marks % 2 == 0:
            yield text[start : match.end()].strip()
            start = match.end()
    if text[start:].strip():
        yield text[start:].strip()
