"""Carrying a plan out: intent to disk, then the exact words to the target, then comparison, then the result to disk.

Only steps that the policy lets run, or asks about and a person consented to, are ever sent, and only as words. A step
whose intent is stored and whose result is not has the outcome ``unknown``; it is never sent again by itself.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from dataclasses import dataclass, replace

from replay import verdict
from replay.comparing import Comparer
from replay.intents import Intents
from replay.policy.judge import judge
from replay.progress import Began, Done, Ended, Heard, Lines, Progress, Sending
from replay.recording import Recording
from replay.scratch.bench import Bench
from sessions import times
from sessions.errors import PolicyRefusal
from sessions.models.command import Executor, Request
from sessions.models.replay import Plan, PlannedStep, RunStep
from sessions.store.writer import Writer

AT_ONCE = 4
"""Steps that run on a target at the same time."""
_QUIET = {"PYTHONDONTWRITEBYTECODE": "1"}
_ALLOWED = {False: ("run",), True: ("run", "ask")}
"""Decisions of the policy under which a step is sent, without and with a person's consent."""


async def replay(  # noqa: PLR0913 - what runs, where, and what it is held against
    plan: Plan,
    executor: Executor,
    writer: Writer,
    recording: Recording,
    fingerprint: Mapping[str, object] | None = None,
    *,
    bench: Bench | None = None,
) -> AsyncGenerator[Progress, None]:
    """Run a plan and yield what happens; closing the generator ends what runs on the target.

    Recorded code runs on `bench` only, and not at all without one.
    Raises StoreProblem where the store cannot be written: what cannot be recorded does not run.
    """
    run = _Run(plan, executor, writer, recording, bench)
    sending = [step for step in plan.steps if step.sending]
    run.number = writer.start_run(plan.session, plan, fingerprint or {})
    yield Began(run.number, len(plan.steps), len(sending))
    tasks = [asyncio.create_task(run.carry_out(step)) for step in sending]
    try:
        async for event in run.events():
            yield event
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        whole = run.keep_the_rest()
        found, worths = verdict.standings(recording, run.results)
        writer.finish_run(run.number, found, worths, whole=whole)
    yield Ended(run.number, found, worths)


@dataclass(frozen=True, slots=True)
class _Failure:
    error: Exception


class _Run:
    """One replay: hands steps to the executor, and results to the store in the order of the plan."""

    def __init__(
        self, plan: Plan, executor: Executor, writer: Writer, recording: Recording, bench: Bench | None
    ) -> None:
        self._bench = bench
        self.number = 0
        self.results: list[RunStep] = []
        self._plan = plan
        self._executor = executor
        self._writer = writer
        self._comparer = Comparer(executor, recording, writer.key)
        self._slots = asyncio.Semaphore(AT_ONCE)
        self._news: asyncio.Queue[Sending | Heard | RunStep | _Failure] = asyncio.Queue()
        self._intended: dict[int, PlannedStep] = {}
        self._intents = Intents(writer, self._intended)
        self._waiting: dict[int, RunStep] = {}
        """Results that came before those of earlier steps."""

    async def carry_out(self, step: PlannedStep) -> None:
        """Send one step and put its result among the news."""
        async with self._slots:
            try:
                if step.scratch is not None and (why := self._no_code()):
                    self._news.put_nowait(RunStep(step=step.step, outcome="refused", reasons=(*step.reasons, why)))
                    return
                self._insist(step)
                await self._intents.put(self.number, step)
                self._news.put_nowait(Sending(step.step))
                self._news.put_nowait(await self._result(step))
            except Exception as error:  # noqa: BLE001 - raised where the news are read: nobody else waits for a task
                self._news.put_nowait(_Failure(error))

    async def events(self) -> AsyncIterator[Progress]:
        """Yield the news; results wait for those that come before them in the plan."""
        for planned in self._plan.steps:
            if not planned.sending:
                yield self._store(_not_sent(planned))
                continue
            while planned.step not in self._waiting:
                news = await self._news.get()
                if isinstance(news, _Failure):
                    raise news.error
                if isinstance(news, Sending | Heard):
                    yield news
                else:
                    self._waiting[news.step] = news
            yield self._store(self._waiting.pop(planned.step))

    def keep_the_rest(self) -> bool:
        """Store what came and was not told yet, and what never came back as ended by us; return if all was told."""
        whole = len(self.results) == len(self._plan.steps)
        came = dict(self._waiting)
        while not self._news.empty():
            news = self._news.get_nowait()
            if isinstance(news, RunStep):
                came[news.step] = news
        for step in tuple(self._intended.values()):
            ended = RunStep(step=step.step, outcome="killed", sent=step.sent, detail="the replay was stopped")
            self._store(came.get(step.step, ended))
        return whole

    def _store(self, result: RunStep) -> Done:
        self._writer.record(self.number, result)
        self._intended.pop(result.step, None)
        self.results.append(result)
        return Done(result)

    async def _result(self, step: PlannedStep) -> RunStep:
        started = times.now()
        if step.scratch is not None and self._bench is not None:
            completed = await self._bench.run(step, _QUIET)
        else:
            lines = Lines(self._comparer.clean, lambda text: self._news.put_nowait(Heard(step.step, text)))
            completed = await self._executor.run(replace(_request(step), heard=lines.take))
        result = await self._comparer.compare(step, completed)
        return result.model_copy(update={"started": started, "duration": completed.duration})

    def _no_code(self) -> str:
        return self._bench.refusal() if self._bench is not None else "there is no bench for code"

    def _insist(self, step: PlannedStep) -> None:
        if step.scratch is not None and self._bench is not None:
            self._bench.insist(step)
        else:
            _insist(step)


def _insist(step: PlannedStep) -> None:
    """Judge once more exactly what is about to be sent: a plan may come from elsewhere than the planner."""
    judgement = judge(step.sent or "", step.cwd)
    if judgement.decision not in _ALLOWED[step.consent is not None] or judgement.pipes != step.pipes:
        raise PolicyRefusal(f"step {step.step}: what would be sent is not what the policy allows")


def _request(step: PlannedStep) -> Request:
    return Request(
        pipes=step.pipes,
        cwd=step.cwd,
        env=_QUIET,
        merge_stderr=step.merge_stderr,
        timeout=step.timeout,
    )


def _not_sent(step: PlannedStep) -> RunStep:
    asks = ("nobody consented to it",) if step.decision == "ask" else ()
    return RunStep(step=step.step, outcome="refused", reasons=(*step.reasons, *asks))
