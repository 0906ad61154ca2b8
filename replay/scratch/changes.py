"""What a recorded step did to files: contents, replacements, copies, and changes that the log does not hold."""

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from replay.scratch import patches
from replay.scratch.told import doubts, printed
from replay.scratch.told.certain import uncertain
from sessions.models.command import Command
from sessions.models.session import Step

Kind = Literal["whole", "append", "replace", "patch", "copy", "gone", "lost", "seen", "folder", "doubt"]
"""``lost``: changed in a way that the log does not tell; ``seen``: its whole content was printed; ``folder``: made;
``doubt``: any known file of those that `Change.doubt` speaks of may be changed, as seen from the folder `place`."""


@dataclass(frozen=True, slots=True)
class Place:
    """A file of a session: on which machine (None: the agent's own), in which container, under which absolute path."""

    path: str
    host: str | None = None
    container: str | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """What happened to a file in one step."""

    place: Place
    kind: Kind
    text: str = ""
    """The content of ``whole``, ``append`` and ``seen``; why the content is ``lost``."""
    pairs: tuple[tuple[str, str], ...] = ()
    """Old and new text of each replacement, in order."""
    hunks: tuple[patches.Hunk, ...] = ()
    source: Place | None = None
    """From where it was copied."""
    doubt: doubts.Doubt | None = None


_MARKED = re.compile(r"<<<<<<<\n(.*?)\n=======\n(.*?)\n>>>>>>>(?:\n|\Z)", re.DOTALL)
_NUMBERED = re.compile(r"\s*(\d+)(?:→|\t|\| ?)(.*)")
_MOST_LINES = 2000
"""Lines after which agents' tools stop to print a file."""
_WRAPPING = re.compile(r"</?(file|content|path|type)>.*|\(End of file.*\)|<system-reminder>.*")
_IN_PLACE = re.compile(r"-[A-Za-z0]*i|--in-place")
_SCRIPTED = re.compile(r"-[A-Za-z0]*[ef]\Z|--expression=|--file=")
_KEEPING = re.compile(r"(?:-i|--in-place=)([\w.~-]+)")
_WRITES = frozenset({"Write", "write"})
_REPLACES = frozenset({"Edit", "MultiEdit", "edit", "multiedit"})
_REMOTE = re.compile(r"(?:[\w.-]+@)?([\w.-]+):(.*)")


def changes(step: Step) -> tuple[Change, ...]:
    """Return what a step did to files, in order; nothing for one that failed before it did anything."""
    if step.status in {"rejected", "no-result"}:
        return ()
    if step.kind == "edit":
        return tuple(_edited(step)) if step.status == "ok" else ()
    if step.kind == "read":
        return tuple(_read(step))
    return tuple(_ran(step)) if step.kind == "shell" else ()


def resolve(path: str, cwd: str | None, user: str | None = None) -> str:
    """Return `path` as an absolute one; ``~`` of root is known, any other stays."""
    if user == "root" and (path == "~" or path.startswith("~/")):
        path = "/root" + path[1:]
    return path if path.startswith("~") else posixpath.normpath(posixpath.join(cwd or "/~", path))


def _edited(step: Step) -> Iterator[Change]:
    path, _, body = step.command.partition("\n")
    place = Place(resolve(path, step.cwd))
    if step.tool in _WRITES:
        yield Change(place, "whole", body)
    elif "*** Begin Patch" in step.command:
        yield from _patched(step.command, None, step.cwd)
    elif step.tool in _REPLACES:
        pairs = _marked(body) if body.startswith("<<<<<<<\n") else _signed(body)
        untold = _lost(place, "the log does not tell what was replaced")
        yield Change(place, "replace", pairs=pairs) if pairs else untold
    elif path.startswith("/"):
        yield _lost(place, f"{step.tool} changed it in a way that is not known")


def _marked(body: str) -> tuple[tuple[str, str], ...]:
    pairs = tuple((found[1], found[2]) for found in _MARKED.finditer(body))
    whole = "".join(f"<<<<<<<\n{old}\n=======\n{new}\n>>>>>>>\n" for old, new in pairs)
    return pairs if whole.rstrip("\n") == body.rstrip("\n") else ()


def _signed(body: str) -> tuple[tuple[str, str], ...]:
    """Take apart lines that begin with ``-`` (old) and then with ``+`` (new)."""
    pairs: list[tuple[list[str], list[str]]] = []
    for line in body.split("\n"):
        if line[:1] not in {"-", "+"}:
            return ()
        if not pairs or (line[0] == "-" and pairs[-1][1]):
            pairs.append(([], []))
        pairs[-1][line[0] == "+"].append(line[1:])
    if any(not new for _, new in pairs):
        return ()  # whether the line break went too is not told
    return tuple(("\n".join(old), "\n".join(new)) for old, new in pairs)


def _read(step: Step) -> Iterator[Change]:
    """Take a file for known that an agent's own tool printed whole, with its lines numbered from 1."""
    path = step.command.partition("\n")[0]
    if not path.startswith("/") or step.truncated or step.status != "ok":
        return
    lines: list[str] = []
    for line in step.output.split("\n"):
        found = _NUMBERED.fullmatch(line)
        if found and int(found[1]) == len(lines) + 1:
            lines.append(found[2])
        elif line.strip() and not _WRAPPING.fullmatch(line.strip()):
            return
    if lines and len(lines) < _MOST_LINES:
        yield Change(Place(path), "seen", "\n".join(lines) + "\n")


