"""incus, as far as it only lists."""

from replay.policy.judgement import Problem
from replay.policy.options import Program

_SETS = Problem("system", "changes instances")
_REMOVES = Problem("destructive", "removes or ends instances")
_ASKS = Problem("network", "incus: asks its daemon, here or elsewhere")
_SECRET = Problem("read-secret", "incus: prints settings, and with them secrets")
_NAME = r"[A-Za-z0-9][\w.:/-]*"
_FORMAT = {"-f": "csv|json|table|yaml|compact", "--format": "csv|json|table|yaml|compact", "-c": r"[\w,.:]+",
           "--columns": r"[\w,.:]+"}  # fmt: skip
_LIST = Program("list", valued=_FORMAT, operands=(_NAME,), dashes=False)
_CHANGES = """
    launch create init start stop restart copy move rename snapshot config file publish import export remote pause
    resume rebuild set unset add attach detach edit apply
"""
_CHANGING = dict.fromkeys(_CHANGES.split(), _SETS) | dict.fromkeys(("delete", "rm", "wipe"), _REMOVES)
_GROUPS = ("network", "storage", "profile", "image", "project")

PROGRAMS = (
    Program(
        "incus",
        subcommands={
            "list": _LIST,
            "ls": _LIST,
            "info": Program("info", operands=(_NAME,), most=1, dashes=False),
            "version": Program("version", operands=(), most=0, dashes=False),
            **{group: Program(group, subcommands={"list": _LIST}, refused=_CHANGING) for group in _GROUPS},
            "config": Program("config", subcommands={"show": Program("show", flags="-e --expanded", operands=(_NAME,),
                                                                     most=1, dashes=False, asks=_SECRET)},
                              refused=_CHANGING),
        },
        refused=_CHANGING,
        asks=_ASKS,
        asked=("incus list", "incus list -f csv -c ns", "incus info c1", "incus network list", "incus config show c1",
               "incus exec c1 -- ls /x", "incus exec c1 --user 1000 -- sh -c 'ls /x | head -1'"),
    ),
)  # fmt: skip
"""Askers of instances."""
