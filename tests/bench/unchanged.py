"""Does an unchanged host look unchanged? Runs commands that a replay may run, and again later, and compares.

    python tests/bench/unchanged.py record FILE     now
    python tests/bench/unchanged.py compare FILE    an hour later
    python tests/bench/unchanged.py                 both at once

Commands are those that the policy runs by itself on folders that nobody writes to meanwhile.
"""

import argparse
import json
import os
import shlex
import subprocess
import sys
from collections import Counter
from pathlib import Path

from replay.output.compare import SAME, compare
from replay.policy.judge import judge
from sessions.ingest import display

_FOLDERS = (
    "/usr/sbin",
    "/etc/default",
    "/usr/bin",
    "/usr/lib",
    "/usr/share",
    "/usr/include",
    "/opt",
    "/boot",
    "/srv",
    "/usr/local/bin",
)
_FILES = (
    "/etc/os-release", "/etc/inputrc", "/etc/fstab", "/etc/hosts", "/etc/services", "/etc/login.defs", "/etc/profile",
    "/proc/cpuinfo", "/proc/version", "/etc/debian_version", "/etc/nsswitch.conf", "/etc/bash.bashrc", "/etc/shells",
)  # fmt: skip
_PLAIN = (
    "uname -a", "uname -r", "uname -m", "hostname", "id", "whoami", "nproc", "lscpu", "df -h", "df -hT", "df",
    "df -h /",
    "free -h", "free -m", "free", "ps aux", "ps -ef", "ps -p 1 -o pid,user,comm", "uptime", "date", "date -u", "lsblk",
    "pip list", "pip freeze", "python3 -V", "du -sh /usr/include", "df -i", "free -g", "ps aux | head -n 3",
    "df -h / | tail -n 1",
    "ls -la /", "pip show pip", "stat -c %s /etc/shells", "which python3", "readlink -f /usr/bin/python3", "arch",
)  # fmt: skip


def commands() -> list[str]:
    """Return the commands, those that this machine's policy lets run."""
    on_folders = [
        f"{call} {folder}"
        for folder in _FOLDERS
        for call in ("ls", "ls -l", "ls -la", "ls -lh", "stat -c '%A %s %n'", "du -s", "find", "ls -lt", "ls -R")
    ]
    on_files = [
        f"{call} {file}"
        for file in _FILES
        for call in (
            "cat", "head -n 20", "tail -n 20", "wc -l", "wc -c", "sed -n 3,9p", "grep -n a", "grep -c e", "stat -c %Y",
            "ls -l", "head -c 100", "sort", "nl", "md5sum", "sha256sum", "cut -c 1-20", "uniq -c", "grep -i r",
        )
    ]  # fmt: skip
    return [text for text in (*_PLAIN, *on_folders, *on_files) if judge(text).decision == "run"]


def record() -> dict[str, tuple[int, str]]:
    """Return exit status and output of every command."""
    return {text: _run(text) for text in commands()}


def _run(text: str) -> tuple[int, str]:
    # What else runs on this machine is no part of an unchanged host: processes are looked at in a world of their own.
    alone = ["unshare", "--pid", "--fork", "--mount-proc"] if text.startswith("ps ") and os.geteuid() == 0 else []
    done = subprocess.run(
        [*alone, "bash", "-c", judge(text).sent or "false"], capture_output=True, check=False, timeout=60
    )
    return done.returncode, display.clean((done.stdout + done.stderr).decode("utf-8", "replace"))


def against(recorded: dict[str, tuple[int, str]]) -> dict[str, str]:
    """Run all again and return how each compares; what differs goes to standard error."""
    found: dict[str, str] = {}
    for text, (_, output) in recorded.items():
        compared = compare(output, _run(text)[1], argv=shlex.split(text.partition(" | ")[0]))
        found[text] = compared.comparison
        if compared.comparison not in SAME:
            sys.stderr.write(f"{text}: {compared.comparison} {[t.model_dump() for t in compared.tokens[:3]]}\n")
    return found


def main() -> None:
    """Record, compare, or both, and print how many came out how."""
    parser = argparse.ArgumentParser(description="Hold a host against itself.")
    parser.add_argument("what", nargs="?", choices=("record", "compare"))
    parser.add_argument("file", nargs="?", type=Path)
    asked = parser.parse_args()
    if asked.what == "record":
        asked.file.write_text(json.dumps(record()))
        return
    recorded = record() if asked.file is None else json.loads(asked.file.read_text())
    counts = Counter(against(recorded).values())
    sys.stdout.write(f"{len(recorded)} commands: {', '.join(f'{n} {what}' for what, n in counts.most_common())}\n")


if __name__ == "__main__":
    main()
