"""Searches through folders that would print the lines in which keys stand.

What counts is not how a pattern looks but what it matches: it is tried on such lines.
"""

import re
from collections.abc import Sequence

from replay.policy.judgement import Problem
from replay.policy.options import Call
from replay.policy.paths import only_plain
from replay.regex import Dialect, translate

SEEKS = Problem("read-secret", "a search through a folder that may print lines in which keys stand")
LOOKS_LIKE_KEYS = re.compile(
    r"(?i:(api|access|auth|private|hub)[_ -]?(key|token)|passw|secret|bearer|credential)|\bTOKEN|_TOKEN|\bsk-|AKIA"
    r"|\bhf_(?![a-z])|BEGIN"
)
"""Patterns of a search through a folder that are after keys; ``token`` alone is what a language model makes."""
_LINES = (
    "HF_TOKEN=hf_x", "AWS_SECRET_ACCESS_KEY=x", 'OPENAI_API_KEY="sk-x"', "password: x",
    "DB_PASSWORD=x", "-----BEGIN PRIVATE KEY-----",
)  # fmt: skip
_MATCHERS: dict[str, Dialect] = {
    "-G": "basic", "--basic-regexp": "basic", "-E": "extended", "--extended-regexp": "extended", "-F": "fixed",
    "--fixed-strings": "fixed", "-P": "extended", "--perl-regexp": "extended", "--pcre2": "extended",
}  # fmt: skip
"""What is Perl's alone, such as ``\\d`` and lazy repetition, is translated in no dialect, and so counts as a match."""
_PRINTS_NO_LINE = (
    "-l", "--files-with-matches", "--name-only", "--files-without-match", "-c", "--count", "--count-matches", "-q",
    "--quiet", "--files", "--type-list", "-V", "--version",
)  # fmt: skip
_PRINTS_ALL = ("-f", "--file", "--passthru", "--multiline", "--multiline-dotall")
"""Patterns that are not known, and lines that match none or are matched together."""
_OWN_GROUP = re.compile(r"(?<!\\)\(\?(?!:|=\\w\)|<=\\w\))")
"""A group that is more than one to Python: not what grep takes it for."""
_RG_OPEN = ("--hidden", "-.", "-u", "-uu", "--unrestricted", "--no-ignore", "--no-ignore-vcs", "--no-ignore-parent")
_RG_PLAIN_TYPES = frozenset({"py", "python", "rust", "c", "cpp", "js", "ts", "go", "java", "md", "markdown", "html"})


def seeks_by_grep(call: Call, dialect: Dialect) -> Problem | None:
    """Return what speaks against grep's going through folders."""
    if not call.has("-r", "-R", "--recursive") or call.has("-L"):
        return None
    chosen = [name for name, _ in call.options if name in {"--include", "--exclude"}]
    if chosen[:1] == ["--include"] and only_plain(call.values("--include")):
        return None  # behind an --exclude, an --include only takes names back in
    return SEEKS if call.has("-z") or _prints_keys(call, (dialect,)) else None


def seeks_by_rg(call: Call) -> Problem | None:
    """Return what speaks against rg's going through folders; hidden and ignored files it skips unless told."""
    wanted = [glob for glob in call.values("-g", "--glob", "--iglob") if not glob.startswith("!")]
    types = call.values("-t", "--type")
    if wanted and not only_plain(wanted):  # brings hidden files back in
        return SEEKS if _rg_prints_keys(call) else None
    if not call.has(*_RG_OPEN) or wanted or (types and _RG_PLAIN_TYPES.issuperset(types)):
        return None
    return SEEKS if _rg_prints_keys(call) else None


def _rg_prints_keys(call: Call) -> bool:
    return call.has("-U") or _prints_keys(call, ("extended",))


def seeks_by_git(call: Call) -> Problem | None:
    """Return what speaks against git's search; without an option, the repository's settings choose the dialect."""
    if call.has("-L", *_PRINTS_NO_LINE):
        return None
    after = any(map(LOOKS_LIKE_KEYS.search, _patterns(call)))
    return SEEKS if after or _prints_keys(call, ("basic", "extended")) else None


def _patterns(call: Call) -> tuple[str, ...]:
    return call.values("-e", "--regexp") or call.operands[:1]


def _prints_keys(call: Call, dialects: Sequence[Dialect]) -> bool:
    """Tell whether a search prints a line in which a key stands."""
    if call.has(*_PRINTS_NO_LINE) and not call.has("--json"):
        return False
    if call.has(*_PRINTS_ALL):
        return True
    given = [_MATCHERS[name] for name, _ in call.options if name in _MATCHERS]
    lines = [line for pattern in _patterns(call) for line in pattern.split("\n")]
    return any(_prints(call, lines, dialect) for dialect in given[-1:] or dialects)


def _prints(call: Call, patterns: Sequence[str], dialect: Dialect) -> bool:
    translated = [translate(pattern, dialect) for pattern in patterns]
    known = [source for source in translated if source is not None and not _OWN_GROUP.search(source)]
    if len(known) < len(patterns):
        return True
    source = "|".join(f"(?:{each})" for each in known)
    if call.has("-w", "--word-regexp"):
        source = rf"(?<!\w)(?:{source})(?!\w)"
    if call.has("-x", "--line-regexp"):
        source = rf"\A(?:{source})\Z"
    smart = call.has("-S", "--smart-case") and all(pattern == pattern.lower() for pattern in patterns)
    found = re.compile(source, re.IGNORECASE if smart or call.has("-i", "--ignore-case") else 0)
    inverted = call.has("-v", "--invert-match")
    return any((found.search(line) is None) == inverted for line in _LINES)
