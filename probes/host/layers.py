"""What stands between a command and the target: each layer is tried on a new connection, and told as it was found."""

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from probes.host import cage
from probes.host.confined import Confined
from probes.host.targets import SANDBOX, Target
from sessions.errors import HostProblem
from sessions.models.command import Completed, Executor, Request
from sessions.models.strict import Strict

Name = Literal[
    "read-only view", "read-only mounts", "no network", "unprivileged account", "limits", "deadline", "sandbox"
]
CODE_NEEDS: tuple[Name, ...] = ("read-only mounts", "no network")
"""Layers without which code does not run."""

_LOOK = """\
for at in / /etc /usr /opt /srv /var $1; do [ ! -w "$at" ] || echo "writable $at"; done
sed -n 's/^ *\\([^: ]*\\):.*/interface \\1/p' /proc/net/dev
sed -n 's/^CapEff:[[:space:]]*0*/rights /p' /proc/self/status
echo seen
"""
_HOMES = "/home /root /mnt"
_DEVICES = 'for at in /dev/nvidia* /dev/nvidia-caps/* /dev/dri /dev/kfd; do [ ! -e "$at" ] || echo "$at"; done'
_PATIENCE = 20.0
_CODE = cage.Limits(processes=4096)
_READING = cage.Limits(memory=8 << 30)


class Layer(Strict):
    """One layer: in force or not, and how, or why not."""

    name: Name
    in_force: bool
    how: str


@dataclass(frozen=True, slots=True)
class Held:
    """A target with its layers: where reading commands run, and where code may."""

    executor: Executor
    """Without any layer: for commands of our own."""
    reading: Executor
    layers: tuple[Layer, ...]
    devices: tuple[str, ...] = ()
    shown: tuple[str, ...] | None = None
    bubblewrap: bool = True
    """Whether the cage for code is bubblewrap's; else it is made by util-linux."""

    def missing(self, names: Collection[str]) -> tuple[Layer, ...]:
        """Return those of the named layers that are not in force."""
        return tuple(layer for layer in self.layers if layer.name in names and not layer.in_force)

    def coding(self, scratch: str) -> Executor:
        """Return where code may run that writes to `scratch` only; bare where the layers for it are missing.

        Whether it may then run at all is the caller's to decide.
        """
        if not cage.SCRATCH.fullmatch(scratch):
            raise ValueError(f"no scratch folder: {scratch}")
        words = () if self.missing(["limits"]) else _CODE.words()
        if self.missing(CODE_NEEDS):
            return Confined(self.executor, words) if words else self.executor
        if self.bubblewrap:
            return Confined(self.executor, (*cage.around_code(scratch, self.devices, self.shown), *words))
        return Confined(self.executor, (*cage.around_code_of_root(scratch, self.devices), *words))


async def hold(executor: Executor, target: Target) -> Held:
    """Try every layer on the target of `executor`, by commands of our own that change nothing."""
    sandbox = target.name == SANDBOX
    shown = tuple(there for _, there in target.paths) if sandbox else None
    account, limits, devices = await asyncio.gather(
        executor.run(_ask("id", "-u")),
        executor.run(_ask(*_CODE.words(), "true")),
        executor.run(_ask("sh", "-c", _DEVICES)),
    )
    root = account.stdout.strip() == b"0"
    view, code = await asyncio.gather(
        _tried(executor, cage.view(), _HOMES) if root else _refused("only root can have one that changes no output"),
        _tried(executor, cage.around_code(None, (), shown), "" if sandbox else _HOMES),
    )
    bubblewrap = sandbox or not root or not _whole(code)
    if not bubblewrap:
        code = await _tried(executor, cage.around_code_of_root(None), _HOMES)
    layers = (_view(view), _code(code), _network(code), _account(account, root=root), _limits(limits), _DEADLINE)
    if sandbox:
        _insist(layers)
    around = cage.around_code(None, (), shown) if sandbox else cage.view() if layers[0].in_force else ()
    words = (*around, *(() if _failed(limits) else _READING.words()))
    return Held(
        executor,
        Confined(executor, words) if words else executor,
        (*layers, _SANDBOX) if sandbox else layers,
        () if sandbox else tuple(devices.stdout.decode("utf-8", "replace").split()),
        shown,
        bubblewrap,
    )


_DEADLINE = Layer(name="deadline", in_force=True, how="the target ends a command and its process group by itself")
_SANDBOX = Layer(name="sandbox", in_force=True, how="runs on this machine: proves nothing about the GPU host")


def _ask(*words: str) -> Request:
    return Request((words,), timeout=_PATIENCE)


def _insist(layers: Sequence[Layer]) -> None:
    """Raise HostProblem where the sandbox would be none."""
    absent = [layer for layer in layers if layer.name in CODE_NEEDS and not layer.in_force]
    if absent:
        raise HostProblem(f"there is no sandbox on this machine: {absent[0].how}", hint="install bubblewrap (bwrap)")


async def _tried(executor: Executor, words: Sequence[str], places: str) -> Completed:
    """Look from inside a cage whether the usual places, and `places`, can be written to, and so on."""
    return await executor.run(_ask(*words, "sh", "-c", _LOOK, "sh", places))


async def _refused(why: str) -> Completed:
    return Completed("refused", None, b"", b"", 0.0, detail=why)


def _failed(completed: Completed) -> str:
    """Return why a command of ours did not do what it should; empty if it did."""
    if completed.outcome != "completed":
        return completed.detail or completed.outcome
    if completed.exit_code:
        lines = completed.stderr.decode("utf-8", "replace").strip().splitlines()
        return lines[-1] if lines else f"exit status {completed.exit_code}"
    return ""


def _seen(completed: Completed, kind: str) -> list[str]:
    lines = completed.stdout.decode("utf-8", "replace").splitlines()
    return [line.partition(" ")[2] for line in lines if line.startswith(kind + " ")]


def _whole(completed: Completed) -> str:
    return _failed(completed) or ("" if completed.stdout.rstrip().endswith(b"seen") else "the look was cut short")


def _view(look: Completed) -> Layer:
    writable = _seen(look, "writable")
    why = _whole(look) or (f"{writable[0]} stayed writable" if writable else "")
    return Layer(name="read-only view", in_force=not why, how=why or "unshare: every mount is read-only to what reads")


def _code(look: Completed) -> Layer:
    writable, rights = _seen(look, "writable"), "".join(_seen(look, "rights"))
    why = _whole(look) or (f"{writable[0]} stayed writable" if writable else "")
    why = why or (f"code would keep rights ({rights})" if rights.strip() else "")
    return Layer(name="read-only mounts", in_force=not why, how=why or "code sees all read-only but its scratch")


def _network(look: Completed) -> Layer:
    others = [name for name in _seen(look, "interface") if name != "lo"]
    why = _whole(look) or (f"code would reach {', '.join(others)}" if others else "")
    return Layer(name="no network", in_force=not why, how=why or "code has no interface but its own loopback")


def _account(asked: Completed, *, root: bool) -> Layer:
    why = _failed(asked)
    user = asked.stdout.decode("utf-8", "replace").strip()
    how = why or (f"the login is user {user}" + (": root" if root else ""))
    return Layer(name="unprivileged account", in_force=not why and not root, how=how)


def _limits(asked: Completed) -> Layer:
    why = _failed(asked)
    return Layer(name="limits", in_force=not why, how=why or f"prlimit: {_CODE.described()}")
