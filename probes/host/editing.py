"""Changing the targets file: one target at a time, everything else in it, comments too, stays as it is."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import tomlkit
from pydantic import ValidationError
from tomlkit.items import Table

from probes.host.targets import LOCAL, SANDBOX, Target, Targets, default_path, parse
from sessions import files
from sessions.errors import BadTargets

Fields = Mapping[str, object]
"""Settings of a target by the names of `Target`; a value that is empty means that nothing is set."""


def problems(name: str, fields: Fields) -> tuple[str, ...]:
    """Return what is wrong with a target, one sentence for each setting; none if it may be saved."""
    found = [f"name: {wrong}"] if (wrong := _wrong_name(name)) else []
    try:
        Target.model_validate({key: value for key, value in fields.items() if value not in ("", (), [], None)})
    except ValidationError as error:
        found += [_sentence(one["loc"], one["msg"]) for one in error.errors()]
    return tuple(found)


def save(name: str, fields: Fields, *, previous: str | None = None, path: Path | None = None) -> Targets:
    """Write a target and return all; `previous` is its name so far, None for a new one. Settings not given stay.

    The file is replaced whole or not at all. Raises BadTargets where the target is not valid, where its name is taken,
    and where the file is not valid or cannot be written.
    """
    if wrong := problems(name, fields):
        raise BadTargets("; ".join(wrong))
    place = path or default_path()
    document, tables = _read(place)
    if name != previous and name in tables:
        raise BadTargets(f"there is a target {name} already")
    table = _table(tables, name, previous)
    for key, value in fields.items():
        _set(table, key, value)
    return _write(place, document)


def remove(name: str, *, path: Path | None = None) -> Targets:
    """Take a target out of the file and return the others. Raises BadTargets where it is not there."""
    place = path or default_path()
    document, tables = _read(place)
    if name not in tables:
        raise BadTargets(f"there is no target {name}")
    tables.remove(name)
    return _write(place, document)


def _wrong_name(name: str) -> str:
    if not name:
        return "a target needs one"
    if name in {LOCAL, SANDBOX}:
        return f"{name} is this machine"
    return "" if name.isprintable() and not any(c.isspace() or c in "[]=@" for c in name) else "holds what no name has"


def _sentence(place: Sequence[int | str], message: str) -> str:
    field = str(place[0]) if place else ""
    return f"{field}: {message.removeprefix('Value error, ')}".removeprefix(": ")


def _read(place: Path) -> tuple[tomlkit.TOMLDocument, Table]:
    try:
        text = place.read_text("utf-8") if place.exists() else ""
    except (OSError, UnicodeDecodeError) as error:
        raise BadTargets(f"{place}: cannot be read: {error}") from error
    parse(text, str(place))
    document = tomlkit.parse(text)
    if "targets" not in document:
        document["targets"] = tomlkit.table(is_super_table=True)
    tables: Any = document["targets"]
    return document, tables


def _table(tables: Table, name: str, previous: str | None) -> Table:
    """Return the table to change: the one under its present name, renamed where it stands, or a new one at the end."""
    if previous is not None and name != previous and previous in tables:
        entries = {name if key == previous else key: tables[key] for key in list(tables)}
        for key in list(tables):
            tables.remove(key)
        for key, entry in entries.items():
            tables.append(key, entry)
    elif name not in tables:
        tables.append(name, tomlkit.table())
    table: Table = tables[name]
    return table


def _set(table: Table, key: str, value: object) -> None:
    if value in ("", (), [], None):
        if key in table:
            table.remove(key)
    elif key not in table or not _same(key, table[key].unwrap(), value):
        table[key] = _item(value)


def _same(key: str, before: object, after: object) -> bool:
    """Tell whether nothing was changed; ``~/key`` is the file that the app shows with its whole path."""
    if key in {"identity", "known_hosts"}:
        return Path(str(before)).expanduser() == Path(str(after)).expanduser()
    return before == _plain(after)


def _plain(value: object) -> object:
    return [_plain(one) for one in value] if isinstance(value, list | tuple) else value


def _item(value: object) -> object:
    """Return a value as TOML; path rules stand on lines of their own."""
    plain = _plain(value)
    if not isinstance(plain, list):
        return plain
    array = tomlkit.array()
    array.extend(plain)
    return array.multiline(len(plain) > 1 and isinstance(plain[0], list))


def _write(place: Path, document: tomlkit.TOMLDocument) -> Targets:
    text = tomlkit.dumps(document)
    targets = parse(text, str(place))
    real = Path(os.path.realpath(place))
    try:
        real.parent.mkdir(parents=True, exist_ok=True)
        files.replace(real, text, mode=real.stat().st_mode & 0o7777 if real.exists() else None)
    except OSError as error:
        raise BadTargets(f"{place}: cannot be written: {error.strerror}") from error
    return targets
