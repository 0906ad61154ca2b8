"""The options of git's reading subcommands."""

import re

from replay.policy.judgement import Problem
from replay.policy.options import COUNT, Call, Program
from replay.policy.paths import content
from replay.policy.seeking import seeks_by_git

_NO_PROGRAMS = ("--no-ext-diff", "--no-textconv")
_SHALLOW = ("--ignore-submodules=dirty",)

_RUNS = Problem("code", "runs a program")
_WRITES = Problem("writes", "writes a file")
_SIGNS = Problem("code", "runs a program that checks signatures")
_REFUSED = {
    "--output": _WRITES, "--ext-diff": _RUNS, "--textconv": _RUNS, "--show-signature": _SIGNS,
    "--submodule": _RUNS, "--open-files-in-pager": _RUNS, "--remerge-diff": _WRITES,
}  # fmt: skip
_WHEN = "text"
_DATES = r"[a-z]+(-local|-strict)?|format:[^\n]*"
_NAMED = "oneline|short|medium|full|fuller|reference|email|raw"

_DIFF_FLAGS = (
    "-p -u -s -w -b -R -a -c -m -z --patch --no-patch --raw --patch-with-stat --numstat --shortstat --name-only "
    "--name-status --summary --cc --minimal --patience --histogram --no-color --no-renames --ignore-all-space "
    "--ignore-space-change --ignore-space-at-eol --ignore-blank-lines --check --full-index --binary --exit-code "
    "--quiet --no-prefix --find-copies-harder --pickaxe-all --pickaxe-regex --text --function-context -W --root "
    "--compact-summary --cumulative --no-relative --no-indent-heuristic --indent-heuristic"
)
_DIFF_VALUED = {
    "--unified": COUNT, "--diff-filter": "[A-Za-z*]+", "-S": "text", "-G": "pattern",
    "--inter-hunk-context": COUNT, "--word-diff-regex": "pattern", "-O": r"(?!)",
}  # fmt: skip
_DIFF_OPTIONAL = {
    "--stat": r"[\d,]+", "--color": "never|always|auto", "--word-diff": "[a-z]+", "--color-words": "[^\n]*",
    "--abbrev": r"\d+", "-U": r"\d+", "-M": r"\d+%?", "-C": r"\d+%?", "--find-renames": r"\d+%?",
    "--find-copies": r"\d+%?",
    "--color-moved": "[a-z-]+", "--relative": "[^\n]*", "--dirstat": r"[\w,]+", "--diff-algorithm": "[a-z]+",
}  # fmt: skip
_LOG_FLAGS = (
    "-i --oneline --graph --all --follow --first-parent --no-merges --merges --reverse --abbrev-commit "
    "--no-abbrev-commit --no-decorate --left-right --cherry-pick --cherry-mark --cherry --source --topo-order "
    "--date-order --author-date-order --no-walk --ancestry-path --full-history --simplify-merges --all-match "
    "--invert-grep --regexp-ignore-case -E -F -P --extended-regexp --fixed-strings --perl-regexp --parents --children "
    "--boundary --show-pulls --dense --sparse --relative-date --no-notes --walk-reflogs -g --stdin-is-not-read "
    "--use-mailmap --no-mailmap --simplify-by-decoration --log-size --clear-decorations"
).replace("--stdin-is-not-read ", "")
_LOG_VALUED = {
    "-n": COUNT, "--max-count": COUNT, "--skip": COUNT, "--since": _WHEN, "--after": _WHEN, "--until": _WHEN,
    "--before": _WHEN, "--author": "pattern", "--committer": "pattern", "--grep": "pattern", "--date": _DATES,
    "-L": "pattern", "--exclude": "text", "--min-parents": r"\d+", "--max-parents": r"\d+",
}  # fmt: skip
_LOG_OPTIONAL = {
    "--decorate": "short|full|auto|no", "--branches": "[^\n]*", "--tags": "[^\n]*", "--remotes": "[^\n]*",
    "--pretty": "[^\n]*", "--format": "[^\n]*", "--glob": "[^\n]*", "--decorate-refs": "[^\n]*",
}  # fmt: skip


