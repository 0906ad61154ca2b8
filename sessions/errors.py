"""Every error a person can meet, by who can mend it.

    NecropsyError                    title, message, hint, exit code
    ├── UsageProblem            2    the command line asks for something impossible
    ├── BadInput                3    a log, a session name or a file of the person's
    │   ├── NotALog                  no format recognises it
    │   ├── UnknownSession           nothing in the store has that name, or several have
    │   ├── UnknownHypothesis        the session has no such hypothesis
    │   └── BadTargets               the targets file cannot be used
    ├── EnvironmentProblem      4    this machine or the host
    │   ├── StoreProblem             the database: locked, full, newer, damaged, not writable
    │   └── HostProblem              the target: unknown, unreachable, refused key, changed host key
    └── PolicyRefusal           5    the policy does not let this run

Problems in the data that do not stop the work (a bad line, a refused step, a differing output) are values, not
exceptions. Foreign exceptions are translated where they arise (``probes.host``, ``sessions.store``).
"""

from typing import ClassVar


class NecropsyError(Exception):
    """An error with a sentence for the person: what, where, and what to do."""

    title: ClassVar[str] = "Problem"
    exit_code: ClassVar[int] = 70

    def __init__(self, message: str, *, hint: str = "") -> None:
        """Keep what happened (`message`) and what to do about it (`hint`)."""
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageProblem(NecropsyError):
    """The command line asks for something that cannot be done."""

    title = "Usage"
    exit_code = 2


class BadInput(NecropsyError):
    """Something the person named cannot be used."""

    title = "Bad input"
    exit_code = 3


class NotALog(BadInput):
    """No log format recognises a file."""

    title = "Not a log"


class UnknownSession(BadInput):
    """No session, or more than one, has the name that was given."""

    title = "Unknown session"


class UnknownHypothesis(BadInput):
    """The session has no such hypothesis."""

    title = "Unknown hypothesis"


class BadTargets(BadInput):
    """The targets file does not say what it must."""

    title = "Bad targets file"


class EnvironmentProblem(NecropsyError):
    """This machine, or one it talks to, is not in order."""

    title = "Environment"
    exit_code = 4


class StoreProblem(EnvironmentProblem):
    """The store is locked, full, newer than this program, damaged or not writable."""

    title = "Store"


class HostProblem(EnvironmentProblem):
    """A target cannot be used; `outcome` names how in the words of the replay model."""

    title = "Host"

    def __init__(self, message: str, *, outcome: str = "unreachable", hint: str = "") -> None:
        """Keep the outcome beside the message."""
        super().__init__(message, hint=hint)
        self.outcome = outcome


class PolicyRefusal(NecropsyError):
    """The policy does not let a command run."""

    title = "Refused by policy"
    exit_code = 5
