"""Python, as far as a short program only looks at versions and devices, and pip as one of its modules."""

import re
from collections.abc import Sequence

from replay.policy.judgement import Problem, Word
from replay.policy.options import Answer, Program, Understood, understand
from replay.policy.programs.packages import PIP
from replay.policy.template import judge_source

_ISOLATED = ("-I", "-B")
_RUNS = Problem("code", "python: runs code")
_NAMES = ("python", "python3", *(f"python3.{minor}" for minor in range(8, 15)))


def _parse(words: Sequence[str]) -> Answer:
    """Accept a version, a program of the template, and pip's listings; the current folder is never imported from."""
    rest = list(words)
    while rest and re.fullmatch(r"-[IBuEs]+", rest[0]):
        rest.pop(0)
    match rest:
        case [("-V" | "--version" | "-VV") as option]:
            return Understood((Word(option, "option"),))
        case ["-c", source]:
            problem = judge_source(source)
            if problem.effect != "read-intrusive":
                return problem
            return Understood((*_isolated("-c"), Word(source, "text")), problem, "python runs isolated: -I -B")
        case ["-m", "pip", *arguments]:
            found = understand(PIP, arguments)
            if isinstance(found, Problem):
                return found
            return Understood((*_isolated("-m", "pip"), *found.words), found.asks, "python runs isolated: -I -B")
    return _RUNS


def _isolated(*words: str) -> tuple[Word, ...]:
    return tuple(Word(word, "option") for word in (*_ISOLATED, *words))


PROGRAMS = tuple(
    Program(
        name,
        parse=_parse,
        examples=(f"{name} --version", f"{name} -m pip list", f"{name} -m pip show vllm"),
        asked=(
            f"{name} -c 'import torch; print(torch.__version__, torch.cuda.is_available())'",
            f"""{name} -c 'import sys; print(sys.version)'""",
        ),
    )
    for name in _NAMES
)
"""Python by its names."""
