"""Reading steps of a plan that look at what its writing steps make: they are sent to the scratch folder."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from replay.policy.judgement import Judgement
from replay.rewrite import PathRules, Rewritten, rewrite
from replay.scratch.calling import STARTS_HERE
from replay.scratch.changes import resolve
from replay.scratch.closure import Files
from replay.scratch.ground import Ground, Ledger, Needs, folder_for, needed
from sessions.models.replay import Scratch
from sessions.models.session import Step

_PATTERN = re.compile(r"[^/]*[*?]")


@dataclass(frozen=True, slots=True)
class Looked:
    """What would run for a step that reads in scratch, and what it needs there."""

    scratch: Scratch
    rewritten: Rewritten
    cwd: str | None
    needs: Needs


@dataclass(frozen=True, slots=True)
class _Moved(PathRules):
    """The rules of a person, and before them the places in scratch of single words."""

    places: Mapping[str, str] = field(default_factory=dict)

    def map(self, path: str) -> str:
        """Return the place of a word."""
        return self.places[path] if path in self.places else PathRules.map(self, path)


def look(step: Step, judgement: Judgement, files: Files, rules: PathRules, ledger: Ledger) -> Looked | str | None:
    """Return how a step reads what is in scratch, why it cannot; None where nothing of what it reads is there."""
    host = judgement.place.host
    words = list(dict.fromkeys(_words(judgement)))
    base = step.cwd if host is None else None
    entered = next((word for word, entering in words if entering), None)
    base = resolve(entered, base, judgement.place.user) if entered is not None else base
    paths = {
        word: _PATTERN.split(resolve(word, base, judgement.place.user), maxsplit=1)[0].rstrip("/") or "/"
        for word, entering in words
        if not entering and (base is not None or word.startswith("/"))
    }
    inside = {word: path for word, path in paths.items() if ledger.behind(path)}
    if not inside and not (base and ledger.behind(base)):
        return None
    ground = Ground.of(step, host, files)
    parted = next((path for path in inside.values() if not _there(path, ground)), None)
    if parted is not None:
        return f"{parted}: only a part of it lies in scratch, where earlier steps of this plan write"
    return _laid_out(_Look(words, inside, base, entered), judgement, ground, rules, ledger)


@dataclass(frozen=True, slots=True)
class _Look:
    words: list[tuple[str, bool]]
    inside: Mapping[str, str]
    base: str | None
    entered: str | None

    def at_home(self, ground: Ground, ledger: Ledger) -> bool:
        """Tell whether the step starts in scratch: its folder is there, or all that it names from it is."""
        relative = [word for word, entering in self.words if not entering and not word.startswith(("/", "~"))]
        if self.base is None:
            return False
        whole = bool(ledger.behind(self.base)) and _there(self.base, ground)
        return whole or (bool(relative) and all(word in self.inside for word in relative))


def _laid_out(
    found: _Look, judgement: Judgement, ground: Ground, rules: PathRules, ledger: Ledger
) -> Looked | str | None:
    home = ground.folder + found.base if found.base and found.at_home(ground, ledger) else None
    if not found.inside and home is None:
        return None
    places = {
        word: word if home and not word.startswith("/") else ground.folder + path + word[len(word.rstrip("/")) :]
        if not _PATTERN.search(word) else ground.folder + resolve(word, found.base)
        for word, path in found.inside.items()
    }  # fmt: skip
    if home and found.entered is not None:
        places[found.entered] = home
    starts = found.base if found.entered is None and _starts_here(judgement, found, places) else None
    cwd = (home or rules.map(starts)) if starts else None
    rewritten = rewrite(judgement, _Moved(rules.rules, places), cwd)
    if rewritten.problem:
        return rewritten.problem
    read = tuple(dict.fromkeys((*found.inside.values(), *([found.base] if home and found.base else []))))
    after = sorted(frozenset().union(*(ledger.behind(path) for path in read)))
    scratch = Scratch(folder=ground.folder, read=read, after=tuple(after))
    return Looked(scratch, rewritten, cwd, needed(read, ground.files))


def _words(judgement: Judgement) -> Iterator[tuple[str, bool]]:
    """Yield the path words of a judged command, and whether each is the folder that it enters."""
    for pipe, lines in zip(judgement.pipes, judgement.roles, strict=True):
        for stage, roles in zip(pipe.stages, lines, strict=True):
            entering = stage.words[0] == "cd"
            named = zip(stage.words, roles, strict=True)
            yield from ((word, entering) for word, role in named if role in {"path", "place"} and word != "-")
            if stage.stdin is not None:
                yield stage.stdin, False


def _starts_here(judgement: Judgement, found: _Look, places: Mapping[str, str]) -> bool:
    """Tell whether it matters in which folder a command starts."""
    relative = any(not places.get(word, word).startswith("/") for word, _ in found.words)
    calls = [
        (stage.words[0], roles)
        for pipe, lines in zip(judgement.pipes, judgement.roles, strict=True)
        for stage, roles in zip(pipe.stages, lines, strict=True)
    ]
    return relative or any(name in STARTS_HERE and {"path", "place"}.isdisjoint(roles) for name, roles in calls)


def _there(path: str, ground: Ground) -> bool:
    return ground.known(path) or ground.whole(path)


def folder_of(judgement: Judgement, files: Files) -> str:
    """Return the scratch folder of the machine that a command was recorded on."""
    return folder_for(files, judgement.place.host)
