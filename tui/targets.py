"""The targets file behind the app's screens: read, changed, tried. Whatever is wrong comes back as a message."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual.message import Message

from sessions.errors import NecropsyError
from sessions.models.command import Request
from tui import messages

if TYPE_CHECKING:
    from probes.host.targets import Target, Targets

_LONGEST = 20.0
"""Seconds that the first answer of a target may take."""


def read() -> Message:
    """Return the entries of the targets file, or why it cannot be read."""
    from probes.host import targets  # noqa: PLC0415 - only who replays loads what speaks to hosts

    try:
        return _told(targets.load())
    except NecropsyError as error:
        return messages.Failed.of(error)


def save(asked: messages.TargetSaveAsked) -> Message:
    """Write an entry; return all, or what is wrong with it."""
    from probes.host import editing  # noqa: PLC0415 - as above

    line = asked.target
    fields = {
        "host": line.host,
        "port": int(line.port) if line.port.isdecimal() else line.port,
        "user": line.user,
        "identity": line.identity,
        "recorded": line.recorded,
        "paths": line.paths,
    }
    if wrong := editing.problems(line.name, fields):
        return messages.TargetRefused(wrong)
    try:
        return _told(editing.save(line.name, fields, previous=asked.previous))
    except NecropsyError as error:
        return messages.TargetRefused([error.message])


def remove(asked: messages.TargetRemoveAsked) -> Message:
    """Take an entry out; return the others."""
    from probes.host import editing  # noqa: PLC0415 - as above

    try:
        return _told(editing.remove(asked.name))
    except NecropsyError as error:
        return messages.Failed.of(error)


def attempt(asked: messages.TryAsked) -> Message:
    """Connect to a target, ask what system it is, and return what came of it."""
    from probes.host import targets  # noqa: PLC0415 - as above

    try:
        told = asyncio.run(_first_answer(targets.load().named(asked.name)))
    except NecropsyError as error:
        return messages.Tried(asked.name, reached=False, told=f"{error.message}. {error.hint}".strip())
    return messages.Tried(asked.name, reached=True, told=told)


async def _first_answer(target: "Target") -> str:
    from probes.host.connection import connect  # noqa: PLC0415 - as above

    async with connect(target) as executor:
        completed = await executor.run(Request((("uname", "-srm"),), timeout=_LONGEST))
    if completed.outcome != "completed":
        return f"connected, but: {completed.detail or completed.outcome}"
    return completed.stdout.decode("utf-8", "replace").strip()


def discover(store: Path, asked: messages.DiscoverAsked) -> Message:
    """Look through a target for what a session names by its path, and return what was found."""
    from probes import places  # noqa: PLC0415 - as above
    from probes.host import targets  # noqa: PLC0415 - as above
    from sessions.store.reader import Reader  # noqa: PLC0415 - as above

    try:
        with Reader.open(store) as reader:
            texts = [word for step in reader.steps(asked.session) for one in step.commands for word in one.argv]
        kept = asyncio.run(_look(targets.load().named(asked.name)))
    except NecropsyError as error:
        return messages.Failed.of(error)
    return messages.Discovered(asked.name, [(one.kind, one.recorded, one.there) for one in places.propose(texts, kept)])


async def _look(target: "Target") -> Mapping[str, Any]:
    from probes import places  # noqa: PLC0415 - as above
    from probes.host.connection import connect  # noqa: PLC0415 - as above

    async with connect(target) as executor:
        return await places.look(executor)


def _told(known: "Targets") -> Message:
    from probes.host.targets import default_path  # noqa: PLC0415 - as above

    return messages.TargetsRead([_line(one) for one in known.targets.values()], default_path())


def _line(target: "Target") -> messages.TargetLine:
    return messages.TargetLine(
        name=target.name,
        host=target.host,
        port=str(target.port or ""),
        user=target.user or "",
        identity=str(target.identity or ""),
        recorded=target.recorded,
        paths=target.paths,
    )
