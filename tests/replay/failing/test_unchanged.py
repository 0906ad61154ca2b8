"""A host on which nothing changed but the clock: of hundreds of steps that were run there, none is called changed.

The target is a real sshd among processes of its own. The steps are run there over a plain ssh connection as an agent
would run them, once now and once with the clock of all that they start an hour back (libfaketime); both recordings are
then replayed.
"""

import asyncio
import os
import shlex
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path

import pytest

from probes.host.ssh import open_connection
from probes.host.targets import Target
from replay.conduct import conduct
from replay.plan import Hosts, build_plan
from replay.progress import Done
from sessions.ingest import display
from sessions.ingest.source import Source
from sessions.models.replay import RunStep
from sessions.models.session import Session, Step, Tally
from sessions.store.reader import Reader
from sessions.store.writer import Writer
from tests.conftest import Sshd, sshd_program, start_sshd

pytestmark = [pytest.mark.sshd, pytest.mark.timeout(600)]

LEAST = 300
AN_HOUR = 3600
LONG_AGO = 1_790_000_000
"""When everything in the folder was last touched, in seconds."""
ALONE = ("unshare", "--pid", "--fork", "--kill-child", "--mount-proc")

FILES = (
    "/etc/os-release", "/etc/fstab", "/etc/hosts", "/etc/services", "/etc/login.defs", "/etc/profile", "/proc/cpuinfo",
    "/proc/version", "/etc/debian_version", "/etc/shells", "{at}/serve.log", "{at}/model/config.json", "{at}/bench.csv",
    "{at}/src/attention.py",
)  # fmt: skip
ON_FILES = (
    "cat {}", "head -n 20 {}", "tail -n 15 {}", "wc -l {}", "wc -c < {}", "sed -n 3,9p {}", "grep -n a {}",
    "grep -ci e {}", "grep -n 'error' {} | tail -n 3", "ls -l {}", "stat {}", "stat -c '%s %y' {}", "sort {}", "nl {}",
    "md5sum {}", "cut -c 1-20 {}", "cat {} | sort | uniq -c", "head -c 300 {}",
)  # fmt: skip
FOLDERS = ("/usr/sbin", "/etc/default", "/usr/lib/apt", "/opt", "/boot", "{at}", "{at}/model", "/usr/include/linux")
ON_FOLDERS = (
    "ls {}", "ls -l {}", "ls -la {}", "ls -lt {}", "ls -lh {} | head", "du -sh {}", "find {} -maxdepth 1",
    "ls -l --time-style=full-iso {}", "stat -c '%A %s %n' {}", "ls -1 {} | wc -l", "ls -ld {}",
)  # fmt: skip
MACHINE = (
    "uname -a", "uname -r", "hostname", "id", "whoami", "nproc", "lscpu", "df -h", "df -hT", "df", "df -h /", "df -i",
    "free -h", "free -m", "free", "free -g", "ps aux", "ps -ef", "ps -p 1 -o pid,user,comm", "ps -eo pid,etime,args",
    "ps aux | grep sshd", "ps -ef | grep sshd | grep -v grep", "ps aux --sort=-rss | head -n 5", "uptime", "uptime -s",
    "uptime -p", "date", "date -u", "date +%s", "date '+%Y-%m-%d %H:%M:%S'", "date -Is", "lsblk", "top -b -n 1",
    "top -b -n 1 | head -n 12", "vmstat", "cat /proc/meminfo", "cat /proc/loadavg", "cat /proc/uptime",
    "cat /proc/stat",
    "cat /proc/vmstat", "cat /proc/interrupts", "cat /proc/diskstats", "cat /proc/net/dev", "cat /proc/mounts",
    "grep MemAvailable /proc/meminfo", "head -n 5 /proc/meminfo", "cat /proc/sys/kernel/osrelease", "nvidia-smi",
    "nvidia-smi --query-gpu=name,memory.used --format=csv", "ip addr", "ip route", "lsmod | head",
    "cat /sys/class/net/lo/mtu", "ulimit -a", "pip list", "pip freeze", "pip show pip", "python3 -V",
    "which python3 nvcc", "readlink -f /usr/bin/python3", "getconf PAGESIZE", "w", "who", "last -n 3", "lspci | head",
    "git -C {at}/src log --oneline", "git -C {at}/src log -n 1", "git -C {at}/src log --format='%h %ar %s'",
    "git -C {at}/src log --date=relative", "git -C {at}/src status", "git -C {at}/src diff", "git -C {at}/src show",
    "git -C {at}/src rev-parse HEAD", "git -C {at}/src branch", "git -C {at}/src blame attention.py",
    "cat {at}/no-such-file", "ls {at}/no-such-folder", "grep -c zzz {at}/serve.log",
    "diff {at}/bench.csv {at}/serve.log",
    "python3 -c 'import sys; print(sys.version)'", "tail -n 5 {at}/serve.log; date",
    "cd {at} && ls -l && wc -l serve.log",
    "cd {at}/model && ls -l config.json && cat config.json",
)  # fmt: skip


