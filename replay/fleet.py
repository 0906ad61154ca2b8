"""One session on several targets: one goes first, the others follow together, and none waits for one that fails."""

import asyncio
import re
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path

from probes.fleet import HOSTS_AT_ONCE
from probes.host.targets import Target
from replay import recording, verdict
from replay.conduct import conduct
from replay.engine import not_sent
from replay.journal import Journal
from replay.plan import Hosts
from replay.progress import Began, Done, Ended, Progress
from replay.rewrite import PathRules
from sessions.errors import HostProblem, UsageProblem
from sessions.models.replay import Plan, PlannedStep, RunStep
from sessions.store.reader import Reader
from sessions.store.writer import Writer

MOST = 1000
"""Targets of one replay."""
_RANGE = re.compile(r"\[([\d,-]+)\]")


@dataclass(frozen=True, slots=True)
class Member:
    """A target, and what would run on it."""

    target: Target
    plan: Plan
    without: frozenset[str] = frozenset()
    """Layers that code runs without there, by the person's word."""


@dataclass(frozen=True, slots=True)
class Told:
    """What happens on one of the targets."""

    target: str
    event: Progress


def expand(names: Sequence[str]) -> tuple[str, ...]:
    """Return target names with their ranges written out: ``gpu[1-3]`` is gpu1, gpu2, gpu3; ``gpu[08-10]`` keeps zeros.

    Raises UsageProblem for a range that is none, and for more names than `MOST`.
    """
    found = tuple(dict.fromkeys(name for each in names for name in _expanded(each)))
    if len(found) > MOST:
        raise UsageProblem(f"{len(found)} targets are more than {MOST} at once.")
    return found


def hosts_for(target: str, mapping: Mapping[str, str]) -> Hosts:
    """Return the mapping of recorded hosts for one target; a name in it may be a range that `target` is of."""
    return Hosts({recorded: target if target in expand([name]) else name for recorded, name in mapping.items()})


def _expanded(name: str) -> Iterator[str]:
    match = _RANGE.search(name)
    if match is None:
        yield name
        return
    for number in _numbers(match[1], name):
        yield from _expanded(name[: match.start()] + number + name[match.end() :])


def _numbers(text: str, name: str) -> Iterator[str]:
    for part in text.split(","):
        found = re.fullmatch(r"(\d{1,6})(?:-(\d{1,6}))?", part)
        first, last = (int(found[1]), int(found[2] or found[1])) if found else (1, 0)
        if found is None or not first <= last < first + MOST:
            raise UsageProblem(f"{name!r} is no range of targets.", hint="For example: gpu[1-8] or gpu[1,3,5-7].")
        yield from (str(number).zfill(len(found[1])) for number in range(first, last + 1))


async def conduct_all(store: Path, members: Sequence[Member]) -> AsyncGenerator[Told, None]:
    """Carry every plan out and yield what happens; closing the generator ends what runs anywhere.

    The first member is the canary: it runs to its end before any other target is contacted. A target that cannot be
    reached gets a run that says so. Raises StoreProblem and PolicyRefusal, and then nothing else is sent.
    """
    with Writer.open(store) as writer:
        async with aclosing(_Fleet(store, Journal(writer)).events(members)) as told:
            async for each in told:
                yield each


class _Fleet:
    """Replays that share a store and its journal: what many hosts wait to write goes to the disk together."""

    def __init__(self, store: Path, journal: Journal) -> None:
        self._store = store
        self._journal = journal
        self._slots = asyncio.Semaphore(HOSTS_AT_ONCE)
        self._news: asyncio.Queue[Told | Exception | None] = asyncio.Queue()

    async def events(self, members: Sequence[Member]) -> AsyncGenerator[Told, None]:
        canary, *others = members
        async with aclosing(self._one(canary)) as events:
            async for event in events:
                yield Told(canary.target.name, event)
        tasks = [asyncio.create_task(self._report(member)) for member in others]
        running = len(tasks)
        try:
            while running:
                told = await self._news.get()
                if isinstance(told, Exception):
                    raise told
                if told is None:
                    running -= 1
                else:
                    yield told
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _report(self, member: Member) -> None:
        async with self._slots:
            try:
                async with aclosing(self._one(member)) as events:
                    async for event in events:
                        self._news.put_nowait(Told(member.target.name, event))
            except Exception as error:  # noqa: BLE001 - raised where the news are read: nobody else waits for a task
                self._news.put_nowait(error)
        self._news.put_nowait(None)

    async def _one(self, member: Member) -> AsyncGenerator[Progress, None]:
        began = False
        events = conduct(self._store, member.target, member.plan, member.without, self._journal)
        try:
            async with aclosing(events):
                async for event in events:
                    began = began or isinstance(event, Began)
                    yield event
        except HostProblem as error:
            if began:
                raise
            async for event in self._unreached(member, error):
                yield event

    async def _unreached(self, member: Member, error: HostProblem) -> AsyncGenerator[Progress, None]:
        """Store a run on a target that was never reached, and yield what a run yields."""
        plan = member.plan
        with Reader.open(self._store) as reader:
            recorded = recording.load(reader, plan.session, PathRules(member.target.paths))
        results = [_not_run(step, error) for step in plan.steps]
        number = await self._journal.begin(plan, {})
        yield Began(number, len(plan.steps), 0)
        await asyncio.gather(*(self._journal.put(number, result) for result in results))
        for result in results:
            yield Done(result)
        found, worths = verdict.standings(recorded, results)
        await self._journal.finish(number, found, worths)
        yield Ended(number, found, worths)


def _not_run(step: PlannedStep, error: HostProblem) -> RunStep:
    if not step.sending:
        return not_sent(step)
    return RunStep(step=step.step, outcome=error.outcome, detail=error.message)  # type: ignore[arg-type]  # a HostProblem's outcomes are the model's
