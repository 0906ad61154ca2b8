"""What a replay would do: every chosen step with what would be sent, or why nothing is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from probes.host.targets import LOCAL, SANDBOX, Target
from replay import filters
from replay.policy.judge import judge
from replay.policy.judgement import Judgement
from replay.rewrite import PathRules, rewrite
from replay.scratch.closure import Files
from replay.scratch.prepare import Prepared, prepare
from replay.scratch.shared import Shared
from replay.scratch.writing import Written
from sessions.errors import BadInput, UsageProblem
from sessions.ingest.secrets import MARK
from sessions.models.replay import Effect, Plan, PlannedStep
from sessions.models.session import Step
from sessions.store.reader import Reader

LONGEST = 300.0
"""Seconds that a step gets at most, whatever its recorded ``timeout`` says."""
USUAL = 60.0
_ALLOWED: Mapping[Effect, str] = {
    "code": "runs recorded code in a folder of its own, which is taken away afterwards",
    "writes": "writes into a folder of the run's own, which is taken away at its end",
}
_LOOKS = "reads what earlier steps of this plan write, in the same folder"
IN_SANDBOX = "runs in a sandbox on this machine: proves nothing about the GPU host"


@dataclass(frozen=True, slots=True)
class Selection:
    """Which steps: those with the given ordinals; None: all shell steps."""

    steps: frozenset[int] | None = None


@dataclass(frozen=True, slots=True)
class Hosts:
    """Which recorded host the target stands for.

    `given` maps recorded hosts (``local``: the agent's own machine) to target names, by the person's word. Without any
    word, the only remote host of a session is taken to be what the person named a target for.
    """

    given: Mapping[str, str] = field(default_factory=dict)

    def refuse(self, recorded: str | None, target: Target, seen: frozenset[str]) -> str | None:
        """Return why a step that ran on `recorded` (None: the agent's machine) does not run on `target`."""
        name = recorded or LOCAL
        if name in self.given:
            other = self.given[name]
            return None if other == target.name else f"host {name} is mapped to {other}"
        if name in target.recorded:
            return None
        if recorded is None:
            return f"ran on the agent's own machine, which is not mapped to a target (--map {LOCAL}={target.name})"
        if seen == {recorded} and not target.recorded and target.name not in self.given.values():
            return None
        return f"host {recorded} is not mapped to a target (--map {recorded}={target.name})"


def parse_hosts(pairs: Sequence[str]) -> Hosts:
    """Return the mapping of ``RECORDED=TARGET`` pairs. Raises UsageProblem."""
    given: dict[str, str] = {}
    for pair in pairs:
        recorded, equals, target = pair.partition("=")
        if not (recorded and equals and target):
            raise UsageProblem(f"{pair!r} is no mapping", hint="for example: --map 192.0.2.174=gpu1")
        if given.setdefault(recorded, target) != target:
            raise UsageProblem(f"{recorded} is mapped twice")
    return Hosts(given)


def build_plan(  # noqa: PLR0913 - one place where all that a person says of a replay comes together
    reader: Reader,
    session: str,
    target: Target,
    selection: Selection | None = None,
    hosts: Hosts | None = None,
    *,
    code: bool = False,
    writes: bool = False,
) -> Plan:
    """Return what a replay of a session on `target` would do; nothing is contacted.

    With `code`, a step that runs a script which can be rebuilt is one to be asked about instead of refused; with
    `writes`, one that writes, if all that it writes lies in scratch.
    Raises UnknownSession, and BadInput for a step that is not there.
    """
    row = reader.resolve(session)
    steps = reader.steps(row.id)
    judged = {step.ordinal: judge(step.command, step.cwd) for step in steps if step.kind == "shell"}
    seen = frozenset(judgement.place.host for judgement in judged.values() if judgement.place.host)
    chosen = _choose(steps, (selection or Selection()).steps)
    files = Files(steps) if code or writes else None
    shared = Shared(files, PathRules(target.paths)) if writes and files else None
    planner = _Planner(target, hosts or Hosts(), seen, files if code else None, shared)
    planned = tuple(planner.plan(step, judged.get(step.ordinal)) for step in chosen)
    return Plan(session=row.id, target=target.name, steps=planned)


def _choose(steps: Sequence[Step], wanted: frozenset[int] | None) -> Sequence[Step]:
    if wanted is not None:
        absent = wanted - {step.ordinal for step in steps}
        if absent:
            raise BadInput(f"the session has no step {min(absent)}")
    if wanted is None:
        return [step for step in steps if step.kind == "shell"]
    return [step for step in steps if step.ordinal in wanted]


class _Planner:
    def __init__(
        self, target: Target, hosts: Hosts, seen: frozenset[str], files: Files | None, shared: Shared | None
    ) -> None:
        self._files = files
        self._shared = shared
        self._target = target
        self._hosts = hosts
        self._seen = seen
        self._rules = PathRules(target.paths)
        self._notes = (IN_SANDBOX,) if target.name == SANDBOX else ()

    def plan(self, step: Step, judgement: Judgement | None) -> PlannedStep:
        if judgement is None:
            return self._refused(step, f"no shell command, but the agent's own tool {step.tool}")
        if judgement.decision == "refuse" and (allowed := self._allowed(step, judgement)):
            return allowed
        refusal = self._refusal(step, judgement)
        if refusal:
            return self._refused(step, *refusal, judgement=judgement)
        looked = self._shared.look(step, judgement) if self._shared is not None else None
        if isinstance(looked, str):
            return self._refused(step, looked, judgement=judgement)
        cwd = self._rules.map(step.cwd) if step.cwd and judgement.place.host is None else None
        rewritten = looked.rewritten if looked else rewrite(judgement, self._rules, cwd)
        if rewritten.problem:
            return self._refused(step, rewritten.problem, judgement=judgement)
        return PlannedStep(
            step=step.ordinal,
            command=step.command,
            effect=judgement.effect,
            decision=judgement.decision,
            reasons=(*judgement.reasons, *judgement.notes, *([_LOOKS] if looked else []), *self._notes),
            stages=tuple(stage.words for pipe in rewritten.pipes for stage in pipe.stages),
            pipes=rewritten.pipes,
            local_stages=judgement.local_stages,
            sent=rewritten.sent,
            cwd=looked.cwd if looked else cwd,
            timeout=min(judgement.timeout or USUAL, LONGEST),
            user=self._target.user,
            recorded_host=judgement.place.host,
            target=self._target.name,
            mapped_paths=rewritten.mapped,
            scratch=looked.scratch if looked else None,
        )

    def _allowed(self, step: Step, judgement: Judgement) -> PlannedStep | None:
        """Plan a step that the policy refuses by what a person allows; None if that is nothing."""
        writes = judgement.effect in {"writes", "unknown"} and self._shared is not None
        found = self._writes(step, judgement, self._shared) if writes and self._shared is not None else None
        if self._files is None or (found is not None and found.decision == "ask"):
            return found
        code = self._code(step, judgement, self._files)
        return found if found is not None and code.decision == "refuse" and judgement.effect == "writes" else code

    def _writes(self, step: Step, judgement: Judgement, shared: Shared) -> PlannedStep:
        """Plan a step that writes, in the folder that all of them share."""
        host = step.commands[0].host if step.commands else None
        refusal = self._hosts.refuse(host, self._target, self._seen)
        found = refusal or (shared.write(step) if step.commands else "holds no command")
        if isinstance(found, str):
            return self._refused(step, *judgement.reasons, found, judgement=judgement)
        timeouts = [command.timeout for command in step.commands if command.timeout]
        timeout = min([*timeouts, USUAL, LONGEST])
        return self._in_scratch(step, "writes", found, timeout, found.scratch.written)

    def _code(self, step: Step, judgement: Judgement, files: Files) -> PlannedStep:
        """Plan a step that runs a script of the session, in a folder of its own."""
        host = step.commands[0].host if step.commands else None
        unmapped = self._hosts.refuse(host, self._target, self._seen)
        prepared = unmapped or prepare(step, files, self._rules)
        if isinstance(prepared, str):
            return self._refused(step, *judgement.reasons, prepared, judgement=judgement)
        timeout = min(step.commands[0].timeout or USUAL, LONGEST)
        mapped = tuple((file.path, file.place) for file in prepared.scratch.files)
        return self._in_scratch(step, "code", prepared, timeout, mapped)

    def _in_scratch(
        self,
        step: Step,
        effect: Effect,
        found: Written | Prepared,
        timeout: float,
        mapped: tuple[tuple[str, str], ...],
    ) -> PlannedStep:
        """Return a step that runs in a scratch folder, as a person allows and is asked about."""
        return PlannedStep(
            step=step.ordinal,
            command=step.command,
            effect=effect,
            decision="ask",
            reasons=(_ALLOWED[effect], *found.notes, *self._notes),
            stages=tuple(stage.words for pipe in found.pipes for stage in pipe.stages),
            pipes=found.pipes,
            local_stages=found.local_stages,
            sent=found.sent,
            cwd=found.cwd,
            merge_stderr=found.merge_stderr,
            timeout=timeout,
            user=self._target.user,
            recorded_host=step.commands[0].host,
            target=self._target.name,
            mapped_paths=mapped,
            scratch=found.scratch,
        )

    def _refusal(self, step: Step, judgement: Judgement) -> tuple[str, ...]:
        if judgement.decision == "refuse":
            return judgement.reasons
        if MARK in step.command:
            return ("held a secret that was not kept",)
        unmapped = self._hosts.refuse(judgement.place.host, self._target, self._seen)
        if unmapped:
            return (unmapped,)
        unsupported = filters.unsupported(judgement.local_stages)
        return (f"{unsupported}: ran on the agent's machine and cannot be run here",) if unsupported else ()

    def _refused(self, step: Step, *reasons: str, judgement: Judgement | None = None) -> PlannedStep:
        return PlannedStep(
            step=step.ordinal,
            command=step.command,
            effect=judgement.effect if judgement else "unknown",
            decision="refuse",
            reasons=tuple(dict.fromkeys(reasons)),
            recorded_host=judgement.place.host if judgement else None,
            target=self._target.name,
        )
