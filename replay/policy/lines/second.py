"""The second opinion: shfmt parses the same text, and both parsers must come to the same words.

An outline is what both are reduced to: every call in order with the operator in front of it, its words, assignments
and redirections. It keeps apart what a shell would expand and what only looks like it, and it has no place for
anything but calls, pipelines, lists and loops over a list: whatever else a text holds, there is no agreement on it.
"""

import json
import shutil
import subprocess
import sys
import sysconfig
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from sessions.shell.syntax import Compound, Pipeline, Redirect, Script, Simple, Word

PATIENCE = 10.0
"""Seconds for one text; a usual one needs some milliseconds."""
_MARK = "\0"
"""Stands in front of what a shell expands; no command holds it."""
_SPECIAL = frozenset("~*?[{")
_PROTECTED = frozenset('$`"\\')
_PARAMETER = frozenset({"Type", "Pos", "End", "Dollar", "Rbrace", "Short", "Param"})

Outline = tuple[object, ...]
Tree = dict[str, Any]


class _OtherError(Exception):
    """The text holds something that an outline has no place for; never leaves this module."""


@cache
def program() -> str | None:
    """Return the path of shfmt, None if it is not installed; the one that came with this program is preferred."""
    folders = (sysconfig.get_path("scripts"), str(Path(sys.executable).parent))
    return next((found for folder in (*folders, None) if (found := shutil.which("shfmt", path=folder))), None)


def agrees(text: str, script: Script) -> bool:
    """Tell whether shfmt comes to the same calls as `script`, the first parser's reading of `text`."""
    other = read(text)
    try:
        return other is not None and other == outline(script)
    except _OtherError:
        return False


@lru_cache(maxsize=1024)
def read(text: str) -> Outline | None:
    """Return the outline of a text by shfmt; None if it has none, or shfmt is not there."""
    shfmt = program()
    if shfmt is None:
        return None
    try:
        done = subprocess.run(  # noqa: S603 -- a program of our own, given the text on standard input
            [shfmt, "-ln=bash", "--to-json"], input=text.encode(), capture_output=True, timeout=PATIENCE, check=True
        )
        return tuple(item for number, each in enumerate(_list(json.loads(done.stdout))) for item in _at(number, each))
    except (subprocess.SubprocessError, OSError, ValueError, _OtherError):
        return None


def outline(script: Script) -> Outline:
    """Return the outline of what the first parser read. Raises an error of this module if it has none."""
    found: list[object] = []
    for number, pipeline in enumerate(script.pipelines):
        found += _pipeline(pipeline, first=number == 0)
    return tuple(found)


def _pipeline(pipeline: Pipeline, *, first: bool) -> list[object]:
    if pipeline.negated or pipeline.background:
        raise _OtherError
    joint = "" if first else pipeline.after or ";"
    found: list[object] = []
    for place, stage in enumerate(pipeline.stages):
        found += [joint if place == 0 else "|", _stage(stage)]
    return found


def _stage(stage: Simple | Compound) -> Outline:
    redirects = tuple(_redirect(redirect) for redirect in stage.redirects)
    if isinstance(stage, Compound):
        if stage.kind != "for" or stage.body is None:
            raise _OtherError
        return ("for", stage.subject, tuple(_word(word) for word in stage.words), outline(stage.body), redirects)
    if any(each.value is None or each.appends for each in stage.assignments):
        raise _OtherError
    assigned = tuple((each.name, _word(each.value)) for each in stage.assignments if each.value)
    return ("call", assigned, tuple(_word(word) for word in stage.words), redirects)


def _redirect(redirect: Redirect) -> Outline:
    if redirect.body is not None:
        return (redirect.operator, redirect.fd or "", redirect.body, redirect.quoted)
    return (redirect.operator, redirect.fd or "", _word(redirect.target) if redirect.target else "", False)


def _word(word: Word) -> str:
    if not word.parts:
        return _marked(word.text)
    return "".join(_part(part.text, part.kind, part.name, quoted=part.quoted) for part in word.parts)


def _part(text: str, kind: str, name: str, *, quoted: bool) -> str:
    if kind == "variable":
        return f"{_MARK}${name}{_MARK}"
    if kind != "literal":
        raise _OtherError
    return text if quoted else _marked(text)


