"""grep and its kin."""

from replay.policy.options import COUNT, Program

_FLAGS = (
    "-i -v -n -c -l -L -o -h -H -r -R -w -x -E -F -P -G -s -q -a -I -b -U -z --ignore-case --invert-match "
    "--line-number --count --files-with-matches --files-without-match --only-matching --no-filename --with-filename "
    "--recursive --word-regexp --line-regexp --extended-regexp --fixed-strings --perl-regexp --basic-regexp "
    "--no-messages --quiet --text --color --color=never --color=auto --color=always --colour=never --line-buffered"
)
_VALUED = {
    "-e": "text", "-f": "path", "-m": COUNT, "-A": COUNT, "-B": COUNT, "-C": COUNT, "-d": "read|skip",
    "-D": "read|skip", "--regexp": "text", "--file": "path", "--max-count": COUNT, "--after-context": COUNT,
    "--before-context": COUNT, "--context": COUNT, "--include": "text", "--exclude": "text", "--exclude-dir": "text",
}  # fmt: skip

PROGRAMS = tuple(
    Program(
        name,
        flags=_FLAGS,
        valued=_VALUED,
        operands=("text", "path"),
        least=1,
        number="-C",
        instead=("-e", "-f", "--regexp", "--file"),
        examples=(f"{name} -n 'def forward' f", f"{name} -rn x src", f"{name} -A3 -e a -e b f", f"{name} -5 x"),
    )
    for name in ("grep", "egrep", "fgrep")
)
"""Searchers of text."""
