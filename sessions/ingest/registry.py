"""The log formats there are: ours and those of other packages, all found in the same way."""

import warnings
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import cast

from sessions.errors import EnvironmentProblem
from sessions.ingest.source import Format

GROUP = "necropsy.formats"

_PARTS = ("name", "agent", "folders", "sniff", "sources", "read")


class BrokenFormat(EnvironmentProblem):
    """An installed package offers a log format that cannot be loaded."""

    title = "Broken format"


@cache
def formats() -> tuple[Format, ...]:
    """Return all formats in the order of their names; one that cannot be loaded is left out with a warning."""
    found = []
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        try:
            found.append(_load(point))
        except BrokenFormat as error:
            warnings.warn(error.message, RuntimeWarning, stacklevel=2)
    return tuple(found)


@cache
def format_named(name: str) -> Format:
    """Return the format that calls itself `name`. Raises BrokenFormat if there is none, or it cannot be loaded."""
    for each in formats():
        if each.name == name:
            return each
    for point in entry_points(group=GROUP, name=name):
        return _load(point)
    raise BrokenFormat(f"no log format {name} is installed", hint="Install the package that reads it.")


def _load(point: EntryPoint) -> Format:
    try:
        module = point.load()
    except Exception as error:
        # Another package's module may fail in any way; that must not take the other formats away.
        raise BrokenFormat(f"the log format {point.name} ({point.value}) cannot be loaded: {error}") from error
    missing = [part for part in _PARTS if not hasattr(module, part)]
    if missing:
        raise BrokenFormat(f"the log format {point.name} ({point.value}) lacks {', '.join(missing)}")
    return cast("Format", module)
