"""The files that a step needs and earlier steps of its session wrote: rebuilt, or named with the reason why not.

    closure = Files(steps).closure(step)

A file is needed if the step names it, or a needed file does: by its path, by its path from the folder the step runs in,
or as a Python module beside it. What the session did not write is the target's own and is not listed, but for a script
that the step runs.
"""

import hashlib
import posixpath
import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from replay.scratch import patches
from replay.scratch.changes import Change, Place, changes, resolve
from sessions.ingest.secrets import MARK
from sessions.models.session import Step

MOST_BYTES = 4 * 1024 * 1024
"""Of all files of one closure."""
_IMPORT = re.compile(r"^\s*import\s+([\w., \t]+)", re.MULTILINE)
_FROM = re.compile(r"^\s*from\s+\.?([\w.]*)\s+import\s+\(?([\w., \t]+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """A file as it stood before a step, and the steps that its content comes from."""

    place: Place
    content: str
    origins: tuple[int, ...]

    @property
    def digest(self) -> str:
        """The SHA-256 of the content."""
        return digest(self.content)


@dataclass(frozen=True, slots=True)
class Unbuilt:
    """A file that a step needs and that cannot be rebuilt."""

    place: Place
    origins: tuple[int, ...]
    reason: str
    gone: bool = False
    """It was removed, and not written again."""


@dataclass(frozen=True, slots=True)
class Closure:
    """What a step needs of what its session wrote."""

    files: tuple[Rebuilt, ...] = ()
    absent: tuple[Unbuilt, ...] = ()


@dataclass
class _State:
    content: str | None = None
    origins: tuple[int, ...] = ()
    reason: str = ""
    written: bool = False
    """Some step changed it; before that its content is only known."""
    gone: bool = False


@dataclass(frozen=True, slots=True)
class _Entry:
    """A file as one change left it."""

    step: int
    gone: bool
    told: Rebuilt | Unbuilt


class Files:
    """What the steps of a session did to files: every change is followed once, whatever is asked afterwards."""

    def __init__(self, steps: Sequence[Step]) -> None:
        """Take the steps of one session, in order."""
        self._history: dict[Place, list[_Entry]] = {}
        self._folders: list[tuple[int, Place]] = []
        self.identity = digest("\0".join(step.command for step in steps))
        """Of the session: the same for the same steps."""
        states: dict[Place, _State] = {}
        for step in steps:
            for change in () if step.abandoned else changes(step):
                self._follow(states, step.ordinal, change)

    def _follow(self, states: dict[Place, _State], number: int, change: Change) -> None:
        if change.kind == "folder":
            self._folders.append((number, change.place))
            return
        for place in _apply(states, number, change):
            if states[place].written:
                entry = _Entry(number, change.kind == "gone", _told(place, states[place]))
                self._history.setdefault(place, []).append(entry)

    def before(self, ordinal: int) -> Mapping[Place, Rebuilt | Unbuilt]:
        """Return every file that was written before a step, as it stood then."""
        found = {
            place: entries[bisect_left(entries, ordinal, key=lambda entry: entry.step) - 1]
            for place, entries in self._history.items()
            if entries[0].step < ordinal
        }
        return {place: entry.told for place, entry in found.items()}

    def folders(self, ordinal: int) -> frozenset[Place]:
        """Return the folders that steps before this one made."""
        return frozenset(place for number, place in self._folders if number < ordinal)

    def closure(self, step: Step) -> Closure:
        """Return what a step needs of the files that were written before it, and what of that cannot be rebuilt.

        A script that the step runs by name is named too if no step wrote it.
        """
        known = {**self.before(step.ordinal), **self._within(step)}
        needed: dict[Place, Rebuilt | Unbuilt] = {}
        seeds = [(text, place) for text, place in _mentions(step)]
        for script in _scripts(step):
            if script not in known:
                needed[script] = Unbuilt(script, (), "no earlier step of the session wrote it")
        while seeds:
            text, around = seeds.pop()
            for place, file in known.items():
                if place not in needed and _names(text, around, place):
                    needed[place] = file
                    if isinstance(file, Rebuilt):
                        seeds.append((file.content, Place(posixpath.dirname(place.path), place.host, place.container)))
        files = tuple(each for each in needed.values() if isinstance(each, Rebuilt))
        absent = tuple(each for each in needed.values() if isinstance(each, Unbuilt))
        if sum(len(each.content) for each in files) > MOST_BYTES:
            large = (Unbuilt(each.place, each.origins, "larger than is rebuilt") for each in files)
            return Closure((), (*absent, *large))
        return Closure(files, absent)

    def _within(self, step: Step) -> Mapping[Place, Rebuilt | Unbuilt]:
        """Return the files that the step itself writes before it uses them: ``cat >f <<E … E; python f; rm f``."""
        return {
            place: entry.told
            for place, entries in self._history.items()
            for entry in entries[bisect_left(entries, step.ordinal, key=lambda entry: entry.step) :]
            if entry.step == step.ordinal and not entry.gone
        }


def digest(text: str) -> str:
    """Return the SHA-256 of a text."""
    return hashlib.sha256(text.encode()).hexdigest()


def _told(place: Place, state: _State) -> Rebuilt | Unbuilt:
    origins = tuple(dict.fromkeys(state.origins))
    if state.content is None:
        return Unbuilt(place, origins, state.reason, state.gone)
    if MARK in state.content:
        return Unbuilt(place, origins, "held a secret that was not kept")
    return Rebuilt(place, state.content, origins)


def _apply(states: dict[Place, _State], number: int, change: Change) -> Sequence[Place]:
    """Take a change into account; return the places that it changed."""
    state = states.setdefault(change.place, _State())
    state.gone = change.kind == "gone"
    match change.kind:
        case "seen":
            if state.content is None or state.content.rstrip("\n") != change.text.rstrip("\n"):
                state.content, state.origins, state.reason = change.text, (number,), ""
            return (change.place,)
        case "whole":
            state.content, state.origins = change.text, (number,)
        case "gone":
            state.written = True
            return _remove(states, number, change.place)
        case "lost":
            state.content, state.origins = None, (*state.origins, number)
            state.reason = f"step {number}: {change.text}"
        case "copy":
            _copy(states, number, change)
        case _:
            _edit(state, number, change)
    state.written = True
    return (change.place,)


def _remove(states: dict[Place, _State], number: int, gone: Place) -> Sequence[Place]:
    """Remove a file, or all that lies in a folder; return what that is."""
    removed = [place for place in states if place == gone or _lies_in(place, gone)]
    for place in removed:
        state = states[place]
        state.content, state.origins, state.reason = None, (number,), f"step {number} removed it"
        state.gone = True
    return removed


def _lies_in(place: Place, folder: Place) -> bool:
    beside = (place.host, place.container) == (folder.host, folder.container)
    return beside and place.path.startswith(folder.path + "/")


def _copy(states: dict[Place, _State], number: int, change: Change) -> None:
    state, source = states[change.place], states.get(change.source) if change.source else None
    state.origins = (*(source.origins if source else ()), number)
    state.content = source.content if source else None
    if state.content is None:
        origin = change.source.path if change.source else ""
        state.reason = f"step {number} copied it from {origin}, of which the content is not known"


def _edit(state: _State, number: int, change: Change) -> None:
    state.origins = (*state.origins, number)
    if change.kind == "append" and (state.content is not None or not state.written):
        state.content = (state.content or "") + change.text if state.content is not None else None
        state.reason = state.reason or f"step {number} appends to a file of which the content is not known"
        return
    if state.content is None:
        state.reason = state.reason or f"step {number} changes a file of which the content is not known"
        return
    edited = patches.apply(state.content, change.hunks) if change.kind == "patch" else _replaced(state.content, change)
    state.content = edited
    if edited is None:
        state.reason = f"what step {number} replaces does not stand in what is known of it"


def _replaced(content: str, change: Change) -> str | None:
    for old, new in change.pairs:
        if not old:
            if content:
                return None
            content = new
        elif old not in content:
            return None
        else:
            content = content.replace(old, new)
    return content


def _mentions(step: Step) -> Iterator[tuple[str, Place]]:
    """Yield the words and texts of a step, each with the folder that it is read in."""
    for command in step.commands:
        folder = Place(resolve(command.cwd or "/~", None), command.host, command.container)
        yield "\n".join(command.argv), folder
        if command.stdin is not None:
            yield command.stdin, folder


def _scripts(step: Step) -> Iterator[Place]:
    for command in step.commands:
        name = command.argv[0].rpartition("/")[2] if command.argv else ""
        operand = next((word for word in command.argv[1:] if not word.startswith("-")), None)
        given = any(word in {"-c", "-m"} for word in command.argv[1:])
        if re.fullmatch(r"python[\d.]*|bash|sh", name) and operand and not given and command.stdin is None:
            yield Place(resolve(operand, command.cwd, command.user), command.host, command.container)


def _names(text: str, around: Place, place: Place) -> bool:
    """Tell whether a text that is read in the folder `around` speaks of the file `place`."""
    if (around.host, around.container) != (place.host, place.container):
        return False
    names = [place.path]
    folder = around.path.rstrip("/") + "/"
    if place.path.startswith(folder):
        names.append(place.path.removeprefix(folder))
    if any(re.search(rf"(?<![\w./-]){re.escape(name)}(?![\w/-]|\.\w)", text) for name in names):
        return True
    if place.path.startswith("/root/") and re.search(rf"(?<![\w./-])~{re.escape(place.path[5:])}(?![\w/-]|\.\w)", text):
        return True
    if not place.path.endswith(".py") or not place.path.startswith(folder):
        return False
    module = place.path.removeprefix(folder).removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    return any(found == module or found.startswith(module + ".") for found in _imports(text))


def _imports(text: str) -> Iterator[str]:
    """Yield the dotted names of the modules that a Python text may import."""
    for names in _IMPORT.findall(text):
        yield from (name.split()[0] for name in names.split(",") if name.split())
    for package, names in _FROM.findall(text):
        yield package
        yield from (f"{package}.{name.split()[0]}".lstrip(".") for name in names.split(",") if name.split())
