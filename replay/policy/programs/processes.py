"""Programs that tell of processes, users and the machine."""

import re
from collections.abc import Sequence

from replay.policy.judgement import Problem, Word
from replay.policy.options import FORMAT, NAME, Answer, Call, Program, Understood

_COLUMNS = r"[\w%,:=. -]+"
_ENDLESS = Problem("unknown", "does not end by itself")
_CLOSES = Problem("system", "closes sockets")
_ENVIRONMENT = Problem("read-secret", "ps: prints the environment of processes")
_SETS = Problem("system", "changes the machine")


def _parse_ps(words: Sequence[str]) -> Answer:
    """Accept the letters that choose and shape; BSD's ``e`` prints environments, and with them secrets."""
    asks = _ENVIRONMENT if any("environ" in word.lower() for word in words) else None
    found: list[Word] = []
    queue = list(words)
    while queue:
        word = queue.pop(0)
        if re.fullmatch(r"[auxfwljrmhT]+", word) or re.fullmatch(r"-[AaefFlLTHNdwyMj]+", word):
            found.append(Word(word, "option"))
            continue
        if re.fullmatch(r"[auxfwljrmhT]*e[auxfwljrmhTe]*", word):
            asks = _ENVIRONMENT
            found.append(Word(word, "option"))
            continue
        value = _ps_value(word, queue)
        if isinstance(value, Problem):
            return value
        found += value
    return Understood(tuple(found), asks)


def _ps_value(word: str, queue: list[str]) -> list[Word] | Problem:
    if word in {"--no-headers", "--headers", "--forest", "--no-heading", "-ww", "ww"}:
        return [Word(word, "option")]
    if re.fullmatch(rf"--(sort|pid|ppid|user|format|cols|columns)={_COLUMNS}", word):
        return [Word(word, "option")]
    if re.fullmatch(r"(-[auxAefwL]*|[auxfwL]*)[opCuUGgt]", word) and queue and re.fullmatch(_COLUMNS, queue[0]):
        return [Word(word, "option"), Word(queue.pop(0), "text")]
    if re.fullmatch(r"\d[\d,]*", word):
        return [Word(word, "text")]
    if re.fullmatch(r"[a-zA-Z]*e[a-zA-Z]*", word):
        return _ENVIRONMENT
    return Problem("unknown", f"ps: {word!r} is not on the list")


def _check_date(call: Call) -> Problem | None:
    if all(operand.startswith("+") for operand in call.operands):
        return None
    return Problem("system", "date: sets the clock")


def _check_hostname(call: Call) -> Problem | None:
    return Problem("system", "hostname: renames the machine") if call.operands else None


PROGRAMS = (
    Program(
        "ps",
        parse=_parse_ps,
        examples=("ps aux", "ps -ef", "ps -eo pid,cmd --sort=-rss", "ps -p 4242 -o pid,args", "ps auxww"),
    ),
    Program(
        "pgrep",
        flags="-a -f -l -x -c -n -o -v -i",
        valued={"-u": NAME, "-P": r"[\d,]+", "-d": "text"},
        operands=("pattern",),
        examples=("pgrep -af vllm",),
    ),
    Program("id", flags="-u -g -G -n -r -z -Z", operands=(NAME,), examples=("id", "id -un ops")),
    Program("whoami", operands=(), most=0, examples=("whoami",)),
    Program("groups", operands=(NAME,), examples=("groups",)),
    Program("who", flags="-a -b -r -q -u -H", operands=(), most=0, examples=("who -b",)),
    Program("w", flags="-h -s -f", operands=(), most=0, examples=("w",)),
    Program("uname", flags="-a -r -s -m -n -v -p -i -o --all", operands=(), most=0, examples=("uname -a",)),
    Program(
        "free",
        flags="-h -m -g -b -k -w -t -l --human --mega --giga --si --total --wide",
        operands=(),
        most=0,
        refused={"-s": _ENDLESS, "--seconds": _ENDLESS, "-c": _ENDLESS},
        examples=("free -h",),
    ),
    Program("uptime", flags="-p -s --pretty --since", operands=(), most=0, examples=("uptime",)),
    Program("nproc", flags="--all", operands=(), most=0, examples=("nproc",)),
    Program("arch", operands=(), most=0, examples=("arch",)),
    Program("lscpu", flags="-e -p -J -x -y", operands=(), most=0, examples=("lscpu",)),
    Program("lsmod", operands=(), most=0, dashes=False, examples=("lsmod",)),
    Program(
        "lsblk",
        flags="-a -b -d -f -J -l -m -n -p -P -r -S -t",
        valued={"-o": r"[\w,+:-]+", "-e": r"[\d,]+"},
        operands=("place",),
        examples=("lsblk -o NAME,SIZE",),
    ),
    Program(
        "lspci",
        flags="-v -vv -vvv -k -n -nn -t -D -m -mm",
        valued={"-s": r"[\w:.*]+", "-d": r"[\w:*]+"},
        operands=(),
        most=0,
        dashes=False,
        examples=("lspci -nn", "lspci -vv -s 01:00.0"),
    ),
    Program("numactl", flags="-H -s --hardware --show", operands=(), most=0, dashes=False, examples=("numactl -H",)),
    Program(
        "date",
        flags="-u -R -Iseconds -Iminutes -Ins -I --utc --iso-8601 --iso-8601=seconds --rfc-3339=seconds",
        valued={"-d": "text", "--date": "text", "-r": "place"},
        operands=(FORMAT,),
        most=1,
        refused={"-s": Problem("system", "sets the clock"), "--set": Problem("system", "sets the clock")},
        check=_check_date,
        examples=("date", "date -u +%s", "date -d @1764439331"),
    ),
    Program(
        "hostname",
        flags="-s -I",
        operands=("text",),
        refused={"-F": _SETS, "-b": _SETS},
        check=_check_hostname,
        examples=("hostname", "hostname -I"),
    ),
    Program(
        "ss",
        flags="-t -u -l -n -p -a -4 -6 -x -s -e -m -i -o -H",
        operands=(),
        most=0,
        refused={"-K": _CLOSES, "--kill": _CLOSES, "-E": _ENDLESS},
        examples=("ss -tlnp",),
    ),
    Program("sleep", operands=(r"[0-9](\.\d+)?|[12]\d(\.\d+)?|30",), least=1, most=1, examples=("sleep 5",)),
)
"""Tellers of the machine."""
