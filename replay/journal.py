"""The journal while replays run: intents on the disk before anything is sent, results as they come.

What several steps, of one target or of many, have to write at one time goes to the disk together, beside the event
loop: to wait for the disk takes as long for many as for one.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from sessions.models.replay import EvidenceStanding, HypothesisStanding, Plan, PlannedStep, RunStep
from sessions.store.writer import Writer

_LITTLE = 64 * 1024
"""Characters of output that are stored in less time than the way to a thread and back takes."""
Entry = tuple[int, PlannedStep | RunStep]
Given = ParamSpec("Given")
Result = TypeVar("Result")


class Journal:
    """The runs of one store that are under way; only through it may they use the writer.

    All methods raise StoreProblem where the store cannot be written: what cannot be recorded does not run.
    """

    def __init__(self, writer: Writer) -> None:
        """Write by `writer`, which stays the caller's to close."""
        self._writer = writer
        self._waiting: list[tuple[Entry, asyncio.Future[None]]] = []
        self._writing: asyncio.Task[None] | None = None
        self._turn = asyncio.Lock()
        self._beside = ThreadPoolExecutor(1, "journal")
        self._open: dict[int, dict[int, PlannedStep]] = {}

    @property
    def key(self) -> bytes:
        """What the digests of redacted secrets are made with."""
        return self._writer.key

    async def begin(self, plan: Plan, fingerprint: Mapping[str, object]) -> int:
        """Store the beginning of a replay and return its number."""
        number = await self._alone(self._writer.start_run, plan.session, plan, fingerprint)
        self._open[number] = {}
        return number

    def put(self, run: int, entry: PlannedStep | RunStep) -> asyncio.Future[None]:
        """Store an intent (the step) or a result; the future is done when it is stored, an intent on the disk.

        A future that is cancelled before its turn stores nothing.
        """
        stored: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(((run, entry), stored))
        if self._writing is None:
            self._writing = asyncio.create_task(self._write())
        return stored

    async def unanswered(self, run: int) -> tuple[PlannedStep, ...]:
        """Return the steps whose intents are stored and whose results are not, once nothing is being written."""
        while self._writing is not None:
            await asyncio.wait([self._writing])
        return tuple(self._open[run].values())

    async def finish(
        self,
        run: int,
        standings: Sequence[EvidenceStanding],
        worths: Sequence[HypothesisStanding],
        *,
        whole: bool = True,
    ) -> None:
        """Store the end of a replay; one that is not `whole` was ended before its time."""
        await self._alone(lambda: self._writer.finish_run(run, standings, worths, whole=whole))
        del self._open[run]

    async def _write(self) -> None:
        try:
            await asyncio.sleep(0)  # after all that is ready to run now
            while self._waiting:
                async with self._turn:
                    waiting = [(entry, stored) for entry, stored in self._waiting if not stored.done()]
                    self._waiting.clear()
                    error = await self._note([entry for entry, _ in waiting])
                for _, stored in waiting:
                    _tell(stored, error)
        finally:
            self._writing = None

    async def _note(self, entries: Sequence[Entry]) -> Exception | None:
        intents = any(isinstance(entry, PlannedStep) for _, entry in entries)
        size = sum(len(entry.output) for _, entry in entries if isinstance(entry, RunStep))
        try:
            if intents or size > _LITTLE:
                await asyncio.get_running_loop().run_in_executor(self._beside, self._writer.note, *entries)
            else:
                self._writer.note(*entries)
        except Exception as error:  # noqa: BLE001 - it is those who wait that have to know
            return error
        for run, entry in entries:
            if isinstance(entry, PlannedStep):
                self._open[run][entry.step] = entry
            else:
                self._open[run].pop(entry.step, None)
        return None

    async def _alone(self, work: Callable[Given, Result], *given: Given.args, **named: Given.kwargs) -> Result:
        async with self._turn:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._beside, lambda: work(*given, **named))


def _tell(stored: asyncio.Future[None], error: Exception | None) -> None:
    if stored.done():  # cancelled meanwhile
        return
    if error is None:
        stored.set_result(None)
    else:
        stored.set_exception(error)
