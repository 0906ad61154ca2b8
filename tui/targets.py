"""The targets file behind the app's screens: read, and what is wrong with it as a message."""

from typing import TYPE_CHECKING

from textual.message import Message

from sessions.errors import NecropsyError
from tui import messages

if TYPE_CHECKING:
    from probes.host.targets import Target


def read() -> Message:
    """Return the entries of the targets file, or why it cannot be read."""
    from probes.host import targets  # noqa: PLC0415 - only who replays loads what speaks to hosts

    try:
        known = targets.load()
    except NecropsyError as error:
        return messages.Failed.of(error)
    return messages.TargetsRead([_line(one) for one in known.targets.values()], targets.default_path())


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
