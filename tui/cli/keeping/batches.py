"""Files of results, read, and what was wrong with them, told."""

from collections.abc import Sequence
from pathlib import Path

from sessions.errors import BadInput
from sessions.hypotheses.model.batch import Recorder, Results, lines_of
from tui.cli import diagnostics


def results(files: Sequence[Path]) -> Results:
    """Return what the files hold; a damaged line costs itself only. Raises BadInput for a file that cannot be read."""
    found = Results()
    for file in files:
        try:
            found.add(lines_of(file.read_bytes()))
        except OSError as error:
            raise BadInput(f"{file} cannot be read: {error.strerror}.") from error
    return found


def tell(found: Results, recorder: Recorder) -> None:
    """Say what the files lacked."""
    if found.damaged:
        diagnostics.say(f"{found.damaged} lines of results could not be read.")
    if found.failed:
        diagnostics.say(f"{found.failed} requests had failed.")
    if recorder.missing:
        diagnostics.say(
            f"{len(recorder.missing)} questions have no answer yet: --batch-out FILE writes them; give their results "
            "with another --batch-in beside this one."
        )
