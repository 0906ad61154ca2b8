"""Running on a target what has a scratch folder there: recorded code in one of its own, writing steps in a shared one.

Every folder is fresh, its files are rebuilt from the log and checked, what runs is caged, and then the folder goes.
"""

import asyncio
import posixpath
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from probes.host import cage
from probes.host.layers import CODE_NEEDS, Held
from replay.policy.judge import judge
from replay.recording import Recording
from replay.scratch.closure import Files
from replay.scratch.ground import Ground, needed
from replay.scratch.prepare import Prepared, prepare
from replay.scratch.workspace import Workspace, clear, differing, make, not_run, own
from replay.scratch.writing import Written, prepare_writes
from sessions.errors import HostProblem, PolicyRefusal
from sessions.models.command import Completed, Request
from sessions.models.replay import Effect, PlannedStep, Scratch

_CACHES = (
    "TRITON_CACHE_DIR", "TORCHINDUCTOR_CACHE_DIR", "TORCH_EXTENSIONS_DIR", "CUDA_CACHE_PATH", "VLLM_CACHE_ROOT",
    "FLASHINFER_WORKSPACE_BASE", "MPLCONFIGDIR",
)  # fmt: skip
_OUTPUT = 4 * 1024 * 1024


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
        return "; ".join(
            f"code needs {each.name}: {each.how} (or: --without '{each.name}', but for what writes)" for each in missing
        )

    def insist(self, step: PlannedStep) -> None:
        """Raise PolicyRefusal where a plan says other than the recording does by itself, or nobody consented."""
        if step.effect == "code":
            self._code(step)
        elif step.scratch is not None and step.scratch.written:
            self._writes(step)
        else:
            self._look(step)

    def _code(self, step: PlannedStep) -> Prepared:
        recorded = self.recording.steps[step.step]
        prepared = prepare(recorded, self._files, self.recording.rules)
        if isinstance(prepared, str):
            raise PolicyRefusal(f"step {step.step}: {prepared}")
        self._as_recorded(step, prepared, "code")
        return prepared

    def _writes(self, step: PlannedStep) -> Written:
        written = prepare_writes(self.recording.steps[step.step], self._files, self.recording.rules)
        if isinstance(written, str):
            raise PolicyRefusal(f"step {step.step}: {written}")
        self._as_recorded(step, written, "writes")
        return written

    def _as_recorded(self, step: PlannedStep, found: Prepared | Written, effect: Effect) -> None:
        if step.consent is None:
            raise PolicyRefusal(f"step {step.step}: nobody consented to it")
        same = (step.scratch, step.pipes, step.sent) == (found.scratch, found.pipes, found.sent)
        if not (same and judge(found.sent).effect == effect and cage.SCRATCH.fullmatch(found.scratch.folder)):
            raise PolicyRefusal(f"step {step.step}: what would be sent is not what the recording says")

    def _look(self, step: PlannedStep) -> Ground:
        """Return what a step finds in scratch that only reads there: by the policy's word, like any other."""
        judged = judge(step.sent or "", step.cwd)
        allowed = judged.decision == "run" or (judged.decision == "ask" and step.consent is not None)
        ground = Ground.of(self.recording.steps[step.step], step.recorded_host, self._files)
        if not allowed or judged.pipes != step.pipes or step.scratch is None or step.scratch.folder != ground.folder:
            raise PolicyRefusal(f"step {step.step}: what would be sent is not what the policy allows")
        return ground

    async def run(self, step: PlannedStep, env: Mapping[str, str]) -> Completed:
        """Run a step to its end that has a scratch folder. Raises PolicyRefusal as `insist` does."""
        if step.effect == "code":
            return await self._run_code(step, self._code(step), env)
        if step.scratch is not None and step.scratch.written:
            found = self._writes(step)
            paths = (found.reads, (path for path, _ in found.scratch.written), found.folders)
            request = _plain(step, found, env)
            return await self._workspace(found.scratch.folder).write(step.step, request, found.needs, paths)
        ground, scratch = self._look(step), step.scratch or Scratch(folder="")
        needs = needed(scratch.read, ground.files)
        request = _plain(step, step, env)
        return await self._workspace(ground.folder).look(request, needs, scratch.read, scratch.after)

    async def aclose(self) -> None:
        """Take away the folders that steps shared."""
        for workspace in self._workspaces.values():
            await asyncio.shield(workspace.close())

    @cached_property
    def _workspaces(self) -> dict[str, Workspace]:
        return {}

    def _workspace(self, folder: str) -> Workspace:
        return self._workspaces.setdefault(folder, Workspace(self.held, folder))

    async def _run_code(self, step: PlannedStep, prepared: Prepared, env: Mapping[str, str]) -> Completed:
        folder = prepared.scratch.folder
        made = await make(self.held.executor, folder)
        if made:
            return not_run(f"the scratch folder cannot be made: {made}")
        try:
            problem = await self._rebuild(prepared)
            if problem:
                return not_run(problem)
            return await self.held.coding(folder).run(_request(step, prepared, env))
        finally:
            await asyncio.shield(clear(self.held.executor, folder))

    async def _rebuild(self, prepared: Prepared) -> str:
        """Put every file in its place and have the target say what it holds; return what went wrong."""
        folders = {prepared.cwd, *(posixpath.dirname(place) for place in prepared.contents)}
        problem = await own(self.held.executor, "mkdir", "-p", "--", *sorted(folders))
        if problem:
            return f"the scratch folder cannot be filled: {problem}"
        for place, content in prepared.contents.items():
            try:
                await self.held.executor.put(content.encode(), place)
            except HostProblem as error:
                return error.message
        return await differing(self.held.executor, prepared.contents)


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


def _plain(step: PlannedStep, found: PlannedStep | Written, env: Mapping[str, str]) -> Request:
    return Request(
        pipes=found.pipes, cwd=found.cwd, env=env, merge_stderr=found.merge_stderr, timeout=step.timeout,
        output_limit=_OUTPUT,
    )  # fmt: skip


def _caches(folder: str) -> Mapping[str, str]:
    """Return the variables that lead what compiles kernels to the scratch folder: homes cannot be written."""
    return {"TMPDIR": folder, **{name: f"{folder}/.cache/{name.lower()}" for name in _CACHES}}
