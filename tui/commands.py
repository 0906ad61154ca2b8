"""The bridge from the app to what changes things: the writer and reports; `tui.replays` is that to hosts.

Nothing here knows a widget. Each function is run by a worker and returns or posts the answer as a message.
"""

import getpass
from collections.abc import Callable
from pathlib import Path

from textual.message import Message

from sessions import files
from sessions.errors import NecropsyError
from tui import messages

Work = Callable[[], Message]


def edit(store: Path, asked: messages.EditAsked) -> Message:
    """Store corrections in the name of the login and return the answer."""
    from sessions.store.writer import Writer  # noqa: PLC0415 - the first screen must not wait for it

    try:
        with Writer.open(store) as writer:
            author = getpass.getuser()
            keys = [writer.edit(asked.session, one.key, one.action, one.value, author) for one in asked.edits]
    except NecropsyError as error:
        return messages.Failed.of(error)
    return messages.Edited(asked.session, keys)


def undo(store: Path, asked: messages.UndoAsked) -> Message:
    """Take the login's last corrections back and return the answer."""
    from sessions.store.writer import Writer  # noqa: PLC0415 - as above

    try:
        with Writer.open(store) as writer:
            undone = [writer.undo(asked.session, getpass.getuser()) for _ in range(asked.count)]
    except NecropsyError as error:
        return messages.Failed.of(error)
    return messages.Undone(asked.session, [one for one in undone if one is not None])


def suggest(asked: messages.SuggestionsAsked) -> Message:
    """Return which probes would settle what."""
    from tui.suggestions import suggest  # noqa: PLC0415 - as above

    return messages.Suggested(suggest(asked.tree, asked.title))


def export(store: Path, asked: messages.ExportAsked) -> Message:
    """Write the post-mortem of a session to a file, whole or not at all, and return the answer."""
    from tui.reporting import render  # noqa: PLC0415 - as above

    try:
        text = render(store, asked.session, asked.form)
    except NecropsyError as error:
        return messages.Failed.of(error)
    return _write(asked.path, text)


def _write(path: Path, text: str) -> Message:
    try:
        files.replace(path, text)
    except OSError as error:
        return messages.Failed("Not written", f"{path}: {error.strerror}", "Choose another path.")
    return messages.Exported(path)