def _check_format(call: Call) -> Problem | None:
    """A format may ask for a signature check; a bare name may be a setting that does."""
    for form in call.values("--pretty", "--format"):
        if re.search(r"%(>>|[<>w])[|<>]*\([^)]*\d{4}", form):
            return Problem("unknown", "git: the format pads its fields beyond any line")
        if re.search(r"%[-+ ]?G", form) or "signature" in form:
            return Problem("code", "git: the format has a program check signatures")
        if "%" not in form and not re.fullmatch(rf"(t?format:.*|{_NAMED})", form):
            return Problem("unknown", f"git: the format {form!r} is not on the list")
    if any(name in {"--pretty", "--format"} and value is None for name, value in call.options):
        return Problem("unknown", "git: --format without a format")
    return None


def _weigh(call: Call) -> Problem | None:
    """The content of a file in another revision may be as secret as the file.

    It stands behind a stage's number, a date with a colon, or the lines of ``-L``: each colon may be the one.
    """
    words = (*call.operands, *call.values("-L"))
    inner = [word[place + 1 :] for word in words for place, letter in enumerate(word) if letter == ":"]
    return next((problem for path in inner if path and (problem := content(path, (None,)))), None)


_FILTERS = Problem("read-intrusive", "git: reads changed files through the filters that the repository's settings name")
"""A clean filter is any program, under any name: no option turns all of them off."""
RANGE = re.compile(r"[^/.]\.\.\.?[^/.]")
"""Two revisions."""


def _filtered(call: Call) -> Problem | None:
    """What looks at changed files of the working tree runs the repository's clean filters."""
    return _weigh(call) or _FILTERS


def _filtered_unless_recorded(call: Call) -> Problem | None:
    """A difference between what is recorded, the index or two revisions, looks at no file of the working tree."""
    recorded = call.has("--cached", "--staged") or (
        len(call.operands) == 1 and RANGE.search(call.operands[0]) is not None
    )
    return _weigh(call) or (None if recorded else _FILTERS)


def _filtered_if_modified(call: Call) -> Problem | None:
    """Which files are modified is known only once they went through the filters."""
    return _FILTERS if call.has("-m", "--modified") else None


def _command(name: str, flags: str = "", **more: object) -> Program:
    """Return a subcommand's grammar; what every diff refuses is refused in all of them."""
    given = {"operands": ("path",), "dashes": False, "equals": True, "refused": _REFUSED, **more}
    return Program(f"git {name}", flags=flags, **given)  # type: ignore[arg-type]  # the fields of Program


def log(name: str, **more: object) -> Program:
    """Return the grammar of a subcommand that takes the options of a log and of a diff."""
    return _command(
        name, f"{_DIFF_FLAGS} {_LOG_FLAGS}", valued=_DIFF_VALUED | _LOG_VALUED, optional=_DIFF_OPTIONAL | _LOG_OPTIONAL,
        number="-n", fixed=_NO_PROGRAMS, check=_check_format, weigh=_weigh, **more,
    )  # fmt: skip


