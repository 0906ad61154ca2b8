"""Programs that read text and print it: whole, in part, counted, sorted."""

import re
from collections.abc import Sequence

from replay.policy.judgement import Problem, Word
from replay.policy.options import COUNT, LIST, SIZE, Answer, Call, Program, Understood
from replay.policy.paths import only_plain
from replay.policy.sed import check_sed

_ENDLESS = Problem("unknown", "does not end by itself")
_LISTED = Problem("unknown", "reads a list of further files")
_NO_SPILL = ("-S", "256M", "-T", "/dev/null")
"""So much memory and no folder for temporary files: a larger sort fails instead of writing one."""
_WRITES = Problem("writes", "writes a file")


_NUMBER = re.compile(r"[\w.+-]*")
_NUMBERS = re.compile(r"%[^A-Za-z%]*[hlLqjzt]*[aAdiouxXeEfFgG]")
"""A conversion of a number, in a format of printf."""


def _echo(words: Call) -> Answer:
    """``echo`` differs between shells; ``printf`` does not."""
    escapes = words.options and [name for name, _ in words.options if name in {"-e", "-E"}][-1:] == ["-e"]
    end = "" if words.has("-n") else "\\n"
    form = ("%b" if escapes else "%s") + end
    return Understood((Word(form, "text"), Word(" ".join(words.operands), "text")))


def _parse_echo(words: Sequence[str]) -> Answer:
    """Take leading words of n, e and E for options, as bash does; everything else is text."""
    options: list[tuple[str, str | None]] = []
    rest = list(words)
    while rest and len(rest[0]) > 1 and rest[0][0] == "-" and set(rest[0][1:]) <= set("neE"):
        options += [(f"-{letter}", None) for letter in rest.pop(0)[1:]]
    return _echo(Call(tuple(options), tuple(rest)))


def _parse_printf(words: Sequence[str]) -> Answer:
    rest = list(words[1:] if words[:1] == ["--"] else words)
    if not rest or rest[0].startswith("-"):
        return Problem("unknown", "printf: takes a format, not an option")
    if re.search(r"%[^A-Za-z%]*(\*|\d{4})", rest[0]):
        return Problem("unknown", "printf: a width that is not on the list")
    if re.search(r"%[^A-Za-z%]*[hlLqjzt]*n", rest[0]):
        return Problem("unknown", "printf: %n sets a variable of the shell")
    if _NUMBERS.search(rest[0]) and not all(map(_NUMBER.fullmatch, rest[1:])):
        return Problem("unknown", "printf: some shells calculate what is to be a number")
    return Understood(tuple(Word(word, "text") for word in rest))


def _check_tail(call: Call) -> Problem | None:
    if any(operand.startswith("+") for operand in call.operands[:1]):
        return Problem("unknown", "tail: +N without -n")
    return None


def _check_width(call: Call) -> Problem | None:
    long = [value for value in call.values("-w", "-t") if len(value) > len("9999")]
    return Problem("unknown", f"a width of {long[0]}") if long else None


def _check_tac(call: Call) -> Problem | None:
    if call.operands and "-" not in call.operands:
        return None
    return Problem("writes", "tac: keeps what it is given in a temporary file")


_BACKWARDS = Problem("read-intrusive", "tac: keeps what cannot be read from its end, as in /proc, in a temporary file")


def _weigh_diff(call: Call) -> Problem | None:
    """Two folders may hold secrets, of which all lines are printed that differ."""
    shown = call.has("-r", "--recursive") and not call.has("-q", "--brief") and not only_plain(call.operands)
    return Problem("read-secret", "diff -r: prints what differs in any file of a folder") if shown else None


