"""Redirections: the few that only join or drop streams, and a literal file as standard input."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from replay.policy import paths
from replay.policy.judgement import Problem
from sessions.shell.syntax import Redirect

_NOWHERE = "/dev/null"


@dataclass(frozen=True, slots=True)
class Streams:
    """Where the streams of one call go."""

    stderr: Literal["keep", "merge", "drop"] = "keep"
    drop_stdout: bool = False
    stdin: str | None = None


def judge_redirects(redirects: Sequence[Redirect], cwd: str | None) -> Streams | Problem:
    """Return where some redirections send the streams, or why they are more than joining and dropping."""
    streams = Streams()
    for redirect in redirects:
        following = _apply(redirect, streams, cwd)
        if isinstance(following, Problem):
            return following
        streams = following
    return streams


def _apply(redirect: Redirect, now: Streams, cwd: str | None) -> Streams | Problem:
    target = redirect.target.value if redirect.target else None
    match (redirect.operator, redirect.fd or "", target):
        case (">" | ">>", "" | "1", "/dev/null"):
            return Streams(now.stderr, drop_stdout=True, stdin=now.stdin)
        case (">" | ">>", "2", "/dev/null"):
            return Streams("drop", now.drop_stdout, now.stdin)
        case (">&", "2", "1"):
            return Streams("drop" if now.drop_stdout else "merge", now.drop_stdout, now.stdin)
        case ("&>" | "&>>" | ">&", "", "/dev/null"):
            return Streams("drop", drop_stdout=True, stdin=now.stdin)
        case ("<", "" | "0", str(path)):
            problem = None if path == _NOWHERE else paths.content(path, cwd)
            return problem or Streams(now.stderr, now.drop_stdout, path)
    return _refuse(redirect)


def _refuse(redirect: Redirect) -> Problem:
    text = redirect.text.strip().split("\n")[0]
    if redirect.operator.startswith("<<"):
        return Problem("unknown", f"text given by {redirect.operator} is not on the list")
    if redirect.operator == ">&" and redirect.target and (redirect.target.value or "").rstrip("-").isdigit():
        return Problem("unknown", f"the redirection {text} is not on the list")
    if ">" in redirect.operator:
        return Problem("writes", f"the redirection {text} writes a file")
    return Problem("unknown", f"the redirection {text} is not on the list")
