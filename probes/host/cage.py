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
_DEVICE = re.compile(r"/dev/(nvidia[\w-]*|nvidia-caps/[\w-]+|kfd)")
_HOMES = ("/home", "/root")

_READ_ONLY = """\
writable() {
  awk '{ on[$5] = $6 } END { for (at in on) if ("," on[at] "," !~ /,ro,/) print at, on[at] }' /proc/self/mountinfo
}
for at in /proc/sys /proc/sysrq-trigger /proc/irq /proc/bus; do
  [ ! -e $at ] || mount --bind $at $at || exit 125
done
writable | while read -r at options; do
  case $at in KEPT) continue;; esac
  mount -o "remount,bind,$options,ro" "$(printf '%b' "$at")" 2>/dev/null
done
writable | while read -r at options; do
  case $at in KEPT) continue;; esac
  [ ! -e "$(printf '%b' "$at")" ] || exit 125
done || exit 125
"""
"""Makes every mount but KEPT read-only; fails with 125 if another that can still be reached is writable.

/proc stays writable, for CUDA writes names of threads there; what of it steers the kernel does not.
"""
_PRIVATE = "mount --make-rprivate / || exit 125\n"
_ALONE = """\
here=$(pwd)
covered() { mount -t tmpfs -o size=SIZE,nosuid,nodev tmpfs "$1" || exit 125; }
covered /run
mkdir -p /run/scratch /run/dev/shm /run/dev/nvidia-caps || exit 125
[ -z "$1" ] || mount --bind "$1" /run/scratch || exit 125
for at in null zero full random urandom tty DEVICES; do
  [ ! -c "/dev/$at" ] || { : >"/run/dev/$at" && mount --bind "/dev/$at" "/run/dev/$at"; } || exit 125
done
ln -s /proc/self/fd /run/dev/fd
ln -s fd/0 /run/dev/stdin && ln -s fd/1 /run/dev/stdout && ln -s fd/2 /run/dev/stderr
mount --rbind /run/dev /dev || exit 125
for at in /dev/shm /tmp /var/tmp; do covered $at; done
[ -z "$1" ] || { mkdir "$1" && mount --bind /run/scratch "$1"; } || exit 125
"""
"""Puts empty folders where others have sockets and files, and a /dev of plain devices and GPUs; $1: the scratch."""
_BARE = """\
shift
mount -t tmpfs -o ro,nosuid,nodev tmpfs /run || exit 125
cd "$here" 2>/dev/null || cd /
exec setsid setpriv --bounding-set=-all --inh-caps=-all --no-new-privs -- "$@"
"""
"""Without any right; in a session of its own, for a signal to the own process group leaves the namespace.

The folder is entered anew: where it was entered before, it still lies in the mount that is read-only now.
"""


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
    script = _PRIVATE + _READ_ONLY.replace("KEPT", "/proc") + 'exec "$@"'
    return ("unshare", "--mount", "--propagation", "private", "sh", "-c", script, "sh")


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


def around_code_of_root(scratch: str | None, devices: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the same without bubblewrap, by util-linux; only root can have it."""
    plain = " ".join(device.removeprefix("/dev/") for device in devices if _DEVICE.fullmatch(device))
    kept = "/proc|/tmp|/var/tmp|/dev/shm" + (f"|{scratch}" if scratch else "")
    alone = _ALONE.replace("SIZE", str(_MEMORY)).replace("DEVICES", plain)
    script = _PRIVATE + alone + _READ_ONLY.replace("KEPT", kept) + _BARE
    spaces = ("--mount", "--net", "--pid", "--ipc", "--uts", "--fork", "--kill-child", "--mount-proc")
    return ("unshare", *spaces, "sh", "-c", script, "sh", scratch or "")