@dataclass(frozen=True)
class Unchanged:
    server: Sshd
    at: Path
    target: Target

    def commands(self) -> list[str]:
        on_files = [call.format(file) for file in FILES for call in ON_FILES]
        on_folders = [call.format(folder) for folder in FOLDERS for call in ON_FOLDERS]
        return [text.replace("{at}", str(self.at)) for text in (*MACHINE, *on_files, *on_folders)]

    async def recorded(self, commands: Sequence[str], clock: Sequence[str]) -> list[Step]:
        """Run the commands as an agent would, over plain ssh, under `clock`; return the steps of the log."""
        connection = await open_connection(self.target)
        turn = asyncio.Lock()  # an agent runs one command after the other

        async def run(number: int, command: str) -> Step:
            async with turn:
                done = await connection.run(shlex.join([*clock, "bash", "-c", command]), encoding=None)
            output = b"".join(part for part in (done.stdout, done.stderr) if isinstance(part, bytes))
            return Step(
                ordinal=number, kind="shell", tool="bash", command=f"ssh h {shlex.quote(command)}",
                output=display.clean(output.decode("utf-8", "replace")), exit_code=done.exit_status,
            )  # fmt: skip

        try:
            return list(await asyncio.gather(*(run(number, command) for number, command in enumerate(commands))))
        finally:
            connection.close()
            await connection.wait_closed()

    async def replayed(self, store: Path, steps: Sequence[Step]) -> list[RunStep]:
        session = Session(id="s", format="opencode", agent="opencode", source="/s", steps=tuple(steps))
        with Writer.open(store) as writer:
            writer.store(Source(Path("/s"), "opencode", "1"), [session], Tally(read=1))
        with Reader.open(store) as reader:
            plan = build_plan(reader, "s", self.target, None, Hosts({"h": "host"}))
        async with aclosing(conduct(store, self.target, plan)) as events:
            return [event.result async for event in events if isinstance(event, Done)]


@pytest.fixture(scope="module")
def unchanged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Unchanged]:
    program = sshd_program()
    if program is None:
        pytest.skip("needs OpenSSH's sshd: apt-get install openssh-server")
    if subprocess.run([*ALONE, "true"], capture_output=True, check=False).returncode:
        pytest.skip("needs leave to make a namespace of processes (root)")
    at = tmp_path_factory.mktemp("host")
    furnish(at)
    server = start_sshd(tmp_path_factory.mktemp("sshd"), program, noting=False, around=ALONE)
    target = Target(
        name="host", host="127.0.0.1", port=server.port, user=server.user, identity=server.identity,
        known_hosts=server.known_hosts, ssh_config=False,
    )  # fmt: skip
    yield Unchanged(server, at, target)
    server.process.kill()
    server.process.wait()


def furnish(at: Path) -> None:
    """Put what an agent looks at in a folder: a log, a model's configuration, measurements, a repository."""
    (at / "model").mkdir()
    (at / "model" / "config.json").write_text('{\n  "hidden_size": 4096,\n  "rope_theta": 10000.0\n}\n')
    lines = [f"INFO 11-29 18:{n // 60:02d}:{n % 60:02d} [core.py:{n}] step {n} loss 0.{n:03d}\n" for n in range(200)]
    (at / "serve.log").write_text("".join(lines) + "ERROR 11-29 18:40:00 worker 3 died\n")
    (at / "bench.csv").write_text("batch,tokens/s\n" + "".join(f"{n},{n * 37.5}\n" for n in range(1, 40)))
    (at / "src").mkdir()
    (at / "src" / "attention.py").write_text("".join(f"def head_{n}():\n    return {n}\n" for n in range(60)))
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "Add attention"]):
        identity = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", "-C", at / "src", *identity, *words], check=True)
    for path in at.rglob("*"):
        os.utime(path, (LONG_AGO, LONG_AGO))


def an_hour_ago() -> tuple[str, ...]:
    """Return the words under which a program's clock is an hour late; file times stay as they are."""
    words = ("env", "LD_PRELOAD=/usr/$LIB/faketime/libfaketime.so.1", "FAKETIME=-1h", "NO_FAKE_STAT=1")
    shown = subprocess.run([*words, "date", "+%s"], capture_output=True, text=True, check=True)
    if abs(time.time() - int(shown.stdout)) < AN_HOUR / 2:
        pytest.skip("needs libfaketime: apt-get install libfaketime")
    return words


@pytest.mark.parametrize("ago", ["now", "an hour ago"])
async def test_nothing_is_called_changed_where_nothing_changed(unchanged: Unchanged, tmp_path: Path, ago: str) -> None:
    steps = await unchanged.recorded(unchanged.commands(), an_hour_ago() if ago != "now" else ())
    clock = next(int(step.output) for step in steps if "date +%s" in step.command)
    assert abs(time.time() - clock - (AN_HOUR if ago != "now" else 0)) < AN_HOUR / 2
    results = await unchanged.replayed(tmp_path / "store.db", steps)
    compared = [result for result in results if result.comparison is not None]
    assert len(compared) >= LEAST
    wrong = {
        steps[result.step].command: (result.comparison, result.tokens[:3], result.detail)
        for result in compared
        if result.comparison in {"changed", "exit-status-changed"}
    }
    assert wrong == {}
    assert {result.outcome for result in results} <= {"completed", "refused", "command-missing", "not-replayable"}
