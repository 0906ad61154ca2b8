"""Package tools, as far as they only list."""

from dataclasses import replace

from replay.policy.judgement import Problem
from replay.policy.options import NAME, Program

_INSTALLS = Problem("system", "changes what is installed")
_FETCHES = Problem("network", "fetches from the network")
_CHANGING = dict.fromkeys(("install", "uninstall", "wheel", "cache", "config", "sync", "compile"), _INSTALLS)
_QUIET = ("--isolated", "--disable-pip-version-check", "--no-input")

_RUNS_GIT = Problem("read-intrusive", "pip freeze: runs git in the folders of what is installed from them")

_PIP = {
    "show": Program("pip show", flags="-f --files -v --verbose", operands=(NAME,), least=1),
    "list": Program(
        "pip list",
        flags="-e --editable -l --local --user --not-required",
        valued={"--format": "columns|freeze|json", "--exclude": NAME},
        operands=(),
        most=0,
        refused={"-o": _FETCHES, "--outdated": _FETCHES, "-u": _FETCHES, "--uptodate": _FETCHES},
    ),
    "freeze": Program("pip freeze", flags="-l --local --user --all", operands=(), most=0, asks=_RUNS_GIT),
    "check": Program("pip check", operands=(), most=0),
    "--version": Program("pip --version", operands=(), most=0),
    "-V": Program("pip -V", operands=(), most=0),
}

_NOT_LISTED = {**_CHANGING, "download": Problem("system", "fetches packages and builds them")}
PIP = Program("pip", subcommands=_PIP, fixed=_QUIET, refused=_NOT_LISTED)

PROGRAMS = (
    *(
        replace(
            PIP,
            name=name,
            examples=(f"{name} show vllm", f"{name} list", f"{name} --version"),
            asked=(f"{name} freeze",),
        )
        for name in ("pip", "pip3")
    ),
    Program(
        "dpkg",
        flags="-l -s -L --list --status --listfiles",
        operands=(r"[\w.+:*-]+",),
        refused={
            **dict.fromkeys(("-i", "--install", "-r", "--remove", "-P", "--purge", "--configure"), _INSTALLS),
        },
        examples=("dpkg -l cuda-toolkit", "dpkg -s libc6"),
    ),
    Program(
        "dpkg-query",
        flags="-l -s -L -W --list --status --listfiles --show",
        valued={"-f": r"(?s:(?!.*;-?\d{4}).+)"},
        operands=(r"[\w.+:*-]+",),
        examples=("dpkg-query -W libc6",),
    ),
    Program(
        "rpm",
        flags="-q -a -i -l",
        operands=(NAME,),
        refused=dict.fromkeys(("-U", "-e", "-F", "--install", "--erase"), _INSTALLS),
        check=lambda call: None if call.has("-q") else _INSTALLS,
        asks=Problem("read-intrusive", "rpm: older versions open their database for writing"),
        asked=("rpm -qa",),
    ),
)  # fmt: skip
"""Listers of packages."""
