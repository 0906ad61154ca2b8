"""Which recorded paths lie in the scratch folder that the writing steps of a replay share, and what is there when."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from replay.scratch.changes import Place, resolve
from replay.scratch.closure import MOST_BYTES, Files, Rebuilt, Unbuilt, digest
from sessions.models.command import Command
from sessions.models.session import Step

_FOLDER = "/var/tmp/necropsy-"  # noqa: S108 - made there for its owner only, and never if it is there already
TEMPORARY = ("/tmp", "/var/tmp")  # noqa: S108 - recorded names; in scratch they begin empty
_SHARED = re.compile(r"/|/(root|home|home/[^/]+|etc|usr|opt|var|srv|mnt|media|data|boot|proc|sys|dev|run)(/.*)?")
"""Working folders that are not the session's own alone, unless they lie deeper than a home."""
_OWN = re.compile(r"/(root|home/[^/]+|srv|opt|mnt|data)/[^/]+(/.*)?")


@dataclass(slots=True)
class Ground:
    """The scratch folder as one step finds it: recorded paths that lie there, those in it that are known.

    While a step is read, what its own calls make is added.
    """

    folder: str
    work: str | None
    """The recorded working folder, if it is the session's own."""
    files: dict[str, Rebuilt | Unbuilt]
    """What earlier steps wrote, by recorded path."""
    folders: set[str]
    """What earlier steps made."""
    made: set[str] = field(default_factory=set)
    """Files and folders that the step's own calls made by now."""

    @classmethod
    def of(cls, step: Step, host: str | None, files: Files) -> "Ground":
        """Return the ground of a step whose calls ran on a recorded host (None: the agent's own machine)."""
        known = {place.path: told for place, told in files.before(step.ordinal).items() if _on(place, host)}
        folders = {place.path for place in files.folders(step.ordinal) if _on(place, host)}
        own = step.cwd and host is None and (_OWN.fullmatch(step.cwd) or not _SHARED.fullmatch(step.cwd))
        return cls(folder_for(files, host), step.cwd if own else None, known, folders)

    def outside(self, path: str) -> str:
        """Return why a recorded path that is written does not lie in scratch; empty if it does."""
        roots = (*TEMPORARY, *([self.work] if self.work else []))
        if path in self.files or path in self.made or any(under(path, root) and path != root for root in roots):
            return ""
        if any(under(path, folder) for folder in self.folders | self.made):
            return ""
        where = f"neither under /tmp nor in {self.work}" if self.work else "not under /tmp"
        return f"{path} lies outside the scratch folder: it is {where}, and no earlier step wrote it"

    def is_folder(self, path: str) -> bool:
        """Tell whether a recorded path was a folder, as far as the log tells."""
        if path in self.files:
            return False
        return path in TEMPORARY or path in self.folders or path == self.work or self.holds_part(path)

    def holds_part(self, path: str) -> bool:
        """Tell whether something in a recorded folder lies in scratch."""
        return any(under(other, path) and other != path for other in (*self.files, *self.made))

    def whole(self, path: str) -> bool:
        """Tell whether all that was in a folder may lie in scratch: the session made it, or one that it lies in."""
        return any(under(path, root) for root in self.folders | self.made)

    def begins_empty(self, path: str) -> bool:
        """Tell whether nothing of the target is to be seen at a recorded path: its place in scratch begins empty."""
        return self.whole(path) or any(under(path, root) for root in TEMPORARY)

    def known(self, path: str) -> bool:
        """Tell whether a file is there: written by an earlier step, or by an earlier call of this one."""
        return path in self.files or path in self.made


def folder_for(files: Files, host: str | None) -> str:
    """Return the one scratch folder for what a session's steps write on a recorded host."""
    return _FOLDER + digest(f"writes\0{host}\0{files.identity}")[:16]


def under(path: str, folder: str) -> bool:
    """Tell whether a path is a folder or lies in it."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def undecided(word: str, command: Command) -> str:
    """Return why nobody but the target's file system or shell could tell where a path leads; empty if it is plain."""
    if ".." in word.split("/"):
        return f"{word}: only the file system there knows where .. leads"
    if word.startswith("~") and command.user != "root":
        return f"{word}: the home folder is not known"
    if not word.startswith(("/", "~")) and not (command.cwd or "").startswith("/"):
        return f"{word}: starts from a folder that is not known"
    return ""


def recorded_path(word: str, command: Command) -> str:
    """Return the absolute recorded path of a plain word."""
    return resolve(word, command.cwd, command.user)


Needs = Mapping[str, Rebuilt | Unbuilt]
"""What was known of files in scratch before a step, by recorded path."""


def needed(paths: Iterable[str], files: Needs) -> Needs:
    """Return what was known of the files that some recorded paths are, or of those that lie in them."""
    wanted = tuple(paths)
    return {path: told for path, told in files.items() if any(under(path, each) for each in wanted)}


class Ledger:
    """Whose effects lie in scratch: for every recorded path there, the recorded steps that its content comes from."""

    def __init__(self) -> None:
        """Begin with an empty folder."""
        self._held: dict[str, frozenset[int]] = {}
        self._ran: set[int] = set()

    def holds(self, path: str, origins: Iterable[int]) -> bool:
        """Tell whether the effects of all these steps are in a file."""
        return path in self._held and self._held[path].issuperset(origins)

    def rebuilt(self, path: str, origins: Iterable[int]) -> None:
        """Note that a file was put there as the log tells it."""
        self._held[path] = frozenset(origins)

    def wrote(self, step: int, read: Iterable[str], written: Iterable[str]) -> None:
        """Note that a step ran there, that it read some paths and wrote others."""
        places = tuple(written)
        before = [self._held.get(path, frozenset()) for path in (*read, *places)]
        self._ran.add(step)
        self._held.update(dict.fromkeys(places, frozenset({step}).union(*before)))

    def behind(self, path: str) -> frozenset[int]:
        """Return the steps that ran in scratch and whose effects are in a path or in what lies in it."""
        found = (origins for held, origins in self._held.items() if under(held, path))
        return frozenset().union(*found) & frozenset(self._ran)

    def lacking(self, steps: Iterable[int]) -> frozenset[int]:
        """Return those of some steps that did not run there."""
        return frozenset(steps) - self._ran

    def lay(self, needs: Needs, paths: Iterable[str] = ()) -> "Laid | str":
        """Return what it takes that all needs are met, or why they cannot be; `paths` themselves must be there."""
        laid = Laid({}, [])
        exact = frozenset(paths)
        for path, told in needs.items():
            if self.holds(path, told.origins):
                continue
            if isinstance(told, Rebuilt):
                laid.rebuilt[path] = told
            elif not told.gone or path in exact:
                return f"{path} cannot be rebuilt: {told.reason}"
            elif path in self._held:
                laid.gone.append(path)
        large = sum(len(each.content) for each in laid.rebuilt.values()) > MOST_BYTES
        return "the files that it needs are larger than is rebuilt" if large else laid

    def take(self, laid: "Laid") -> None:
        """Note that this was done."""
        for path, told in laid.rebuilt.items():
            self.rebuilt(path, told.origins)
        for path in laid.gone:
            self._held.pop(path, None)


@dataclass(frozen=True, slots=True)
class Laid:
    """Files to be put into scratch as the log tells them, and files to be taken out of it."""

    rebuilt: dict[str, Rebuilt]
    gone: list[str]


def _on(place: Place, host: str | None) -> bool:
    return place.host == host and place.container is None and place.path.startswith("/")
