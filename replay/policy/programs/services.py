"""Services, logs of the system, and tables of the kernel, as far as they only tell."""

from collections.abc import Sequence
from dataclasses import replace

from replay.policy.judgement import Problem
from replay.policy.options import COUNT, NAME, Answer, Call, Program, Understood, understand

_ENDLESS = Problem("unknown", "does not end by itself")
_CHANGES = Problem("system", "changes the machine")
_LOSES = Problem("destructive", "throws log entries away")
_UNIT = r"[\w@.:\\*-]+"
_WHEN = r"[\w:. +-]+"
_LAST = "10000"
_CHANGING_WORDS = """
    start stop restart reload try-restart reload-or-restart kill enable disable mask unmask edit daemon-reload
    daemon-reexec set-property reset-failed isolate reboot poweroff halt suspend link revert preset set-default
    set-environment unset-environment import-environment freeze thaw clean bind mount-image
"""
_CHANGING = dict.fromkeys(_CHANGING_WORDS.split(), _CHANGES)
_SHOWN_FLAGS = "-l -a -q --full --all --quiet --no-legend --plain --value --failed --user --system"
_SHOWN_VALUED = {
    "-n": COUNT, "--lines": COUNT, "-p": r"[\w,]+", "--property": r"[\w,]+", "-t": r"[\w,]+", "--type": r"[\w,]+",
    "--state": r"[\w,]+", "-o": r"[\w-]+", "--output": r"[\w-]+",
}  # fmt: skip
_SYSTEMCTL = {
    name: Program(f"systemctl {name}", flags=_SHOWN_FLAGS, valued=_SHOWN_VALUED, operands=(_UNIT,))
    for name in (
        "status", "show", "cat", "is-active", "is-enabled", "is-failed", "list-units", "list-unit-files",
        "list-timers", "list-sockets", "list-dependencies", "get-default", "is-system-running",
    )
}  # fmt: skip


def _check_journal(call: Call) -> Problem | None:
    """Without a bound the whole journal would come."""
    return None if call.has("-n", "--lines") else Problem("unknown", "journalctl: needs a number of lines")


def _shows_all(call: Call) -> Problem | None:
    """All properties of a unit hold its environment; a person who names some is shown those."""
    named = call.values("-p", "--property")
    if named and not any("environment" in each.lower() for each in named):
        return None
    return Problem("read-secret", "systemctl show: prints the environments of services")


def _check_dmesg(call: Call) -> Problem | None:
    return Problem("unknown", "dmesg: takes no operand") if call.operands else None


_UNIT_FILES = Problem("read-secret", "systemctl cat: prints unit files, and with them the environments of services")
_JOURNAL = Program(
    "journalctl",
    flags="-a -e -x -q -r -k -m -l --all --quiet --reverse --dmesg --merge --full --utc --no-hostname --catalog "
    "--list-boots --disk-usage --no-full --user --system",
    valued={"-n": COUNT, "--lines": COUNT, "-u": _UNIT, "--unit": _UNIT, "-S": _WHEN, "--since": _WHEN, "-U": _WHEN,
            "--until": _WHEN, "-p": r"[\w.]+", "--priority": r"[\w.]+", "-o": r"[\w-]+", "--output": r"[\w-]+",
            "-g": "text", "--grep": "text", "-t": NAME, "--identifier": NAME, "--user-unit": _UNIT},
    optional={"-b": r"-?\w+", "--boot": r"-?\w+"},
    operands=(r"_?[A-Z_]+=[\w.@/-]+",),
    dashes=False,
    fixed=("--no-pager",),
    refused={
        **dict.fromkeys(("-f", "--follow"), _ENDLESS),
        **dict.fromkeys(("--vacuum-size", "--vacuum-time", "--vacuum-files"), _LOSES),
        **dict.fromkeys(("--rotate", "--flush", "--sync", "--relinquish-var", "--setup-keys", "--update-catalog"),
                        _CHANGES),
    },
    check=_check_journal,
    note=f"at most the last {_LAST} lines of the journal where the recorded call has no limit",
)  # fmt: skip


def _parse_journal(words: Sequence[str]) -> Answer:
    """Give a call without a bound one, and take ``--no-pager`` from wherever it stands."""
    rest = [word for word in words if word != "--no-pager"]
    found = understand(_JOURNAL, rest)
    if isinstance(found, Problem) and found.reason.endswith("needs a number of lines"):
        return understand(_JOURNAL, ["-n", _LAST, *rest])
    return found if isinstance(found, Problem) else Understood(found.words, found.asks)


def _parse_systemctl(words: Sequence[str]) -> Answer:
    """Put options in front of the subcommand behind it, and ``--no-pager`` in front of all."""
    rest = [word for word in words if word != "--no-pager"]
    options: list[str] = []
    while rest and rest[0].startswith("-"):
        options.append(rest.pop(0))
        if options[-1] in _SHOWN_VALUED and rest:
            options.append(rest.pop(0))
    return understand(_SERVICES, [*(rest or ["list-units"]), *options])


