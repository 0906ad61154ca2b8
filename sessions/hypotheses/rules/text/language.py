"""Whether the rules can read a log at all."""

import re
from collections.abc import Sequence

from sessions.models.session import Message

NOTE = "The rules cover English only. Most of this log is in another language: what it suspects is not all here."

_WORD = re.compile(r"[^\W\d_]+")
_COMMON = frozenset(
    {
        "the", "of", "to", "and", "is", "that", "it", "for", "with", "this", "not", "be", "on",
        "as", "but", "have", "are", "was", "i", "you", "we", "an", "from", "at", "by", "if",
    }
)  # fmt: skip

_ENOUGH = 0.12
"""Share of these words in the words of English prose: about a third; in technical notes at least a fifth."""

_FEWEST = 40
_FOREIGN_LETTERS = 0.3


def note(messages: Sequence[Message]) -> str:
    """Return a note for the reader of the tree where most of the log is not in English, else nothing."""
    words = [w for m in messages if not m.injected for w in _WORD.findall(m.text[:4_000])]
    letters = "".join(words)
    ascii_letters = letters.encode("ascii", "ignore")
    if letters and 1 - len(ascii_letters) / len(letters) > _FOREIGN_LETTERS:
        return NOTE
    if len(words) < _FEWEST:
        return ""
    common = sum(w.lower() in _COMMON for w in words)
    return NOTE if common / len(words) < _ENOUGH else ""
