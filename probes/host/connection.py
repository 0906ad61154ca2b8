"""One door to every kind of target."""

from contextlib import AbstractAsyncContextManager

from probes.host import local, ssh
from probes.host.targets import LOCAL, Target
from sessions.models.command import Executor


def connect(target: Target) -> AbstractAsyncContextManager[Executor]:
    """Return what opens an executor on `target`: over ssh, or on this machine where it is called ``local``.

    Entering it raises HostProblem where the target cannot be used.
    """
    return local.connect() if target.name == LOCAL else ssh.connect(target)
