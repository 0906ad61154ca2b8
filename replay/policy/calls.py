"""Judging one program call: its words against the program's grammar, its paths against the places of secrets."""

from collections.abc import Sequence

from replay.policy import paths
from replay.policy.judgement import Problem, Word
from replay.policy.known import name_effect
from replay.policy.options import understand
from replay.policy.programs import catalogue

_TRUSTED = frozenset({"/bin", "/usr/bin", "/sbin", "/usr/sbin", "/usr/local/bin", "/usr/local/cuda/bin"})
_CALLED = {"echo": ("printf",), "egrep": ("grep", "-E"), "fgrep": ("grep", "-F"), "dpkg": ("dpkg-query",)}
"""What is called in place of a program that is only a front of another one."""
_RECURSIVE = frozenset({"-r", "-R", "--recursive"})
_DESCENDING = frozenset({"grep", "egrep", "fgrep", "diff"})


def judge_call(words: Sequence[str], cwd: str | None) -> tuple[tuple[Word, ...], Problem | None]:
    """Return the canonical words of a call, none if it is not understood, and what speaks against running it.

    `words` are decoded, the program first; `cwd` is where relative paths start (None: the login folder).
    """
    folder, slash, name = words[0].rpartition("/")
    if slash and folder not in _TRUSTED:
        known = name_effect(words)
        return (), known if known.effect != "unknown" else Problem("unknown", f"{words[0]}: a program by its own path")
    canonical = _judge_cd(words) if name == "cd" else _understand([name, *words[1:]])
    if isinstance(canonical, Problem):
        return (), canonical
    called = [Word(word, "option") for word in _CALLED.get(name, (words[0],))]
    called[0] = Word(called[0].text, "program")
    return (*called, *canonical), _places(name, canonical, cwd)


def _understand(words: Sequence[str]) -> Sequence[Word] | Problem:
    program = catalogue().get(words[0])
    return name_effect(words) if program is None else understand(program, list(words[1:]))


def _judge_cd(words: Sequence[str]) -> Sequence[Word] | Problem:
    rest = words[2:] if words[1:2] == ["--"] else words[1:]
    if len(rest) != 1 or rest[0].startswith("-") or not rest[0]:
        return Problem("unknown", "cd: only to one folder")
    return [Word("--", "option"), Word(rest[0], "place")]


def _places(name: str, words: Sequence[Word], cwd: str | None) -> Problem | None:
    """Return what speaks against reading the places that a call names."""
    places = [word.text for word in words if word.role == "path" and word.text != "-"]
    judge = paths.content
    if name in _DESCENDING and any(word.role == "option" and word.text in _RECURSIVE for word in words):
        judge, places = paths.tree, places or ["."]
    return next((problem for place in places if (problem := judge(place, cwd))), None)
