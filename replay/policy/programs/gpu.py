"""NVIDIA's and AMD's tools, as far as they only ask."""

import re
from collections.abc import Sequence

from replay.policy.judgement import Problem, Word
from replay.policy.options import COUNT, Answer, Call, Program, Understood, understand

_SETS = Problem("system", "changes the state of a GPU")
_RESETS = Problem("destructive", "resets a GPU and ends what runs on it")
_ENDLESS = Problem("unknown", "does not end by itself")
_SETTERS = """
    -pm --persistence-mode -pl --power-limit -lgc --lock-gpu-clocks -rgc --reset-gpu-clocks -lmc -rmc -ac -rac
    -e --ecc-config -p --reset-ecc-errors -c --compute-mode -am --accounting-mode -caa -dm --driver-model -fdm
    -gom --gom -cc -acp -pst -caps
"""
_GPUS = r"[\w:.,-]+"
_FIELDS = r"[\w.,]+"


def _check(call: Call) -> Problem | None:
    if call.has("-q") or not call.has("-d", "-x"):
        return None
    return Problem("unknown", "nvidia-smi: -d and -x only with -q")


def _check_count(call: Call) -> Problem | None:
    counts = call.values("-c")
    if all(re.fullmatch(r"[1-9]\d?", count) for count in counts):
        return None
    return Problem("unknown", "nvidia-smi: pmon and dmon end by themselves only with -c")


_MONITOR = Program(
    "monitor",
    valued={"-o": "[DT]{1,2}", "-c": COUNT, "-i": _GPUS, "-s": "[a-z]+", "-d": r"\d"},
    operands=(),
    most=0,
    dashes=False,
    check=_check_count,
    note="a monitor ends after at most 99 lines",
)
_SHOW = Program(
    "show", flags="-m -p -h -s -c -e", valued={"-i": _GPUS}, operands=(), most=0, dashes=False,
    refused={"-r": _SETS, "-sc": _SETS},
)  # fmt: skip
_QUERY = Program(
    "nvidia-smi",
    flags="-L -q -x --list-gpus --query --xml-format -h --help --version",
    valued={
        "-i": _GPUS, "--id": _GPUS, "-d": "[A-Z_,]+", "--display": "[A-Z_,]+", "--format": "[a-z,]+",
        "--query-gpu": _FIELDS, "--query-compute-apps": _FIELDS, "--query-accounted-apps": _FIELDS,
        "--query-supported-clocks": _FIELDS, "--query-remapped-rows": _FIELDS, "--query-retired-pages": _FIELDS,
    },
    operands=(),
    most=0,
    dashes=False,
    joined=True,
    refused={
        **dict.fromkeys(("-r", "--gpu-reset", "-mig", "--multi-instance-gpu"), _RESETS),
        **dict.fromkeys(
            _SETTERS.split(),
            _SETS,
        ),
        "-f": Problem("writes", "writes a file"),
        "--filename": Problem("writes", "writes a file"),
        **dict.fromkeys(("-l", "--loop", "-lms", "--loop-ms"), _ENDLESS),
    },
    check=_check,
)  # fmt: skip


_BOUND = "10"
"""Lines of a monitor that would not end by itself."""
_TOOLS = {"topo": _SHOW, "nvlink": _SHOW, "pmon": _MONITOR, "dmon": _MONITOR}


def _parse(words: Sequence[str]) -> Answer:
    """Take a first word that is no option for a tool of its own: ``nvidia-smi topo -m``."""
    if not words or words[0].startswith("-"):
        return understand(_QUERY, words)
    tool = _TOOLS.get(words[0])
    if tool is None:
        return Problem("unknown", f"nvidia-smi {words[0]}: is not on the list")
    words = [*words, "-c", _BOUND] if tool is _MONITOR and "-c" not in words else words
    rest = understand(tool, words[1:])
    if isinstance(rest, Problem):
        return rest
    return Understood((Word(words[0], "option"), *rest.words), note=rest.note)


PROGRAMS = (
    Program(
        "nvidia-smi",
        parse=_parse,
        examples=(
            "nvidia-smi",
            "nvidia-smi -L",
            "nvidia-smi --query-gpu=name,memory.total --format=csv",
            "nvidia-smi -q -d MEMORY -i 0",
            "nvidia-smi topo -m",
            "nvidia-smi dmon -c 1",
            "nvidia-smi pmon",
        ),
    ),
    Program(
        "rocm-smi",
        flags="-i -a --showid --showallinfo --showmeminfo --showtemp --showuse --showproductname --showpids --showtopo",
        operands=("vram|gtt|all",),
        refused={"--gpureset": _RESETS, "--setperflevel": _SETS, "--setpoweroverdrive": _SETS},
        examples=("rocm-smi --showproductname",),
    ),
    Program(
        "nvcc",
        flags="--version -V",
        operands=(),
        most=0,
        dashes=False,
        check=lambda call: None if call.options else Problem("code", "nvcc: compiles; even an empty call writes files"),
        examples=("nvcc --version", "nvcc -V"),
    ),
)
"""Askers of GPUs."""
