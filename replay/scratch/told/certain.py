"""Whether a recorded call surely ran once and as it stands there."""

import re
from collections.abc import Sequence

from replay.scratch.told.printed import target_of
from sessions.models.command import Command
from sessions.models.session import Step

_SUCCEEDING = "mkdir cd echo printf cat touch cp mv rm tee chmod export source . true sed ls sleep pwd date set"
_SUCCEED = frozenset(_SUCCEEDING.split())
"""Programs of which nobody expects that they fail: what stands behind ``&&`` runs."""
_ENDS = frozenset({"exit", "return", "exec"})
_KEEPS_FILES = re.compile(r"\bset\s+-\w*C|noclobber")


def uncertain(command: Command, step: Step, number: int) -> str:
    """Return why it is not certain that the call with this number wrote, once, as it stands there; empty if it is."""
    if command.within:
        return f"was written inside {command.within[0]}"
    if command.unresolved or not command.literal:
        return command.unresolved or "a shell made the text that was written"
    failed = step.exit_code not in {None, 0} or step.status == "error"
    if failed and number and command.after == "&&":
        return "the step failed, perhaps before it wrote"
    if _KEEPS_FILES.search(step.command):
        return "the shell was told to keep files"
    return _conditional(command, step) or _shared(command, step)


def _conditional(command: Command, step: Step) -> str:
    """Return why the call may not have run at all."""
    before = [each for each in step.commands if each.pipeline < command.pipeline and _beside(each, command)]
    if any(each.argv[:1] and each.argv[0] in _ENDS and not each.within for each in before):
        return "the step may have ended before"
    guards: list[Command] = []
    joint = _joint(step.commands, command.pipeline)
    if joint == "||":
        return "ran only if what stands before it failed"
    for number in range(command.pipeline - 1, -1, -1):
        if joint != "&&":
            break
        guards += [each for each in before if each.pipeline == number]
        joint = _joint(step.commands, number)
    if joint == "||" or (guards and not _ran_whole(command, step)):
        loose = [each for each in guards if not each.argv or each.argv[0].rpartition("/")[2] not in _SUCCEED]
        if loose or joint == "||":
            return "ran only if what stands before it succeeded"
    return ""


def _joint(commands: Sequence[Command], pipeline: int) -> str:
    return next((each.after for each in commands if each.pipeline == pipeline), "")


def _ran_whole(command: Command, step: Step) -> bool:
    """Tell whether the list that a call stands in is the step's last, and succeeded."""
    behind = {_joint(step.commands, each.pipeline) for each in step.commands if each.pipeline > command.pipeline}
    return step.exit_code == 0 and behind <= {"&&"}


def _beside(other: Command, command: Command) -> bool:
    return (other.host, other.container) == (command.host, command.container)


def _shared(command: Command, step: Step) -> str:
    """Return why what a call printed may be a part of what was written only."""
    for text in command.redirects:
        target = target_of(text)
        if target is None or target[1]:
            continue
        if sum(text in each.redirects for each in step.commands) > step.command.count(text):
            return "several calls wrote it together"
    return ""
