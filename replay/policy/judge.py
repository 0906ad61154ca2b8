"""The policy: what a recorded command does, decided on its decoded words, and what would be sent in its place.

The answer is built from what would be sent; nothing of the recorded text is ever sent as it stands.
"""

from collections.abc import Mapping
from functools import lru_cache

from probes.host.script import emit
from replay.policy.judgement import Judgement, Place, Problem, Role, decide, highest
from replay.policy.lines import hygiene, second
from replay.policy.lines.reading import Reading, Stage, pipe
from replay.policy.lines.walk import Walk
from sessions.models.replay import Effect
from sessions.shell.syntax import Script


@lru_cache(maxsize=4096)
def judge(command: str, cwd: str | None = None) -> Judgement:
    """Return the policy's answer for the text of a command that ran in `cwd` (None: the login folder). Never raises.

    Whatever is more than refused has been read the same way by two parsers.
    """
    first, sources = _assess(command, cwd)
    if first.decision == "refuse":
        return first
    if second.program() is None:
        return _refused(command, Problem("unknown", "the second parser, shfmt, is not installed"))
    if all(second.agrees(text, script) for text, script in sources.items()):
        return first
    return _refused(command, Problem("unknown", "two parsers read it differently"))


def assess(command: str, cwd: str | None = None) -> Judgement:
    """Return the answer that the first parser alone comes to: fast, and nothing may be run on its word."""
    return _assess(command, cwd)[0]


def _assess(command: str, cwd: str | None) -> tuple[Judgement, Mapping[str, Script]]:
    if problem := hygiene.check(command):
        return _refused(command, problem), {}
    walk = Walk()
    reading = walk.script(command, Place(), (cwd,))
    effect = highest(problem.effect for problem in reading.problems)
    known = decide(effect) != "refuse" and bool(reading.lines) and reading.whole
    return _judgement(command, reading, effect, known=known), walk.sources


def _judgement(command: str, reading: Reading, effect: Effect, *, known: bool) -> Judgement:
    pipes = tuple(pipe(line) for line in reading.lines) if known else ()
    return Judgement(
        command=command,
        effect=effect,
        reasons=tuple(dict.fromkeys(problem.reason for problem in reading.problems)),
        notes=tuple(dict.fromkeys(reading.notes)),
        pipes=pipes,
        roles=tuple(tuple(_roles(stage) for stage in line.stages) for line in reading.lines) if known else (),
        local_stages=reading.local if known else (),
        place=reading.place or Place(),
        timeout=reading.timeout,
        sent=emit(pipes) if known else None,
    )


def _roles(stage: Stage) -> tuple[Role, ...]:
    return tuple(word.role for word in stage.words)


def _refused(command: str, problem: Problem) -> Judgement:
    return Judgement(command, problem.effect, (problem.reason,))
