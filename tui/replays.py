"""Replays of the app, planned and carried out behind its back. Nothing here knows a widget."""

import asyncio
import getpass
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing, closing, suppress
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

from textual.message import Message

from sessions.errors import NecropsyError
from sessions.store.rows import RunRow
from tui import messages

if TYPE_CHECKING:
    from replay.fleet import Member, Told

Post = Callable[[Message], object]


class Replays:
    """Plans and runs of the app, one run at a time, each in a thread with a loop of its own: the screen never waits."""

    def __init__(self, store: Path) -> None:
        self._store = store
        self._members: Sequence[Member] = ()
        self._run: _Run | None = None

    def plan(self, asked: messages.PlanAsked) -> Message:
        """Return the plans, one for each target, or why there are none. Nothing is contacted."""
        from probes.host import targets  # noqa: PLC0415 - only a replay loads what speaks to hosts
        from replay.fleet import Member, expand, hosts_for  # noqa: PLC0415 - as above
        from replay.plan import Selection, build_plan  # noqa: PLC0415 - as above
        from sessions.store.reader import Reader  # noqa: PLC0415 - as above

        try:
            known = targets.load()
            found = [known.named(name) for name in expand(asked.on)]
            chosen = Selection(steps=frozenset(asked.steps))
            with Reader.open(self._store) as reader:
                allowed = {name: name in asked.allowed for name in ("code", "writes")}
                self._members = [
                    Member(one, build_plan(reader, asked.session, one, chosen, hosts, **allowed))
                    for one in found
                    for hosts in [hosts_for(one.name, asked.mapping)]
                ]
        except NecropsyError as error:
            return messages.Failed.of(error)
        return messages.Planned([member.plan for member in self._members])

    def start(self, consented: frozenset[messages.Call], post: Post) -> None:
        """Carry out the plans that were made last, with consent to these calls; what happens is posted."""
        if self._members and (self._run is None or not self._run.is_alive()):
            self._run = _Run(self._store, [_granted(member, consented) for member in self._members], post)
            self._run.start()

    def cancel(self) -> None:
        """End the run, and what runs on its targets with it."""
        if self._run is not None:
            self._run.cancel()

    async def close(self) -> None:
        """Cancel, and wait until the end is stored."""
        if self._run is not None:
            self._run.cancel()
            await asyncio.to_thread(self._run.join)


def _granted(member: "Member", consented: frozenset[messages.Call]) -> "Member":
    from dataclasses import replace  # noqa: PLC0415 - as above

    from replay.consent import agree  # noqa: PLC0415 - as above

    return replace(member, plan=agree(member.plan, consented, getpass.getuser())) if consented else member


class _Run(Thread):
    """One run of the plans."""

    def __init__(self, store: Path, members: Sequence["Member"], post: Post) -> None:
        super().__init__(name=f"replay on {members[0].plan.target}")
        self._store = store
        self._members = members
        self._post = post
        self._loop = asyncio.new_event_loop()
        self._task = self._loop.create_task(self._carry_out())
        self._numbers: set[int] = set()

    def run(self) -> None:
        """Run the plans to their end."""
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
        async with aclosing(self._events()) as events:
            async for told in events:
                self._tell(told)

    async def _events(self) -> "AsyncGenerator[Told, None]":
        from replay.conduct import conduct  # noqa: PLC0415 - as above
        from replay.fleet import Told, conduct_all  # noqa: PLC0415 - as above

        if len(self._members) > 1:
            async with aclosing(conduct_all(self._store, self._members)) as events:
                async for told in events:
                    yield told
        else:
            one = self._members[0]
            async with aclosing(conduct(self._store, one.target, one.plan)) as single:
                async for event in single:
                    yield Told(one.plan.target, event)

    def _tell(self, told: "Told") -> None:
        from replay import progress  # noqa: PLC0415 - as above

        match told.event:
            case progress.Began(run=number):
                self._numbers.add(number)
            case progress.Sending(step=step):
                self._post(messages.Started(told.target, step))
            case progress.Heard(step=step, text=text):
                self._post(messages.Heard(told.target, step, text))
            case progress.Done(result=result):
                self._post(messages.Ran(told.target, result))
            case _:
                pass

    def _stored(self) -> Sequence[RunRow]:
        from sessions.store.reader import Reader  # noqa: PLC0415 - as above

        with Reader.open(self._store) as reader:
            return [run for run in reader.runs(self._members[0].plan.session) if run.number in self._numbers]