COMMANDS = {
    "status": _command(
        "status", "-s -b -z --short --branch --long --no-renames --show-stash --ahead-behind --no-ahead-behind",
        optional={"--porcelain": "v[12]|1|2", "-u": "no|normal|all", "--untracked-files": "no|normal|all",
                  "--ignored": "traditional|no|matching", "--column": "never|always"},
        fixed=_SHALLOW, weigh=_filtered,
    ),
    "diff": _command(
        "diff", f"{_DIFF_FLAGS} --cached --staged --merge-base", valued=_DIFF_VALUED, optional=_DIFF_OPTIONAL,
        fixed=(*_NO_PROGRAMS, *_SHALLOW), weigh=_filtered_unless_recorded,
    ),
    "log": log("log"),
    "show": log("show"),
    "shortlog": _command("shortlog", "-s -n -e -c --all --no-merges --summary --numbered --email",
                         valued={"--since": "text", "--until": "text"},
                         least=1),
    "rev-list": _command("rev-list", f"{_LOG_FLAGS} --count --objects", valued=_LOG_VALUED, number="-n", least=0),
    "rev-parse": _command(
        "rev-parse", "--verify --quiet -q --show-toplevel --git-dir --absolute-git-dir --git-common-dir --abbrev-ref "
        "--symbolic-full-name --is-inside-work-tree --is-inside-git-dir --is-bare-repository --show-prefix --show-cdup "
        "--all --branches --tags --remotes --show-object-format --is-shallow-repository --symbolic --revs-only",
        optional={"--short": r"\d+", "--abbrev-ref": "strict|loose", "--path-format": "absolute|relative"},
        operands=("text",),
    ),
    "ls-files": _command(
        "ls-files", "-c -d -m -o -i -s -u -z -t -v --cached --deleted --modified --others --ignored --stage --unmerged "
        "--exclude-standard --full-name --error-unmatch --directory --eol",
        valued={"-x": "text", "--exclude": "text"}, weigh=_filtered_if_modified,
    ),
    "ls-tree": _command("ls-tree", "-r -t -d -l -z --name-only --name-status --full-name --full-tree --long --abbrev"),
    "cat-file": _command("cat-file", "-t -s -e -p", least=1, most=2, operands=("text",), weigh=_weigh),
    "blame": _command(
        "blame", "-s -e -l -t -w -f -n -p --show-email --porcelain --line-porcelain --root --show-name --show-number",
        valued={"-L": "pattern", "--since": "text", "--date": _DATES}, optional={"-M": r"\d+", "-C": r"\d+"},
        fixed=("--no-textconv",), least=1, weigh=_filtered,
    ),
    "describe": _command(
        "describe", "--tags --all --long --always --contains --exact-match --first-parent --debug",
        valued={"--match": "text", "--exclude": "text", "--candidates": COUNT},
        optional={"--abbrev": r"\d+"}, operands=("text",),
    ),
    "merge-base": _command("merge-base", "--is-ancestor --all -a --octopus --fork-point", operands=("text",), least=1),
    "name-rev": _command("name-rev", "--tags --name-only --always", operands=("text",), least=1),
    "show-ref": _command("show-ref", "--heads --tags --head -d --hash -s --verify --quiet -q", operands=("text",)),
    "count-objects": _command("count-objects", "-v -H", operands=(), most=0),
    "check-ignore": _command("check-ignore", "-v -n -q --verbose --no-index", operands=("place",), least=1),
    "check-attr": _command("check-attr", "-a --all", operands=("place",), least=1),
    "diff-tree": _command("diff-tree", f"{_DIFF_FLAGS} -r -t --no-commit-id", valued=_DIFF_VALUED,
                          optional=_DIFF_OPTIONAL, fixed=_NO_PROGRAMS, least=1, weigh=_weigh),
    "diff-index": _command("diff-index", f"{_DIFF_FLAGS} --cached", valued=_DIFF_VALUED, optional=_DIFF_OPTIONAL,
                           fixed=(*_NO_PROGRAMS, *_SHALLOW), least=1, weigh=_filtered_unless_recorded),
    "grep": _command(
        "grep", "-n -i -l -L -w -v -c -h -H -E -F -P -G -q -o -I -a -p -W --cached --name-only --line-number --count "
        "--ignore-case --word-regexp --extended-regexp --fixed-strings --heading --break --no-color --untracked",
        valued={"-e": "pattern", "-A": COUNT, "-B": COUNT, "-C": COUNT, "--max-depth": COUNT, "-m": COUNT},
        operands=("pattern", "path"), least=1, instead=("-e",), number="-C",
        refused={**_REFUSED, "-O": _RUNS}, weigh=lambda call: _weigh(call) or seeks_by_git(call),
    ),
    "version": _command("version", "--build-options", operands=(), most=0),
    "--version": _command("--version", "", operands=(), most=0),
}  # fmt: skip
"""Subcommands by name."""
