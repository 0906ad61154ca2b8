"""grep and its kin."""

from replay.policy.judgement import Problem
from replay.policy.options import COUNT, SIZE, Check, Program
from replay.policy.seeking import seeks_by_grep, seeks_by_rg
from replay.regex import Dialect

_FLAGS = (
    "-i -v -n -c -l -L -o -h -H -r -R -w -x -E -F -P -G -s -q -a -I -b -U -z --ignore-case --invert-match "
    "--line-number --count --files-with-matches --files-without-match --only-matching --no-filename --with-filename "
    "--recursive --word-regexp --line-regexp --extended-regexp --fixed-strings --perl-regexp --basic-regexp "
    "--no-messages --quiet --text --color --color=never --color=auto --color=always --colour=never --line-buffered"
)
_VALUED = {
    "-e": "pattern", "-f": "path", "-m": COUNT, "-A": COUNT, "-B": COUNT, "-C": COUNT, "-d": "read|skip",
    "-D": "skip", "--regexp": "pattern",
        "--file": "path", "--max-count": COUNT, "--after-context": COUNT,
    "--before-context": COUNT, "--context": COUNT, "--include": "text", "--exclude": "text", "--exclude-dir": "text",
}  # fmt: skip

_RUNS = Problem("code", "runs a program on every file")
_RG_FLAGS = """
    -n -N -i -S -s -v -w -x -l -c -o -F -P -U -H -I -q -0 -p -a -L -u -uu -. --line-number --no-line-number
    --ignore-case --smart-case --case-sensitive --invert-match --word-regexp --line-regexp --files-with-matches
    --files-without-match --count --count-matches --only-matching --fixed-strings --pcre2 --multiline
    --multiline-dotall --with-filename --no-filename --quiet --null --pretty --text --follow --hidden --no-ignore
    --no-ignore-vcs --heading --no-heading --column --no-messages --trim --vimgrep --json --stats --files
    --one-file-system --type-list --crlf --no-unicode --unrestricted --binary --no-ignore-parent --passthru
    --no-require-git --version -V
"""
_RG = Program(
    "rg",
    flags=_RG_FLAGS,
    valued={
        "-e": "pattern", "-f": "path", "-g": "text", "-t": r"[\w-]+", "-T": r"[\w-]+", "-A": COUNT, "-B": COUNT,
        "-C": COUNT, "-m": COUNT, "-M": COUNT, "-j": r"\d{1,2}", "-r": "text", "-d": COUNT, "--regexp": "pattern",
        "--file": "path",
        "--glob": "text", "--iglob": "text", "--type": r"[\w-]+", "--type-not": r"[\w-]+", "--after-context": COUNT,
        "--before-context": COUNT, "--context": COUNT, "--max-count": COUNT, "--max-columns": COUNT,
        "--max-depth": COUNT, "--replace": "text", "--color": "never|auto|always|ansi", "--sort": "[a-z]+",
        "--sortr": "[a-z]+", "--max-filesize": SIZE, "--context-separator": "text", "--threads": r"\d{1,2}",
        "--engine": "[a-z0-9]+",
    },
    operands=("pattern", "path"),
    instead=("-e", "-f", "--regexp", "--file", "--files", "--type-list", "--version", "-V"),
    least=1,
    fixed=("--no-config",),
    refused=dict.fromkeys(("--pre", "--pre-glob", "--hostname-bin", "-z", "--search-zip", "--hyperlink-format"), _RUNS),
    weigh=seeks_by_rg,
    examples=("rg -n 'compute objects|tags' internal -S", "rg --files src", "rg -tpy -g '!x' -A3 def src", "rg x src"),
)  # fmt: skip

_DIALECTS: dict[str, Dialect] = {"grep": "basic", "egrep": "extended", "fgrep": "fixed"}


def _weigh(dialect: Dialect) -> Check:
    return lambda call: seeks_by_grep(call, dialect)


PROGRAMS = (
    *(
        Program(
            name,
            flags=_FLAGS,
            valued=_VALUED,
            operands=("pattern", "path"),
            least=1,
            number="-C",
            instead=("-e", "-f", "--regexp", "--file"),
            weigh=_weigh(dialect),
            examples=(f"{name} -n 'def forward' f", f"{name} -rn def src", f"{name} -A3 -e a -e b f", f"{name} -5 x"),
        )
        for name, dialect in _DIALECTS.items()
    ),
    _RG,
)
"""Searchers of text."""