_SERVICES = Program(
    "systemctl",
    subcommands={
        **_SYSTEMCTL,
        "show": replace(_SYSTEMCTL["show"], weigh=_shows_all),
        "cat": replace(_SYSTEMCTL["cat"], asks=_UNIT_FILES),
    },
    fixed=("--no-pager",),
    refused=_CHANGING,
)

PROGRAMS = (
    Program(
        "systemctl",
        parse=_parse_systemctl,
        examples=("systemctl status vllm", "systemctl --no-pager show -p MainPID vllm", "systemctl is-active docker",
                  "systemctl list-units --type=service", "systemctl --failed",
                  "systemctl --no-pager -l -n 5 status vllm"),
        asked=("systemctl show vllm", "systemctl show vllm -p Environment", "systemctl cat vllm.service"),
    ),
    Program(
        "journalctl",
        parse=_parse_journal,
        examples=("journalctl -u vllm -n 50 --no-pager", "journalctl -k -b-1 -n 20",
                  "journalctl -u vllm --since today"),
    ),
    Program(
        "dmesg",
        flags="-T -x -k -u -t -P --ctime --decode --kernel --userspace --notime --nopager --reltime",
        valued={"-l": r"[\w,+]+", "--level": r"[\w,+]+", "-f": r"[\w,]+", "--facility": r"[\w,]+",
                "--time-format": r"\w+", "--color": "never"},
        operands=(),
        most=0,
        dashes=False,
        refused={
            **dict.fromkeys(("-C", "--clear", "-c", "--read-clear"), Problem("system", "clears the log")),
            **dict.fromkeys(("-n", "--console-level", "-D", "-E", "--console-off", "--console-on"), _CHANGES),
            **dict.fromkeys(("-w", "--follow", "-W", "--follow-new"), _ENDLESS),
            **dict.fromkeys(("-H", "--human", "-L"), Problem("code", "runs a pager")),
        },
        check=_check_dmesg,
        examples=("dmesg -T", "dmesg --level err"),
    ),
    Program("mount", flags="-l", valued={"-t": r"[\w,]+"}, operands=(), most=0, dashes=False, overflow=_CHANGES,
            examples=("mount", "mount -t nfs4")),
    Program("findmnt", flags="-l -n -r -D -J -a -h", valued={"-o": r"[\w,%-]+", "-t": r"[\w,]+", "-T": "place"},
            operands=("place",), examples=("findmnt", "findmnt -T /models")),
    Program("lsmem", flags="-a -b -J -n", operands=(), most=0, examples=("lsmem",)),
    Program("lsusb", flags="-t", valued={"-s": r"[\d:]+"}, operands=(), most=0, dashes=False,
            refused={"-v": Problem("read-intrusive", "asks the devices themselves")}, examples=("lsusb",)),
    Program("lsns", valued={"-t": r"\w+", "-p": r"\d+"}, flags="-l -n", operands=(), most=0, examples=("lsns -t pid",)),
    Program("modinfo", valued={"-F": NAME}, operands=(NAME,), least=1, dashes=False,
            examples=("modinfo nvidia", "modinfo -F version nvidia")),
    Program("ldconfig", flags="-p --print-cache", operands=(), most=0, dashes=False,
            check=lambda call: None if call.options else Problem("system", "ldconfig: writes its cache"),
            examples=("ldconfig -p",)),
    Program("swapon", flags="-s --show --noheadings", operands=(), most=0, dashes=False, overflow=_CHANGES,
            check=lambda call: None if call.has("-s", "--show") else _CHANGES, refused={"-a": _CHANGES},
            examples=("swapon --show",)),
    Program("getconf", flags="-a", operands=(r"[A-Z_]\w*", "place"), most=2, dashes=False,
            examples=("getconf PAGE_SIZE", "getconf -a")),
    Program("getent", operands=("passwd|group", NAME), least=1, most=3, dashes=False, examples=("getent passwd ops",)),
    Program("locale", flags="-a", operands=(), most=0, dashes=False, examples=("locale",)),
    Program("last", flags="-a -x -i -w -F", valued={"-n": COUNT}, operands=(NAME,), number="-n", dashes=False,
            examples=("last -n 5", "last reboot")),
    Program("ulimit", flags="-a -n -l -u -s -v -H -S -c -f -m -t", operands=(), most=0, dashes=False, overflow=_CHANGES,
            examples=("ulimit -a", "ulimit -n")),
    Program("top", flags="-b -c -H -i", valued={"-n": "[1-5]", "-p": r"[\d,]+", "-u": NAME, "-o": r"[+-]?[\w%]+",
            "-d": r"[1-5]", "-w": r"\d{1,3}"}, operands=(), most=0, dashes=False,
            check=lambda call: None if call.has("-b") and call.has("-n") else _ENDLESS,
            asks=Problem("read-intrusive", "top: makes a folder for its settings where there is none"),
            asked=("top -bn1", "top -b -n 1 -o %MEM")),
    Program("printenv", operands=(r"\w+",), dashes=False, most=20,
            asks=Problem("read-secret", "prints the environment, and with it secrets"),
            asked=("printenv HF_TOKEN", "printenv")),
)  # fmt: skip
"""Tellers of services and of the kernel."""
