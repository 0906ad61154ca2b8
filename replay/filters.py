"""The filters that an agent's own machine ran on the output of a remote command (``ssh … | grep x | tail -5``).

They are run here, in process, by exact small implementations; a form that is not covered makes a step not replayable.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from replay.regex import translate

Lines = list[str]


@dataclass(frozen=True, slots=True)
class Filtered:
    """What a filter printed, and its exit status."""

    text: str
    exit_code: int = 0


Filter = Callable[[Lines], tuple[Lines, int]]


def unsupported(stages: Sequence[Sequence[str]]) -> str | None:
    """Return the first filter that cannot be run here, as text; None if all can."""
    return next((" ".join(words) for words in stages if _filter(words) is None), None)


def apply(stages: Sequence[Sequence[str]], text: str) -> Filtered:
    """Return what the filters make of a text. Raises ValueError for one that is not supported."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    code = 0
    for words in stages:
        chosen = _filter(words)
        if chosen is None:
            raise ValueError(f"cannot run {' '.join(words)}")
        lines, code = chosen(lines)
    return Filtered("".join(f"{line}\n" for line in lines), code)


def _filter(words: Sequence[str]) -> Filter | None:
    maker = _MAKERS.get(words[0])
    options, operands = _divide(words[1:])
    return maker(options, operands) if maker else None


def _divide(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Part canonical words at ``--``; without it all are options and their values."""
    if "--" not in words:
        return list(words), []
    place = list(words).index("--")
    return list(words[:place]), list(words[place + 1 :])


def _cat(options: Sequence[str], operands: Sequence[str]) -> Filter | None:
    return None if options or operands else lambda lines: (lines, 0)


def _head(options: Sequence[str], operands: Sequence[str]) -> Filter | None:
    count = _count(options, operands)
    if count is None or count.startswith("+"):
        return None
    return lambda lines: (lines[: int(count)], 0)


def _tail(options: Sequence[str], operands: Sequence[str]) -> Filter | None:
    count = _count(options, operands)
    if count is None:
        return None
    if count.startswith("+"):
        return lambda lines: (lines[max(int(count) - 1, 0) :], 0)
    last = abs(int(count))
    return lambda lines: (lines[-last:] if last else [], 0)


def _count(options: Sequence[str], operands: Sequence[str]) -> str | None:
    if operands:
        return None
    if not options:
        return "10"
    name, *rest = options
    return rest[0] if name in {"-n", "--lines"} and len(rest) == 1 else None


def _wc(options: Sequence[str], operands: Sequence[str]) -> Filter | None:
    if list(options) != ["-l"] or operands:
        return None
    return lambda lines: ([str(len(lines))], 0)


def _sort(options: Sequence[str], operands: Sequence[str]) -> Filter | None:
    if operands or not {"-u", "-r"}.issuperset(options):
        return None

    def run(lines: Lines) -> tuple[Lines, int]:
        chosen = set(lines) if "-u" in options else lines
        return sorted(chosen, reverse="-r" in options), 0

    return run


def _uniq(options: Sequence[str], operands: Sequence[str]) -> Filter | None:
    if operands or not {"-c"}.issuperset(options):
        return None

    def run(lines: Lines) -> tuple[Lines, int]:
        groups: list[tuple[str, int]] = []
        for line in lines:
            if groups and groups[-1][0] == line:
                groups[-1] = (line, groups[-1][1] + 1)
            else:
                groups.append((line, 1))
        return [f"{count:7d} {line}" if "-c" in options else line for line, count in groups], 0

    return run


def _grep(options: Sequence[str], operands: Sequence[str]) -> Filter | None:
    flags = {option for option in options if option.startswith("-")}
    if flags != set(options) or not flags <= {"-i", "-v", "-n", "-c", "-E", "-F", "-w", "-a"} or len(operands) != 1:
        return None
    source = translate(operands[0], "fixed" if "-F" in flags else "extended" if "-E" in flags else "basic")
    if source is None:
        return None
    pattern = re.compile(
        rf"(?<!\w)(?:{source})(?!\w)" if "-w" in flags else source, re.IGNORECASE if "-i" in flags else 0
    )
    return _grep_with(pattern, flags)


def _grep_with(pattern: re.Pattern[str], flags: set[str]) -> Filter:
    def run(lines: Lines) -> tuple[Lines, int]:
        hits = [
            (number, line)
            for number, line in enumerate(lines, 1)
            if (pattern.search(line) is not None) != ("-v" in flags)
        ]
        code = 0 if hits else 1
        if "-c" in flags:
            return [str(len(hits))], code
        return [f"{number}:{line}" if "-n" in flags else line for number, line in hits], code

    return run


_MAKERS: dict[str, Callable[[Sequence[str], Sequence[str]], Filter | None]] = {
    "cat": _cat,
    "head": _head,
    "tail": _tail,
    "wc": _wc,
    "sort": _sort,
    "uniq": _uniq,
    "grep": _grep,
}
