"""Commands that a log holds as lists of words."""

import re
from collections.abc import Sequence

_SHELLS = frozenset({"bash", "sh", "zsh", "dash"})
_SCRIPT_OPTIONS = frozenset({"-c", "-lc", "-cl", "-ic", "-lic"})
_PLAIN = re.compile(r"[\w@%+=:,./-]+")


def argv_text(words: Sequence[str]) -> str:
    """Return the words as the text of a command; of ``bash -lc SCRIPT`` and its like only the script."""
    match words:
        case [shell, option, script] if shell.rpartition("/")[2] in _SHELLS and option in _SCRIPT_OPTIONS:
            return script
        case _:
            return " ".join(_quote(word) for word in words)


def _quote(word: str) -> str:
    if _PLAIN.fullmatch(word):
        return word
    return "'" + word.replace("'", "'\"'\"'") + "'"
