"""Where a target keeps what a log names by another path: fixed probes of the live host, held against recorded paths.

A proposal is made only where one place fits. Where several do, all are told and none is chosen. No word of the log is
sent to the host: it is asked what it has, and the comparison is made here.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from probes import catalogue, runner
from sessions.errors import HostProblem
from sessions.models.command import Executor

PROBE = "host.places"
_LONGEST = 60.0
"""Seconds that the look may take."""
_PATH = re.compile(r"(?<![\w./-])/[\w.+@%-]+(?:/[\w.+@%-]+)+")
_INTERPRETER = re.compile(r"(?P<prefix>/.+)/bin/(?:python[\d.]*|vllm|pip[\d.]*|gguf-dump)")
_SITE = re.compile(r"(?P<prefix>/.+)/lib/python(?P<version>3\.\d+)/(?:site|dist)-packages(?:/(?P<package>[\w.-]+))?.*")
_SYSTEM = frozenset({"/usr", "/usr/local", ""})
"""Prefixes that stand at the same place everywhere."""
_WEIGHTS = (".gguf", ".safetensors")


@dataclass(frozen=True, slots=True)
class Place:
    """A recorded prefix, and where it may lie on the target: nowhere, at one place, or at several that all fit."""

    kind: str
    """``environment`` or ``model``."""
    recorded: str
    there: tuple[str, ...]


@dataclass
class _Environment:
    versions: set[str]
    packages: set[str]


async def look(executor: Executor, *, python: str = "python3") -> Mapping[str, Any]:
    """Return what the host keeps where: ``environments`` and ``models``, as the probe lists them.

    Raises HostProblem where it cannot be looked at.
    """
    report = await runner.run(executor, catalogue.named(PROBE), way=runner.Way(python, _LONGEST))
    if report.outcome != "completed" or report.document.status != "ok":
        reason = report.document.detail or report.outcome
        raise HostProblem(f"{executor.name} cannot be looked through: {reason}", hint="It needs a python3.")
    return report.document.details


def propose(texts: Iterable[str], found: Mapping[str, Any]) -> tuple[Place, ...]:
    """Return for every recorded environment and model folder in `texts` where it may lie on the host.

    An environment fits if it has the recorded version of Python and all packages that are named in it; a model folder
    if it holds a file of the same name, or, where the log names no file in it, is called the same. One that is there
    under its recorded path fits alone.
    """
    environments, models = _recorded(texts)
    return (*_environments(environments, found["environments"]), *_models(models, found["models"]))


def _recorded(texts: Iterable[str]) -> tuple[dict[str, _Environment], dict[str, set[str]]]:
    environments: dict[str, _Environment] = {}
    models: dict[str, set[str]] = {}
    for path in dict.fromkeys(path for text in texts for path in _PATH.findall(text)):
        if (match := _SITE.fullmatch(path) or _INTERPRETER.fullmatch(path)) and match["prefix"] not in _SYSTEM:
            known = environments.setdefault(match["prefix"], _Environment(set(), set()))
            groups = match.groupdict()
            known.versions |= {groups["version"]} if groups.get("version") else set()
            known.packages |= {groups["package"].partition("-")[0].lower()} if groups.get("package") else set()
        elif path.endswith(_WEIGHTS):
            folder, _, name = path.rpartition("/")
            models.setdefault(folder, set()).add(name)
    return environments, models


def _environments(recorded: Mapping[str, _Environment], found: Sequence[Mapping[str, Any]]) -> Iterator[Place]:
    for prefix, wanted in sorted(recorded.items()):
        fitting = {
            str(one["prefix"])
            for one in found
            if (not wanted.versions or one["version"] in wanted.versions) and wanted.packages <= set(one["packages"])
        }
        fitting = {one for one in fitting if one not in _SYSTEM} or fitting
        yield Place("environment", prefix, (prefix,) if prefix in fitting else tuple(sorted(fitting)))


def _models(recorded: Mapping[str, set[str]], found: Sequence[Mapping[str, Any]]) -> Iterator[Place]:
    for folder, names in sorted(recorded.items()):
        fitting = {str(one["folder"]) for one in found if names <= set(one["files"])}
        alike = {one for one in fitting if PurePosixPath(one).name == PurePosixPath(folder).name}
        fitting = alike if len(alike) == 1 else fitting
        yield Place("model", folder, (folder,) if folder in fitting else tuple(sorted(fitting)))
