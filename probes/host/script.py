"""What a machine's shell receives: every word in single quotes, inside a wrapper that owns the lifetime.

The wrapper runs in an empty environment and under ``timeout``, which makes itself the leader of a process group, so
that whatever was started can be ended as one. It first tells that group on standard error, after a mark that no output
can guess.
"""

import re
import shlex
from collections.abc import Mapping, Sequence

from sessions.models.command import Pipe, Request, Stage

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/usr/lib/wsl/lib"
GRACE = 2
"""Seconds between the request to end and the end by force, on the far side."""
_NO_CWD = "no-cwd"
_OPEN = re.compile(r"\A~(?=/|\Z)|[*?]+")


def quote(word: str) -> str:
    """Return `word` as one single-quoted word of any POSIX shell, quoted whether it needs it or not."""
    return "'" + word.replace("'", "'\\''") + "'"


def spread(word: str) -> str:
    """Return `word` quoted but for a leading ``~``, which becomes the home folder, and for ``*`` and ``?``."""
    kept = ['"$HOME"' if found[0] == "~" else found[0] for found in _OPEN.finditer(word)]
    between = [quote(text) if text else "" for text in _OPEN.split(word)]
    return "".join(text for pair in zip(between, [*kept, ""], strict=True) for text in pair)


def emit(pipes: Sequence[Pipe]) -> str:
    """Return the canonical command line of some pipelines: what is judged, shown and sent."""
    parts: list[str] = []
    for pipe in pipes:
        if parts:
            parts.append("; " if pipe.after in {"", ";"} else f" {pipe.after} ")
        parts.append(" | ".join(_stage(stage) for stage in pipe.stages))
    return "".join(parts)


def pipes_of(request: Request) -> tuple[Pipe, ...]:
    """Return the pipelines that a request stands for."""
    if request.pipes:
        return request.pipes
    return (Pipe(stages=tuple(Stage(words=words) for words in request.stages)),)


def programs(request: Request) -> tuple[str, ...]:
    """Return the program names that a request calls, in order."""
    return tuple(stage.words[0] for pipe in pipes_of(request) for stage in pipe.stages)


def wrap(request: Request, mark: str, *, home: str = '"$HOME"') -> str:
    """Return the command line that runs `request`; `home` is the home folder as shell source, `mark` a random word."""
    environment = {"PATH": PATH, **request.env, "NECROPSY_RUN": mark}
    words = ["exec", "env", "-i", f"HOME={home}", *_assignments(environment)]
    words += ["timeout", "-k", str(GRACE), f"{request.timeout:g}", "sh", "-c", quote(_inner(request, mark))]
    return " ".join(words)


def kill(group: int, mark: str) -> str:
    """Return the command line that ends the process group of a run, and nothing that got its number since."""
    ours = f"[ ! -e /proc/{group} ] || grep -qs NECROPSY_RUN={mark} /proc/{group}/environ"
    return f"exec sh -c {quote(f'if {ours}; then kill -s KILL -- -{group}; fi')}"


def find_program(name: str) -> str:
    """Return the command line that succeeds if `name` can be found where requests look for it."""
    script = f"PATH={PATH}; command -v -- {quote(name)} >/dev/null"
    return f"exec sh -c {quote(script)}"


def header(stderr: bytes, mark: str) -> tuple[int | None, bool, bytes]:
    """Take the wrapper's own lines off the start of standard error.

    Returns the process group (None if it has not been told yet), whether the working folder is missing, and the rest.
    """
    group, missing = None, False
    start = mark.encode() + b" "
    while stderr.startswith(start):
        line, newline, rest = stderr.partition(b"\n")
        if not newline:
            break
        value = line.removeprefix(start).decode("ascii", "replace")
        missing = missing or value == _NO_CWD
        group = int(value) if value.isdigit() else group
        stderr = rest
    return group, missing, stderr


def _stage(stage: Stage) -> str:
    words = [spread(word) if place in stage.open else quote(word) for place, word in enumerate(stage.words)]
    if stage.stdin is not None:
        words.append(f"< {quote(stage.stdin)}")
    if stage.stdout is not None:
        words.append(f"{'>>' if stage.append else '>'} {quote(stage.stdout)}")
    if stage.stderr != "keep":
        words.append("2>&1" if stage.stderr == "merge" else "2>/dev/null")
    if stage.drop_stdout:
        words.append(">/dev/null")
    return " ".join(words)


def _assignments(environment: Mapping[str, str]) -> list[str]:
    for name in environment:
        if not name.isidentifier() or not name.isascii():
            raise ValueError(f"no name of a variable: {name!r}")
    return [f"{name}={shlex.quote(value)}" for name, value in environment.items()]


def _inner(request: Request, mark: str) -> str:
    lines = [
        "export LC_ALL=C.UTF-8",  # in here, for ``timeout`` would load the locale too
        "IFS=' ' read -r _ _ _ _ group _ </proc/$$/stat",
        f"""printf '{mark} %s\\n' "$group" >&2""",
        "trap 'exit 124' TERM",  # waits for a child that is deaf to TERM, so that timeout goes on to KILL
    ]
    if request.cwd is not None:
        lines.append(f"cd -- {quote(request.cwd)} 2>/dev/null || {{ echo {mark} {_NO_CWD} >&2; exit 1; }}")
    merged = " 2>&1" if request.merge_stderr else ""
    source = " </dev/null" if request.stdin is None else ""
    lines += ["{", emit(pipes_of(request)), f"}}{source}{merged}"]
    return "\n".join(lines)
