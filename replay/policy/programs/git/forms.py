"""git's subcommands that read in a few forms only, and what the others do."""

import re
from collections.abc import Sequence

from replay.policy.judgement import Problem
from sessions.models.replay import Effect


def short(words: Sequence[str], forms: Sequence[str]) -> bool:
    """Tell whether words are one of some forms, in which a word is written as a regular expression."""
    return any(
        len(parts) == len(words) and all(re.fullmatch(part, word) for part, word in zip(parts, words, strict=True))
        for parts in (form.split() for form in forms)
    )


_REF = r"[\w][\w./@^~{}*-]*"
_SORT = r"--sort=-?(v|version|refname|(creator|committer|author|tagger)date)(:refname)?"
_KEY = r"[\w-]+(\.[^\s=]+)+"
FORMS = {
    "branch": ("-a", "-r", "-v", "-vv", "-av", "-avv", "-rv", "-a -v", "-a -vv", "--all", "--list", "-l",
               "--show-current", "--remotes", f"(--list|-l) {_REF}", f"(-a|-r|--all) (--list|-l) {_REF}",
               f"(--contains|--merged|--no-merged)(={_REF})?",
               f"(--contains|--merged|--no-merged|--points-at) {_REF}",
               f"(-a|-r|--all|--remotes) (--contains|--merged|--no-merged) {_REF}", "(-a|-r|--all) --list"),
    "tag": ("-l", "--list", "-n", "-n[0-9]+", f"(-l|--list) {_REF}", _SORT, f"{_SORT} -l {_REF}",
            f"(-l|--list) {_REF} {_SORT}", f"(-l|--list) {_SORT}", f"{_SORT} (-l|--list)",
            f"(--contains|--points-at|--merged) {_REF}", f"(-l|--list) (--contains|--points-at) {_REF}"),
    "remote": ("-v", "--verbose", f"get-url {_REF}", f"get-url --all {_REF}"),
    "stash": ("list",),
    "worktree": ("list", "list --porcelain", "list -v"),
    "reflog": (),
    "symbolic-ref": ("HEAD", "--short HEAD", "-q HEAD"),
    "config": ("-l", "--list", "(--global|--local) --list", "--list --show-origin", "(-l|--list) --local", "list",
               "--get-regexp [^-].*", f"(--get|--get-all) {_KEY}",
               f"(--global|--local|--system) (--get|--get-all) {_KEY}",
               _KEY,
               f"(--global|--local|--system) {_KEY}"),
}  # fmt: skip
PRINTS_ALL = Problem("read-secret", "git config: settings may hold tokens")
_BARE = frozenset({"branch", "tag", "remote"})
_SECRET = re.compile(
    "header|token|pass|secret|credential|oauth|proxy|api[-_]?key|cookie|^-l$|^--list$|^list$|^--get-regexp$",
    re.IGNORECASE,
)


def is_bare(name: str, words: Sequence[str]) -> bool:
    """Tell whether a call is a subcommand alone that lists what there is."""
    return name in _BARE and not words


def prints_secrets(name: str, words: Sequence[str]) -> Problem | None:
    """Return what speaks against printing some settings."""
    return PRINTS_ALL if name == "config" and any(_SECRET.search(word) for word in words) else None


_CHANGES: dict[Effect, str] = {
    "destructive": "clean reset rm gc prune filter-branch filter-repo restore checkout switch bisect reflog-expire",
    "system": "push send-email daemon",
    "code": "rebase difftool mergetool submodule hook gui instaweb svn lfs fsmonitor--daemon range-diff",
    "writes": "add commit merge pull fetch clone init mv stash tag branch remote apply am cherry-pick revert worktree "
    "config notes archive bundle repack update-index update-ref read-tree write-tree commit-tree hash-object "
    "maintenance format-patch sparse-checkout symbolic-ref replace pack-refs fsck reflog",
    "unknown": "ls-remote remote-http",
}
_EFFECTS = {name: effect for effect, names in _CHANGES.items() for name in names.split()}


def changes(name: str, words: Sequence[str]) -> Problem:
    """Return what a subcommand does that only reads in other forms, or never."""
    if name == "reset" and not {"--hard", "--merge", "--keep"} & set(words):
        return Problem("writes", "git reset: changes something")
    effect = _EFFECTS.get(name, "unknown")
    return Problem(effect, f"git {name}: {'is not on the list' if effect == 'unknown' else 'changes something'}")
