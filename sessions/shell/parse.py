"""Parsing a shell text into our syntax tree, whatever the text."""

import functools
import re
import time

import tree_sitter_bash
from tree_sitter import Language, Node, Parser

from sessions.shell.lift import lift
from sessions.shell.simple import Source
from sessions.shell.syntax import Script
from sessions.shell.tree import DEEPEST, Reader, TooDeep

LONGEST = 256 * 1024
"""Characters that are parsed at most."""

_BRACKETS = 200
"""Open brackets, and ``<`` in a row, beyond which the grammar's time is no longer linear in the text."""
_LONG_RUN = "<" * 9
_PATIENCE = 5.0
"""Seconds for one text; none of the real ones needs a tenth."""
_SMALL = 4096
_UNPLAIN = re.compile(r"[^\t\n -~]")


def parse(text: str) -> Script:
    """The script that `text` is; never raises.

    `error` says why a text could not be parsed whole; what was recognised of it is still there.
    """
    problem = _refuse(text)
    if problem:
        return Script(error=problem)
    lifted = lift(text)
    # A word character of one byte for every one that the grammar might read differently from bash: all positions stay.
    root = _read(_UNPLAIN.sub("_", lifted.text).encode())
    if root is None:
        return Script(error="took too long to parse")
    try:
        source = Source(text, lifted)
        script = Reader(source).script(root)
    except TooDeep:
        return Script(error=f"nested deeper than {DEEPEST}")
    error = _locate(root, text) if root.has_error else source.problem
    return Script(script.pipelines, error) if error else script


def _refuse(text: str) -> str | None:
    if len(text) > LONGEST:
        return f"longer than {LONGEST} characters"
    if "\0" in text:
        return "holds a NUL"
    if len(text) > _BRACKETS and (_LONG_RUN in text or _depth(text) > _BRACKETS):
        return "too many open brackets"
    return None


def _depth(text: str) -> int:
    """How many round or curly brackets are open at once at most, quoted ones included; 0 where they cannot be many."""
    deepest = level = 0
    if text.count("(") + text.count("{") <= _BRACKETS:
        return 0
    for found in re.finditer(r"[({]+|[)}]+", text):
        size = found.end() - found.start()
        level = level + size if found.group()[0] in "({" else max(0, level - size)
        deepest = max(deepest, level)
    return deepest


@functools.cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_bash.language()))


def _read(source: bytes) -> Node | None:
    parser = _parser()
    if len(source) < _SMALL:
        return parser.parse(source).root_node
    deadline = time.monotonic() + _PATIENCE
    try:
        return parser.parse(
            lambda start, _: source[start:],
            encoding="utf8",
            progress_callback=lambda _, __: time.monotonic() > deadline,
        ).root_node
    except ValueError:
        parser.reset()
        return None


def _locate(root: Node, text: str) -> str:
    """What could not be parsed, by its line and first characters."""
    node = root
    while not (node.is_error or node.is_missing):
        inner = [child for child in node.children if child.has_error or child.is_missing]
        if not inner:
            break
        node = inner[0]
    near = text[node.start_byte : node.start_byte + 20].partition("\n")[0]
    return f"cannot be parsed at line {node.start_point.row + 1}, near {near!r}"
