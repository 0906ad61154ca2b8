"""What a recorded call writes to a file by its redirections, where its words alone tell it."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sessions.models.command import Command
from sessions.shell.parse import parse
from sessions.shell.syntax import Redirect, Simple

_OUTPUT = frozenset({">", ">>", ">|", "&>", "&>>"})
_ESCAPES = {"n": "\n", "t": "\t", "\\": "\\", '"': '"'}
_ECHO_OPTION = re.compile(r"-[neE]+")


class Redirected(NamedTuple):
    """A file that a redirection writes; `text` is None where the words do not tell what."""

    path: str
    append: bool
    text: str | None


def redirected(command: Command) -> Iterator[Redirected]:
    """Yield the files that the redirections of a call write, in order; only the last of several has its output."""
    found = [target for text in command.redirects if (target := target_of(text))]
    last = max((number for number, (_, _, whole) in enumerate(found) if whole), default=-1)
    for number, (path, append, whole) in enumerate(found):
        text = printed(command) if number == last else "" if whole else None
        yield Redirected(path, append, text)


def target_of(text: str) -> tuple[str, bool, bool] | None:
    """Return the file that a redirection writes, whether it appends, and whether it takes the output and only that.

    None for one that writes no file that can be named.
    """
    redirect = _parsed(text)
    if redirect is None or redirect.target is None or ">" not in redirect.operator:
        return None
    path = redirect.target.value or (redirect.target.text if redirect.target.text.startswith("~/") else "")
    if not path or path == "/dev/null" or (redirect.operator == ">&" and path.rstrip("-").isdigit()):
        return None
    whole = redirect.fd in {None, "1"} and redirect.operator in _OUTPUT
    return path, ">>" in redirect.operator, whole


def is_open(text: str) -> bool:
    """Tell whether a redirection writes a file that only a shell could name."""
    redirect = _parsed(text)
    return redirect is not None and ">" in redirect.operator and target_of(text) is None and "$" in text


def _parsed(text: str) -> Redirect | None:
    script = parse(f": {text}")
    stage = script.pipelines[0].stages[0] if script.pipelines else None
    if script.error or not isinstance(stage, Simple) or len(stage.redirects) != 1:
        return None
    return stage.redirects[0]


def printed(command: Command) -> str | None:
    """Return what a call prints, where its words alone tell."""
    if not command.argv:
        return ""
    name, words = command.argv[0].rpartition("/")[2], command.argv[1:]
    if name in {"true", ":"}:
        return ""
    if command.merge_stderr or command.stage:
        return None
    if name == "cat" and all(word == "-" for word in words):
        return command.stdin
    if name == "echo":
        return _echoed(words)
    return _formatted(words[0]) if name == "printf" and len(words) == 1 else None


def _echoed(words: Sequence[str]) -> str | None:
    """Shells differ in what a backslash means to their ``echo``: then nobody can tell."""
    count = next((place for place, word in enumerate(words) if not _ECHO_OPTION.fullmatch(word)), len(words))
    text = " ".join(words[count:])
    return None if "\\" in text else text + ("" if "n" in "".join(words[:count]) else "\n")


def _formatted(form: str) -> str | None:
    known = all(found[1] in _ESCAPES for found in re.finditer(r"\\(.?)", form, re.DOTALL))
    if not known or "%" in form or form.startswith("-"):
        return None
    return re.sub(r"\\(.)", lambda found: _ESCAPES[found[1]], form)
