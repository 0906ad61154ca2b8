"""A target by its name, opened: this machine or one over ssh."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from probes.host import local
from probes.host.targets import LOCAL, Target
from sessions.models.command import Executor


@asynccontextmanager
async def open_target(target: Target) -> AsyncIterator[Executor]:
    """Yield an executor for `target`, closed at the end; the target named ``local`` is this machine.

    Raises HostProblem: unreachable, auth-failed, host-key-mismatch.
    """
    if target.name == LOCAL:
        async with local.connect() as here:
            yield here
        return
    from probes.host import ssh  # noqa: PLC0415 - planning and local runs need no ssh library

    async with ssh.connect(target) as there:
        yield there
