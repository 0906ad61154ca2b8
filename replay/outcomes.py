"""From what came back to the outcome of a step: a missing or forbidden path is told from a recorded failure."""

import re
from collections.abc import Sequence
from dataclasses import replace

from sessions.models.command import Completed
from sessions.models.replay import PlannedStep

_MISSING = re.compile(r"no such file or directory|can't cd to|cannot access", re.IGNORECASE)
_DENIED = re.compile(r"permission denied", re.IGNORECASE)


def refine(completed: Completed, text: str, planned: PlannedStep, recorded: str) -> Completed:
    """Return `completed` with a path that is missing or closed on the target as its outcome.

    `text` is all that came, `recorded` the recorded output. What failed in the same way when it was recorded is a
    result like any other.
    """
    if completed.outcome != "completed":
        return completed
    names = {target: name for name, target in planned.mapped_paths}
    for path in _operands(planned):
        for pattern, outcome in ((_MISSING, "path-missing"), (_DENIED, "permission-denied")):
            if _complains(text, path, pattern) and not _complains(recorded, names.get(path, path), pattern):
                return replace(completed, outcome=outcome, detail=f"{path}: {outcome.replace('-', ' ')}")
    return completed


def _operands(planned: PlannedStep) -> Sequence[str]:
    """Return the words of a step that may be paths."""
    words = [word for stage in planned.stages for word in stage[1:]]
    words += [stage.stdin for pipe in planned.pipes for stage in pipe.stages if stage.stdin]
    return [word for word in dict.fromkeys(words) if word and not word.startswith("-") and word != "."]


def _complains(text: str, path: str, pattern: re.Pattern[str]) -> bool:
    return any(path in line and pattern.search(line) for line in text.split("\n"))
