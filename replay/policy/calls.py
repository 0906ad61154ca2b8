"""Judging one program call: its words against the program's grammar, its paths against the places of secrets."""

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

from replay.policy import paths
from replay.policy.judgement import Open, Problem, Word, worst
from replay.policy.known import TRUSTED, is_own_client, name_effect
from replay.policy.options import MANY, Answer, Understood, understand
from replay.policy.programs import catalogue
from replay.policy.programs.python import takes_input
from replay.policy.seeking import LOOKS_LIKE_KEYS, SEEKS

_VENV = re.compile(r"(/[\w.@+-]+)*/[\w.-]*env[\w.-]*/bin")
_INTERPRETER = re.compile(r"(python|pip)(3(\.\d{1,2})?)?")
_CALLED = {"echo": ("printf",), "egrep": ("grep", "-E"), "fgrep": ("grep", "-F"), "dpkg": ("dpkg-query",)}
"""What is called in place of a program that is only a front of another one."""
_RECURSIVE = frozenset({"-r", "-R", "--recursive"})
_READS_PIPES = frozenset({"rg"})
"""Programs that read the folders they are started in, unless they are given something to read."""
_DESCENDING = frozenset({"grep", "egrep", "fgrep"})
_FOLLOWS = {
    "find": ({"-L", "-follow"},),
    "ls": ({"-R", "--recursive"}, {"-L", "-H", "--dereference"}),
    "du": ({"-L", "--dereference"},),
}
"""Options, one of each set, with which a program goes through folders and follows the links in them."""
_PLANS = frozenset({"sort"})
"""Programs that take as much memory as files are large, and put the rest elsewhere."""
_GOES_THROUGH = _READS_PIPES | _DESCENDING | _FOLLOWS.keys()


class Judged(NamedTuple):
    """A call as it may be sent; no words if it is not understood."""

    words: tuple[Word, ...] = ()
    problem: Problem | None = None
    note: str = ""


def judge_call(words: Sequence[str], folders: paths.Folders, *, piped: bool = False) -> Judged:
    """Return the canonical words of a call, none if it is not understood, and what speaks against running it.

    `words` are decoded, the program first; `folders` are where relative paths may start; `piped` if another call's
    output is its input.
    """
    name = words[0].rpartition("/")[2]
    if elsewhere := _elsewhere(words, piped=piped):
        return elsewhere
    if piped and name.startswith("python") and not takes_input(words):
        return Judged(problem=Problem("code", f"{name}: is given what another program prints"))
    answer = _judge_cd(words) if name == "cd" else _understand([name, *words[1:]])
    if isinstance(answer, Problem):
        return Judged(problem=answer)
    called = [Word(word, "option") for word in _CALLED.get(name, (words[0],))]
    called[0] = Word(called[0].text, "program")
    if problem := _opened(name, words, answer.words):
        return Judged(problem=problem)
    problem = worst((_places(name, answer.words, folders, piped=piped), answer.asks))
    return Judged((*called, *answer.words), problem, answer.note)


def _opened(name: str, words: Sequence[str], answer: Sequence[Word]) -> Problem | None:
    """Return what speaks against leaving words open: each must still be a path, and a pattern one of any number."""
    opened = [word for word in words if isinstance(word, Open)]
    if not opened:
        return None
    kept = [word for word in answer if isinstance(word.text, Open) and word.role in {"path", "place"}]
    if len(kept) != len(opened):
        return Problem("unknown", f"{name}: {opened[0]} is no path to it")
    if not any(paths.has_pattern(word) for word in opened):
        return None
    ends = next((place for place, word in enumerate(answer) if word == Word("--", "option")), len(answer))
    program = catalogue().get(name)
    many = program is not None and program.most == MANY and program.parse is None
    behind = many and all(place > ends for place, word in enumerate(answer) if paths.has_pattern(word.text))
    whole = all(re.search(r"[^*?./]", word.rpartition("/")[2]) or "/" in word for word in opened)
    safe = whole and (behind or (name == "find" and all(word[0] in "/~" or word[0].isalnum() for word in opened)))
    return None if safe else Problem("unknown", f"{name}: a pattern may become options, or more operands than it takes")


def _elsewhere(words: Sequence[str], *, piped: bool) -> Judged | None:
    """Judge a program that is called by a path outside the system's folders; None for all others."""
    folder, slash, name = words[0].rpartition("/")
    if not slash or folder in TRUSTED:
        return None
    if _VENV.fullmatch(folder) and _INTERPRETER.fullmatch(name) and not piped:
        return _by_own_path(words, f"{words[0]}: runs what lies in a virtual environment")
    if is_own_client(words[0]):
        return _by_own_path(words, f"{words[0]}: a container engine's client by its own path")
    known = name_effect(words)
    own = Problem("unknown", f"{words[0]}: a program by its own path")
    return Judged(problem=known if known.effect != "unknown" else own)


def _by_own_path(words: Sequence[str], reason: str) -> Judged:
    """Judge a program that is known by its name and lies elsewhere: whatever lies there runs, so a person decides."""
    answer = _understand([words[0].rpartition("/")[2], *words[1:]])
    if isinstance(answer, Problem) or any(isinstance(word, Open) for word in words):
        return Judged(problem=answer if isinstance(answer, Problem) else Problem("unknown", reason))
    own = Problem("read-intrusive", reason)
    return Judged((Word(words[0], "program"), *answer.words), worst((answer.asks, own)), answer.note)


def _understand(words: Sequence[str]) -> Answer:
    program = catalogue().get(words[0])
    return name_effect(words) if program is None else understand(program, list(words[1:]))


def _judge_cd(words: Sequence[str]) -> Answer:
    rest = words[2:] if words[1:2] == ["--"] else words[1:]
    if len(rest) != 1 or rest[0].startswith("-") or not rest[0]:
        return Problem("unknown", "cd: only to one folder")
    return Understood((Word("--", "option"), Word(rest[0], "place")))


def _places(name: str, words: Sequence[Word], folders: paths.Folders, *, piped: bool) -> Problem | None:
    """Return the worst that speaks against the places that a call names, reads or goes through."""
    read = [word.text for word in words if word.role == "path" and word.text != "-"]
    shown = [word.text for word in words if word.role == "place"]
    problems = [paths.named(place, folders) for place in (*read, *shown)]
    options = {word.text for word in words if word.role == "option"} if name in _GOES_THROUGH else set()
    if _descends(name, options):
        places = read or ([] if piped and name in _READS_PIPES else ["."])
        problems += [paths.tree(place, folders) for place in places]
        problems += [SEEKS for word in words if places and word.role == "text" and LOOKS_LIKE_KEYS.search(word.text)]
    else:
        problems += [paths.content(place, folders) for place in read]
    if name in _PLANS:
        problems += [paths.unsized(place, folders) for place in read]
    if name in _FOLLOWS and all(not options.isdisjoint(needed) for needed in _FOLLOWS[name]):
        problems += [paths.linked(place, folders) for place in shown or ["."]]
    return worst(problems)


def _descends(name: str, options: Collection[str]) -> bool:
    """Tell whether a call reads all that lies in the folders that it is given."""
    if name in _READS_PIPES:
        return "--files" not in options
    return name == "diff" or (name in _DESCENDING and not _RECURSIVE.isdisjoint(options))
