"""Where a call runs: all the context that was taken off around it."""

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from sessions.models.command import Command
from sessions.shell.fields import Field

_NO_VARIABLES: Mapping[str, str] = MappingProxyType({})


class Place(NamedTuple):
    """The context of a call; its fields have the meaning of those of Command."""

    host: str | None = None
    user: str | None = None
    sudo: bool = False
    container: str | None = None
    jumps: tuple[str, ...] = ()
    cwd: str | None = None
    env: Mapping[str, str] = _NO_VARIABLES
    merge_stderr: bool = False
    redirects: tuple[str, ...] = ()
    redirects_outside: tuple[str, ...] = ()
    stdin: str | None = None
    timeout: float | None = None
    tty: bool = False
    within: tuple[str, ...] = ()
    unresolved: str | None = None
    exact: bool = True
    """False if part of the text was expanded elsewhere, so that no word of it can be trusted."""
    env_exact: bool = True

    def reach(self, host: str, user: str | None, jumps: tuple[str, ...] = ()) -> "Place":
        """The login shell of another machine, reached from here over `jumps`."""
        passed = (*self.jumps, *((self.host,) if self.host else ()), *jumps)
        return self._outside()._replace(
            host=host,
            user=user,
            sudo=False,
            container=None,
            jumps=passed,
            cwd=None,
            env=_NO_VARIABLES,
            env_exact=True,
        )

    def enter(self, container: str) -> "Place":
        """Inside a container of this machine; one within another is written behind it."""
        inner = f"{self.container}>{container}" if self.container else container
        return self._outside()._replace(container=inner, cwd=None, env=_NO_VARIABLES, env_exact=True)

    def _outside(self) -> "Place":
        return self._replace(redirects=(), redirects_outside=(*self.redirects_outside, *self.redirects))

    def move(self, directory: str) -> "Place":
        """After ``cd directory``."""
        if directory.startswith(("/", "~", "$")) or self.cwd is None:
            return self._replace(cwd=posixpath.normpath(directory))
        return self._replace(cwd=posixpath.normpath(posixpath.join(self.cwd, directory)))

    def doubt(self, reason: str, *, exact: bool | None = None) -> "Place":
        """The same place, but something about it is not known; the first reason stays."""
        return self._replace(unresolved=self.unresolved or reason, exact=self.exact if exact is None else exact)

    def set_variables(self, variables: Mapping[str, str], *, exact: bool = True) -> "Place":
        """With variables set for the call, or exported; not `exact` if a value stands as written."""
        if not variables:
            return self
        return self._replace(env={**self.env, **variables}, env_exact=self.env_exact and exact)


class Position(NamedTuple):
    """Where the next call stands in the step."""

    pipeline: int = 0
    stage: int = 0
    after: str = ""


@dataclass(frozen=True, slots=True)
class Inner:
    """A wrapper was taken off: this is what it runs."""

    fields: list[Field]
    place: Place


@dataclass(frozen=True, slots=True)
class Source:
    """A wrapper was taken off: it has a shell run this text."""

    text: str
    place: Place


@dataclass(frozen=True, slots=True)
class Stop:
    """The call itself is what runs; the place may know more of it, or why nothing more can be known."""

    place: Place


Peeled = Inner | Source | Stop


_NOWHERE = Place()
_OWN = frozenset({"exact", "env_exact"})


def command(fields: list[Field], text: str, place: Place, at: Position) -> Command:
    """The Command of a call that runs in `place`."""
    exact = place.exact and place.env_exact and all(each.exact for each in fields)
    known = {"argv": tuple(each.shown for each in fields), "text": text, "literal": exact, **at._asdict()}
    around = zip(Place._fields, place, _NOWHERE, strict=True)
    known |= {name: value for name, value, usual in around if value != usual and name not in _OWN}
    return Command.model_validate(known)
