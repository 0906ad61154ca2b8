"""What lies in the agents' own folders."""

import os
from pathlib import Path
from typing import NamedTuple

from sessions.ingest.registry import formats
from sessions.ingest.sniff import survey
from sessions.ingest.source import Source


class Place(NamedTuple):
    """A folder of an agent with logs in it."""

    agent: str
    path: Path
    sources: tuple[Source, ...]


def known_logs() -> tuple[Place, ...]:
    """Return the folders in which installed formats say that their agents keep logs, and what lies there.

    Folders that are not there, hold no log or may not be read are left out.
    """
    found: dict[tuple[str, Path], list[Source]] = {}
    agents = {each.name: each.agent for each in formats()}
    for folder in _folders():
        for source in survey(folder).sources:
            found.setdefault((agents[source.format], folder), []).append(source)
    return tuple(Place(agent, folder, tuple(sources)) for (agent, folder), sources in found.items())


def _folders() -> list[Path]:
    """Return the outermost of the folders: some formats name one inside another's."""
    named = {_expand(folder) for each in formats() for folder in each.folders}
    present = sorted({folder.resolve() for folder in named if folder is not None and folder.is_dir()})
    return [folder for folder in present if not any(parent in present for parent in folder.parents)]


def _expand(folder: str) -> Path | None:
    """Return the path of ``~`` and ``$VAR``; None where a variable is not set or empty."""
    names = [part[1:] for part in folder.split("/") if part.startswith("$")]
    if not all(os.environ.get(name) for name in names):
        return None
    return Path(os.path.expanduser(os.path.expandvars(folder)))  # noqa: PTH111 - pathlib's fails without a home
