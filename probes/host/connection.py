"""One door to every kind of target."""

from contextlib import AbstractAsyncContextManager

from probes.host import local, ssh
from probes.host.targets import LOCAL, SANDBOX, Target
from sessions.models.command import Executor


def connect(target: Target) -> AbstractAsyncContextManager[Executor]:
    """Return what opens an executor on `target`: over ssh, or here where it is called ``local`` or ``sandbox``.

    That of the sandbox has no walls by itself: `probes.host.layers.hold` puts them up.

    Entering it raises HostProblem where the target cannot be used.
    """
    return local.connect(target.name) if target.name in {LOCAL, SANDBOX} else ssh.connect(target)