def _marked(text: str) -> str:
    return "".join(_MARK + char if char in _SPECIAL else char for char in text) if _SPECIAL & set(text) else text


def _at(number: int, statement: list[object]) -> list[object]:
    """Put the operator in front of a statement of a list."""
    return ["" if number == 0 else ";", *statement]


def _list(tree: Tree) -> list[list[object]]:
    return [_statement(statement) for statement in tree.get("Stmts", ())]


def _statement(tree: Tree) -> list[object]:
    """Return what a statement is by shfmt, without the operator in front of it."""
    command = tree.get("Cmd", {"Type": "CallExpr"})
    if tree.get("Background") or tree.get("Negated") or tree.get("Coprocess") or tree.get("Disown"):
        raise _OtherError
    redirects = tuple(_their_redirect(redirect) for redirect in tree.get("Redirs", ()))
    match command["Type"]:
        case "CallExpr":
            return [_call(command, redirects)]
        case "BinaryCmd" if command["Op"] in {"&&", "||", "|"} and not redirects:
            return [*_statement(command["X"]), command["Op"], *_statement(command["Y"])]
        case "ForClause" if command["Loop"]["Type"] == "WordIter" and not command.get("Select"):
            return [_loop(command, redirects)]
        case "TimeClause" if not redirects and "Stmt" in command:
            return _timed(command)
    raise _OtherError


def _timed(command: Tree) -> list[object]:
    """Take the shell's own word ``time`` for a program, as the first parser does."""
    first, *rest = _statement(command["Stmt"])
    if not isinstance(first, tuple) or first[0] != "call" or first[1]:
        raise _OtherError
    name = ("time", "-p") if command.get("PosixFormat") else ("time",)
    return [("call", (), (*name, *first[2]), first[3]), *rest]


def _call(command: Tree, redirects: Outline) -> Outline:
    assigned = command.get("Assigns", ())
    if any(set(each) - {"Pos", "End", "Name", "Value"} for each in assigned):
        raise _OtherError
    named = tuple((each["Name"]["Value"], _their_word(each.get("Value", {}))) for each in assigned)
    return ("call", named, tuple(_their_word(word) for word in command.get("Args", ())), redirects)


def _loop(command: Tree, redirects: Outline) -> Outline:
    words = tuple(_their_word(word) for word in command["Loop"].get("Items", ()))
    body = _list({"Stmts": command["Do"]})
    inner = tuple(item for number, each in enumerate(body) for item in _at(number, each))
    return ("for", command["Loop"]["Name"]["Value"], words, inner, redirects)


def _their_redirect(tree: Tree) -> Outline:
    operator, descriptor = tree["Op"], tree.get("N", {}).get("Value", "")
    if "Hdoc" not in tree and operator not in {"<<", "<<-"}:
        return (operator, descriptor, _their_word(tree["Word"]), False)
    quoted = any(part["Type"] != "Lit" or "\\" in part.get("Value", "") for part in tree["Word"].get("Parts", ()))
    body = tree.get("Hdoc", {}).get("Parts", ())
    if any(part["Type"] != "Lit" for part in body):
        raise _OtherError
    return (operator, descriptor, "".join(part["Value"] for part in body), quoted)


def _their_word(tree: Tree) -> str:
    return "".join(_their_part(part) for part in tree.get("Parts", ()))


def _their_part(part: Tree, *, quoted: bool = False) -> str:
    match part["Type"]:
        case "Lit":
            return _unescape(part["Value"], quoted=quoted)
        case "SglQuoted" if not part.get("Dollar"):
            return str(part.get("Value", ""))
        case "DblQuoted" if not part.get("Dollar"):
            return "".join(_their_part(inner, quoted=True) for inner in part.get("Parts", ()))
        case "ParamExp" if not set(part) - _PARAMETER:
            return f"{_MARK}${part['Param']['Value']}{_MARK}"
    raise _OtherError


def _unescape(text: str, *, quoted: bool) -> str:
    """Take the backslashes out of what shfmt leaves as written; it joins continued lines itself."""
    if "\\" not in text:
        return text if quoted else _marked(text)
    found: list[str] = []
    rest = iter(text)
    for char in rest:
        if char != "\\":
            found.append(char if quoted else _marked(char))
            continue
        after = next(rest, "")
        found.append(("\\" if quoted and after not in _PROTECTED else "") + after)
    return "".join(found)