def _ran(step: Step) -> Iterator[Change]:
    if step.commands and step.commands[0].argv:
        yield from _shown(step)
    for number, command in enumerate(step.commands):
        told = list(_called(command))
        for change in told:
            why = uncertain(command, step, number)
            yield _lost(change.place, why) if why else change
        known = bool(told) and command.argv[0].rpartition("/")[2] in _PROGRAMS if command.argv else False
        if left := doubts.doubt(command, told=known):
            at = Place(resolve(".", command.cwd, command.user), command.host, command.container)
            yield Change(at, "doubt", command.argv[0] if command.argv else "a redirection", doubt=left)


def _called(command: Command) -> Iterator[Change]:
    name = command.argv[0].rpartition("/")[2] if command.argv else ""
    if name in _PROGRAMS:
        yield from _PROGRAMS[name](name, command)
    for path, append, text in printed.redirected(command):
        yield _given(_at(path, command), "append" if append else "whole", text)
    for text in command.redirects_outside:
        if target := printed.target_of(text):
            yield _given(Place(resolve(target[0], None)), "append" if target[1] else "whole", None)


def _operands(command: Command) -> list[str]:
    return [word for word in command.argv[1:] if not word.startswith("-") or word == "-"]


def _options(command: Command) -> list[str]:
    return [word for word in command.argv[1:] if word.startswith("-") and word != "-"]


def _patching(_: str, command: Command) -> Iterator[Change]:
    text = command.stdin if command.stdin is not None else " ".join(command.argv[1:])
    yield from _patched(text, command.host, command.cwd)


def _tee(_: str, command: Command) -> Iterator[Change]:
    kind: Kind = "append" if any(re.match(r"-[a-z]*a|--a", option) for option in _options(command)) else "whole"
    yield from (_given(_at(path, command), kind, command.stdin) for path in _operands(command))


def _removed(_: str, command: Command) -> Iterator[Change]:
    yield from (Change(_at(path, command), "gone") for path in _operands(command))


def _in_place(name: str, command: Command) -> Iterator[Change]:
    if any(_IN_PLACE.match(option) for option in _options(command)):
        given = any(_SCRIPTED.match(option) for option in _options(command))
        suffix = next((found[1] for word in _options(command) if (found := _KEEPING.fullmatch(word))), "")
        for path in _operands(command)[-1:] if given else _operands(command)[1:]:
            if suffix:
                yield Change(_at(path + suffix, command), "copy", source=_at(path, command))
            yield _lost(_at(path, command), f"{name} -i changed it")


def _touched(_: str, command: Command) -> Iterator[Change]:
    yield from (Change(_at(path, command), "append") for path in _operands(command))


def _made(_: str, command: Command) -> Iterator[Change]:
    yield from (Change(_at(path, command), "folder") for path in _operands(command))


def _mended(name: str, command: Command) -> Iterator[Change]:
    yield from (_lost(_at(path, command), f"{name} changed it") for path in _operands(command)[:1])


def _shown(step: Step) -> Iterator[Change]:
    """Take a file for known that a step printed whole, and nothing else."""
    command = step.commands[0]
    operands = _operands(command)
    alone = len(step.commands) == 1 and command.literal and not command.redirects and not _options(command)
    fine = not step.truncated and step.exit_code in {None, 0} and step.status == "ok"
    if alone and fine and len(operands) == 1 and operands != ["-"] and command.argv[0] in {"cat", "/bin/cat"}:
        yield Change(_at(operands[0], command), "seen", step.output.rstrip("\n") + "\n")


def _given(place: Place, kind: Kind, text: str | None) -> Change:
    return Change(place, kind, text) if text is not None else _lost(place, "it holds what a program printed")


def _lost(place: Place, why: str) -> Change:
    return Change(place, "lost", why)


def _at(path: str, command: Command) -> Place:
    return Place(resolve(path, command.cwd, command.user), command.host, command.container)


def _copied(name: str, command: Command) -> Iterator[Change]:
    operands = [word for word in _operands(command) if name != "scp" or not word.isdigit()]
    if len(operands) < 2:  # noqa: PLR2004 - a source and a destination
        return
    *sources, last = [_end(word, command) if name == "scp" else _at(word, command) for word in operands]
    into = len(sources) > 1 or operands[-1].endswith(("/", ":", ":.")) or operands[-1] == "."
    for source in sources:
        path = posixpath.join(last.path, posixpath.basename(source.path)) if into else last.path
        yield Change(Place(path, last.host, last.container), "copy", source=source)
        if name == "mv":
            yield Change(source, "gone")


def _end(word: str, command: Command) -> Place:
    """Return one end of an scp: ``[user@]host:path`` or a file of the machine that it ran on."""
    found = _REMOTE.fullmatch(word)
    if found is None:
        return Place(resolve(word, command.cwd))
    user = word.partition("@")[0] if "@" in word else None
    return Place(resolve(found[2], "/root" if user == "root" else None, user), found[1])


def _patched(text: str, host: str | None, cwd: str | None) -> Iterator[Change]:
    kinds: Mapping[str, Kind] = {"add": "whole", "update": "patch", "delete": "gone"}
    for part in patches.parts(text):
        place = Place(resolve(part.path, cwd), host)
        yield Change(place, kinds[part.action], part.content, hunks=part.hunks)
        if part.moved:
            yield Change(Place(resolve(part.moved, cwd), host), "copy", source=place)
            yield Change(place, "gone")


_PROGRAMS: Mapping[str, Callable[[str, Command], Iterator[Change]]] = {
    "apply_patch": _patching,
    "tee": _tee,
    **dict.fromkeys(("rm", "unlink"), _removed),
    "touch": _touched,
    "mkdir": _made,
    "patch": _mended,
    **dict.fromkeys(("sed", "perl"), _in_place),
    **dict.fromkeys(("cp", "mv", "scp"), _copied),
}
