"""From what came back to the outcome of a step: a missing or forbidden path is told from a recorded failure."""

import re
from collections.abc import Sequence
from dataclasses import replace

from replay.policy.judge import judge
from sessions.models.command import Completed
from sessions.models.replay import PlannedStep

_MISSING = re.compile(r"no such file|can't cd to|cannot access", re.IGNORECASE)
_COMPLAINT = re.compile(r"[\w./\[-]+: ")
"""How a program begins what it has to say on standard error: with its name."""
_SORT = "sort: cannot create temporary file in '/dev/null'"
"""What it says where memory is not enough: the policy leaves it no folder to write to."""
_DENIED = re.compile(r"permission denied", re.IGNORECASE)


def refine(completed: Completed, text: str, planned: PlannedStep, recorded: str) -> Completed:
    """Return `completed` with a path that is missing or closed on the target as its outcome.

    `text` is all that came, `recorded` the recorded output. What failed in the same way when it was recorded is a
    result like any other.
    """
    if completed.outcome != "completed":
        return completed
    if _SORT in text and _SORT not in recorded:
        return replace(completed, outcome="not-replayable", detail="needs a temporary file, and none may be written")
    names = {target: name for name, target in planned.mapped_paths}
    for path in _operands(planned):
        for pattern, outcome in ((_MISSING, "path-missing"), (_DENIED, "permission-denied")):
            if _complains(text, path, pattern) and not _complains(recorded, names.get(path, path), pattern):
                return replace(completed, outcome=outcome, detail=f"{path}: {outcome.replace('-', ' ')}")
    return completed


def _operands(planned: PlannedStep) -> Sequence[str]:
    """Return the paths that a step names, as the policy reads its words."""
    judgement = judge(planned.sent or "", planned.cwd)
    words = [
        word
        for pipe, lines in zip(judgement.pipes, judgement.roles, strict=True)
        for stage, roles in zip(pipe.stages, lines, strict=True)
        for word, role in zip(stage.words, roles, strict=True)
        if role in {"path", "place"}
    ]
    words += [stage.stdin for pipe in planned.pipes for stage in pipe.stages if stage.stdin]
    return [word for word in dict.fromkeys(words) if word not in {"", ".", "-"}]


def _complains(text: str, path: str, pattern: re.Pattern[str]) -> bool:
    return any(path in line and _COMPLAINT.match(line) and pattern.search(line) for line in text.split("\n"))
