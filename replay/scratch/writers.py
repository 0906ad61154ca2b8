"""Programs whose words alone tell which files they write: their options as data, and what each operand is to them.

Everything else that writes is named with the reason why it cannot be told.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from replay.policy.judgement import Problem
from replay.policy.options import COUNT, Call, Program
from replay.policy.sed import check_sed

Use = Literal["read", "change", "make"]
"""A path whose content is read, whose content is changed, or that is made anew or replaced."""

_MODE = r"0?[0-7]{3}|[ugoa]*[+=-][rwxX]+(,[ugoa]*[+=-][rwxX]+)*"
_FOLDERS = Problem("unknown", "copies a folder: what lies in it is not followed")
_LINKS = Problem("unknown", "keeps or makes links: where a later path leads could not be told")
_ELSEWHERE = Problem("unknown", "names its destination in front, which is not on the list")


@dataclass(frozen=True, slots=True)
class Writer:
    """A program that writes, and what its operands are to it: all but the last, and the last."""

    program: Program
    uses: tuple[Use, Use]
    creates: bool = False
    """Whether what it changes need not be there."""

    def use(self, place: int, operands: int, call: Sequence[str]) -> Use:
        """Return what the operand at a place is to a call, given the number of its operands and its words."""
        if self.program.name == "tee" and not {"-a", "--append"}.isdisjoint(call):
            return "change"
        if self.program.name == "patch":
            return "change" if place == 0 else "read"
        return self.uses[place == operands - 1]


def _check_sed(call: Call) -> Problem | None:
    """Let all pass that does not run a program or name a file: ``--sandbox`` holds sed to that too."""
    if not call.has("-i", "--in-place"):
        return Problem("unknown", "sed: does not edit in place")
    problem = check_sed(call)
    return problem if problem is not None and problem.effect != "unknown" else None


def _one_file(call: Call) -> Problem | None:
    return None if call.operands else Problem("unknown", "patch: the files that it changes stand in the patch")


_COPYING = {
    "-r": _FOLDERS, "-R": _FOLDERS, "-a": _FOLDERS, "--recursive": _FOLDERS, "--archive": _FOLDERS, "-d": _LINKS,
    "-P": _LINKS, "-l": _LINKS, "-s": _LINKS, "-t": _ELSEWHERE,
}  # fmt: skip
WRITERS: Mapping[str, Writer] = {
    writer.program.name: writer
    for writer in (
        Writer(
            Program("cp", "-f -n -p -v -u -T --force --no-clobber --verbose --update", least=2, refused=_COPYING),
            ("read", "make"),
        ),
        Writer(
            Program(
                "mv", "-f -n -v -u -T --force --no-clobber --verbose --update", least=2, refused={"-t": _ELSEWHERE}
            ),
            ("change", "make"),
        ),
        Writer(
            Program("mkdir", "-p -v --parents --verbose", {"-m": _MODE}, operands=("place",), least=1), ("make", "make")
        ),
        Writer(
            Program("touch", "-a -c -m --no-create", {"-d": "text", "-t": r"[\d.]+"}, operands=("place",), least=1),
            ("change", "change"),
            creates=True,
        ),
        Writer(Program("tee", "-a --append", operands=("place",), least=1), ("make", "make"), creates=True),
        Writer(
            Program("chmod", "-c -f -v", operands=(_MODE, "place"), least=2, dashes=False), ("change", "change")
        ),
        Writer(
            Program(
                "sed",
                "-n -E -r -s -z -u --quiet --silent --regexp-extended --separate",
                {"-e": "text", "--expression": "text"},
                operands=("text", "place"),
                least=2,
                instead=("-e", "--expression"),
                optional={"-i": r"[\w.~-]{1,20}", "--in-place": r"[\w.~-]{1,20}"},
                fixed=("--sandbox",),
                check=_check_sed,
            ),
            ("change", "change"),
        ),
        Writer(
            Program(
                "patch",
                "-N -s -f -l -t -R --forward --silent --force --quiet --batch --reverse",
                {"-p": COUNT, "-F": COUNT, "-i": "path", "--input": "path"},
                operands=("place", "path"),
                most=2,
                check=_one_file,
            ),
            ("change", "read"),
        ),
    )
}  # fmt: skip

_ARCHIVE = "what it writes stands in the archive, not in its words"
_UNTOLD: Mapping[str, str] = {
    **dict.fromkeys(("tar", "unzip", "cpio", "bsdtar", "7z"), _ARCHIVE),
    "git": "what it changes stands in the patch or the repository, not in its words",
    **dict.fromkeys(("ln", "link", "symlink"), "makes a link: where a later path leads could not be told"),
    **dict.fromkeys(("rsync", "scp", "sftp"), "copies between machines or whole folders"),
    **dict.fromkeys(("chown", "chgrp", "chattr", "setfacl"), "gives files to others"),
    **dict.fromkeys(("mktemp", "split", "csplit"), "makes up the names of its files"),
}
READERS = frozenset({"files", "text", "searching"})
"""Families of programs that say in the scratch folder's cage what they say outside: they look at files only."""
HIDDEN = ("/proc", "/sys", "/dev", "/run", "/var/run")
"""Folders that look otherwise in the cage."""


def untold(name: str) -> str:
    """Return why it cannot be told what a program writes, or what it says in the cage."""
    if name in _UNTOLD:
        return f"{name}: {_UNTOLD[name]}"
    return f"{name}: is neither a program whose words tell what it writes, nor one that only looks at files"
