"""The probes there are: payload files of ours and of other packages, read as text and never imported.

An entry point of the group ``necropsy.probes`` names a package; every ``FAMILY/NAME.py`` in it is a payload whose first
assignment to ``PROBE`` is a literal that says what it is.
"""

import ast
import hashlib
import warnings
from collections.abc import Iterator
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from pydantic import ValidationError

from sessions.errors import EnvironmentProblem, UsageProblem
from sessions.models.probe import Probe

GROUP = "necropsy.probes"


class BrokenProbe(EnvironmentProblem):
    """An installed package offers a probe that cannot be read."""

    title = "Broken probe"


@cache
def probes() -> tuple[Probe, ...]:
    """Return all probes in the order of their names; one that cannot be read is left out with a warning."""
    found: dict[str, Probe] = {}
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        for probe in _offered(point):
            if probe.name in found:
                warnings.warn(f"{point.name} offers a second probe {probe.name}", RuntimeWarning, stacklevel=2)
            found.setdefault(probe.name, probe)
    return tuple(found[name] for name in sorted(found))


def named(name: str) -> Probe:
    """Return the probe `name`. Raises UsageProblem if there is none."""
    for probe in probes():
        if probe.name == name:
            return probe
    raise UsageProblem(f"there is no probe {name}", hint="`necropsy probe list` shows all")


def parse(source: str, origin: str) -> Probe:
    """Return what a payload's text says of itself. Raises BrokenProbe."""
    try:
        raw = _literal(source)
        return Probe.model_validate(
            {**raw, "hypotheses": _suspicions(raw), "source": source, "digest": _digest(source), "origin": origin}
        )
    except (SyntaxError, ValueError, KeyError, TypeError, ValidationError) as error:
        raise BrokenProbe(f"{origin}: no payload that can be read: {error}") from error


def _offered(point: EntryPoint) -> Iterator[Probe]:
    try:
        sources = list(_sources(files(point.value)))
    except (ImportError, OSError, TypeError) as error:
        warnings.warn(
            f"the probes of {point.name} ({point.value}) cannot be read: {error}", RuntimeWarning, stacklevel=3
        )
        return
    for place, source in sources:
        try:
            yield parse(source, f"{point.name}:{place}")
        except BrokenProbe as error:
            warnings.warn(error.message, RuntimeWarning, stacklevel=3)


def _sources(package: Traversable) -> Iterator[tuple[str, str]]:
    for family in sorted(package.iterdir(), key=lambda entry: entry.name):
        if family.is_dir() and family.name.isidentifier() and not family.name.startswith("__"):
            for file in sorted(family.iterdir(), key=lambda entry: entry.name):
                if file.name.endswith(".py") and file.name != "__init__.py":
                    yield f"{family.name}/{file.name}", file.read_text("utf-8")


def _literal(source: str) -> dict[str, Any]:
    for node in ast.parse(source, feature_version=(3, 8)).body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        names = {target.id for target in targets if isinstance(target, ast.Name)}
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value and "PROBE" in names:
            return dict(ast.literal_eval(node.value))
    raise ValueError("it assigns no PROBE")


def _suspicions(raw: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"key": key, **fields} for key, fields in raw.get("hypotheses", {}).items()]


def _digest(source: str) -> str:
    return hashlib.sha256(source.encode()).hexdigest()
