"""Commands that the policy calls read, run under a system-call trace in a sandbox that would let them write.

    python tests/replay/policy/differential.py [COMMANDS] [SEED]

Each is made of the options and operands of the policy's own grammars, of values that mean trouble to some program, and
of the operators between calls; the folder it runs in holds files with hostile names and a repository whose settings
name a program at every place that git knows. What does not end in time is run again by itself, with more of it; only
what then does not end either counts.
"""

import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from probes.host.script import quote
from replay.policy.judge import judge
from replay.policy.judgement import Judgement
from replay.policy.options import Program
from replay.policy.programs import catalogue
from replay.policy.programs.files import FIND_TESTS
from replay.policy.programs.git.commands import COMMANDS

_WORDS = """
    f g.py 5 1 2,3 -1 +2 1,5p $p . .. src src/a.py missing HEAD HEAD~1 main a|b ^x x .* name json csv root sh -o -w e 1e
    s/x/y/e [abc] -delete -exec -fprint --output=m !touch +%s all no -- - %G? {} HEAD:f --help format:%h never now 1d
    +1k *.py /etc/hostname ~ touch /proc/cpuinfo /proc/self/status
    /sys/kernel/mm/transparent_hugepage/enabled /etc /proc
"""
VALUES = (
    *_WORDS.split(), "a b", "$(touch m)", "`touch m`", "; touch m", "| touch m", "a[$(touch m)]", "> m", "", "touch m",
    "w m", "1e touch m", "s/a/b/w m", "%s\\n", "\\", 'system("touch m")',
)  # fmt: skip
"""Values for any option or operand."""
_UNSUITABLE = """
    sleep top vmstat iostat mpstat systemctl journalctl docker docker-compose podman nerdctl kubectl curl gh squeue
    sinfo scontrol sacct nvidia-smi rocm-smi rpm lsof lsusb iptables ip6tables
"""
SLOW_OR_SERVED = frozenset(_UNSUITABLE.split())
"""Programs that take long by nature, speak to a daemon by nature, or are not where tests run."""
JOINTS = (" | ", " && ", "; ", " || ")
AROUND = ("", "", "", " 2>&1", " 2>/dev/null", " >/dev/null", " < f")

_WATCHED = (
    "execve,execveat,open,openat,openat2,creat,unlink,unlinkat,rename,renameat,renameat2,mkdir,mkdirat,rmdir,link,linkat,"
    "symlink,symlinkat,chmod,fchmod,fchmodat,chown,fchown,lchown,fchownat,truncate,ftruncate,mknod,mknodat,utimensat,"
    "utime,utimes,futimesat,setxattr,lsetxattr,fsetxattr,removexattr,connect,kill,tkill,tgkill,mount,umount2,ptrace,"
    "sethostname,settimeofday,clock_settime,chdir"
)
_MARK = re.compile(r'chdir\("/mark/(\d+)"\)')
_CALL = re.compile(r"^\d+ +(\w+)\((.*)")
_RAN = re.compile(r'execve\("([^"]*)".*= 0$')
_OPENED = re.compile(r'open(?:at2?)?\((?:AT_FDCWD, |\d+, )?"((?:[^"\\]|\\.)*)"(?:\.\.\.)?, (?:\{flags=)?([A-Z_|]+)')
_ENDS_ITSELF = re.compile(r"^(\d+) +(kill|tgkill)\((\1|0),")
"""A program that passes on the signal it got, as compilers do for a closed pipe."""
_STARTS = re.compile(r'^(\d+) +execve\("[^"]*/timeout", .*= 0$')
_ENDS = re.compile(r"^(\d+) +kill\(")
PATIENCE, LONGEST = 10, 120
"""Seconds for a command, and for one that did not end in them and is run again."""
_NAME_SERVICE = "/nscd/socket"
"""The C library asks the cache of names and ids, if there is one, whenever a program prints an owner's name."""
_SHELL = frozenset({"sh", "dash", "bash", "timeout"})


@dataclass(frozen=True, slots=True)
class Seen:
    """What a command did that reading does not do."""

    command: str
    call: str


def generate(count: int, seed: int) -> list[Judgement]:
    """Return `count` different commands that the policy would run, the same ones for the same seed."""
    chance = random.Random(seed)  # noqa: S311 -- the same commands for the same seed
    programs = [each for name, each in sorted(catalogue().items()) if name not in SLOW_OR_SERVED and shutil.which(name)]
    words = {program.name: _words(program) for program in programs}
    found: dict[str, Judgement] = {}
    while len(found) < count:
        calls = [
            _call(chance, program, words) for program in chance.choices(programs, k=chance.choice((1, 1, 1, 2, 3)))
        ]
        text = calls[0] + "".join(chance.choice(JOINTS) + call for call in calls[1:])
        judged = judge(text)
        if judged.decision == "run" and judged.sent:
            found.setdefault(judged.sent, judged)
    return list(found.values())


