"""Paths whose content is a secret, or that are no ordinary files."""

import posixpath
import re

from replay.policy.judgement import Problem

_SECRET = re.compile(
    r"""
      /\.ssh/(?!config$|known_hosts|authorized_keys$|[^/]*\.pub$)[^/]+
    | /etc/(shadow|gshadow|sudoers)[^/]* | /etc/(sudoers\.d|ssl/private|krb5\.keytab)(/.*)?
    | /etc/ssh/ssh_host_\w+_key | /etc/rancher/.+\.yaml
    | /\.?(env|envrc)(\.(?!example$|sample$|template$)[^/]+)? | /[^/]+\.env
    | /\.(netrc|pgpass|my\.cnf|git-credentials|npmrc|pypirc|vault-token|s3cfg|boto|htpasswd|dockercfg)
    | /\.(aws|azure|gnupg|config/gcloud|config/gh|config/rclone)/.+ | /\.(kube/config|docker/config\.json)
    | /\.(cache/)?huggingface/(token|stored_tokens) | /\.config/(hub|op)(/.*)?
    | /\.\w+_history | /\.python_history | /\.local/share/fish/fish_history | /\.wandb/.+
    | /[^/]*\.(pem|key|p12|pfx|jks|keystore|kdbx|ppk|asc|gpg|ovpn)
    | /id_(rsa|dsa|ecdsa|ed25519)(_sk)?
    | /[^/]*(secret|credential|passwords?|kubeconfig|api[_-]?key|auth[_-]?token|access[_-]?token)[^/]*
    | /(var/)?run/secrets/.+ | /proc/[^/]+/(environ|task/[^/]+/environ)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_SOURCE = re.compile(r"\.(py|pyi|c|cc|cpp|h|hpp|cu|cuh|rs|go|js|ts|java|md|rst|html)$", re.IGNORECASE)
_KEYS = re.compile(r"/(\.ssh|\.aws|\.gnupg|\.env)\b")
_SPECIAL = re.compile(
    r"""
      /dev/(?!null$).* | /proc/(kcore|kmsg|kallsyms|vmcore|sysrq-trigger|acpi/event|bus/.+)
    | /proc/[^/]+/(mem|pagemap|fd|fdinfo|root|cwd|exe|map_files|task|clear_refs|attr|ns)(/.*)?
    | /sys/kernel/(debug|tracing)(/.*)? | /sys/.*/(rom|trace_pipe|resource\d*(_wc)?|uevent_seqnum)
    | (/var)?/run/.*\.(sock|fifo|pipe)
    """,
    re.VERBOSE,
)
_VAST = frozenset({"/", "/proc", "/sys", "/dev", "/run"})
_HOMES = re.compile(r"/(root|home|home/[^/]+|etc|var|mnt|~)?|~")


def absolute(path: str, cwd: str | None) -> str:
    """Return `path` without ``.`` and ``..``, from `cwd` (``~`` where that is not known)."""
    joined = posixpath.join(cwd or "/~", path)
    return posixpath.normpath("/" + joined.lstrip("/"))


def content(path: str, cwd: str | None) -> Problem | None:
    """Return what speaks against reading the content of `path`."""
    whole = absolute(path, cwd)
    if _SPECIAL.fullmatch(whole):
        return Problem("unknown", f"{path} is no ordinary file: reading it may hang, never end, or change something")
    if _secret_tail(whole) and (_KEYS.search(whole) or not _SOURCE.search(whole)):
        return Problem("read-secret", f"{path} may hold a secret")
    return None


def tree(path: str, cwd: str | None) -> Problem | None:
    """Return what speaks against reading everything under `path`."""
    whole = absolute(path, cwd)
    if whole in _VAST or whole.startswith(("/proc/", "/sys/", "/dev/")):
        return Problem("unknown", f"reading everything under {path} does not end")
    if _HOMES.fullmatch(whole) or _KEYS.search(whole):
        return Problem("read-secret", f"there are secrets among the files under {path}")
    return content(path, cwd)


def _secret_tail(whole: str) -> bool:
    """Tell whether any tail of the path, from a slash on, is a secret place."""
    starts = [place for place, character in enumerate(whole) if character == "/"]
    return any(_SECRET.fullmatch(whole, start) for start in starts)
