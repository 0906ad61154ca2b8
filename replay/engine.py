"""Carrying a plan out: intent to disk, then the exact words to the target, then comparison, then the result to disk.

Only steps that the policy lets run, or asks about and a person consented to, are ever sent, and only as words. A step
whose intent is stored and whose result is not has the outcome ``unknown``; it is never sent again by itself.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace

from replay import verdict
from replay.comparing import Comparer
from replay.journal import Journal
from replay.policy.judge import judge
from replay.progress import Began, Done, Ended, Heard, Lines, Progress, Sending
from replay.recording import Recording
from replay.scratch.bench import Bench
from sessions import times
from sessions.errors import PolicyRefusal
from sessions.models.command import Executor, Request
from sessions.models.replay import Plan, PlannedStep, RunStep

AT_ONCE = 4
"""Steps that run on a target at the same time."""
_QUIET = {"PYTHONDONTWRITEBYTECODE": "1"}
LOST = 3
"""Steps in a row for which no channel could be had, or whose connection went, after which a target is left."""
SILENT = 8
"""The same of steps that ended by their time limit: a step may be slow by itself, so many in a row are not."""
_GIVEN_UP = {"transport-lost": LOST, "timed-out": SILENT}
_LOOKERS = frozenset({"ps", "top", "pgrep", "pidof", "pstree", "lsof", "fuser"})
"""Programs that show what else runs on the target: what this replay runs there is no part of it."""
_ALLOWED = {False: ("run",), True: ("run", "ask")}
"""Decisions of the policy under which a step is sent, without and with a person's consent."""


async def replay(  # noqa: PLR0913 - what runs, where, and what it is held against
    plan: Plan,
    executor: Executor,
    journal: Journal,
    recording: Recording,
    fingerprint: Mapping[str, object] | None = None,
    *,
    bench: Bench | None = None,
) -> AsyncGenerator[Progress, None]:
    """Run a plan and yield what happens; closing the generator ends what runs on the target.

    Recorded code runs on `bench` only, and not at all without one.
    Raises StoreProblem where the store cannot be written: what cannot be recorded does not run.
    """
    run = _Run(plan, executor, journal, recording, bench)
    sending = [step for step in plan.steps if step.sending]
    run.number = await journal.begin(plan, fingerprint or {})
    yield Began(run.number, len(plan.steps), len(sending))
    tasks = [asyncio.create_task(run.carry_out(step)) for step in sending]
    try:
        async for event in run.events():
            yield event
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await run.keep_the_rest()
        found, worths = verdict.standings(recording, run.results)
        await journal.finish(run.number, found, worths, whole=run.told == len(plan.steps))
    yield Ended(run.number, found, worths)


@dataclass(frozen=True, slots=True)
class _Failure:
    error: Exception


class _Breaker:
    """What one target's failures add up to, in one run."""

    def __init__(self) -> None:
        self._row: list[str] = []
        self.why = ""
        """Why nothing more is sent; empty while the target is well."""

    def heard(self, outcome: str, detail: str) -> None:
        """Take note of how a step ended; one that the target answered takes all failures before it back."""
        if outcome not in _GIVEN_UP:
            self._row.clear()
            return
        self._row.append(outcome)
        if not self.why and self._row.count(outcome) >= _GIVEN_UP[outcome]:
            self.why = f"not run: the target was given up after {len(self._row)} failures in a row, the last: {detail}"


class _Run:
    """One replay: hands steps to the executor, results to the journal as they come, and tells in the plan's order."""

    def __init__(
        self, plan: Plan, executor: Executor, journal: Journal, recording: Recording, bench: Bench | None
    ) -> None:
        self.number = 0
        self.results: list[RunStep] = []
        self.told = 0
        self._plan = plan
        self._executor = executor
        self._journal = journal
        self._bench = bench
        self._breaker = _Breaker()
        self._comparer = Comparer(executor, recording, journal.key)
        self._slots = asyncio.Semaphore(AT_ONCE)
        self._alone = asyncio.Lock()
        self._news: asyncio.Queue[Sending | Heard | RunStep | _Failure] = asyncio.Queue()

    async def carry_out(self, step: PlannedStep) -> None:
        """Send one step and put its result among the news."""
        try:
            async with self._place(step):
                result = await self._sent(step)
                stored = self._keep(result)  # goes to the disk together with the next intent
            await asyncio.shield(stored)
            self._news.put_nowait(result)
        except Exception as error:  # noqa: BLE001 - raised where the news are read: nobody else waits for a task
            self._news.put_nowait(_Failure(error))

    async def events(self) -> AsyncIterator[Progress]:
        """Yield the news; results wait for those that come before them in the plan."""
        came = {step.step: not_sent(step) for step in self._plan.steps if not step.sending}
        await asyncio.gather(*(self._keep(result) for result in came.values()))
        for planned in self._plan.steps:
            while planned.step not in came:
                news = await self._news.get()
                if isinstance(news, _Failure):
                    raise news.error
                if isinstance(news, RunStep):
                    came[news.step] = news
                else:
                    yield news
            self.told += 1
            yield Done(came.pop(planned.step))

    @asynccontextmanager
    async def _place(self, step: PlannedStep) -> AsyncIterator[None]:
        """Wait until a step may run: beside others, or alone where it looks at processes and would see theirs."""
        places = AT_ONCE if any(words[0].rpartition("/")[2] in _LOOKERS for words in step.stages) else 1
        async with AsyncExitStack() as taken:
            if places > 1:
                await taken.enter_async_context(self._alone)
            for _ in range(places):
                await taken.enter_async_context(self._slots)
            yield

    async def keep_the_rest(self) -> None:
        """Store what was sent and never came back as ended by us."""
        steps = await self._journal.unanswered(self.number)
        ended = [
            RunStep(step=step.step, outcome="killed", sent=step.sent, detail="the replay was stopped") for step in steps
        ]
        await asyncio.gather(*(self._keep(each) for each in ended))

    def _keep(self, result: RunStep) -> asyncio.Future[None]:
        self.results.append(result)
        return self._journal.put(self.number, result)

    async def _sent(self, step: PlannedStep) -> RunStep:
        if step.scratch is not None and (why := self._no_code()):
            return RunStep(step=step.step, outcome="refused", reasons=(*step.reasons, why))
        if self._breaker.why:
            return RunStep(step=step.step, outcome="unreachable", reasons=step.reasons, detail=self._breaker.why)
        self._insist(step)
        await self._journal.put(self.number, step)
        self._news.put_nowait(Sending(step.step))
        result = await self._result(step)
        self._breaker.heard(result.outcome, result.detail)
        return result

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


def not_sent(step: PlannedStep) -> RunStep:
    """Return the result of a step that the policy or the person keeps from being sent."""
    asks = ("nobody consented to it",) if step.decision == "ask" else ()
    return RunStep(step=step.step, outcome="refused", reasons=(*step.reasons, *asks))
