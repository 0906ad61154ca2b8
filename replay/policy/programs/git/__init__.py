"""git's reading subcommands, in a form that no repository's settings can make run a program.

A repository's own configuration names programs: a file system monitor, hooks, pagers, external diffs, text converters,
signature checkers, transports of a lazy fetch, and what runs inside submodules. Each is turned off by name. Clean
filters have names that nobody can list: what reads changed files of the working tree through them is asked about.
"""

from collections.abc import Sequence

from probes.host.script import quote
from replay.policy.judgement import Problem, Word
from replay.policy.options import Answer, Program, Understood, understand
from replay.policy.paths import only_plain
from replay.policy.patterns import explodes
from replay.policy.programs.git.commands import COMMANDS, RANGE, log
from replay.policy.programs.git.forms import FORMS, changes, is_bare, prints_secrets, short
from replay.policy.seeking import SEEKS

_TRANSPORTS = ("ext", "fd", "file", "ftp", "ftps", "git", "http", "https", "ssh")
_SETTINGS = (
    "core.fsmonitor=false", "core.hooksPath=/dev/null", "core.pager=cat", "core.sshCommand=false", "diff.external=",
    "diff.submodule=short", "diff.ignoreSubmodules=dirty", "status.submoduleSummary=false", "submodule.recurse=false",
    "log.showSignature=false", "log.diffMerges=separate", "format.pretty=medium", "gpg.program=false",
    "gpg.ssh.program=false", "gpg.x509.program=false", "filter.lfs.clean=", "filter.lfs.process=",
    "filter.lfs.required=false", "protocol.allow=never",
    *(f"protocol.{transport}.allow=never" for transport in _TRANSPORTS),
)  # fmt: skip
HARDENED = ("--no-pager", "--no-optional-locks", *(word for setting in _SETTINGS for word in ("-c", setting)))
"""Options of git itself that no repository's settings can undo."""


def folded(sent: str) -> str:
    """Return a canonical command line as a person reads it: what hardens git in one word, the whole is what is sent."""
    return sent.replace(" ".join(map(quote, HARDENED)), "[hardened]")


def _parse(words: Sequence[str]) -> Answer:
    """Take the hardened form for what it hardens; put everything else into it."""
    if tuple(words[: len(HARDENED)]) == HARDENED:
        words = words[len(HARDENED) :]
    while words[:1] == ["--no-pager"]:
        words = words[1:]
    if words[:1] == ["-C"] and len(words) > 2:  # noqa: PLR2004 -- a folder and a subcommand
        return _elsewhere(words)
    if not words or (words[0].startswith("-") and words[0] != "--version"):
        return Problem("code", "git: its own options can make it run programs")
    if any(explodes(word) for word in words):
        return Problem("unknown", "git: a pattern repeats repetitions, and would fill the memory")
    found = _subcommand(words[0], list(words[1:]))
    if isinstance(found, Problem):
        return found
    hard = [Word(word, "option") for word in HARDENED]
    return Understood((*hard, Word(words[0], "option"), *found.words), found.asks)


def _elsewhere(words: Sequence[str]) -> Answer:
    """``git -C FOLDER``: another repository than the working folder's; a person decides."""
    rest = _parse(words[2:])
    if isinstance(rest, Problem):
        return rest
    asks = rest.asks or Problem("read-intrusive", "git -C: reads another repository than the one it is started in")
    return Understood((Word("-C", "option"), Word(words[1], "place"), *rest.words), asks)


def _subcommand(name: str, words: list[str]) -> Answer:
    if is_bare(name, words) or short(words, FORMS.get(name, ())):
        return Understood(tuple(Word(word, "text") for word in words), prints_secrets(name, words))
    if _is_shown(name, words):
        return _shown(name, words)
    if name in COMMANDS:
        return _divided(COMMANDS[name], _with_range(words) if name == "diff" else words)
    return changes(name, words)


def _with_range(words: list[str]) -> list[str]:
    """Put ``--`` behind the range that a diff begins with: it could be the name of a file else."""
    place = next((place for place, word in enumerate(words) if not word.startswith("-")), len(words))
    if "--" in words or place == len(words) or not RANGE.search(words[place]):
        return words
    return [*words[: place + 1], *(word for word in words[place + 1 :] if word.startswith("-")), "--",
            *(word for word in words[place + 1 :] if not word.startswith("-"))]  # fmt: skip


_CHANGES_LOG = frozenset({"expire", "delete", "exists", "write", "drop"})


def _is_shown(name: str, words: list[str]) -> bool:
    first = words[0] if words else ""
    return first == "show" if name == "stash" else name == "reflog" and first not in _CHANGES_LOG


def _shown(name: str, words: list[str]) -> Answer:
    """``git reflog show`` and ``git stash show`` take the options of a log."""
    rest = words[1:] if words[:1] == ["show"] else words
    found = _divided(log(f"{name} show"), rest)
    if isinstance(found, Problem):
        return found
    return Understood((Word("show", "option"), *found.words), found.asks)


def _divided(program: Program, words: list[str]) -> Answer:
    """Understand what stands in front of ``--``; behind it are paths."""
    place = words.index("--") if "--" in words else len(words)
    behind = words[place + 1 :]
    if behind and not program.operands:
        return Problem("unknown", f"{program.name}: takes no path")
    found = understand(program, words[:place])
    if isinstance(found, Problem) or place == len(words):
        return found
    asks = None if found.asks is SEEKS and only_plain(behind) else found.asks
    return Understood((*found.words, Word("--", "option"), *(Word(word, "path") for word in behind)), asks)


PROGRAMS = (
    Program(
        "git",
        parse=_parse,
        examples=(
            "git diff --cached -- a b", "git diff --stat HEAD~1..HEAD", "git log --oneline -5",
            "git log -n 3 --pretty=format:'%h %s' -- f",
            "git log --since='2 days ago' --author x", "git show HEAD", "git show HEAD:setup.py",
            "git show --stat --oneline --decorate --no-renames eb766e1", "git branch", "git branch --show-current",
            "git branch -a", "git rev-parse HEAD", "git rev-parse --abbrev-ref HEAD", "git remote -v", "git ls-files",
            "git cat-file -t eb766e1", "git describe --tags --always", "git stash list",
            "git stash show -p", "git worktree list", "git reflog", "git reflog show HEAD -5", "git tag -l 'v1*'",
            "git config user.name", "git config --get remote.origin.url", "git merge-base main HEAD",
            "git grep -n def", "git rev-list --count HEAD", "git ls-tree -r HEAD", "git check-ignore -v f",
            "git shortlog -sn HEAD", "git diff -U5 a..b", "git version", "git --version", "git name-rev HEAD",
            "git show-ref --heads", "git count-objects -v", "git diff-tree -r --name-only HEAD",
            "git diff-index --cached --name-only HEAD", "git symbolic-ref HEAD", "git check-attr -a f", "git tag",
        ),
        asked=(
            "git status", "git status --short", "git status -sb", "git diff", "git diff --", "git diff --stat HEAD~1",
            "git blame -L 266,382 f", "git ls-files -m", "git diff-index --name-only HEAD",
        ),
    ),
)  # fmt: skip
"""The one that tells of histories."""
