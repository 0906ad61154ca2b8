"""An executor whose commands stand in a cage.

Inside, a random mark is told on standard error before anything else. Without it the cage was not put up, and whatever
exit status came is not that of the command.
"""

import secrets
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
        mark = secrets.token_hex(8)
        inside = (*self._words, "sh", "-c", _source(request, mark))
        caged = replace(request, stages=(), pipes=(Pipe(stages=(Stage(words=inside),)),), merge_stderr=False)
        completed = _freed(await self._executor.run(caged), mark.encode() + b"\n")
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


def _source(request: Request, mark: str) -> str:
    merged = " 2>&1" if request.merge_stderr else ""
    return f"echo {mark} >&2\n{{\n{script.emit(script.pipes_of(request))}\n}}{merged}"


def _freed(completed: Completed, mark: bytes) -> Completed:
    """Return what came without the mark and what the cage itself had to say."""
    complaint, told, stderr = completed.stderr.partition(mark)
    if told:
        return replace(completed, stderr=stderr)
    if completed.outcome != "completed":
        return completed
    why = complaint.decode("utf-8", "replace").strip() or f"exit status {completed.exit_code}"
    detail = f"not run: the layers around it could not be put up: {why}"
    return replace(completed, outcome="not-replayable", exit_code=None, stderr=b"", detail=detail)
