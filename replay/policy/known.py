"""What programs do that are never just read: named, so that a refusal says more than ``unknown``."""

from collections.abc import Sequence

from replay.policy.judgement import Problem
from sessions.models.replay import Effect

_EFFECTS: dict[Effect, str] = {
    "destructive": "rm rmdir shred unlink truncate wipefs mkfs fdisk parted sgdisk kill pkill killall skill blkdiscard",
    "system": "systemctl service apt apt-get aptitude yum dnf zypper apk pacman snap brew conda mamba reboot shutdown "
    "halt poweroff init mount umount modprobe insmod rmmod sysctl useradd userdel usermod passwd chpasswd groupadd "
    "iptables nft ip ifconfig route crontab at swapon swapoff ldconfig update-alternatives timedatectl hostnamectl "
    "nvidia-persistenced nvidia-modprobe srun sbatch salloc docker podman nerdctl kubectl helm incus lxc loginctl "
    "chroot dmesg ulimit renice ionice chrt taskset poetry uv pipx npm yarn pnpm cargo go gem nvidia-ctk",
    "code": "sh bash dash zsh fish ksh csh tcsh python python2 python3 perl ruby node deno bun php lua Rscript java "
    "awk gawk mawk nawk xargs parallel make cmake ninja gcc g++ cc clang eval source . exec pytest torchrun "
    "accelerate vllm deepspeed gdb cuda-gdb strace ltrace perf py-spy nsys ncu compute-sanitizer watch less more man "
    "vi vim nano emacs ldd trap tmux screen expect env nohup setsid script systemd-run busybox entr",
    "writes": "mv cp touch mkdir tee dd ln install chmod chown chgrp chattr setfacl tar unzip zip gzip gunzip bzip2 xz "
    "zstd split csplit patch mktemp mkfifo mknod rsync sponge ed ex sqlite3 logrotate",
    "network": "curl wget scp sftp ftp nc ncat netcat socat telnet ssh ping ping6 traceroute dig nslookup host aria2c "
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
_CONTAINERS = frozenset({"docker", "podman", "nerdctl", "kubectl", "incus"})
_INSIDE: dict[str, frozenset[str]] = {
    "systemctl": frozenset(["status", "show", "list-units", "is-active", "is-enabled", "cat", "list-unit-files"]),
    "docker": frozenset(["ps", "images", "logs", "version", "info", "top", "stats"]),
}


def name_effect(words: Sequence[str]) -> Problem:
    """Return what a call of a program does that no family of the policy knows; `words` with the program first."""
    name = words[0]
    effect = _NAMED.get(name.rpartition("/")[2])
    if effect is None and name.startswith("mkfs."):
        effect = "destructive"
    if effect is None:
        return Problem("unknown", f"{name}: is not on the list")
    if words[0] in _CONTAINERS and words[1:2] in (["exec"], ("exec",)):
        return Problem("code", f"{name} exec: runs something inside a container")
    if effect == "system" and len(words) > 1 and words[1] in _INSIDE.get(name, frozenset()):
        return Problem("unknown", f"{name} {words[1]}: is not on the list")
    return Problem(effect, f"{name}: {_DOES[effect]}")
