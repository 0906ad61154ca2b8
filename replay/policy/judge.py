"""The policy: what a recorded command does, decided on its decoded words, and what would be sent in its place.

The answer is built from what would be sent; nothing of the recorded text is ever sent as it stands.
"""

from functools import lru_cache

from probes.host.script import emit
from replay.policy import hygiene
from replay.policy.judgement import Judgement, Place, Problem, highest
from replay.policy.walk import Line, Reading, Walk
from sessions.models.command import Pipe, Stage


@lru_cache(maxsize=4096)
def judge(command: str, cwd: str | None = None) -> Judgement:
    """Return the policy's answer for the text of a command that ran in `cwd` (None: the login folder). Never raises."""
    if problem := hygiene.check(command):
        return _refused(command, problem)
    reading = Walk().script(command, Place(), cwd)
    if reading.problems:
        return _problematic(command, reading)
    pipes = tuple(_pipe(line) for line in reading.lines)
    roles = tuple(tuple(tuple(word.role for word in stage.words) for stage in line.stages) for line in reading.lines)
    return Judgement(
        command=command,
        effect="read",
        notes=tuple(dict.fromkeys(reading.notes)),
        pipes=pipes,
        roles=roles,
        local_stages=reading.local,
        place=reading.place or Place(),
        timeout=reading.timeout,
        sent=emit(pipes),
    )


def _problematic(command: str, reading: Reading) -> Judgement:
    reasons = tuple(dict.fromkeys(problem.reason for problem in reading.problems))
    effect = highest(problem.effect for problem in reading.problems)
    return Judgement(command, effect, reasons, tuple(dict.fromkeys(reading.notes)), place=reading.place or Place())


def _refused(command: str, problem: Problem) -> Judgement:
    return Judgement(command, problem.effect, (problem.reason,))


def _pipe(line: Line) -> Pipe:
    stages = tuple(
        Stage(
            words=tuple(word.text for word in stage.words),
            stderr=stage.streams.stderr,
            drop_stdout=stage.streams.drop_stdout,
            stdin=stage.streams.stdin,
        )
        for stage in line.stages
    )
    after = line.after if line.after in {"&&", "||", ";"} else ""
    return Pipe(stages=stages, after=after)  # type: ignore[arg-type]  # narrowed just above
