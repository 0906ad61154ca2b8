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
from replay.scratch.told import doubts
from replay.scratch.told.named import names
from sessions.ingest.secrets import MARK
from sessions.models.session import Step

MOST_BYTES = 4 * 1024 * 1024
"""Of all files of one closure."""


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
    """Removed, or perhaps changed by what then ran: not what the step itself wrote for it."""
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
        changed = (
            _apply(states, number, change) if change.doubt is None else _doubt(states, number, change, change.doubt)
        )
        for place in changed:
            if states[place].written:
                gone = change.kind == "gone" or (change.doubt is not None and change.doubt.code)
                entry = _Entry(number, gone, _told(place, states[place]))
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
                if place not in needed and names(text, around, place):
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


def _doubt(states: dict[Place, _State], number: int, change: Change, left: doubts.Doubt) -> Sequence[Place]:
    """Forget what is known of every file that a call may have changed; return which they are."""
    here = change.place
    known = [place for place, state in states.items() if state.content is not None and _beside(place, here)]
    scripts = [place for place in known if left.script and place.path == resolve(left.script, here.path)]
    texts = (*left.texts, *(states[place].content or "" for place in scripts))
    folders = [resolve(folder, here.path) for folder in left.folders]
    if left.code:
        python = any(place.path.endswith(".py") for place in scripts) or change.text.rpartition("/")[2][:6] == "python"
        if not any(doubts.writes(text, python=python) for text in texts):
            return ()
        folders += [here.path] if any(map(doubts.seeks, texts)) else []
    changed = [place for place in known if place not in scripts and _in_doubt(place, folders, texts)]
    for place in changed:
        states[place].content, states[place].origins = None, (*states[place].origins, number)
        states[place].reason = f"step {number}: {change.text} may have changed it"
    return changed


def _in_doubt(place: Place, folders: Sequence[str], texts: Sequence[str]) -> bool:
    within = any(place.path == folder or place.path.startswith(folder.rstrip("/") + "/") for folder in folders)
    return within or any(doubts.speaks_of(text, posixpath.basename(place.path)) for text in texts)


def _beside(place: Place, other: Place) -> bool:
    return (place.host, place.container) == (other.host, other.container)


def _remove(states: dict[Place, _State], number: int, gone: Place) -> Sequence[Place]:
    """Remove a file, or all that lies in a folder; return what that is."""
    removed = [place for place in states if place == gone or _lies_in(place, gone)]
    for place in removed:
        state = states[place]
        state.content, state.origins, state.reason = None, (number,), f"step {number} removed it"
        state.gone = True
    return removed


def _lies_in(place: Place, folder: Place) -> bool:
    return _beside(place, folder) and place.path.startswith(folder.path + "/")


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
