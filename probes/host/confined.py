"""An executor whose commands stand in a cage."""

from collections.abc import Sequence
from dataclasses import replace

from probes.host import script
from probes.host.outcomes import missing_program
from sessions.models.command import Completed, Executor, Pipe, Request, Stage

_NOT_FOUND = 127


class Confined:
    """Runs every request of another executor behind the same fixed words."""

    def __init__(self, executor: Executor, words: Sequence[str]) -> None:
        """Put `words` in front of whatever `executor` runs."""
        self.name = executor.name
        self._executor = executor
        self._words = tuple(words)

    async def run(self, request: Request) -> Completed:
        """Run one request to its end, in the cage."""
        inside = (*self._words, "sh", "-c", script.emit(script.pipes_of(request)))
        caged = replace(request, stages=(), pipes=(Pipe(stages=(Stage(words=inside),)),))
        completed = await self._executor.run(caged)
        if completed.exit_code == _NOT_FOUND:
            return await self._confirm_missing(completed, request)
        return completed

    async def put(self, content: bytes, path: str) -> None:
        """Write `content` to `path`, outside the cage. Raises HostProblem."""
        await self._executor.put(content, path)

    async def close(self) -> None:
        """Give the connection back."""
        await self._executor.close()

    async def _confirm_missing(self, completed: Completed, request: Request) -> Completed:
        for name in dict.fromkeys(script.programs(request)):
            asked = ("sh", "-c", 'command -v -- "$1" >/dev/null', "sh", name)
            found = await self._executor.run(Request((asked,)))
            if found.outcome == "completed" and found.exit_code:
                return missing_program(completed, name, self.name)
        return completed
