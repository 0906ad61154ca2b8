"""Programs that do much, of which only the version is asked."""

from replay.policy.judgement import Problem
from replay.policy.options import Program

_VERSIONED = "gcc g++ cc c++ clang make cmake ninja node ld nsys ncu"

_RUNS = Problem("code", "runs, compiles or fetches something")

PROGRAMS = tuple(
    Program(
        name,
        flags="--version",
        operands=(),
        most=0,
        dashes=False,
        check=lambda call: None if call.options else _RUNS,
        examples=(f"{name} --version",),
    )
    for name in _VERSIONED.split()
)
"""Tellers of their own version."""
