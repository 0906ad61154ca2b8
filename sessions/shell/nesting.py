"""Where a quoted or substituted piece of shell text ends: one past the end of the text if nothing closes it."""

import re

_DEEPEST = 40
"""Pieces within pieces; a text that nests deeper is taken to end where it does."""

_IN_PAREN = re.compile(r"""[\\'"`$()#]""")
_IN_DOUBLE = re.compile(r"""[\\"`$]""")
_IN_BRACE = re.compile(r"""[\\'"`$}]""")


def skip_single(text: str, start: int) -> int:
    """Index after the quote that closes a single-quoted piece whose content begins at `start`."""
    found = text.find("'", start)
    return len(text) + 1 if found < 0 else found + 1


def skip_ansi(text: str, start: int) -> int:
    """The same for ``$'…'``, in which a backslash hides a quote."""
    found = re.compile(r"(?:[^\\']|\\.)*+'", re.DOTALL).match(text, start)
    return found.end() if found else len(text) + 1


def skip_backquote(text: str, start: int) -> int:
    """Index after the backquote that closes a substitution whose content begins at `start`."""
    found = re.compile(r"(?:[^\\`]|\\.)*+`", re.DOTALL).match(text, start)
    return found.end() if found else len(text) + 1


def skip_double(text: str, start: int, depth: int = 0) -> int:
    """Index after the quote that closes a double-quoted piece whose content begins at `start`."""
    while found := _IN_DOUBLE.search(text, start):
        start = found.end()
        if found.group() == '"':
            return start
        start = _skip_at(text, found.start(), depth, double=True)
    return len(text) + 1


def skip_paren(text: str, start: int, depth: int = 0) -> int:
    """Index after the parenthesis that closes one opened just before `start`."""
    level = 1
    while found := _IN_PAREN.search(text, start):
        char, start = found.group(), found.end()
        if char in "()":
            level += 1 if char == "(" else -1
            if not level:
                return start
        elif char == "#":
            start = _skip_comment(text, found.start())
        else:
            start = _skip_at(text, found.start(), depth)
    return len(text) + 1


def skip_brace(text: str, start: int, depth: int = 0) -> int:
    """Index after the brace that closes a ``${`` opened just before `start`."""
    while found := _IN_BRACE.search(text, start):
        if found.group() == "}":
            return found.end()
        start = _skip_at(text, found.start(), depth)
    return len(text) + 1


def skip_dollar(text: str, start: int, depth: int = 0) -> int:
    """Index after the expansion whose ``$`` stands at `start`; ``start + 1`` if none begins there."""
    if depth > _DEEPEST:
        return len(text) + 1
    after = text[start + 1 : start + 2]
    if after == "(":
        return skip_paren(text, start + 2, depth + 1)
    if after == "{":
        return skip_brace(text, start + 2, depth + 1)
    return start + 1


def _skip_comment(text: str, start: int) -> int:
    if start and text[start - 1] not in " \t\n;&|(":
        return start + 1
    found = text.find("\n", start)
    return len(text) if found < 0 else found


def _skip_at(text: str, start: int, depth: int, *, double: bool = False) -> int:
    """Index after whatever begins at `start` with one of backslash, quote, backquote or dollar."""
    char = text[start]
    if char == "\\":
        return start + 2
    if char == "`":
        return skip_backquote(text, start + 1)
    if char == "'":
        return skip_single(text, start + 1)
    if char == '"':
        return len(text) + 1 if depth > _DEEPEST else skip_double(text, start + 1, depth + 1)
    if text.startswith("$'", start) and not double:
        return skip_ansi(text, start + 2)
    return skip_dollar(text, start, depth)
