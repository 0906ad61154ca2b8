"""What asyncssh raises, in the words of the replay model."""

import asyncio

import asyncssh

from probes.host.targets import Target
from sessions.errors import HostProblem


def translate(error: Exception, target: Target, *, key_known: bool) -> HostProblem:
    """Return the host problem that `error` means while connecting to `target`.

    `key_known` tells whether known_hosts has some key for the host: it tells a changed key from a new host.
    """
    where = f"{target.name} ({target.host})" if target.name not in {"", target.host} else target.host
    if isinstance(error, asyncssh.HostKeyNotVerifiable):
        return _host_key(where, target, known=key_known)
    if isinstance(error, asyncssh.PermissionDenied):
        return HostProblem(
            f"{where} refuses the login{_as(target)}: no key was accepted",
            outcome="auth-failed",
            hint=f"see whether `ssh {_destination(target)} true` works without a password",
        )
    if isinstance(error, asyncssh.KeyImportError | asyncssh.KeyEncryptionError):
        return HostProblem(f"the private key for {where} cannot be used: {error}", outcome="auth-failed")
    if isinstance(error, asyncio.TimeoutError):
        return HostProblem(f"{where} does not answer", hint="is the machine up, and the port open?")
    return HostProblem(f"{where} cannot be reached: {_reason(error)}", hint="check host and port of the target")


def _host_key(where: str, target: Target, *, known: bool) -> HostProblem:
    port = f"-p {target.port} " if target.port else ""
    if known:
        name = f"[{target.host}]:{target.port}" if target.port not in {None, 22} else target.host
        return HostProblem(
            f"{where} shows another host key than the one that is known: nothing was sent",
            outcome="host-key-mismatch",
            hint=f"if the machine was really set up anew: ssh-keygen -R '{name}', then connect once by hand",
        )
    return HostProblem(
        f"the host key of {where} is not known: nothing was sent",
        outcome="host-key-mismatch",
        hint=f"connect once by hand (ssh {_destination(target)}) and check the fingerprint, or "
        f"ssh-keyscan {port}{target.host} >> ~/.ssh/known_hosts on a network you trust",
    )


def _destination(target: Target) -> str:
    port = f"-p {target.port} " if target.port else ""
    return f"{port}{target.user}@{target.host}" if target.user else f"{port}{target.host}"


def _as(target: Target) -> str:
    return f" as {target.user}" if target.user else ""


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error) or type(error).__name__
