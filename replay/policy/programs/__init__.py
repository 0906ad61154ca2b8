"""The programs that the policy knows to only read, one family per file; a new file is found by itself."""

import importlib
import pkgutil
from functools import cache

from replay.policy.options import Program


@cache
def catalogue() -> dict[str, Program]:
    """Return every known program by its name."""
    names = [module.name for module in pkgutil.iter_modules(__path__)]
    families = [importlib.import_module(f"{__name__}.{name}") for name in sorted(names)]
    return {program.name: program for family in families for program in family.PROGRAMS}
