"""What programs do that are never just read: named, so that a refusal says more than ``unknown``."""

import re
from collections.abc import Callable, Sequence

from replay.policy.judgement import Problem
from sessions.models.replay import Effect

TRUSTED = frozenset({"/bin", "/usr/bin", "/sbin", "/usr/sbin", "/usr/local/bin", "/usr/local/cuda/bin"})
"""Folders whose programs are what their names say."""
ENGINES = ("docker", "podman", "nerdctl")
_OWN_CLIENT = re.compile(rf"(?!/(tmp|var|dev|home|root|run|proc)/)(?!.*/\.\.?/)(/[\w.@+-]+)+/bin/({'|'.join(ENGINES)})")

_EFFECTS: dict[Effect, str] = {
    "destructive": "rm rmdir shred unlink truncate wipefs mkfs fdisk parted sgdisk kill pkill killall skill blkdiscard",
    "system": "service apt apt-get aptitude yum dnf zypper apk pacman snap brew conda mamba reboot shutdown "
    "halt poweroff init umount modprobe insmod rmmod useradd userdel usermod passwd chpasswd groupadd "
    "nft ip ifconfig route crontab at swapoff update-alternatives timedatectl hostnamectl "
    "nvidia-persistenced nvidia-modprobe srun sbatch salloc helm lxc loginctl "
    "chroot renice ionice chrt taskset poetry uv pipx gem nvidia-ctk",
    "code": "sh bash dash zsh fish ksh csh tcsh python2 perl ruby node deno bun php lua Rscript java "
    "awk gawk mawk nawk xargs parallel make cmake ninja gcc g++ cc clang eval source . exec pytest torchrun "
    "accelerate vllm deepspeed gdb cuda-gdb strace ltrace perf py-spy nsys ncu compute-sanitizer watch less more man "
    "vi vim nano emacs ldd trap tmux screen expect env setsid script "
    "npm npx yarn pnpm bunx cargo go gofmt mise just tox nox ruff mypy "
    "systemd-run busybox entr",
    "writes": "mv cp touch mkdir tee ln install chmod chown chgrp chattr setfacl tar unzip zip gzip gunzip bzip2 xz "
    "zstd split csplit patch mktemp mkfifo mknod rsync scp sftp sponge ed ex sqlite3 logrotate",
    "network": "wget ftp nc ncat netcat socat telnet ssh ping ping6 traceroute dig nslookup host aria2c "
    "huggingface-cli hf aws gcloud gsutil az s3cmd rclone git-lfs nmap",
    "read-secret": "printenv history gpg pass",
}
_NAMED = {name: effect for effect, names in _EFFECTS.items() for name in names.split()}
_DOES: dict[Effect, str] = {
    "destructive": "removes or ends something",
    "system": "changes the machine",
    "code": "runs code",
    "writes": "writes files",
    "network": "reaches the network",
    "read-secret": "prints secrets",
}
_TAR_RUNS = re.compile(r"-I|--(use-compress-program|checkpoint-action|to-command|rsh-command|info-script)|-\w*[IF]")
_CASES: tuple[tuple[str, Callable[[Sequence[str]], bool], Problem], ...] = (
    ("kill", lambda words: "-0" in words, Problem("unknown", "kill -0: asks for a process by a call that can end it")),
    ("tee", lambda words: set(words) <= {"/dev/null", "-a"}, Problem("unknown", "tee: is never taken for reading")),
    ("tar", lambda words: any(_TAR_RUNS.match(word) for word in words), Problem("code", "tar: runs a program")),
    ("dd", lambda _: True, Problem("unknown", "dd: may overwrite a whole disk or read one")),
)
"""What a program does in a certain form."""


def is_own_client(program: str) -> bool:
    """Tell whether a program is a container engine's client that was installed by itself: ``/opt/x/bin/docker``."""
    return program.rpartition("/")[0] not in TRUSTED and _OWN_CLIENT.fullmatch(program) is not None


def name_effect(words: Sequence[str]) -> Problem:
    """Return what a call of a program does that no family of the policy knows; `words` with the program first."""
    name = words[0].rpartition("/")[2]
    for program, applies, problem in _CASES:
        if name == program and applies(words[1:]):
            return problem
    effect = _NAMED.get(name)
    if effect is None and name.startswith("mkfs."):
        effect = "destructive"
    if effect is None:
        return Problem("unknown", f"{words[0]}: is not on the list")
    return Problem(effect, f"{words[0]}: {_DOES[effect]}")
