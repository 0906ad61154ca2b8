"""The scratch folder on a target that the writing steps of one run share: made at the first, taken away at the end.

Nothing is written there but from inside the cage: whatever a link in it may lead to, the kernel refuses to write
outside. Only the empty folder itself is made, and taken away, from outside.
"""

import asyncio
import posixpath
import time
from collections.abc import Collection, Iterable, Mapping

from probes.host import cage
from probes.host.layers import CODE_NEEDS, Held
from replay.scratch.closure import digest
from replay.scratch.ground import Laid, Ledger, Needs
from sessions.models.command import Completed, Executor, Pipe, Request, Stage

BRIEF = 30.0
FORGOTTEN = 3600.0
"""Seconds after which a folder that nothing touched belongs to no run: a step gets minutes."""
_LEFT = 'find "$1" -maxdepth 0 -type d -perm 700 -user "$(id -u)" -mmin "+$2"'


class Workspace:
    """One folder, and what lies in it by now; steps use it one after the other."""

    def __init__(self, held: Held, folder: str) -> None:
        """Name the folder; nothing is done on the target yet. Raises ValueError for what is no scratch folder."""
        if not cage.SCRATCH.fullmatch(folder):
            raise ValueError(f"no scratch folder: {folder}")
        self._held = held
        self._folder = folder
        self._making: asyncio.Task[str] | None = None
        self._fresh = 0.0
        self._turn = asyncio.Lock()
        self._ledger = Ledger()

    def refusal(self) -> str:
        """Return why nothing is written on this target, whatever a person does without; empty if it may be."""
        missing = self._held.missing(CODE_NEEDS)
        return "; ".join(f"writing needs {each.name}: {each.how}" for each in missing)

    async def write(
        self, step: int, request: Request, needs: Needs, paths: tuple[Iterable[str], Iterable[str], Iterable[str]]
    ) -> Completed:
        """Run a step that writes; `paths`: recorded ones that it reads and writes, places that are to be folders."""
        read, written, folders = (tuple(each) for each in paths)
        async with self._turn:
            if refusal := self.refusal():
                return _refused(refusal)
            problem = await self._prepare(needs, read, folders)
            if problem:
                return not_run(problem)
            completed = await self._caged.run(request)
            if completed.outcome == "completed":  # else nobody knows what it did, and nothing may rest on it
                self._ledger.wrote(step, read, written)
            return completed

    async def look(self, request: Request, needs: Needs, read: Collection[str], after: Collection[int]) -> Completed:
        """Run a step that reads what the steps `after` wrote there; without them it would prove nothing."""
        async with self._turn:
            if refusal := self.refusal():
                return _refused(refusal)
            problem = self._lacking(needs, read, after) or await self._prepare(needs, read, ())
            sees = self._caged if self._held.shown is not None else self._held.reading  # a sandbox hides it
            return not_run(problem) if problem else await sees.run(request)

    def _lacking(self, needs: Needs, read: Collection[str], after: Collection[int]) -> str:
        """Return which step did not run whose effects would have to be made up of the log."""
        lacking = self._ledger.lacking(after)
        unmet = [told.origins for path, told in needs.items() if not self._ledger.holds(path, told.origins)]
        missing = lacking.intersection(step for origins in unmet for step in origins)
        if not any(self._ledger.behind(path) for path in read):
            missing |= lacking
        return f"step {min(missing)}, which writes what it reads, did not run to its end" if missing else ""

    async def close(self) -> None:
        """Take the folder away, if it was made."""
        if self._making is not None and not await self._making:
            await clear(self._held.executor, self._folder)

    @property
    def _caged(self) -> Executor:
        return self._held.coding(self._folder)

    async def _prepare(self, needs: Needs, paths: Iterable[str], folders: Iterable[str]) -> str:
        """Have all that a step needs in its place; return what went wrong."""
        laid = self._ledger.lay(needs, paths)
        if isinstance(laid, str):
            return laid
        problem = await self._make()
        if problem:
            return f"the scratch folder cannot be made: {problem}"
        problem = await self._lay(laid, folders)
        if not problem:
            self._ledger.take(laid)
        return problem

    async def _make(self) -> str:
        """Make the folder once; whoever is cancelled meanwhile, it is known whether it was made."""
        if self._making is None:
            self._making = asyncio.create_task(make(self._held.executor, self._folder))
            self._fresh = time.monotonic()
        elif time.monotonic() - self._fresh > FORGOTTEN / 4:
            self._fresh = time.monotonic()
            await own(self._held.executor, "touch", "-c", "--", self._folder)  # still in use
        return await asyncio.shield(self._making)

    async def _lay(self, laid: Laid, folders: Iterable[str]) -> str:
        contents = {self._folder + path: told.content for path, told in laid.rebuilt.items()}
        needed = sorted({*folders, *(posixpath.dirname(place) for place in contents)})
        gone = [self._folder + path for path in laid.gone]
        problem = await own(self._caged, "mkdir", "-p", "--", *needed) if needed else ""
        problem = problem or (await own(self._caged, "rm", "-f", "--", *gone) if gone else "")
        for place, content in contents.items():
            problem = problem or await self._put(place, content)
        return problem or await differing(self._caged, contents)

    async def _put(self, place: str, content: str) -> str:
        pipes = (Pipe(stages=(Stage(words=("tee", "--", place), drop_stdout=True),)),)
        done = await self._caged.run(Request(pipes=pipes, stdin=content.encode(), timeout=BRIEF))
        return _wrong(done)


async def differing(executor: Executor, contents: Mapping[str, str]) -> str:
    """Have the target say what rebuilt files hold; return what is wrong with them, if anything is."""
    if not contents:
        return ""
    told = await executor.run(Request((("sha256sum", "--", *contents),), timeout=BRIEF))
    found = [line.partition(" ")[0].lstrip("\\") for line in told.stdout.decode("utf-8", "replace").splitlines()]
    wanted = [digest(content) for content in contents.values()]
    return "" if found == wanted else "a rebuilt file is not what was sent"


async def make(executor: Executor, folder: str) -> str:
    """Make a scratch folder that is not there yet; return what went wrong.

    One that a run left which died is taken away first: our own, and longer untouched than any run leaves its.
    """
    words = ("mkdir", "-m", "700", "--", folder)
    problem = await own(executor, *words)
    if not problem:
        return ""
    look = ("sh", "-c", _LEFT, "sh", folder, str(round(FORGOTTEN / 60)))
    left = await executor.run(Request((look,), timeout=BRIEF))
    if left.stdout.decode("utf-8", "replace").strip() != folder:
        return problem
    await clear(executor, folder)
    return await own(executor, *words)


async def clear(executor: Executor, folder: str) -> None:
    """Take a scratch folder away, whatever rights were given to what was left there; links are not followed."""
    if cage.SCRATCH.fullmatch(folder):
        await own(executor, "chmod", "-R", "u+rwX", "--", folder)
        await own(executor, "rm", "-rf", "--", folder)


async def own(executor: Executor, *words: str) -> str:
    """Run a command of our own; return what went wrong."""
    return _wrong(await executor.run(Request((words,), timeout=BRIEF)))


def not_run(why: str) -> Completed:
    """Return what came of a step that was not sent after all."""
    return Completed("not-replayable", None, b"", b"", 0.0, detail=why)


def _refused(why: str) -> Completed:
    return Completed("refused", None, b"", b"", 0.0, detail=why)


def _wrong(done: Completed) -> str:
    if done.outcome == "completed" and done.exit_code == 0:
        return ""
    return done.stderr.decode("utf-8", "replace").strip() or done.detail or done.outcome
