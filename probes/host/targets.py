"""Where a person lets commands run: the targets file, and the hosts of ``~/.ssh/config`` that are named by hand.

    [targets.blackwell]
    host = "gpu1.example.org"               # a name, an address or an alias of ~/.ssh/config
    user = "ops"
    recorded = ["192.0.2.174"]              # hosts of a log that it stands for
    paths = [["/root/ml-env", "/opt/venv"]] # rules for paths: the longest matching prefix wins

No setting ever comes from a log.
"""

import tomllib
from collections.abc import Mapping
from pathlib import Path

from platformdirs import user_config_dir
from pydantic import Field, ValidationError, field_validator

from sessions.errors import BadTargets
from sessions.models.strict import Strict

LOCAL = "local"
"""The name of this machine as a target; it must be given explicitly."""
SANDBOX = "sandbox"
"""The name of a sandbox on this machine: nothing that runs there says anything about another host."""


class Target(Strict):
    """One machine, how to reach it, and which part of a log it stands for."""

    name: str = ""
    host: str = Field(default="", max_length=255)
    port: int | None = Field(default=None, ge=1, le=65535)
    user: str | None = None
    identity: Path | None = None
    """A private key file; without it the agent's and the configured keys are tried."""
    known_hosts: Path | None = None
    """Instead of ``~/.ssh/known_hosts``. Host keys are always verified."""
    ssh_config: bool = True
    """Whether ``~/.ssh/config`` applies too."""
    recorded: tuple[str, ...] = ()
    paths: tuple[tuple[str, str], ...] = ()

    @field_validator("identity", "known_hosts")
    @classmethod
    def _at_home(cls, value: Path | None) -> Path | None:
        return value.expanduser() if value else None

    @field_validator("host")
    @classmethod
    def _no_option(cls, value: str) -> str:
        if value.startswith("-") or any(c.isspace() or not c.isprintable() for c in value):
            raise ValueError("is no host name")
        return value

    @field_validator("paths")
    @classmethod
    def _absolute(cls, value: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
        for rule in value:
            if not all(side.startswith("/") for side in rule):
                raise ValueError(f"both sides of a path rule must be absolute: {list(rule)}")
        recorded = [rule[0].rstrip("/") for rule in value]
        if len(set(recorded)) != len(recorded):
            raise ValueError("two rules for the same recorded path")
        return value


class Targets(Strict):
    """All targets of a file, by name."""

    targets: Mapping[str, Target] = {}

    def named(self, name: str) -> Target:
        """Return the target `name`; one that the file does not know is taken as a host of ``~/.ssh/config``.

        Raises BadTargets where `name` cannot be a host name.
        """
        if name in self.targets:
            return self.targets[name]
        user, at, host = name.rpartition("@")
        try:
            return Target(name=name, host=host, user=user if at else None)
        except ValidationError as error:
            raise BadTargets(f"{name!r} is neither in the targets file nor a host name") from error

    def standing_for(self, recorded: str) -> tuple[Target, ...]:
        """Return the targets that say they stand for the recorded host."""
        return tuple(target for target in self.targets.values() if recorded in target.recorded)


_FIELDS = ", ".join(field for field in Target.model_fields if field != "name")


def default_path() -> Path:
    """Return where the targets file is looked for."""
    return Path(user_config_dir("necropsy")) / "targets.toml"


def load(path: Path | None = None) -> Targets:
    """Return the targets of a file; none if `path` is not given and there is no file at the default place.

    Raises BadTargets with the line or the field that is wrong.
    """
    place = path or default_path()
    try:
        text = place.read_text("utf-8")
    except FileNotFoundError as error:
        if path is None:
            return Targets()
        raise BadTargets(f"{place}: no such file") from error
    except (OSError, UnicodeDecodeError) as error:
        raise BadTargets(f"{place}: cannot be read: {error}") from error
    return parse(text, str(place))


def parse(text: str, place: str) -> Targets:
    """Return the targets that a text names; `place` says in errors whose text it is. Raises BadTargets."""
    try:
        targets = Targets.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise BadTargets(f"{place}: is no TOML: {error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        line = _line(text, first["loc"])
        unknown = first["type"] == "extra_forbidden"
        reason = "unknown setting" if unknown else first["msg"].removeprefix("Value error, ")
        raise BadTargets(f"{place}{line}: {field}: {reason}", hint=f"a target has {_FIELDS}") from error
    named = {name: target.model_copy(update=_defaults(name, target)) for name, target in targets.targets.items()}
    return Targets(targets=named)


def _defaults(name: str, target: Target) -> dict[str, str]:
    return {"name": name, "host": target.host or name}


def _line(text: str, place: tuple[int | str, ...]) -> str:
    """Return ``:LINE`` of the field that `place` names, as well as a search for its words can tell."""
    wanted = [str(part) for part in place[1:] if isinstance(part, str)]
    number = 0
    lines = text.splitlines()
    for word in wanted:
        for at in range(number, len(lines)):
            if word in lines[at]:
                number = at + 1
                break
    return f":{number}" if number else ""
