"""Which programs of jq end, and make of what they are given no more than some multiple of it.

jq is a language: it counts, repeats, recurses and multiplies lists with one another. What is not on the list of its
functions, and what may grow beyond a bound, is not understood.
"""

import math
import re

from replay.policy.judgement import Problem

_LONGEST = 4096
_MOST = 100_000
"""Times that what comes out may be as large as what goes in."""
_FUNCTION_NAMES = """
    length utf8bytelength not keys keys_unsorted values has in map map_values del to_entries from_entries with_entries
    select empty error add any all flatten floor sqrt round ceil fabs abs tostring tonumber type sort sort_by group_by
    min max min_by max_by unique unique_by reverse contains inside startswith endswith ltrimstr rtrimstr trim ltrim
    rtrim split join ascii_downcase ascii_upcase test match capture scan sub gsub first last nth index rindex indices
    todate fromdate strftime strptime now mktime gmtime localtime tojson fromjson ascii explode arrays objects
    iterables booleans numbers normals strings nulls scalars input inputs input_filename input_line_number recurse paths
    leaf_paths getpath limit range isempty transpose env if then elif else end and or as try catch true false null
"""
_FUNCTIONS = frozenset(_FUNCTION_NAMES.split())
_PIECE = re.compile(r'\\\(|\\.|["()]|[^"()\\]+', re.DOTALL)
_READS = re.compile(r"\b(import|include|modulemeta)\b")
_NAME = re.compile(r"(?<![\w.$@])[A-Za-z_]\w*(?P<key>\s*:(?!:))?")
_NUMBER = re.compile(r"(?P<before>[/<>=]\s*)?(?<![\w.])\d[\w.]*(?:(?<=[eE])[+-]?\d+)?")
_ASSIGNS = re.compile(r"(?<![=!<>])=(?!=)")
_TIMES = re.compile(r"\*\s*(\d{1,6}\b(?![.eE]))?")
_RANGE = re.compile(r"\brange\b\s*(?:\(\s*(?:\d{1,4}\s*;\s*)?(\d{1,4})\s*\))?")
_LOOSE = re.compile(r'\bjoin\s*\(\s*(?!"")|\brecurse\s*\(')
_EMPTY = re.compile(r'\bgsub\s*\(\s*(?!"([\w ,:;/-]|\\[nt"]|\\\\[][.+*?(){}ds])+"\s*;)')
"""A replacement everywhere of what may be nothing: some versions never end."""
_PATH = re.compile(r'(?:\$\w+|(?<![\w.)\]?"])\.)(?:\w+|\.\w|""|\[[^][(){}|,]*\]|\?)*')
_LISTS = re.compile(r"\.\.|\b(?:(?:leaf_)?paths|recurse|range|inputs)\b")
_WRITTEN_ANEW = re.compile(r"\btojson\b|@\w+|\.\.|\b(?:leaf_)?paths\b|\brecurse\b")
_ANEW = 6
"""Times that escaping a text, or listing all parts of a value, makes it longer."""


def check_jq(program: str) -> Problem | None:
    """Return what speaks against a program of jq; None if it ends, and bounds what it prints."""
    if read := _READS.search(program):
        return Problem("unknown", f"jq: {read[1]} reads further files")
    code = _without_texts(program) if len(program) <= _LONGEST else None
    if code is None or "#" in code or "::" in code:
        return Problem("unknown", "jq: the program is not on the list")
    if name := _unknown_name(code):
        return Problem("unknown", f"jq: {name} is not on the list of what surely ends")
    if _EMPTY.search(program) or _LOOSE.search(code) or _ASSIGNS.search(code) or not _counts_little(code):
        return Problem("unknown", "jq: the program may not end")
    return None if _grows_little(code) else Problem("unknown", "jq: the program may take all memory")


def _without_texts(program: str) -> str | None:
    """Return a program without the characters of its strings, but with the code inside them; None if it is broken."""
    levels: list[int | None] = [0]
    found = ""
    for piece in _PIECE.findall(program):
        found += _in_text(piece, levels) if levels[-1] is None else _in_code(piece, levels)
        if not levels:
            return None
    return found if levels == [0] else None


def _in_text(piece: str, levels: list[int | None]) -> str:
    """Return what counts of a piece of a string; `levels`: open brackets of each stretch of code, None for a string."""
    if piece == "\\(":
        levels.append(0)
    elif piece == '"':
        levels.pop()
    return piece[-1] if piece in {"\\(", '"'} else ""


def _in_code(piece: str, levels: list[int | None]) -> str:
    level = levels[-1] or 0
    if piece == '"':
        levels.append(None)
    elif piece == ")" and not level:
        levels.pop()
    elif piece in {"(", ")"}:
        levels[-1] = level + (1 if piece == "(" else -1)
    return piece


def _unknown_name(code: str) -> str | None:
    """Return a name that is neither a known function nor the key of an object."""
    for found in _NAME.finditer(code):
        name = found[0] if found["key"] is None else ""
        if name and name not in _FUNCTIONS and not _is_key(code, found.start(), found.end()):
            return name
    return None


def _is_key(code: str, start: int, end: int) -> bool:
    """Tell whether a name stands for itself in an object: ``{name, id}``."""
    before, after = code[:start].rstrip(), code[end:].lstrip()
    if not before.endswith(("{", ",")) or not after.startswith((",", "}")):
        return False
    depth = 0
    for character in reversed(before):
        if character in "([{" and not depth:
            return character == "{"
        depth += (character in ")]}") - (character in "([{")
    return False


def _counts_little(code: str) -> bool:
    """Tell whether numbers are small, but for those that are divided by or compared with."""
    numbers = all(found["before"] or re.fullmatch(r"\d{1,6}(\.\d{1,6})?", found[0]) for found in _NUMBER.finditer(code))
    times = all(found[1] for found in _TIMES.finditer(code))
    return numbers and times and all(found[1] for found in _RANGE.finditer(code))


def _grows_little(code: str) -> bool:
    """Tell whether what comes out is bounded: each step of a pipe names its input some times, and few lists meet."""
    growth, meetings = 2 ** min(_choices(code), 99), 0
    for step in code.split("|"):
        paths = [found[0] for found in _PATH.finditer(step)]
        factors = [int(found[1]) for pattern in (_TIMES, _RANGE) for found in pattern.finditer(step)]
        written = _ANEW * len(_WRITTEN_ANEW.findall(step))
        named = max(len(paths), step.count(",") + 1)
        growth *= named * max(written, 1) * math.prod(max(factor, 1) for factor in factors)
        iterated = [path for path in paths if "[]" in path.replace(" ", "")]
        lists = len(iterated) + len(_LISTS.findall(step))
        kept = lists if re.search(r"\bas\b", step) else sum(path.startswith("$") for path in iterated)
        meetings += max(lists - 1, kept, 0)
    return growth <= _MOST and meetings <= 1


def _choices(code: str) -> int:
    """Return how often one of two values is taken, each time with all others: commas in round brackets."""
    found = 0
    brackets = ""
    for character in code:
        if character in "([{":
            brackets += character
        elif character in ")]}":
            brackets = brackets[:-1]
        elif character == ",":
            found += brackets.endswith("(")
    return found
