"""Programs that tell of files, not what stands in them."""

import re
from collections.abc import Sequence

from replay.policy.judgement import Problem, Role, Word
from replay.policy.options import COUNT, FORMAT, SIZE, Answer, Program, Understood, fits

_COMPILES = Problem("writes", "compiles a magic file")
_SPECIAL = Problem("unknown", "reads special files")
_MAGIC = Problem("unknown", "uses another magic file")
_LISTED = Problem("unknown", "reads a list of further files")
_WHEN = r"[+-]?\d+(\.\d+)?[bcwkMG]?"

FIND_TESTS: dict[str, str] = {
    "-name": "text", "-iname": "text", "-path": "text", "-ipath": "text", "-wholename": "text", "-lname": "text",
    "-regex": "pattern", "-iregex": "pattern",
    "-regextype": r"[a-z-]+", "-type": "[bcdpflsD](,[bcdpflsD])*", "-size": _WHEN,
    "-mtime": _WHEN, "-atime": _WHEN, "-ctime": _WHEN, "-mmin": _WHEN, "-amin": _WHEN, "-cmin": _WHEN,
    "-maxdepth": r"\d+", "-mindepth": r"\d+", "-newer": "place", "-anewer": "place", "-samefile": "place",
    "-newermt": "text", "-user": r"[\w-]+", "-group": r"[\w-]+", "-perm": r"[-/]?[\w+=,-]+", "-links": _WHEN,
    "-inum": r"\d+", "-uid": _WHEN, "-gid": _WHEN, "-fstype": r"\w+", "-printf": FORMAT, "-used": _WHEN,
}  # fmt: skip
_FIND_PLAIN = """
    ( ) ! -not -o -or -a -and , -empty -print -print0 -ls -prune -quit -true -false -readable -writable -executable
    -xdev -mount -follow -depth -d -daystart -noleaf -nouser -nogroup
"""
_FIND_WORDS = frozenset(_FIND_PLAIN.split())
_FIND_REFUSED: dict[str, Problem] = {
    "-delete": Problem("destructive", "find -delete: removes files"),
    **{name: Problem("code", f"find {name}: runs a program") for name in ("-exec", "-execdir", "-ok", "-okdir")},
    **{name: Problem("writes", f"find {name}: writes a file") for name in ("-fprint", "-fprint0", "-fprintf", "-fls")},
    "-files0-from": Problem("unknown", "find -files0-from: reads a list of further places"),
}


def _parse_find(words: Sequence[str]) -> Answer:
    refused = [_FIND_REFUSED[word] for word in words if word in _FIND_REFUSED]
    if refused:
        return refused[0]
    found: list[Word] = []
    queue = list(words)
    while queue and queue[0] in {"-L", "-P", "-H"}:
        found.append(Word(queue.pop(0), "option"))
    while queue and not (queue[0].startswith("-") or queue[0] in {"(", "!", ")", ","}):
        found.append(Word(queue.pop(0), "place"))
    while queue:
        test = _find_test(queue)
        if isinstance(test, Problem):
            return test
        found += test
    return Understood(tuple(found))


def _find_test(queue: list[str]) -> list[Word] | Problem:
    word = queue.pop(0)
    if word in _FIND_WORDS:
        return [Word(word, "option")]
    kind = FIND_TESTS.get(word)
    if kind is None:
        return Problem("unknown", f"find: {word!r} is not on the list")
    if not queue or not fits(kind, queue[0]):
        return Problem("unknown", f"find: the value of {word} is not on the list")
    role: Role = "place" if kind == "place" else "text"
    return [Word(word, "option"), Word(queue.pop(0), role)]


_TEST_UNARY = frozenset(["-e", "-f", "-d", "-r", "-w", "-x", "-s", "-L", "-h", "-b", "-c", "-p", "-S"])
_TEST_BINARY = frozenset(["=", "!=", "-eq", "-ne", "-lt", "-le", "-gt", "-ge"])


