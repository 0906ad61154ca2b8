"""The only bridge from the app to what changes things: the writer, reports, replay. Nothing here knows a widget.

Each function is run by a worker and returns or posts the answer as a message.
"""

import asyncio
import getpass
from collections.abc import Callable
from contextlib import aclosing, closing, suppress
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

from textual.message import Message

from sessions.errors import NecropsyError
from sessions.models.replay import Plan
from sessions.store.rows import RunRow
from tui import messages

if TYPE_CHECKING:
    from probes.host.targets import Target
    from replay.progress import Progress

Work = Callable[[], Message]
Post = Callable[[Message], object]


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
    unfinished = path.with_name(path.name + ".part")
    try:
        unfinished.write_text(text, encoding="utf-8")
        unfinished.replace(path)
    except OSError as error:
        return messages.Failed("Not written", f"{path}: {error.strerror}", "Choose another path.")
    return messages.Exported(path)


class Replays:
    """Plans and runs of the app, one run at a time, each in a thread with a loop of its own: the screen never waits."""

    def __init__(self, store: Path) -> None:
        self._store = store
        self._target: Target | None = None
        self._run: _Run | None = None

    def plan(self, asked: messages.PlanAsked) -> Message:
        """Return the plan, or why there is none. Nothing is contacted."""
        from probes.host import targets  # noqa: PLC0415 - only a replay loads what speaks to hosts
        from replay.plan import Hosts, Selection, build_plan  # noqa: PLC0415 - as above
        from sessions.store.reader import Reader  # noqa: PLC0415 - as above

        try:
            self._target = target = targets.load().named(asked.target)
            with Reader.open(self._store) as reader:
                chosen = Selection(steps=frozenset(asked.steps))
                return messages.Planned(build_plan(reader, asked.session, target, chosen, Hosts(asked.mapping)))
        except NecropsyError as error:
            return messages.Failed.of(error)

    def start(self, plan: Plan, post: Post) -> None:
        """Carry out the plan that was made last; what happens is posted."""
        if self._target is not None and (self._run is None or not self._run.is_alive()):
            self._run = _Run(self._store, self._target, plan, post)
            self._run.start()

    def cancel(self) -> None:
        """End the run, and what runs on the target with it."""
        if self._run is not None:
            self._run.cancel()

    async def close(self) -> None:
        """Cancel, and wait until the end is stored."""
        if self._run is not None:
            self._run.cancel()
            await asyncio.to_thread(self._run.join)


class _Run(Thread):
    """One run of a plan."""

    def __init__(self, store: Path, target: "Target", plan: Plan, post: Post) -> None:
        super().__init__(name=f"replay on {plan.target}")
        self._store = store
        self._host = target
        self._plan = plan
        self._post = post
        self._loop = asyncio.new_event_loop()
        self._task = self._loop.create_task(self._carry_out())
        self._number: int | None = None

    def run(self) -> None:
        """Run the plan to its end."""
        with closing(self._loop):
            self._loop.run_until_complete(self._task_to_end())

    def cancel(self) -> None:
        """End it, wherever it is."""
        if self.is_alive():
            with suppress(RuntimeError):  # it ended by itself in this moment
                self._loop.call_soon_threadsafe(self._task.cancel)

    async def _task_to_end(self) -> None:
        try:
            cancelled = await self._was_cancelled()
            self._post(messages.Finished(self._stored(), cancelled))
        except NecropsyError as error:
            self._post(messages.Failed.of(error))
        except Exception as error:  # noqa: BLE001 - a thread has nobody above it to tell; the screen must not wait forever
            self._post(messages.Failed("A bug of ours", f"{type(error).__name__}: {error}", "Please report it."))

    async def _was_cancelled(self) -> bool:
        try:
            await self._task
        except asyncio.CancelledError:
            return True
        return False

    async def _carry_out(self) -> None:
        from replay.conduct import conduct  # noqa: PLC0415 - as above

        async with aclosing(conduct(self._store, self._host, self._plan)) as events:
            async for event in events:
                self._tell(event)

    def _tell(self, event: "Progress") -> None:
        from replay import progress  # noqa: PLC0415 - as above

        match event:
            case progress.Began(run=number):
                self._number = number
            case progress.Sending(step=step):
                self._post(messages.Started(step))
            case progress.Done(result=result):
                self._post(messages.Ran(result))
            case progress.Ended():
                pass

    def _stored(self) -> RunRow | None:
        from sessions.store.reader import Reader  # noqa: PLC0415 - as above

        with Reader.open(self._store) as reader:
            runs = reader.runs(self._plan.session)
        return next((run for run in runs if run.number == self._number), None)
