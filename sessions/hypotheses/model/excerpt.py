"""The lines of a long text that a reader needs: its ends, what failed or passed, and what is spoken of next."""

import re
from collections.abc import Iterable
from collections.abc import Set as AbstractSet

_TELLING = re.compile(
    r"(?i)\b(?:err(?:or)?s?|fail(?:s|ed|ure)?|exception|traceback|panic|warn(?:ing)?|denied|refused|not found|no such|"
    r"cannot|unable|expected|actual|got|want|pass(?:ed)?|ok|fatal|mismatch|diff(?:er\w*)?|assert\w*|undefined|missing|nan)\b"
)
_WORD = re.compile(r"[^\W_][\w./:@%+-]{2,}\w")
_ENDS = 3
_LONGEST_LINE = 400
_MOST_WORDS = 4
_GAP = 40
"""Characters that the mark of a gap takes at most."""

_COMMON = frozenset(
    {
        "that",
        "this",
        "with",
        "from",
        "have",
        "will",
        "would",
        "should",
        "could",
        "there",
        "their",
        "they",
        "them",
        "then",
        "than",
        "when",
        "what",
        "where",
        "which",
        "while",
        "because",
        "into",
        "also",
        "just",
        "like",
        "let's",
        "need",
        "make",
        "sure",
        "check",
        "look",
        "found",
        "find",
        "still",
        "only",
        "other",
        "some",
        "these",
        "those",
        "after",
        "before",
        "here",
        "about",
        "does",
        "doesn't",
        "been",
        "being",
        "more",
        "most",
        "very",
        "your",
        "you're",
        "line",
        "file",
        "files",
        "code",
        "test",
        "tests",
        "run",
        "running",
    }
)


def words(texts: Iterable[str]) -> frozenset[str]:
    """Return the words of `texts` by which a line that they speak of is found."""
    return frozenset(w for text in texts for w in map(str.lower, _WORD.findall(text)) if w not in _COMMON)


def excerpt(text: str, limit: int, wanted: AbstractSet[str] = frozenset()) -> str:
    """Return `text`, or whole lines of it in at most about `limit` characters with every gap marked.

    Lines hold what `wanted` has, what failed or passed, and both ends first; very long lines are cut.
    """
    if len(text) <= limit:
        return text
    lines = [_cut(line, wanted) for line in text.split("\n")]
    order = sorted(range(len(lines)), key=lambda n: (-_worth(lines[n], n, len(lines), wanted), n))
    kept: set[int] = set()
    room = limit
    for number in order:
        cost = len(lines[number]) + 1 + (0 if kept & {number - 1, number + 1} else _GAP)
        if cost <= room:
            kept.add(number)
            room -= cost
    return "\n".join(_with_gaps(lines, sorted(kept)))


def _worth(line: str, number: int, count: int, wanted: AbstractSet[str]) -> float:
    hits = len({w for w in map(str.lower, _WORD.findall(line)) if w in wanted})
    end = number < _ENDS or number >= count - _ENDS
    return min(hits, _MOST_WORDS) + 1.5 * bool(_TELLING.search(line)) + 2.0 * end - (0.0 if line.strip() else 9.0)


def _cut(line: str, wanted: AbstractSet[str]) -> str:
    """Return a line, or of a very long one the part around the first wanted word."""
    if len(line) <= _LONGEST_LINE:
        return line
    at = next((m.start() for m in _WORD.finditer(line) if m[0].lower() in wanted), 0)
    start = max(0, min(at - _LONGEST_LINE // 4, len(line) - _LONGEST_LINE))
    end = start + _LONGEST_LINE
    return ("…" if start else "") + line[start:end] + ("…" if end < len(line) else "")


def _with_gaps(lines: list[str], kept: list[int]) -> Iterable[str]:
    before = -1
    for number in kept:
        if number > before + 1:
            yield f"[… {number - before - 1} lines left out …]"
        yield lines[number]
        before = number
    if before < len(lines) - 1:
        yield f"[… {len(lines) - 1 - before} lines left out …]"
