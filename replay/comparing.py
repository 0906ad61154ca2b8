"""From what came back over the wire to a result that is held against the recording."""

import asyncio
import re
from collections.abc import Callable, Sequence
from typing import ParamSpec, TypeVar

from probes.host.script import emit
from replay import filters
from replay.outcomes import refine
from replay.output.compare import Circumstances, compare
from replay.output.kinds import kind_of
from replay.policy.judge import judge
from replay.recording import Recording
from sessions.ingest import display
from sessions.ingest.redact import Redactor
from sessions.models.command import Completed, Executor, Pipe, Request, Stage
from sessions.models.replay import Compared, PlannedStep, RunStep
from sessions.models.session import Step

_WHOLE_LIMIT = 4 * 1024 * 1024
"""Bytes of a file that is read whole to find where a block went."""
_LITTLE = 16 * 1024
"""Characters that are read and compared in a few milliseconds."""
_SHAPED = frozenset({"ulimit", "prlimit", "mount", "findmnt", "env", "printenv", "locale"})
_OF_SHAPE = re.compile(r"/proc/(self/)?(mounts|mountinfo|mountstats|limits|status|environ|cgroup)|/etc/mtab")
"""Programs and files that show limits, environment and mounts, which are a replay's own for what it runs."""
_ABSENT = re.compile(
    r"^(?:\S*/|-)?(?:ba|da|z|k)?sh: (?:line )?(?:\d+: )?(?:command not found: )?([\w./+-]+)"
    r"(?:: (?:command )?not found)?$",
    re.MULTILINE,
)
Given = ParamSpec("Given")
Result = TypeVar("Result")
_PASSING = frozenset({"head", "tail", "cat"})
"""Filters that leave every line as it is."""
_CHOOSING = frozenset({*_PASSING, "grep", "egrep", "fgrep"})
"""Filters that leave the lines as they are that they let through."""
_ROWS = frozenset({"ps", "df", "free"})
"""Programs of which any row can be read by itself."""


class Comparer:
    """Compares results with the recorded steps."""

    def __init__(self, executor: Executor, recording: Recording, key: bytes) -> None:
        """Redact with the store's `key`, so that equal secrets stay equal."""
        self._executor = executor
        self._recording = recording
        self._redactor = Redactor(key)

    async def compare(self, planned: PlannedStep, completed: Completed) -> RunStep:
        """Return the result of a step: what came, how it compares, without its standing."""
        step = self._recording.steps[planned.step]
        size = len(completed.stdout) + len(completed.stderr)
        text, code = await _aside(size, self._text, planned, completed)
        refined = refine(completed, text, planned, step.output)
        text = text.replace(planned.scratch.folder, "") if planned.scratch else text  # paths as they were recorded
        result = RunStep(
            step=planned.step,
            outcome=refined.outcome,  # type: ignore[arg-type]  # an executor's outcomes are the model's
            exit_code=code,
            output=text,
            sent=planned.sent,
            reasons=planned.reasons,
            detail=refined.detail,
        )
        if refined.outcome != "completed":
            return result
        compared = await self._compared(planned, step, text, code)
        return result.model_copy(
            update={
                "comparison": compared.comparison,
                "rules": compared.rules,
                "tokens": compared.tokens,
                "detail": compared.detail,
            }
        )

    async def _compared(self, planned: PlannedStep, step: Step, text: str, code: int | None) -> Compared:
        argv = _telling(planned)
        codes = (step.exit_code, code)
        size = len(step.output) + len(text)
        compared = await _aside(size, self._against, step, text, codes, argv)
        if compared.comparison not in {"changed", "exit-status-changed"}:
            return compared
        if any(map(_shaped, planned.stages)):
            return Compared(comparison="not-comparable", detail="shows what a replay itself puts around a command")
        if not argv or not _alone(planned):
            return compared
        file = kind_of(argv).file
        whole = await self._whole(file, planned.cwd) if file else None
        if whole is None:
            return compared
        return await _aside(size + len(whole), self._against, step, text, codes, argv, whole)

    def _against(
        self,
        step: Step,
        text: str,
        exit_codes: tuple[int | None, int | None],
        argv: Sequence[str] | None,
        whole: str | None = None,
    ) -> Compared:
        about = Circumstances(exit_codes, self._recording.reconstructed, whole, self._recording.rules)
        return compare(_plain(step.output), _plain(text), argv=argv, truncated=step.truncated, circumstances=about)

    async def _whole(self, file: str, cwd: str | None) -> str | None:
        """Read a file of the target whole; None if it cannot be, or is too large to look through."""
        pipes = (Pipe(stages=(Stage(words=("cat", "--", file)),)),)
        if judge(emit(pipes), cwd).decision != "run":
            return None
        request = Request(pipes=pipes, cwd=cwd, output_limit=_WHOLE_LIMIT)
        completed = await self._executor.run(request)
        if completed.outcome != "completed" or completed.exit_code != 0:
            return None
        return self.clean(completed.stdout)

    def _text(self, planned: PlannedStep, completed: Completed) -> tuple[str, int | None]:
        """Return all that came, as it would have been recorded, and the exit status behind the local filters."""
        out, err = self.clean(completed.stdout), self.clean(completed.stderr)
        code = completed.exit_code
        if planned.local_stages and completed.outcome == "completed":
            filtered = filters.apply(planned.local_stages, out)
            out, code = filtered.text, filtered.exit_code
        between = "\n" if out and err and not out.endswith("\n") else ""
        return out + between + err, code

    def clean(self, raw: bytes) -> str:
        """Return what came over the wire as it may be stored and shown: harmless, and without secrets."""
        return self._redactor.text(display.clean(raw.decode("utf-8", "replace")))


async def _aside(size: int, work: Callable[Given, Result], *given: Given.args, **named: Given.kwargs) -> Result:
    """Do what takes long beside the event loop; of little text, the way to a thread and back would take longer."""
    return work(*given, **named) if size < _LITTLE else await asyncio.to_thread(work, *given, **named)


def _telling(planned: PlannedStep) -> tuple[str, ...] | None:
    """Return the call that shaped the output: the last that did more than pass lines on."""
    if len(planned.pipes) != 1:
        readers = [words for words in planned.stages if kind_of(words).source]
        return readers[0] if readers else None
    stages = (*(stage.words for stage in planned.pipes[0].stages), *planned.local_stages)
    if stages[0][0].rpartition("/")[2] in _ROWS and all(words[0] in _CHOOSING for words in stages[1:]):
        return stages[0]
    shaping = [words for words in stages[1:] if words[0] not in _PASSING]
    return shaping[-1] if shaping and kind_of(stages[0]).source is False else stages[0]


def _shaped(words: Sequence[str]) -> bool:
    return words[0].rpartition("/")[2] in _SHAPED or any(_OF_SHAPE.fullmatch(word) for word in words[1:])


def _plain(text: str) -> str:
    """Return an output with what any shell says of a program that it cannot find as one of them says it."""
    return _ABSENT.sub(_said, text) if "not found" in text else text


def _said(found: re.Match[str]) -> str:
    return f"sh: {found[1]}: not found" if "not found" in found[0] else found[0]


def _alone(planned: PlannedStep) -> bool:
    """Tell whether the output is that of one call and nothing else."""
    return len(planned.stages) == 1 and not planned.local_stages
