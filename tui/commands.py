"""The only bridge from the app to what changes things: the writer, reports, replay. Nothing here knows a widget.

Each function is run by a worker and returns or posts the answer as a message.
"""

import getpass
from collections.abc import Callable
from pathlib import Path

from textual.message import Message

from sessions.errors import NecropsyError
from sessions.models.replay import Plan
from tui import messages

Work = Callable[[], Message]
Post = Callable[[Message], object]


def edit(store: Path, asked: messages.EditAsked) -> Message:
    """Store corrections in the name of the login and return the answer."""
    from sessions.store.writer import Writer  # noqa: PLC0415 - the first screen must not wait for it

    try:
        with Writer.open(store) as writer:
            for one in asked.edits:
                writer.edit(asked.session, one.key, one.action, one.value, getpass.getuser())
    except NecropsyError as error:
        return messages.Failed.of(error)
    return messages.Edited(asked.session)


def export(store: Path, asked: messages.ExportAsked) -> Message:
    """Write the post-mortem of a session to a file, whole or not at all, and return the answer."""
    from sessions.reports.collect import collect  # noqa: PLC0415 - as above
    from sessions.reports.render import RENDERERS  # noqa: PLC0415 - as above
    from sessions.store.reader import Reader  # noqa: PLC0415 - as above

    try:
        with Reader.open(store) as reader:
            text = RENDERERS[asked.form](collect(reader, asked.session))
    except NecropsyError as error:
        return messages.Failed.of(error)
    return _write(asked.path, text)


def _write(path: Path, text: str) -> Message:
    unfinished = path.with_name(path.name + ".part")
    try:
        unfinished.write_text(text, encoding="utf-8")
        unfinished.replace(path)
    except OSError as error:
        return messages.Failed("Not written", f"{path}: {error.strerror}", "Choose another path.")
    return messages.Exported(path)


class Replays:
    """Plans and runs of the app; one run at a time."""

    def __init__(self, store: Path) -> None:
        self._store = store

    def plan(self, asked: messages.PlanAsked) -> Message:
        """Return the plan, or why there is none."""
        raise NotImplementedError

    def start(self, plan: Plan, post: Post) -> None:
        """Carry out `plan`; what happens is posted."""
        raise NotImplementedError

    def cancel(self) -> None:
        """End the run, and what runs on the target with it."""

    async def close(self) -> None:
        """Cancel, and wait until the end is stored."""
