"""Commands: what a step really ran, where, and what came of running one."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

from sessions.models.strict import Strict


class Command(Strict):
    """One program call inside a step, with everything around it taken off and kept as context.

    A step ``cd /srv && ssh root@h 'sed -n 1,5p f | head -2' 2>&1 | tail -1`` holds three: ``sed`` and ``head`` on host
    ``h`` as ``root`` (pipeline 0, stages 0 and 1), and ``tail`` on the agent's own machine (stage 2).
    """

    argv: tuple[str, ...]
    """Decoded words. A word that only a shell could expand stands as written, and `literal` is False."""
    text: str
    """The source text of this call at the level at which it runs."""
    literal: bool = True
    """Whether every word of `argv` and every value of `env` is exact: no expansion, substitution or glob is left."""
    host: str | None = None
    """The host's name as the log gives it; None: the agent's own machine."""
    user: str | None = None
    """The remote user the log names, or the one that sudo changes to."""
    sudo: bool = False
    container: str | None = None
    """Inside which container it ran: ``docker:NAME``, ``podman:NAME``, ``compose:SERVICE``, ``incus:NAME`` or
    ``kubectl:NAMESPACE/POD`` (no namespace if the log names none, ``:CONTAINER`` behind it); ``A>B``: B inside A.
    """
    jumps: tuple[str, ...] = ()
    """Hosts passed on the way, outermost first."""
    cwd: str | None = None
    env: Mapping[str, str] = {}
    """Variables set for this call by assignment or ``env``."""
    pipeline: int = 0
    """Number of the pipeline within the step, from 0."""
    stage: int = 0
    """Place within the pipeline, from 0."""
    after: Literal["", "&&", "||", ";", "&"] = ""
    """The operator that connects its pipeline to the one before."""
    merge_stderr: bool = False
    """``2>&1`` stands on it, or around it on the agent's side."""
    redirects: tuple[str, ...] = ()
    """Other redirections as written, e.g. ``> out.txt``, ``2>/dev/null``."""
    redirects_outside: tuple[str, ...] = ()
    """Redirections around the ssh or the container, on the machine outside, e.g. ``> keep.log``."""
    stdin: str | None = None
    """Text given by a heredoc or a here-string."""
    timeout: float | None = None
    """Seconds, from ``timeout N``."""
    tty: bool = False
    """A terminal was asked for (``-t``): the recording has both streams in one, and carriage returns."""
    within: tuple[str, ...] = ()
    """What may keep it from running, repeat it or take its output, outermost first: if, while, until, for, loop, case,
    select, function, substitution, process, background. A loop over a literal list is unrolled and not named."""
    unresolved: str | None = None
    """Why this call could not be unwrapped any further, if it could not."""


class Stage(Strict):
    """One program call as it is to be sent: exact words, and where its streams go."""

    words: tuple[str, ...]
    stderr: Literal["keep", "merge", "drop"] = "keep"
    """``merge`` is ``2>&1``, ``drop`` is ``2>/dev/null``."""
    drop_stdout: bool = False
    """``>/dev/null``, applied after `stderr`: merged diagnostics still arrive."""
    stdin: str | None = None
    """Path of the file it reads as standard input."""
    stdout: str | None = None
    """Path of the file that its output goes to; with merged diagnostics, they go there too."""
    append: bool = False
    """The output is put behind what that file holds."""
    open: tuple[int, ...] = ()
    """Numbers of the words of which the shell there makes more: a leading ``~`` becomes its home folder, ``*`` and
    ``?`` become names. Nothing else in them has a meaning."""


class Pipe(Strict):
    """One pipeline as it is to be sent; `after` is the operator that joins it to the one before."""

    stages: tuple[Stage, ...]
    after: Literal["", "&&", "||", ";"] = ""


@dataclass(frozen=True, slots=True)
class Request:
    """What an executor is asked to run: exact words, never a shell string; the executor quotes every word itself.

    `stages` are the words of each stage of one pipeline; where several pipelines or redirections of single stages are
    needed, `pipes` holds them and `stages` is empty.
    """

    stages: tuple[tuple[str, ...], ...] = ()
    pipes: tuple[Pipe, ...] = ()
    cwd: str | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    stdin: bytes | None = None
    merge_stderr: bool = False
    timeout: float = 60.0
    output_limit: int = 8 * 1024 * 1024
    heard: Callable[[bytes], None] | None = None
    """Called with every piece of standard output that is kept, as it comes."""
    heard_errors: Callable[[bytes], None] | None = None
    """The same for standard error."""


@dataclass(frozen=True, slots=True)
class Completed:
    """What came back. `exit_code` is None where the process was killed or the transport was lost.

    `outcome` is one of the outcomes of `sessions.models.replay`; `stdout` and `stderr` are raw bytes, cut at the
    request's limit (then `truncated`); `duration` is in seconds.
    """

    outcome: str
    exit_code: int | None
    stdout: bytes
    stderr: bytes
    duration: float
    truncated: bool = False
    detail: str = ""


class Executor(Protocol):
    """A place where commands run: over ssh, on this machine, in a sandbox."""

    name: str

    async def run(self, request: Request) -> Completed:
        """Run one request to its end and return what came of it; host trouble is an outcome, not an exception."""
        ...

    async def put(self, content: bytes, path: str) -> None:
        """Write `content` to `path` there. Raises HostProblem."""
        ...

    async def close(self) -> None:
        """Give the connection back."""
        ...