def _call(chance: random.Random, program: Program, words: dict[str, tuple[str, ...]]) -> str:
    """Return one call: an example with something changed, or words of the program's own in any order."""
    if program.examples and chance.random() < 0.5:
        text = chance.choice(program.examples)
        return text + "".join(
            f" {_quoted(chance.choice(words[program.name]))}" for _ in range(chance.choice((0, 1, 2)))
        )
    chosen = [
        chance.choice(words[program.name] if chance.random() < 0.6 else VALUES) for _ in range(chance.randint(0, 5))
    ]
    return " ".join([program.name, *map(_quoted, chosen)]) + chance.choice(AROUND)


def _quoted(word: str) -> str:
    return word if re.fullmatch(r"[\w./:=,+%@-]+", word) else quote(word)


def _words(program: Program) -> tuple[str, ...]:
    """Return the words of a program's own grammar and examples, those of its subcommands with them."""
    found = [*program.flags.split(), *program.valued, *program.optional, *program.refused, *program.subcommands]
    found += [word.strip("'") for example in program.examples for word in example.split()[1:]]
    inner: Iterable[Program] = COMMANDS.values() if program.name == "git" else program.subcommands.values()
    found += [word for each in inner for word in (each.name.split()[-1], *_words(each))]
    if program.name == "find":
        found += [word for name, value in FIND_TESTS.items() for word in (name, value)]
    return tuple(dict.fromkeys(found)) or ("f",)


def trace(commands: list[Judgement], folder: Path, make: Callable[[Path], Path] | None = None) -> list[Seen]:
    """Run commands in a tree that `make` makes in `folder`; return everything they did that reading does not do."""
    seen, late = watch(commands, folder, make)
    for number, judged in enumerate(late):
        inner = folder / f"again{number}"
        inner.mkdir()
        more, still = watch([judged], inner, make, patience=LONGEST)
        seen += [*more, *(Seen(judged.sent or "", f"did not end in {LONGEST} s") for _ in still)]
    return seen


def watch(
    commands: list[Judgement], folder: Path, make: Callable[[Path], Path] | None = None, patience: int = PATIENCE
) -> tuple[list[Seen], list[Judgement]]:
    """Run commands for `patience` seconds each; return what they did beyond reading, and which did not end in them."""
    tree = (make or make_tree)(folder)
    (folder / "home").mkdir()
    script, log = folder / "script", folder / "trace"
    script.write_text(_script(commands, tree, patience))
    cage = f"bwrap --ro-bind / / --dev /dev --proc /proc --bind {folder} {folder} --unshare-net"
    tracer = f"strace -f -qq -s 300 -e trace={_WATCHED} -e signal=none -o {log} sh {script}"
    subprocess.run([*cage.split(), *tracer.split()], check=True, capture_output=True, timeout=3600)
    return _told(log.read_text(errors="replace").splitlines(), commands)


def _script(commands: list[Judgement], tree: Path, patience: int) -> str:
    """Return the source that runs every command in the same folder, each behind a mark that the trace shows."""
    lines = [
        f"cd /mark/{number} 2>/dev/null; cd {tree}; timeout {patience} sh -c {quote(judged.sent or '')}"
        " </dev/null >/dev/null 2>&1"
        for number, judged in enumerate(commands)
    ]
    start = f"export PATH=/usr/local/bin:/usr/bin:/bin HOME={tree.parent / 'home'} LC_ALL=C.UTF-8"
    return "\n".join([start, *lines, "exit 0"]) + "\n"


def _told(lines: Iterable[str], commands: list[Judgement]) -> tuple[list[Seen], list[Judgement]]:
    """Return what a trace tells of commands; a signal that ``timeout`` sends says of one only that it was late."""
    current, guard = -1, ""
    seen: list[Seen] = []
    late: dict[int, Judgement] = {}
    for line in lines:
        if marked := _MARK.search(line):
            current, guard = int(marked[1]), ""
        elif current < 0:
            continue
        elif not guard and (started := _STARTS.match(line)):
            guard = started[1]
        elif guard and (ended := _ENDS.match(line)) and ended[1] == guard:
            late[current] = commands[current]
        elif not _only_reads(line, commands[current]):
            seen.append(Seen(commands[current].sent or "", line))
    return seen, list(late.values())


