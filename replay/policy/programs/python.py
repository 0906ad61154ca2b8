"""Python, as far as a short program only looks at versions and devices, and two of its modules: pip and json.tool."""

import re
from collections.abc import Sequence

from replay.policy.judgement import Problem, Word
from replay.policy.options import Answer, Program, Understood, understand
from replay.policy.programs.packages import PIP
from replay.policy.template import judge_source

_ISOLATED = ("-I", "-B")
_RUNS = Problem("code", "python: runs code")
_NOTE = "python runs isolated: -I -B"
_JSON = Program(
    "json.tool",
    flags="--sort-keys --no-ensure-ascii --json-lines --tab --no-indent --compact",
    valued={"--indent": r"\d"},
    most=1,
    overflow=Problem("writes", "writes its second operand"),
)
_NAMES = ("python", "python3", *(f"python3.{minor}" for minor in range(8, 15)))


def _parse(words: Sequence[str]) -> Answer:
    """Accept a version, a program of the template, and pip's listings; the current folder is never imported from."""
    flags, rest = _divided(words)
    match rest:
        case [("-V" | "--version" | "-VV") as option]:
            return Understood((Word(option, "option"),))
        case ["-c", source]:
            problem = judge_source(source)
            if problem.effect != "read-intrusive":
                return problem
            return Understood((*_isolated("-c"), Word(source, "text")), problem, _NOTE)
        case ["-m", "pip", *arguments]:
            return _module("pip", understand(PIP, arguments))
        case ["-m", "json.tool", *arguments]:
            found = understand(_JSON, arguments)
            return _BESIDE if "I" not in "".join(flags) and _names_file(found) else _module("json.tool", found)
    return _RUNS


_BESIDE = Problem("code", "python: json.tool runs a json.py that lies beside it; with -I it would only read")


def _divided(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the options of python itself that may stand in front, and the rest."""
    count = next((place for place, word in enumerate(words) if not re.fullmatch(r"-[IBuEs]+", word)), len(words))
    return list(words[:count]), list(words[count:])


def takes_input(words: Sequence[str]) -> bool:
    """Tell whether a call of python only shapes what it is given."""
    return _divided(words[1:])[1][:2] == ["-m", "json.tool"]


def _names_file(found: Answer) -> bool:
    return isinstance(found, Understood) and any(word.role == "path" for word in found.words)


def _module(name: str, found: Answer) -> Answer:
    if isinstance(found, Problem):
        return found
    return Understood((*_isolated("-m", name), *found.words), found.asks, _NOTE)


def _isolated(*words: str) -> tuple[Word, ...]:
    return tuple(Word(word, "option") for word in (*_ISOLATED, *words))


PROGRAMS = tuple(
    Program(
        name,
        parse=_parse,
        examples=(f"{name} --version", f"{name} -m pip list", f"{name} -m pip show vllm",
                  f"{name} -m json.tool --indent 2"),
        asked=(
            f"{name} -c 'import torch; print(torch.__version__, torch.cuda.is_available())'",
            f"""{name} -c 'import sys; print(sys.version)'""",
        ),
    )
    for name in _NAMES
)  # fmt: skip
"""Python by its names."""
