"""The programs that the policy knows to only read, one family per file; a new file is found by itself."""

import importlib
import pkgutil
from functools import cache

from replay.policy.options import Program


@cache
def catalogue() -> dict[str, Program]:
    """Return every known program by its name."""
    return {program.name: program for programs in _families().values() for program in programs}


@cache
def families() -> dict[str, str]:
    """Return the family of every known program, named as its file is."""
    return {program.name: family for family, programs in _families().items() for program in programs}


@cache
def _families() -> dict[str, tuple[Program, ...]]:
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    return {name: importlib.import_module(f"{__name__}.{name}").PROGRAMS for name in names}