def _only_reads(line: str, judged: Judgement) -> bool:
    found = _CALL.match(line)
    if found is None:  # the second half of a call that was interrupted by another process's
        return True
    if found[1] in {"execve", "execveat"}:
        ran = _RAN.search(line)
        names = {stage.words[0].rpartition("/")[2] for pipe in judged.pipes for stage in pipe.stages}
        return ran is None or ran[1].rpartition("/")[2] in names | _SHELL
    if found[1] in {"open", "openat", "openat2"}:
        opened = _OPENED.search(line)
        return opened is not None and (
            opened[1] in {"/dev/null", "/dev/tty"} or not re.search("WRONLY|RDWR|CREAT|TRUNC", opened[2])
        )
    if found[1] == "connect":
        return _NAME_SERVICE in line
    return found[1] == "chdir" or _ENDS_ITSELF.match(line) is not None


def make_files(folder: Path) -> Path:
    """Return a folder with files of hostile names."""
    tree = folder / "tree"
    (tree / "src").mkdir(parents=True)
    for name in ("f", "g.py", "src/a.py", "-delete", "-rf", "a b", "$(touch m)", "json.py", "x", "log"):
        (tree / name).write_text(f"import os\nname = {name!r}\n5 x a,b\n")
    return tree


def make_tree(folder: Path) -> Path:
    """Return a folder with files of hostile names and a repository of hostile settings."""
    tree = make_files(folder)
    program = folder / "program"
    program.write_text(f"#!/bin/sh\ntouch {tree}/ran\n")
    program.chmod(0o755)
    settings = (
        "core.fsmonitor", "core.pager", "core.sshCommand", "diff.external", "diff.own.command", "diff.own.textconv",
        "gpg.program", "gpg.ssh.program", "pager.log", "pager.status", "core.editor", "sequence.editor", "core.askPass",
        "filter.lfs.clean", "filter.lfs.process", "interactive.diffFilter", "core.alternateRefsCommand",
        "merge.own.driver",
    )  # fmt: skip
    git = ["git", "-C", str(tree), "-c", "user.name=x", "-c", "user.email=x@example.org"]
    (tree / ".gitattributes").write_text("*.py diff=own\nlog filter=lfs\nx merge=own\n")
    for words in (
        ["init", "-q", "-b", "main"],
        ["add", "."],
        ["commit", "-qm", "one"],
        ["commit", "-qm", "two", "--allow-empty"],
    ):
        subprocess.run([*git, *words], check=True, capture_output=True)
    _merge(git, tree / "x")
    for setting in settings:
        subprocess.run([*git, "config", setting, str(program)], check=True)
    for setting in ("log.showSignature=true", "submodule.recurse=true", "status.submoduleSummary=true",
                    "format.pretty=%G?", "pretty.own=%G?", "alias.status=!touch ran",
                    "log.diffMerges=remerge"):  # fmt: skip
        subprocess.run([*git, "config", *setting.split("=", 1)], check=True)
    hook = tree / ".git" / "hooks" / "post-index-change"
    hook.parent.mkdir(exist_ok=True)
    shutil.copy(program, hook)
    (tree / "g.py").write_text("changed\n")
    (tree / "log").write_text("changed\n")
    return tree


def _merge(git: list[str], file: Path) -> None:
    """Commit a merge in which a file was in conflict: showing it may merge again, by a program."""
    for words in (["checkout", "-qb", "other"], ["checkout", "-q", "main"]):
        subprocess.run([*git, *words], check=True, capture_output=True)
        file.write_text(f"{words[-1]}\n")
        subprocess.run([*git, "commit", "-qam", words[-1]], check=True, capture_output=True)
    subprocess.run([*git, "merge", "-q", "other"], check=False, capture_output=True)
    file.write_text("both\n")
    subprocess.run([*git, "commit", "-qam", "merged"], check=True, capture_output=True)


def main() -> None:
    """Run as many generated commands as asked for, 10,000 by default, and fail with what was more than reading."""
    count, seed = (int(word) for word in (*sys.argv[1:], "10000", "1")[:2])
    bad = again = 0
    for start in range(0, count, 500):
        commands = generate(min(500, count - start), seed + start)
        with tempfile.TemporaryDirectory() as folder:
            found = trace(commands, Path(folder))
            again += len(list(Path(folder).glob("again*")))
        bad += len(found)
        sys.stdout.write("".join(f"{each.command}\n    {each.call}\n" for each in found))
        sys.stdout.flush()
        sys.stderr.write(f"{start + len(commands)} commands, {bad} did more than read; {again} were late once\n")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
