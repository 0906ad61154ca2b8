"""Which reader an output gets, told by the command that printed it and never by what it looks like."""

from collections.abc import Callable, Sequence
from functools import partial

from replay.output.domains import counters, documents, gpu, listing, processes, tensors
from replay.output.domains.cells import Parser

_LONGEST = 4 * 1024 * 1024
"""Characters up to which an output is read; a longer one is compared as text."""
_BY_NAME: dict[str, Parser] = {
    "df": listing.filesystems,
    "free": listing.memory,
    "date": listing.moments,
    "uptime": listing.moments,
    "vmstat": counters.counters,
    "w": counters.counters,
    "stat": listing.status,
    "lscpu": documents.pairs,
    "sysctl": documents.pairs,
    "env": documents.pairs,
    "printenv": documents.pairs,
    "curl": documents.json,
    "jq": documents.json,
}
_LISTS = frozenset({"list", "freeze"})
_INSTALLERS = frozenset({"pip", "pip3", "uv", "conda", "mamba", "micromamba"})


def reader(argv: Sequence[str]) -> Parser | None:
    """Return what reads the output of a call; None where it is text like any other."""
    name = argv[0].rpartition("/")[2]
    if _speaks_json(argv):
        return documents.json
    if counters.is_counting(argv):
        return counters.counters
    family = next((_FAMILIES[prefix] for prefix in _FAMILIES if name.startswith(prefix)), None)
    if family is not None:
        return family(argv)
    return _installer(argv[1:]) if name in _INSTALLERS else _BY_NAME.get(name)


def readable(text: str) -> bool:
    """Tell whether an output is short enough to be read as a whole."""
    return len(text) <= _LONGEST


def _speaks_json(argv: Sequence[str]) -> bool:
    joined = " ".join(argv[1:])
    return any(word in {"--json", "-J", "--format=json", "--output=json"} for word in argv) or any(
        sign in joined for sign in ("-o json", "--format json", "--output json")
    )


def _gpu(argv: Sequence[str]) -> Parser | None:
    options = {word.partition("=")[0]: word.partition("=")[2] for word in argv[1:]}
    asked = next((options[name] for name in options if name.startswith("--query-")), None)
    if asked is not None:
        fields = [field.strip() for field in asked.split(",")]
        return partial(gpu.queried, fields=fields, headed="noheader" not in options.get("--format", ""))
    if "-q" in options:
        return documents.gpu_pairs
    return gpu.table if len(argv) == 1 else None


def _python(argv: Sequence[str]) -> Parser | None:
    if "-m" in argv and "pip" in argv:
        return _installer(argv[list(argv).index("pip") + 1 :])
    return tensors.tensors


def _installer(words: Sequence[str]) -> Parser | None:
    if _LISTS.intersection(words):
        return listing.packages
    return documents.pairs if "show" in words else None


def _processes(argv: Sequence[str]) -> Parser | None:
    return partial(processes.processes, argv=argv) if argv[0].rpartition("/")[2] in {"ps", "top"} else None


def _ls(argv: Sequence[str]) -> Parser | None:
    letters = {letter for word in argv[1:] if word.startswith("-") and word[1:2] != "-" for letter in word[1:]}
    plain = argv[0].rpartition("/")[2] == "ls" and letters.isdisjoint("isZ")
    return listing.files if plain and "l" in letters else None


def _verb(verb: str, parser: Parser) -> Callable[[Sequence[str]], Parser | None]:
    return lambda argv: parser if verb in argv[1:2] else None


_FAMILIES: dict[str, Callable[[Sequence[str]], Parser | None]] = {
    "nvidia-smi": _gpu,
    "python": _python,
    "ps": _processes,
    "top": _processes,
    "ls": _ls,
    "docker": _verb("inspect", documents.json),
    "podman": _verb("inspect", documents.json),
    "systemctl": _verb("show", documents.pairs),
}
"""Programs whose words decide, by how their name begins."""
