"""Programs that tell what stands in binary files."""

import re

from replay.policy.jq import check_jq
from replay.policy.judgement import Problem
from replay.policy.options import COUNT, Call, Program

_LOADS = Problem("code", "loads a library of its own")
_WRITES = Problem("writes", "writes its second operand")
_NUMBER = r"[+-]?(0x)?[0-9a-fA-F]{1,16}"


def _still(call: Call) -> Problem | None:
    """A step of nothing never arrives; some programs notice, others do not."""
    still = len(call.operands) == 3 and not int(call.operands[1])  # noqa: PLR2004 -- first, step, last
    return Problem("unknown", "seq: does not end by itself") if still else None


def _environment(call: Call) -> Problem | None:
    shown = re.search(r"(?<![\w.$])env\b|\$ENV\b|\$__", call.operands[0] if call.operands else "")
    return Problem("read-secret", "jq: prints the environment, and with it secrets") if shown else None


PROGRAMS = (
    Program(
        "readelf",
        flags="-a -h -l -S -g -t -e -s -n -r -u -d -V -A -D -W --all --file-header --headers --dynamic --symbols "
        "--syms --program-headers --segments --section-headers --sections --notes --relocs --wide "
        "--version-info --dyn-syms",
        valued={"-x": r"[\w.-]+", "-p": r"[\w.-]+", "--string-dump": r"[\w.-]+", "--hex-dump": r"[\w.-]+"},
        refused={"-P": _LOADS, "--process-links": _LOADS},
        least=1,
        examples=("readelf -d f", "readelf -hW f", "readelf -p .comment f"),
    ),
    Program(
        "objdump",
        flags="-a -f -p -h -x -d -D -s -t -T -r -R -C -w --archive-headers --file-headers --private-headers "
        "--section-headers --headers --all-headers --disassemble --syms --dynamic-syms --reloc --demangle --wide",
        refused=dict.fromkeys(("-S", "--source", "-l"), Problem("read-secret", "prints files that the binary names")),
        valued={"-j": r"[\w.-]+", "--section": r"[\w.-]+", "-M": r"[\w,-]+", "--start-address": _NUMBER,
                "--stop-address": _NUMBER},
        least=1,
        examples=("objdump -p f", "objdump -h -j .text f", "objdump -T f"),
    ),
    Program(
        "nm",
        flags="-a -A -C -D -g -n -o -p -P -r -S -u --demangle --dynamic --extern-only --undefined-only --defined-only "
        "--print-size --size-sort --numeric-sort",
        refused={"--plugin": _LOADS},
        least=1,
        examples=("nm -D f", "nm -gC f"),
    ),
    Program("size", flags="-A -B -G -d -o -x -t", least=1, examples=("size -A f",)),
    Program(
        "xxd",
        flags="-a -b -E -e -i -p -ps -u",
        valued={"-c": COUNT, "-g": COUNT, "-l": _NUMBER, "-s": _NUMBER, "-o": _NUMBER, "-cols": COUNT, "-len": _NUMBER},
        refused={"-r": Problem("writes", "turns a dump back into a file")},
        most=1,
        overflow=_WRITES,
        joined=True,
        dashes=False,
        examples=("xxd -l 64 f", "xxd -p f", "xxd f"),
    ),
    Program(
        "hexdump",
        flags="-b -c -C -d -o -v -x",
        valued={"-n": COUNT, "-s": _NUMBER},
        refused={"-f": Problem("unknown", "reads a format from a file")},
        examples=("hexdump -C -n 64 f",),
    ),
    Program("sum", flags="-r -s", examples=("sum f",)),
    *(
        Program(name, flags="-b -t --tag", examples=(f"{name} f",))
        for name in ("sha224sum", "sha384sum", "b2sum")
    ),
    Program("expand", flags="-i", valued={"-t": r"\d{1,3}"}, examples=("expand -t 4 f",)),
    Program("unexpand", flags="-a", valued={"-t": r"\d{1,3}"}, examples=("unexpand -a f",)),
    Program("fmt", flags="-c -s -t -u", valued={"-w": r"\d{1,4}"}, examples=("fmt -w 80 f",)),
    Program(
        "join",
        flags="-i -z --header --check-order --nocheck-order",
        valued={"-1": COUNT, "-2": COUNT, "-t": ".", "-j": COUNT, "-o": r"[\d.,a]+", "-a": "[12]", "-v": "[12]"},
        least=2,
        most=2,
        examples=("join -t , -1 2 a b",),
    ),
    Program(
        "jq",
        flags="-r -c -e -s -S -n -M -C -a -j -R --raw-output --compact-output --slurp --sort-keys --null-input "
        "--monochrome-output --color-output --ascii-output --join-output --raw-input --exit-status --tab --seq "
        "--stream",
        valued={"--indent": r"\d"},
        operands=("text", "path"),
        least=1,
        dashes=False,
        refused=dict.fromkeys(("-f", "--from-file", "-L"), Problem("unknown", "takes its program from a file")),
        check=lambda call: check_jq(call.operands[0]),
        weigh=_environment,
        examples=("jq . f", "jq -r '.a[] | .b' f", "jq -s length f", "jq '.environment, .important' f"),
        asked=("jq -n env", "jq -n '$ENV.HOME'", "jq '.a, env.TOKEN' f"),
    ),
    Program("seq", flags="-w", valued={"-s": "text"}, operands=(r"-?\d{1,4}",), least=1, most=3, dashes=False,
            check=_still, examples=("seq 5", "seq 1 2 9")),
    Program("expr", operands=(r"[\w.%*+/<>=!|&()-]*",), least=1, most=9, dashes=False, examples=("expr 1 + 2",)),
    Program("unzip", flags="-l -v -Z -q -qq", least=1, most=50, dashes=False, check=lambda call: None
            if call.has("-l", "-v", "-Z") else Problem("writes", "unzip: writes files"), examples=("unzip -l f",)),
)  # fmt: skip
"""Tellers of binary files, and a few that calculate."""
