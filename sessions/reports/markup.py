"""Untrusted text in Markdown: as text, never as a link, an image, HTML, a mention or a formula."""

import re

from sessions.ingest.display import line, safe

_ACTIVE = re.compile(r"([\\`*_{}\[\]<>|~$&])")
_LEADING = re.compile(r"^([#+=-]|\d+(?=[.)]))")
_LINKING = re.compile(r"://|www\.|@|mailto:|xmpp:|javascript:|data:", re.IGNORECASE)
TICKED = re.compile(r"(?<!`)(`[^`]+`)(?!`)")
"""What an agent's prose marks as code."""

_SPACES = re.compile(r"(\s+)")
_TICKS = re.compile(r"`+")


def inline(text: str) -> str:
    """Return `text` as one line of prose: what is in ticks, and a word that could become a link, as code."""
    pieces = (_piece(piece) for piece in TICKED.split(line(text)))
    return _LEADING.sub(_escape_first, "".join(pieces))


def code(text: str) -> str:
    """Return `text` as a code span of one line, in ticks longer than any inside; also right in a table's cell."""
    shown = line(text)
    if not shown:
        return ""
    ticks = "`" * (_longest(_TICKS, shown) + 1)
    pad = " " if shown.startswith("`") or shown.endswith("`") else ""
    return f"{ticks}{pad}{shown}{pad}{ticks}"


def cell(text: str) -> str:
    r"""Return Markdown made by `inline` or `code` as a table's cell: a bar inside a code span is ``\|`` there."""
    return re.sub(r"(?<!\\)\|", r"\\|", text)


def block(text: str, language: str = "text") -> str:
    """Return `text` as a fenced block, with a fence longer than any inside."""
    shown = safe(text)
    fence = "`" * max(3, _longest(_TICKS, shown) + 1)
    return f"{fence}{language}\n{shown}\n{fence}"


def table(header: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """Return a table; the cells are Markdown already."""
    lines = [header, ("---",) * len(header), *rows]
    return "\n".join("| " + " | ".join(cell(each) for each in row) + " |" for row in lines)


def _piece(text: str) -> str:
    if TICKED.fullmatch(text):
        return code(text[1:-1]) or _word(text)
    return "".join(map(_word, _SPACES.split(text)))


def _word(word: str) -> str:
    return code(word) if _LINKING.search(word) else _ACTIVE.sub(r"\\\1", word)


def _escape_first(match: re.Match[str]) -> str:
    """Keep a number or a sign at the beginning of a line from opening a list or a heading."""
    return f"&#{ord(match[0][0])};{match[0][1:]}"


def _longest(pattern: re.Pattern[str], text: str) -> int:
    return max(map(len, pattern.findall(text)), default=0)