PROGRAMS = (
    Program(
        "cat",
        flags="-n -b -s -A -E -T -v -e -t -u --number --number-nonblank --squeeze-blank --show-all",
        examples=("cat f", "cat -n a b", "cat"),
    ),
    Program(
        "head",
        flags="-q -v --quiet --verbose",
        valued={"-n": COUNT, "-c": SIZE, "--lines": COUNT, "--bytes": SIZE},
        number="-n",
        examples=("head -5 f", "head -c 100 f", "head -n -3 f", "head --lines=2 f"),
    ),
    Program(
        "tail",
        flags="-q -v --quiet --verbose",
        valued={"-n": COUNT, "-c": SIZE, "--lines": COUNT, "--bytes": SIZE},
        number="-n",
        refused=dict.fromkeys(("-f", "-F", "--follow", "--retry", "--pid"), _ENDLESS),
        check=_check_tail,
        examples=("tail -n 50 f", "tail -20 f", "tail -n +5 f"),
    ),
    Program(
        "wc",
        flags="-l -w -c -m -L --lines --words --bytes --chars --max-line-length",
        refused={"--files0-from": _LISTED},
        examples=("wc -l f", "wc"),
    ),
    Program(
        "sed",
        flags="-n -E -r -s -u -z --quiet --silent --regexp-extended --separate --unbuffered",
        valued={"-e": "text", "--expression": "text"},
        operands=("text", "path"),
        least=1,
        instead=("-e", "--expression"),
        refused={
            "-i": Problem("writes", "edits the file in place"),
            "--in-place": Problem("writes", "edits the file in place"),
            "-f": Problem("code", "runs a script from a file"),
            "--file": Problem("code", "runs a script from a file"),
        },
        fixed=("--sandbox",),
        check=check_sed,
        examples=("sed -n 29,70p f", "sed -n '$p' f", "sed 's/a/b/g' f", "sed -n '/def f/,/return/p' f"),
    ),
    Program(
        "sort",
        flags="-n -r -u -h -V -f -b -g -M -s -c -C -z -d -i -R --numeric-sort --reverse --unique --human-numeric-sort "
        "--version-sort --stable",
        fixed=_NO_SPILL,
        valued={"-k": r"[\d.,bdfgiMhnRrV]+", "-t": r".|\\0", "--key": r"[\d.,bdfgiMhnRrV]+", "--field-separator": "."},
        refused={
            "-o": _WRITES,
            "--output": _WRITES,
            "-T": Problem("writes", "puts temporary files elsewhere"),
            "--compress-program": Problem("code", "runs a program"),
            "--files0-from": _LISTED,
        },
        examples=("sort -n f", "sort -k2,2nr -t , f"),
    ),
    Program(
        "uniq",
        flags="-c -d -u -i -z --count --repeated --unique --ignore-case",
        valued={"-f": COUNT, "-s": COUNT, "-w": COUNT},
        most=1,
        overflow=Problem("writes", "writes its second operand"),
        examples=("uniq -c f",),
    ),
    Program(
        "cut",
        flags="-s -z --complement --only-delimited",
        valued={"-d": ".", "-f": LIST, "-c": LIST, "-b": LIST, "--delimiter": ".", "--fields": LIST,
                "--output-delimiter": "text"},
        examples=("cut -d : -f 1 f", "cut -c1-80"),
    ),
    Program("tr", flags="-d -s -c -C -t", operands=("text",), least=1, most=2, examples=("tr -d x", "tr a b")),
    Program(
        "nl",
        valued={"-b": r"[atn]|p[^{]*", "-w": COUNT, "-s": "text", "-v": COUNT, "-n": "ln|rn|rz"},
        check=_check_width,
        examples=("nl -ba f",),
    ),
    Program("tac", check=_check_tac, asks=_BACKWARDS, asked=("tac f",)),
    Program("rev", dashes=False, examples=("rev f",)),
    Program("fold", flags="-s -b", valued={"-w": COUNT}, check=_check_width, examples=("fold -w 80 f",)),
    Program("paste", flags="-s -z", valued={"-d": "text"}, examples=("paste -sd, f",)),
    Program("column", flags="-t", valued={"-s": "text"}, dashes=False, examples=("column -t f",)),
    Program("strings", flags="-a", valued={"-n": COUNT}, least=1, examples=("strings -n 8 f",)),
    Program(
        "od",
        flags="-c -x -v -b -d -o",
        valued={"-A": "[doxn]", "-t": r"[acdfoux]\w{0,3}", "-N": COUNT, "-j": COUNT},
        examples=("od -A x -t x1 -N 64 f",),
    ),
    Program(
        "diff",
        flags="-u -r -q -N -w -b -B -i -y -c -s -a --brief --unified --recursive --color=never --color=auto",
        valued={"-U": COUNT, "-C": COUNT},
        refused={"-l": Problem("code", "runs pr"), "--paginate": Problem("code", "runs pr")},
        least=2,
        most=2,
        weigh=_weigh_diff,
        examples=("diff -u a b", "diff -rq a b"),
        asked=("diff -r a b",),
    ),
    Program("cmp", flags="-s -l -b", valued={"-n": COUNT}, least=2, most=2, examples=("cmp a b",)),
    Program("comm", flags="-1 -2 -3", least=2, most=2, examples=("comm -12 a b",)),
    *(
        Program(name, flags="-b -t --tag", examples=(f"{name} f",))
        for name in ("md5sum", "sha1sum", "sha256sum", "sha512sum", "cksum")
    ),
    Program("base64", flags="-d --decode -i", valued={"-w": COUNT}, most=1, examples=("base64 -w 0 f",)),
    Program("echo", parse=_parse_echo, examples=("echo '--- label ---'", "echo rm -rf /", "echo -n x")),
    Program("printf", parse=_parse_printf, examples=("printf '%s\\n' a",)),
    Program("true", operands=(), most=0, dashes=False, examples=("true",)),
    Program("false", operands=(), most=0, dashes=False, examples=("false",)),
)  # fmt: skip
"""Readers of text."""
