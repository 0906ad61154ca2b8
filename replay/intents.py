"""Intents to the disk before anything is sent; those of steps that wait at one time go there together."""

import asyncio
from collections.abc import MutableMapping

from sessions.models.replay import PlannedStep
from sessions.store.writer import Writer


class Intents:
    """Writes the intents of one run: to wait for the disk takes as long for many as for one."""

    def __init__(self, writer: Writer, written: MutableMapping[int, PlannedStep]) -> None:
        """Note in `written` every step whose intent is on the disk."""
        self._writer = writer
        self._written = written
        self._waiting: list[tuple[PlannedStep, asyncio.Future[None]]] = []

    async def put(self, run: int, step: PlannedStep) -> None:
        """Return once the intent to send `step` is on the disk. Raises StoreProblem."""
        loop = asyncio.get_running_loop()
        written = loop.create_future()
        if not self._waiting:
            loop.call_soon(self._write, run)  # after all that is ready to run now
        self._waiting.append((step, written))
        await written

    def _write(self, run: int) -> None:
        waiting = [(step, written) for step, written in self._waiting if not written.done()]
        self._waiting.clear()
        steps = [step for step, _ in waiting]
        try:
            self._writer.intend(run, *steps)
        except Exception as error:  # noqa: BLE001 - it is those who wait that have to know
            for _, written in waiting:
                written.set_exception(error)
            return
        self._written.update({step.step: step for step in steps})
        for _, written in waiting:
            written.set_result(None)