def _parse_test(words: Sequence[str]) -> Answer:
    """Accept one test of a file, a text or two numbers, with or without ``!``."""
    negation = [Word("!", "option")] if words[:1] == ["!"] else []
    match list(words[len(negation) :]):
        case [operator, path] if operator in _TEST_UNARY:
            return Understood((*negation, Word(operator, "option"), Word(path, "place")))
        case [operator, text] if operator in {"-n", "-z"}:
            return Understood((*negation, Word(operator, "option"), Word(text, "text")))
        case [left, operator, right] if operator in _TEST_BINARY and re.fullmatch(r"[\w./:+-]*", left + right):
            return Understood((*negation, Word(left, "text"), Word(operator, "option"), Word(right, "text")))
    return Problem("unknown", "test: not one of the forms on the list")


def _parse_bracket(words: Sequence[str]) -> Answer:
    if not words or words[-1] != "]":
        return Problem("unknown", "[: no ]")
    inner = _parse_test(words[:-1])
    return inner if isinstance(inner, Problem) else Understood((*inner.words, Word("]", "option")))


PROGRAMS = (
    Program(
        "ls",
        flags="-a -A -l -h -t -r -R -S -d -1 -F -i -n -s -U -X -c -u -Z -g -o -p -q -N -Q -b -v -k -C -x -m -G -L -H "
        "--all --almost-all --human-readable --recursive --reverse --directory --inode --size --full-time --color "
        "--color=never --color=auto --color=always --group-directories-first --no-group --numeric-uid-gid",
        valued={"-I": "text", "-w": COUNT, "-T": COUNT, "--time-style": r"full-iso|long-iso|iso|locale|\+.*",
                "--sort": "size|time|version|extension|none", "--time": "[a-z]+", "--block-size": r"[\w']+",
                "--hide": "text", "--ignore": "text"},
        operands=("place",),
        examples=("ls -la /models", "ls", "ls -1 --color=never d"),
    ),
    Program("find", parse=_parse_find, examples=("find d -maxdepth 2 -name '*.py'", "find . -type f -size +1G -ls")),
    Program(
        "stat",
        flags="-L -f -t --dereference --terse --file-system",
        valued={"-c": FORMAT, "--format": FORMAT, "--printf": FORMAT},
        operands=("place",),
        least=1,
        examples=("stat f", "stat -c '%s %n' f"),
    ),
    Program(
        "df",
        flags="-h -H -T -i -a -k -m -l -P --human-readable --print-type --inodes --total --local",
        valued={"-t": r"\w+", "-x": r"\w+", "-B": SIZE},
        optional={"--output": "[a-z,]+"},
        operands=("place",),
        examples=("df -h", "df -hT /models"),
    ),
    Program(
        "du",
        flags="-s -h -a -c -b -k -m -x -L -D --summarize --human-readable --all --total --bytes --apparent-size "
        "--one-file-system",
        valued={"-d": COUNT, "--max-depth": COUNT, "--exclude": "text", "-t": SIZE, "-B": SIZE},
        operands=("place",),
        refused={"--files0-from": _LISTED},
        examples=("du -sh /models", "du -h --max-depth=1 d"),
    ),
    Program(
        "file",
        flags="-b -i -L -k -h --brief --mime --mime-type --mime-encoding --dereference",
        least=1,
        refused={"-C": _COMPILES, "--compile": _COMPILES, "-s": _SPECIAL, "-f": _LISTED, "-m": _MAGIC},
        check=lambda call: Problem("writes", "file: keeps what it is given in a temporary file")
        if "-" in call.operands
        else None,
        examples=("file -b f",),
    ),
    Program("realpath", flags="-e -m -s -q", operands=("place",), least=1, examples=("realpath f",)),
    Program("readlink", flags="-f -e -m -n -v", operands=("place",), least=1, examples=("readlink -f f",)),
    Program("dirname", operands=("text",), least=1, examples=("dirname /a/b",)),
    Program("basename", flags="-a", valued={"-s": "text"}, operands=("text",), least=1, examples=("basename /a/b .b",)),
    Program("pwd", flags="-P -L", operands=(), most=0, examples=("pwd",)),
    Program("which", flags="-a", operands=(r"[\w.+-]+",), least=1, dashes=False, examples=("which python3",)),
    Program("test", parse=_parse_test, examples=("test -f f",)),
    Program("[", parse=_parse_bracket, examples=("[ -d /models ]",)),
)  # fmt: skip
"""Tellers of files."""
