"""What came of a run, from its exit and its clock."""

import signal
from dataclasses import replace

from probes.host.capture import Capture
from sessions.models.command import Completed, Request

_TIMED_OUT = 124
_ENDED = {
    128 + number: number.name
    for number in (
        signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGKILL, signal.SIGTERM, signal.SIGXCPU, signal.SIGXFSZ,
    )
}  # fmt: skip
"""Exit statuses by which the shell there tells that something else ended it; a crash of its own is a result."""
_CUT_SHORT = 0.05
"""Seconds by which a remote clock may differ from ours over the time of a run."""


def classify(
    capture: Capture, end: tuple[int | None, str | None], duration: float, request: Request, *, expired: bool
) -> Completed:
    """Return the outcome of a run that ended after `duration` seconds.

    `end` holds the exit status (None: it never came) and the signal; `expired`: our own deadline ended it.
    """
    stderr, no_cwd = capture.stderr()
    status, killer = end
    outcome, detail = _outcome(capture, end, request, expired=expired or _at_deadline(end, duration, request))
    if outcome == "completed" and no_cwd:
        outcome, detail = "path-missing", f"no folder {request.cwd}"
    if outcome == "completed" and status is not None and capture.group is None:
        outcome, detail = "unknown", "the target could not start the command: " + stderr.decode("utf-8", "replace")
    if outcome == "completed" and status in _ENDED:
        outcome, detail = "killed", f"by {_ENDED[status]}: the shell around it told exit status {status}"
    exit_code = None if outcome in {"killed", "timed-out"} or killer else status
    return Completed(outcome, exit_code, capture.stdout(), stderr, duration, capture.truncated, detail)


def missing_program(completed: Completed, name: str, host: str) -> Completed:
    """Return the outcome of a run whose program `name` does not exist on `host`."""
    return replace(completed, outcome="command-missing", detail=f"{name} is not installed on {host}")


def _outcome(
    capture: Capture, end: tuple[int | None, str | None], request: Request, *, expired: bool
) -> tuple[str, str]:
    status, killer = end
    if capture.flooded:
        return "output-limit", "ended: the output did not stop"
    if expired:
        return "timed-out", f"ended after {request.timeout:g} s"
    if killer:
        return "killed", f"by SIG{killer}"
    if status is None:
        return "transport-lost", "the connection was lost before the exit status came"
    if capture.truncated:
        whole = f"; SHA-256 of all of standard output: {digest}" if (digest := capture.digest()) else ""
        return "output-limit", f"{capture.seen:,} bytes came, {request.output_limit:,} kept{whole}"
    return "completed", ""


def _at_deadline(end: tuple[int | None, str | None], duration: float, request: Request) -> bool:
    """Tell whether the far side's own timeout ended it: its exit 124, or its KILL, not before the time was up."""
    return (end[0] == _TIMED_OUT or end[1] == "KILL") and duration >= request.timeout - _CUT_SHORT
