"""Run a probe on a host: send the payload's text to the interpreter there and read the document that comes back.

Nothing is left on the host: the payload goes in as standard input. Only one that needs to be a file (Triton reads the
source of its kernels) is put in a folder of its own, which is taken away again.
"""

import asyncio
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from probes import envelope
from sessions.errors import UsageProblem
from sessions.ingest.display import clean
from sessions.models.command import Completed, Executor, Request
from sessions.models.probe import Probe, ProbeDocument, ProbeReport
from sessions.times import now

TIMEOUT = 600.0
"""Seconds that a probe may take unless the caller says otherwise."""
AS_FILE = "file"
"""The need of a payload that cannot be read from standard input."""
_OUTPUT = 16 * 1024 * 1024
_LONGEST_LINE = 64 * 1024
"""Bytes of a line that has not ended which are kept."""


@dataclass(frozen=True, slots=True)
class Way:
    """How a probe is run."""

    python: str = "python3"
    """The host's interpreter."""
    timeout: float = TIMEOUT
    """Seconds, which the host watches too."""
    heard: Callable[[str], None] | None = None
    """Called with every line that the payload prints on standard error, cleaned for showing, as it comes."""


async def run(
    executor: Executor, probe: Probe, arguments: Mapping[str, str] | None = None, way: Way | None = None
) -> ProbeReport:
    """Return the report of one run of `probe` through `executor`.

    Cancelled, it ends what runs on the host and takes its folder there away. What the host lacks is a status of the
    document, not an exception. Raises UsageProblem for an argument that the probe does not have or a value that its
    kind refuses, HostProblem where a payload that must be a file cannot be put.
    """
    words = _words(probe, arguments or {})
    way = way or Way()
    started = now()
    if AS_FILE in probe.needs:
        completed = await _run_file(executor, probe, words, way)
    else:
        completed = await executor.run(_request(way, ("-", *words), probe.source.encode()))
    return ProbeReport(
        probe=probe.name,
        digest=probe.digest,
        target=executor.name,
        started=started,
        duration=completed.duration,
        outcome=completed.outcome,
        document=_document(probe, completed, way.python),
    )


async def _run_file(executor: Executor, probe: Probe, words: tuple[str, ...], way: Way) -> Completed:
    folder = PurePosixPath("/tmp") / f"necropsy-{secrets.token_hex(8)}"  # noqa: S108 - made here, for its owner only
    try:
        await executor.run(Request((("mkdir", "-m", "700", str(folder)),)))
        path = str(folder / f"{probe.name}.py")
        await executor.put(probe.source.encode(), path)
        return await executor.run(_request(way, (path, *words)))
    finally:
        await asyncio.shield(executor.run(Request((("rm", "-rf", str(folder)),))))


class _Lines:
    """Passes bytes on as whole lines that can be shown."""

    def __init__(self, heard: Callable[[str], None]) -> None:
        self._heard = heard
        self._rest = b""

    def __call__(self, chunk: bytes) -> None:
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        for line in lines:
            if text := clean(line.decode("utf-8", "replace")).strip():
                self._heard(text)
        self._rest = self._rest[-_LONGEST_LINE:]


def _request(way: Way, words: tuple[str, ...], stdin: bytes | None = None) -> Request:
    """Return the request; it runs in the root folder, where no module of that host's user shadows an installed one."""
    words = (way.python, "-B", *words)
    told = _Lines(way.heard) if way.heard else None
    return Request((words,), cwd="/", stdin=stdin, timeout=way.timeout, output_limit=_OUTPUT, heard_errors=told)


def _words(probe: Probe, arguments: Mapping[str, str]) -> tuple[str, ...]:
    known = {argument.name: argument for argument in probe.arguments}
    words: list[str] = []
    for name, value in arguments.items():
        if name not in known:
            offered = ", ".join(f"--{each}" for each in known) or "none"
            raise UsageProblem(f"{probe.name} has no argument --{name}", hint=f"it takes {offered}")
        try:
            {"int": int, "float": float}.get(known[name].kind, str)(value)
        except ValueError as error:
            raise UsageProblem(f"{probe.name}: --{name} must be a number, not {value!r}") from error
        words.append(f"--{name}={value}")
    return tuple(words)


def _document(probe: Probe, completed: Completed, python: str) -> ProbeDocument:
    document = envelope.read(completed.stdout)
    if document is not None and document.name == probe.name:
        return document
    if completed.outcome == "command-missing":
        return envelope.without_document(probe.name, "blocked", f"needs {python}: {completed.detail}")
    reason = completed.detail or f"the payload ended with exit code {completed.exit_code} and printed no document"
    return envelope.without_document(probe.name, "failed", reason, output=completed.stderr or completed.stdout)
