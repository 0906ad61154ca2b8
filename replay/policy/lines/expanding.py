"""Words that are more than literal, as far as their own command line tells what they become."""

import re

from replay.policy.judgement import Open
from sessions.shell.fields import expand, fill, known
from sessions.shell.syntax import Assignment, Part, Word

Scope = dict[str, tuple[Part, ...]]
"""The variables that a command line has set to known values."""

_OWN = re.compile(
    r"(PATH|IFS|HOME|CDPATH|(OLD)?PWD|SHELL|USER|ENV|TERM|TMPDIR|TZ|LANG|GLOBIGNORE|POSIXLY_CORRECT|PS\d|OPT\w+|MAIL\w*"
    r"|(BASH|LD|LC|GIT|PYTHON|DOCKER|KUBE|CUDA|NVIDIA|SSH|XDG|NCCL|HF|VLLM|TORCH|LESS|PAGER|GREP|RIPGREP|TAR|GCONV|PROMPT"
    r"|COLUMNS|LINES|NO|DEBIAN|OMP|http|https|HTTP|HTTPS)\w*)"
)
"""Variables that programs read, or that change what a shell does."""
_OPTION = re.compile(r"--[a-z][a-z-]*=")
_ACTIVE = frozenset("[{")
_BLANK_OR_ACTIVE = re.compile(r"[\s*?\[]")


def worth_keeping(assignment: Assignment, scope: Scope) -> bool:
    """Tell whether an assignment sets a variable of the command line's own to a value that is known."""
    value = assignment.value
    if value is None or assignment.appends or _OWN.fullmatch(assignment.name):
        return False
    return known(fill(value, scope))


def values(word: Word, scope: Scope) -> list[str] | None:
    """Return the words that `word` becomes, None if only a shell could tell; an `Open` one stays open."""
    if word.value is not None:
        return [word.value]
    fields = expand([word], scope)
    if all(field.exact for field in fields):
        return [field.value for field in fields]
    if word.why == ("glob",) and _OPTION.match(word.text):
        return ["".join(part.text for part in word.parts)]
    opened = _opened(word, scope)
    return None if opened is None else [opened]


def _opened(word: Word, scope: Scope) -> Open | None:
    """Return a word with nothing open in it but a leading ``~`` and names at its end."""
    text = ""
    for number, part in enumerate(word.parts):
        piece = "~" if number == 0 and (part.kind, part.name) == ("variable", "HOME") else _piece(part, scope)
        if piece is None or (number == 0 and part.quoted and part.text.startswith("~")):
            return None
        text += piece
    home = text == "~" or text.startswith("~/")
    names = re.search(r"[*?]", text)
    if (text.startswith("~") and not home) or (names and "/" in text[names.start() :]):
        return None
    return Open(text) if home or names else None


def _piece(part: Part, scope: Scope) -> str | None:
    """Return the text of a part; None if it is not known, or would have a meaning that it had not when recorded."""
    if part.kind == "variable" and part.name in scope:
        text = "".join(piece.text for piece in scope[part.name])
        return None if _BLANK_OR_ACTIVE.search(text) or text.startswith("~") else text
    if part.kind != "literal":
        return None
    if part.quoted:
        return None if re.search(r"[*?]", part.text) else part.text
    return part.text if _ACTIVE.isdisjoint(part.text) else None
