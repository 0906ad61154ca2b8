"""Two looks at a machine beside each other: what the log's own outputs tell of it, and what the target is now."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from probes import fingerprint
from probes.fingerprint import Severity
from sessions.models.command import Command, Executor
from sessions.models.session import Step

_DRIVER = re.compile(r"Driver Version: *(\d[\d.]+)")
_CUDA = re.compile(r"CUDA (?:UMD )?Version: *(\d[\d.]+)")
_LISTED = re.compile(r"^GPU (\d+): (.+?) \(UUID", re.MULTILINE)
_ROW = re.compile(r"^\| +(\d+) {2}(\S.*?\S) +(?:On|Off) +\|", re.MULTILINE)
_KERNEL = re.compile(r"^(?:Linux \S+ )?(\d+\.\d+\.\d+\S*)", re.MULTILINE)
_PYTHON = re.compile(r"^Python (\d+\.\d+\.\d+)", re.MULTILINE)
_SHOWN = re.compile(r"^Name: (\S+)\nVersion: (\S+)", re.MULTILINE)
_PACKAGE = re.compile(r"^([A-Za-z][\w.-]*)(?: +|==)(\d[\w.+!-]*)(?: .*)?$", re.MULTILINE)
_PRINTED = re.compile(r"print\(\s*(\w+)\.__version__")
_VERSION = re.compile(r"^(\d+\.\d+[\w.+-]*)", re.MULTILINE)
_SERVER = re.compile(r"vLLM API server version (\d[\w.+-]*)|LLM engine \(v(\d[\w.+-]*?)\)")
_QUERY = re.compile(r"--query-gpu=([\w.,]+)")
_MODULES = {"flash_attn": "flash-attn"}
"""Modules that are called otherwise than their package."""

Found = Iterator[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Told:
    """A value that an output of the log gives, and the last step that gave it."""

    value: str
    step: int


def recorded(steps: Sequence[Step], hosts: Collection[str | None]) -> Mapping[str, Told]:
    """Return what the outputs of steps on `hosts` tell of the machine, in the fields of ``host.fingerprint``.

    A later output counts for more than an earlier one.
    """
    found: dict[str, Told] = {}
    for step in steps:
        for command in step.commands if step.kind == "shell" else ():
            if command.host in hosts and command.argv and not command.container:
                found.update({field: Told(value, step.ordinal) for field, value in _read(command, step.output)})
    return found


def _read(command: Command, output: str) -> Found:
    name = command.argv[0].rpartition("/")[2]
    if name == "nvidia-smi":
        yield from _nvidia_smi(command, output)
    elif name == "uname" and (match := _KERNEL.search(output)):
        yield "os.kernel", match[1]
    elif name.startswith("python"):
        yield from _python(command, output)
    elif name.startswith("pip") or command.argv[:2] == ("uv", "pip"):
        yield from _packages(output)
    for one, other in _SERVER.findall(output):
        yield "package.vllm", one or other


def _nvidia_smi(command: Command, output: str) -> Found:
    for field, pattern in (("gpu.0.driver_version", _DRIVER), ("driver.cuda", _CUDA)):
        if match := pattern.search(output):
            yield field, match[1]
    gpus = _LISTED.findall(output) or _ROW.findall(output)
    for number, name in gpus:
        yield f"gpu.{number}.name", name
    if gpus:
        yield "gpu.count", str(len({number for number, _ in gpus}))
    asked = _QUERY.search(" ".join(command.argv))
    if asked:
        yield from _queried(asked[1].split(","), output)


def _queried(fields: Sequence[str], output: str) -> Found:
    rows = [[cell.strip() for cell in line.split(",")] for line in output.splitlines()]
    rows = [row for row in rows if len(row) == len(fields) and not row[0].startswith(fields[0])]
    for number, row in enumerate(rows):
        yield from ((f"gpu.{number}.{field}", cell) for field, cell in zip(fields, row, strict=True) if field in _FIRM)


_FIRM = frozenset({"name", "driver_version", "compute_cap", "vbios_version"})
"""What of a query does not change by itself."""


def _python(command: Command, output: str) -> Found:
    if match := _PYTHON.search(output):
        yield "python.version", match[1]
    if command.argv[1:3] == ("-m", "pip"):
        yield from _packages(output)
    text = " ".join((*command.argv[1:], command.stdin or ""))
    modules, versions = _PRINTED.findall(text), _VERSION.findall(output)
    if len(modules) == len(versions):
        yield from ((f"package.{_MODULES.get(m, m)}", v) for m, v in zip(modules, versions, strict=True))


def _packages(output: str) -> Found:
    for name, version in (*_SHOWN.findall(output), *_PACKAGE.findall(output)):
        yield f"package.{re.sub(r'[-_.]+', '-', name).lower()}", version


@dataclass(frozen=True, slots=True)
class Differing:
    """A field on which the log and the target do not agree; `live` is None where the target does not tell."""

    field: str
    severity: Severity
    recorded: str
    live: str | None
    step: int

    def describe(self) -> dict[str, object]:
        """Return it as it is stored with a run."""
        return {
            "field": self.field, "severity": self.severity, "recorded": self.recorded, "live": self.live,
            "step": self.step,
        }  # fmt: skip


def differing(told: Mapping[str, Told], live: Mapping[str, str]) -> tuple[Differing, ...]:
    """Return where the two differ, what can change an answer first; a package that is not looked for is left out."""
    looked = {field for field in live if field.startswith("package.")}
    found = [
        Differing(field, fingerprint.severity(field), each.value, live.get(field), each.step)
        for field, each in told.items()
        if not _same(each.value, live.get(field)) and (field in looked or field in _NOTED or not _is_package(field))
    ]
    return tuple(sorted(found, key=lambda each: (fingerprint.ORDER[each.severity], each.field)))


_NOTED = frozenset({"package.torch", "package.vllm", "package.transformers", "package.triton"})
"""Packages of which it counts that they are gone."""


def _is_package(field: str) -> bool:
    return field.startswith("package.")


def _same(one: str, other: str | None) -> bool:
    if other is None:
        return False
    if one.endswith("..."):
        return other.startswith(one[:-3])
    if "+" in one and "+" in other:
        return one == other
    return one.partition("+")[0] == other.partition("+")[0]


async def look(
    executor: Executor, steps: Sequence[Step], hosts: Collection[str | None], place: Callable[[str], str]
) -> dict[str, object]:
    """Return what the log tells of its `hosts`, what the executor's machine is now, and what differs.

    `place` gives the target's path for a recorded one. The answer is what is stored with a run.
    """
    told = recorded(steps, hosts)
    taken = await fingerprint.take(executor, python=_interpreter(steps, hosts, place))
    if "host" in taken.record:
        taken = await fingerprint.take(executor)
    return {
        "recorded": {field: {"value": each.value, "step": each.step} for field, each in sorted(told.items())},
        "live": dict(taken.record),
        "differs": [each.describe() for each in differing(told, taken.record)],
    }


def _interpreter(steps: Sequence[Step], hosts: Collection[str | None], place: Callable[[str], str]) -> str:
    """Return the target's path of the interpreter that the session used last by a path or in an environment."""
    used = "python3"
    for step in steps:
        for command in step.commands if step.kind == "shell" else ():
            if command.host in hosts and command.argv and re.fullmatch(r"(/\S+/)?python[\d.]*", command.argv[0]):
                environment = command.env.get("VIRTUAL_ENV")
                path = command.argv[0] if "/" in command.argv[0] else environment and f"{environment}/bin/python3"
                used = place(path) if path else used
    return used
