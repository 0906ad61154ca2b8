"""Judging one program call: its words against the program's grammar, its paths against the places of secrets."""

from collections.abc import Sequence

from replay.policy import paths
from replay.policy.judgement import Problem, Word
from replay.policy.known import name_effect
from replay.policy.options import understand
from replay.policy.programs import catalogue

_TRUSTED = frozenset({"/bin", "/usr/bin", "/sbin", "/usr/sbin", "/usr/local/bin", "/usr/local/cuda/bin"})
_RECURSIVE = frozenset({"-r", "-R", "--recursive"})


def judge_call(words: Sequence[str], cwd: str | None) -> tuple[Word, ...] | Problem:
    """Return the canonical words of a call that only reads, or why it is none.

    `words` are decoded, the program first; `cwd` is where relative paths start (None: the login folder).
    """
    folder, slash, name = words[0].rpartition("/")
    if slash and folder not in _TRUSTED:
        known = name_effect(words)
        return known if known.effect != "unknown" else Problem("unknown", f"{words[0]}: a program by its own path")
    if name == "cd":
        return _judge_cd(words)
    program = catalogue().get(name)
    if program is None:
        return name_effect([name, *words[1:]])
    canonical = understand(program, list(words[1:]))
    if isinstance(canonical, Problem):
        return canonical
    if problem := _places(canonical, cwd):
        return problem
    called = {"echo": "printf", "[": "["}.get(name, words[0])
    return (Word(called, "program"), *canonical)


def _judge_cd(words: Sequence[str]) -> tuple[Word, ...] | Problem:
    rest = words[2:] if words[1:2] == ["--"] else words[1:]
    if len(rest) != 1 or rest[0].startswith("-") or not rest[0]:
        return Problem("unknown", "cd: only to one folder")
    return Word("cd", "program"), Word("--", "option"), Word(rest[0], "place")


def _places(words: Sequence[Word], cwd: str | None) -> Problem | None:
    """Return what speaks against reading the places that a call names."""
    recursive = any(word.role == "option" and word.text in _RECURSIVE for word in words)
    judge = paths.tree if recursive else paths.content
    for word in words:
        if word.role == "path" and word.text != "-" and (problem := judge(word.text, cwd)):
            return problem
    return None
