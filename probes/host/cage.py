"""What stands around a command on a target: a view in which no file can be changed, no network, no rights, limits.

A cage is a list of fixed words in front of the words that it holds. Whether one is in force is not believed but tried:
a command of our own in the same cage looks whether it could write, reach a network or use a right
(`probes.host.layers`).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

SCRATCH = re.compile(r"/var/tmp/necropsy-[0-9a-f]{16}")  # noqa: S108 - made there for its owner only
"""The only folders that caged code may write to besides those in memory."""

_MEMORY = 1 << 30
"""Bytes of each folder that lies in memory."""
_EMPTIED = ("/tmp", "/run", "/var/tmp")  # noqa: S108 - covered, not used
"""Where other processes have their sockets and temporary files."""
_HOMES = ("/home", "/root")

_READ_ONLY = """\
writable() {
  awk '{ on[$5] = $6 } END { for (at in on) if ("," on[at] "," !~ /,ro,/) print at, on[at] }' /proc/self/mountinfo
}
mount --make-rprivate / || exit 125
writable | while read -r at options; do mount -o "remount,bind,$options,ro" "$(printf '%b' "$at")" 2>/dev/null; done
writable | while read -r at options; do [ ! -e "$(printf '%b' "$at")" ] || exit 125; done || exit 125
exec "$@"
"""
"""Makes every mount read-only; fails with 125 if one that can still be reached is writable."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a command may use: processor seconds and private memory of each process, bytes of each file, processes.

    Memory is counted as RLIMIT_DATA does: address space that is only reserved, as CUDA does by terabytes, is free.
    """

    cpu: int = 600
    memory: int = 32 << 30
    file: int = 256 << 20
    processes: int | None = None
    """Of the whole account, those that run already among them; root is never held to it."""

    def words(self) -> tuple[str, ...]:
        """Return the words that set them."""
        limits = [f"--cpu={self.cpu}", f"--data={self.memory}", f"--fsize={self.file}", "--core=0"]
        limits += [f"--nproc={self.processes}"] if self.processes else []
        return ("prlimit", *limits, "--")

    def described(self) -> str:
        """Return them as a sentence."""
        return f"per process {self.cpu} s of processor, {self.memory >> 30} GiB of memory, {self.file >> 20} MiB a file"


def view() -> tuple[str, ...]:
    """Return the words around a command that reads: it sees all as it is, and no file can be changed.

    Only root can have it: in a user namespace, owners would look other than they are.
    """
    return ("unshare", "--mount", "--propagation", "private", "sh", "-c", _READ_ONLY, "sh")


def around_code(
    scratch: str | None, devices: Sequence[str] = (), shown: Sequence[str] | None = None
) -> tuple[str, ...]:
    """Return bubblewrap's words around code: all is read-only but `scratch`, no network, no other process, no rights.

    Folders of sockets and temporary files are empty; `devices` (of GPUs) stay. Where `shown` is given, homes are empty
    too, but for those paths. It ends with whoever started it, and all that it started ends with it.
    """
    words = ["bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--ro-bind", "/", "/"]
    words += ["--dev", "/dev", "--proc", "/proc"]
    for device in devices:
        words += ["--dev-bind-try", device, device]
    for place in (*_EMPTIED, *(_HOMES if shown is not None else ())):
        words += ["--size", str(_MEMORY), "--tmpfs", place]
    for place in shown or ():
        words += ["--ro-bind-try", place, place]
    if scratch is not None:
        words += ["--bind", scratch, scratch]
    return (*words, "--")
