"""From a recorded step that writes to what would run in the scratch folder, or why nothing can.

Only calls of which the words alone tell what they write, and programs that look at files. Whatever a call names is
taken to its place in scratch, or stays the target's own where it is only read.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from probes.host.script import emit
from replay.policy.judge import judge
from replay.policy.judgement import Place as Spot
from replay.policy.lines import hygiene, second
from replay.policy.lines.walk import Walk
from replay.rewrite import PathRules
from replay.scratch import scripts
from replay.scratch.calling import Caller, Streams, hindrance
from replay.scratch.closure import Files
from replay.scratch.ground import Ground, Needs, needed
from sessions.ingest.secrets import MARK
from sessions.models.command import Command, Pipe, Stage
from sessions.models.replay import Scratch
from sessions.models.session import Step
from sessions.shell.syntax import Compound, Script, Simple
from sessions.shell.unwrap import unwrap

LONGEST = 48 * 1024
"""Characters of a command line that is sent: a kernel takes 128 KiB, and it is quoted twice on the way."""
_TO_FILE = re.compile(r"1?>")


@dataclass(frozen=True, slots=True)
class Written:
    """What would run for a step that writes, and what it needs."""

    scratch: Scratch
    pipes: tuple[Pipe, ...]
    cwd: str | None
    merge_stderr: bool
    local_stages: tuple[tuple[str, ...], ...]
    reads: tuple[str, ...]
    """Recorded paths in scratch of which the content must be there."""
    needs: Needs
    folders: tuple[str, ...]
    """Places in scratch that are to be folders."""
    notes: tuple[str, ...]

    @property
    def sent(self) -> str:
        """The canonical command line."""
        return emit(self.pipes)


def prepare_writes(step: Step, files: Files, rules: PathRules) -> Written | str:
    """Return what would run for a step that only writes into scratch, or why nothing can.

    The same step of the same session gives the same answer, whatever else is in a plan.
    """
    calls = [command for command in step.commands if command.host == step.commands[0].host]
    behind = [command for command in step.commands if command.host != step.commands[0].host]
    problem = _problem(step, calls, behind)
    if problem:
        return problem
    local = scripts.canonical(behind)
    if isinstance(local, str):
        return local
    ground = Ground.of(step, calls[0].host, files)
    merged = _merging(step, calls)
    if isinstance(merged, str):
        return merged
    caller = Caller(ground, rules, calls[0].cwd, merged)
    pipes = _pipes(calls, caller)
    return pipes if isinstance(pipes, str) else _judged(caller, pipes, local)


def _problem(step: Step, calls: Sequence[Command], behind: Sequence[Command]) -> str:
    """Return what speaks against a step before its words are looked at."""
    unfit = hygiene.check(step.command)
    if unfit or MARK in step.command:
        return unfit.reason if unfit else "held a secret that was not kept"
    last = max(command.pipeline for command in calls)
    if any(command.host is not None or command.pipeline != last or not command.stage for command in behind):
        return "runs on more than one machine"
    told = (reason for command in calls if (reason := hindrance(command)))
    return scripts.harm(step) or next(told, "") or _disagreement(step)


def _disagreement(step: Step) -> str:
    """Return why the step's text has no certain reading."""
    if any(each.stdin is not None and scripts.interprets(each) for each in unwrap(step.command, into_shells=False)):
        return "a shell is given a text"
    walk = Walk()
    walk.script(step.command, Spot(), (step.cwd,))
    if second.program() is None:
        return "the second parser, shfmt, is not installed"
    agreed = all(second.agrees(text, script) for text, script in walk.sources.items())
    return "" if agreed else "two parsers read it differently"


def _merging(step: Step, calls: Sequence[Command]) -> Streams | str:
    """Return of each redirection to a file whether ``2>&1`` stands behind it; or why one is not that of one call."""
    walk = Walk()
    walk.script(step.command, Spot(), (step.cwd,))
    stages = [stage for script in walk.sources.values() for stage in _stages(script)]
    if any(isinstance(stage, Compound) and stage.redirects for stage in stages):
        return "a redirection stands around several calls"
    lines = [[redirect.text for redirect in stage.redirects] for stage in stages]
    found: Streams = {}
    for texts in lines:
        for text in (text for text in texts if _TO_FILE.match(text)):
            both = "2>&1" in texts and texts.index("2>&1") > texts.index(text)
            if found.setdefault(text, both) != both or ("2>&1" in texts and not both):
                return f"{text}: stands behind 2>&1, or in both ways"
            if sum(text in call.redirects for call in calls) > sum(text in each for each in lines):
                return f"{text}: stands around several calls"
    return found


def _stages(script: Script) -> Iterator[Simple | Compound]:
    for stage in (stage for pipeline in script.pipelines for stage in pipeline.stages):
        yield stage
        if isinstance(stage, Compound) and stage.body:
            yield from _stages(stage.body)


def _pipes(calls: Sequence[Command], caller: Caller) -> tuple[Pipe, ...] | str:
    pipes: list[Pipe] = []
    for number in dict.fromkeys(command.pipeline for command in calls):
        line = [command for command in calls if command.pipeline == number]
        stages: list[Stage] = []
        for command in line:
            made = caller.stages(command)
            if isinstance(made, str):
                return made
            stages += made
        if line[0].after == "&":
            return "runs in the background"
        pipes.append(Pipe(stages=tuple(stages), after=line[0].after if pipes else ""))
    return tuple(pipes)


def _judged(caller: Caller, pipes: tuple[Pipe, ...], local: tuple[tuple[str, ...], ...]) -> Written | str:
    """Have the policy look at what would be sent: it must come to nothing worse than writing."""
    sent = emit(pipes)
    if len(sent) > LONGEST:
        return f"what would be sent is longer than {LONGEST:,} characters"
    judged = judge(sent)
    if judged.effect != "writes" or not caller.written:
        return f"the policy takes what would be sent for {judged.effect}: {'; '.join(judged.reasons)}"
    folder = caller.ground.folder
    return Written(
        scratch=Scratch(folder=folder, written=tuple((path, folder + path) for path in dict.fromkeys(caller.written))),
        pipes=pipes,
        cwd=caller.home if caller.at_home else None,
        merge_stderr=caller.merge_stderr,
        local_stages=local,
        reads=tuple(dict.fromkeys(caller.read)),
        needs=needed(caller.read, caller.ground.files),
        folders=tuple(dict.fromkeys(caller.folders)),
        notes=tuple(dict.fromkeys(caller.notes)),
    )
