"""Which files a recorded call may have changed although its words do not tell how: they are known no longer.

What the policy takes for reading changes nothing. Of every other call, what it names is in doubt, or all that lies in
a folder; of code, what it speaks of, if it writes at all.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from replay.policy.calls import judge_call
from replay.scratch.told.printed import is_open
from sessions.models.command import Command
from sessions.models.replay import EFFECTS

_HARMLESS_NAMES = """
    cd pushd popd exit return set export source . ulimit kill pkill killall wait jobs nvcc gcc g++ cc c++ clang cmake
    chmod chown mkdir touch mypy pyright docker podman kubectl scp ssh pip pip3 apt apt-get systemctl pytest vllm
    nsys ncu
"""
_HARMLESS = frozenset(_HARMLESS_NAMES.split())
"""Programs that leave the content of the files they name as it is, or write only what has another name."""
_TREE_NAMES = "tar unzip rsync find xargs cpio 7z bsdtar ruff black isort prettier patch make parallel"
_TREES = frozenset(_TREE_NAMES.split())
"""Programs that may change anything in the folder they are started in."""
_COPIES = frozenset({"cp", "mv", "install"})
_INTERPRETERS = re.compile(
    r"(python|pypy)[\d.]*|torchrun|accelerate|deepspeed|bash|sh|zsh|dash|node|ruby|eval|trap|nohup"
)
_GIT_NAMES = "add commit push fetch clone init config tag branch remote notes gc worktree"
_GIT_KEEPS = frozenset(_GIT_NAMES.split())
_WRITES = re.compile(
    r"open\s*\([^\n]*,\s*(?:mode\s*=\s*)?[rbf]?['\"][^'\"\n]*[wax+]|write_(?:text|bytes)|\bshutil\b|fileinput|subprocess"
    r"|os\.(?:system|rename|replace|remove|unlink|truncate|popen|link|symlink)|\.(?:unlink|rename|replace|touch)\(|Popen"
    r"|\b(?:json|yaml|pickle|torch|np|numpy)\.(?:dump|safe_dump|save)|\bto_(?:csv|json)|writeFile"
)
_SHELL_WRITES = re.compile(r">|\b(?:sed|perl|tee|mv|cp|rm|ln|patch|git|truncate|install|dd|unlink|ed|ex|gzip|tar)\b")
_PATTERN = re.compile(r"[*?\[$`~]")
_SEEKS = re.compile(r"\b(?:glob|rglob|iglob|walk|listdir|iterdir|scandir)\b|\*\.\w")


@dataclass(frozen=True, slots=True)
class Doubt:
    """What a call may have changed: files of which `texts` speak, and all that lies in one of the `folders`."""

    texts: tuple[str, ...]
    folders: tuple[str, ...] = ()
    code: bool = False
    """Only if the texts, or the scripts that they name, write at all; `script` names one that is itself left alone."""
    script: str = ""


def doubt(command: Command, *, told: bool) -> Doubt | None:
    """Return what a call leaves in doubt; `told`: how it changes what its words name exactly is known already."""
    if command.within and any(map(is_open, command.redirects)):
        return Doubt((), (".",))
    name = command.argv[0].rpartition("/")[2] if command.argv else ""
    if name in _COPIES:
        return _copying(name, command.argv[1:])
    if told:
        return None if command.literal else _of_patterns(command.argv[1:])
    if not name or name in _HARMLESS or _only_reads(command):
        return None
    return _of_git(command.argv[1:]) if name == "git" else _of_others(name, command)


def _of_others(name: str, command: Command) -> Doubt:
    """Return what is in doubt behind a call of which nobody knows what it changes."""
    words = command.argv[1:]
    texts = (*words, command.stdin or "")
    named = tuple(word for word in words if not word.startswith("-"))
    if name in _TREES:
        return Doubt(texts, (".", *named))
    if _INTERPRETERS.fullmatch(name):
        return Doubt(texts, code=True, script=named[0] if named else "")
    if command.argv[0] != name:
        return Doubt(texts, code=True, script=command.argv[0])
    return Doubt(texts) if command.literal else Doubt(texts, _of_patterns(words).folders)


def speaks_of(text: str, name: str) -> bool:
    """Tell whether a text holds the name of a file, in any folder."""
    return name in text and re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-]|\.\w)", text) is not None


def writes(text: str, *, python: bool) -> bool:
    """Tell whether code may write files, as far as its text shows."""
    return _WRITES.search(text) is not None or (not python and _SHELL_WRITES.search(text) is not None)


def seeks(text: str) -> bool:
    """Tell whether code goes through a folder for files of whatever name."""
    return _SEEKS.search(text) is not None


def _only_reads(command: Command) -> bool:
    judged = judge_call(command.argv, (command.cwd,), piped=bool(command.stage))
    effect = judged.problem.effect if judged.problem else "read"
    return bool(judged.words) and EFFECTS.index(effect) < EFFECTS.index("writes")


def _copying(name: str, words: Sequence[str]) -> Doubt | None:
    """The last operand may be a folder: then what lies in it is replaced, all of it by a copy of folders."""
    operands = [word for word in words if not word.startswith("-")]
    options = [word for word in words if word.startswith("-")]
    wide = name == "install" or any(
        re.match(r"-[A-Za-z]*[rRat]|--(recursive|archive|target)", each) for each in options
    )
    if wide or any(_PATTERN.search(word) for word in operands):
        targets = [word.partition("=")[2] for word in options if word.startswith("--target-directory=")]
        return Doubt(tuple(map(_last_name, operands)), (*operands, *targets))
    return Doubt((), tuple(f"{operands[-1]}/{_last_name(source)}" for source in operands[:-1])) if operands else None


def _last_name(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2]


def _of_patterns(words: Sequence[str]) -> Doubt:
    """Return what words may mean that only a shell could tell: files of their names, and all where patterns look."""
    found = [word for word in words if re.search(r"[*?\[]", word) and not word.startswith("-")]
    return Doubt(tuple(words), tuple(re.split(r"[^/]*[*?\[]", word, maxsplit=1)[0] or "." for word in found))


def _of_git(words: Sequence[str]) -> Doubt | None:
    folder = words[1] if tuple(words[:1]) == ("-C",) and len(words) > 1 else "."
    rest = tuple(words[2:] if folder != "." else words)
    while rest[:1] == ("-c",):
        rest = rest[2:]
    if not rest or rest[0] in _GIT_KEEPS or rest[1:2] in {("-b",), ("-c",), ("list",), ("show",)}:
        return None
    return Doubt(rest, (folder,))
