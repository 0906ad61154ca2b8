"""Running recorded code on a target: a fresh folder, the files rebuilt and checked, the cage; then the folder goes."""

import asyncio
import posixpath
import signal
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from probes.host import cage
from probes.host.layers import CODE_NEEDS, Held
from replay.policy.judge import judge
from replay.recording import Recording
from replay.scratch.closure import Files, digest
from replay.scratch.prepare import Prepared, prepare
from sessions.errors import HostProblem, PolicyRefusal
from sessions.models.command import Completed, Request
from sessions.models.replay import PlannedStep

_BRIEF = 30.0
_CACHES = (
    "TRITON_CACHE_DIR", "TORCHINDUCTOR_CACHE_DIR", "TORCH_EXTENSIONS_DIR", "CUDA_CACHE_PATH", "VLLM_CACHE_ROOT",
    "FLASHINFER_WORKSPACE_BASE", "MPLCONFIGDIR",
)  # fmt: skip
_OUTPUT = 4 * 1024 * 1024
_ENDED = {128 + number: signal.Signals(number).name for number in (1, 2, 3, 9, 15)}
"""Exit statuses by which a shell tells that something else ended what it ran; a crash of its own is a result."""


@dataclass(frozen=True)
class Bench:
    """Where the code of a recording runs; `without` names layers that a person does without."""

    held: Held
    recording: Recording
    without: frozenset[str] = frozenset()

    @cached_property
    def _files(self) -> Files:
        return Files([self.recording.steps[number] for number in sorted(self.recording.steps)])

    def refusal(self) -> str:
        """Return why no code runs on this target; empty if it may."""
        missing = [layer for layer in self.held.missing(CODE_NEEDS) if layer.name not in self.without]
        return "; ".join(f"code needs {each.name}: {each.how} (or: --without '{each.name}')" for each in missing)

    def insist(self, step: PlannedStep) -> Prepared:
        """Return what runs for a step: what the recording says by itself, and nothing that only the plan says.

        Raises PolicyRefusal where the plan says otherwise, or nobody consented.
        """
        recorded = self.recording.steps[step.step]
        prepared = prepare(recorded, self._files, self.recording.rules)
        if isinstance(prepared, str):
            raise PolicyRefusal(f"step {step.step}: {prepared}")
        if step.consent is None:
            raise PolicyRefusal(f"step {step.step}: nobody consented to it")
        same = (step.scratch, step.pipes, step.sent) == (prepared.scratch, prepared.pipes, prepared.sent)
        code = judge(prepared.sent).effect == "code"
        if not (same and code and cage.SCRATCH.fullmatch(prepared.scratch.folder)):
            raise PolicyRefusal(f"step {step.step}: what would be sent is not what the recording says")
        return prepared

    async def run(self, step: PlannedStep, env: Mapping[str, str]) -> Completed:
        """Run the code of a step to its end. Raises PolicyRefusal as `insist` does."""
        prepared = self.insist(step)
        folder = prepared.scratch.folder
        made = await self._own("mkdir", "-m", "700", "--", folder)
        if made:
            return _not_run(f"the scratch folder cannot be made: {made}")
        try:
            problem = await self._rebuild(prepared)
            if problem:
                return _not_run(problem)
            return _ended(await self.held.coding(folder).run(_request(step, prepared, env)))
        finally:
            await asyncio.shield(self._clear(folder))

    async def _rebuild(self, prepared: Prepared) -> str:
        """Put every file in its place and have the target say what it holds; return what went wrong."""
        folders = {prepared.cwd, *(posixpath.dirname(place) for place in prepared.contents)}
        problem = await self._own("mkdir", "-p", "--", *sorted(folders))
        if problem:
            return f"the scratch folder cannot be filled: {problem}"
        for place, content in prepared.contents.items():
            try:
                await self.held.executor.put(content.encode(), place)
            except HostProblem as error:
                return error.message
        return await self._differing(prepared.contents)

    async def _differing(self, contents: Mapping[str, str]) -> str:
        if not contents:
            return ""
        told = await self.held.executor.run(Request((("sha256sum", "--", *contents),), timeout=_BRIEF))
        found = [line.partition(" ")[0].lstrip("\\") for line in told.stdout.decode("utf-8", "replace").splitlines()]
        wanted = [digest(content) for content in contents.values()]
        return "" if found == wanted else "a rebuilt file is not what was sent"

    async def _clear(self, folder: str) -> None:
        """Take the folder away, whatever rights the code gave to what it left there; links are not followed."""
        if cage.SCRATCH.fullmatch(folder):
            await self._own("chmod", "-R", "u+rwX", "--", folder)
            await self._own("rm", "-rf", "--", folder)

    async def _own(self, *words: str) -> str:
        """Run a command of our own; return what went wrong."""
        done = await self.held.executor.run(Request((words,), timeout=_BRIEF))
        if done.outcome == "completed" and done.exit_code == 0:
            return ""
        return done.stderr.decode("utf-8", "replace").strip() or done.detail or done.outcome


def _request(step: PlannedStep, prepared: Prepared, env: Mapping[str, str]) -> Request:
    return Request(
        pipes=prepared.pipes,
        cwd=prepared.cwd,
        env={**_caches(prepared.scratch.folder), **dict(prepared.scratch.env), **env},
        stdin=prepared.scratch.script.encode() if prepared.scratch.stdin else None,
        merge_stderr=prepared.merge_stderr,
        timeout=step.timeout,
        output_limit=_OUTPUT,
    )


def _caches(folder: str) -> Mapping[str, str]:
    """Return the variables that lead what compiles kernels to the scratch folder: homes cannot be written."""
    return {"TMPDIR": folder, **{name: f"{folder}/.cache/{name.lower()}" for name in _CACHES}}


def _ended(completed: Completed) -> Completed:
    """Return what came of code that a signal ended, which the shell around it tells as a status, as killed."""
    if completed.outcome != "completed" or completed.exit_code not in _ENDED:
        return completed
    detail = f"by {_ENDED[completed.exit_code]}: the shell around it told exit status {completed.exit_code}"
    return replace(completed, outcome="killed", exit_code=None, detail=detail)


def _not_run(why: str) -> Completed:
    return Completed("not-replayable", None, b"", b"", 0.0, detail=why)
