"""Redirections: the few that only join or drop streams, and a literal file as standard input."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from replay.policy import paths
from replay.policy.judgement import Open, Problem
from replay.policy.lines.expanding import Scope, values
from sessions.shell.syntax import Redirect, Simple

_NOWHERE = "/dev/null"


class Streams(NamedTuple):
    """Where the streams of one call go."""

    stderr: Literal["keep", "merge", "drop"] = "keep"
    drop_stdout: bool = False
    stdin: str | None = None


UNTOUCHED = Streams()


def here_text(stage: Simple, scope: Scope) -> str | None:
    """Return the text that a call gets from its command line, None if there is none or only a shell could tell."""
    last = stage.redirects[-1] if stage.redirects else None
    if last is None or last.fd not in {None, "0"}:
        return None
    if last.operator in {"<<", "<<-"} and last.quoted:
        return last.body
    if last.operator != "<<<" or last.target is None:
        return None
    found = values(last.target, scope)
    return None if found is None or len(found) != 1 or isinstance(found[0], Open) else f"{found[0]}\n"


def judge_input(words: Sequence[str], streams: Streams, folders: paths.Folders) -> list[Problem]:
    """Return what speaks against the file that a call is given: ``sort``, wherever it stands, plans by its size."""
    sorts = streams.stdin is not None and any("sort" in word for word in words)
    problem = paths.unsized(streams.stdin, folders) if sorts and streams.stdin else None
    return [problem] if problem else []


def judge_redirects(redirects: Sequence[Redirect], folders: paths.Folders) -> tuple[Streams, list[Problem]]:
    """Return where some redirections send the streams, and what in them is more than joining and dropping."""
    streams, problems = UNTOUCHED, []
    for redirect in redirects:
        following = _apply(redirect, streams)
        if isinstance(following, Problem):
            problems.append(following)
            continue
        streams = following
        if streams.stdin not in {None, _NOWHERE} and redirect.operator == "<":
            problem = paths.content(str(streams.stdin), folders)
            problems += [problem] if problem else []
    return streams, problems


def _apply(redirect: Redirect, now: Streams) -> Streams | Problem:
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
            return Streams(now.stderr, now.drop_stdout, path)
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
