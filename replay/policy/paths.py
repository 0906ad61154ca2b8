"""Paths whose content is a secret, or that are no ordinary files.

A path is judged in every folder that it may start from. ``~`` and an unknown folder may be any, ``/`` among them; what
stands behind ``..`` may start anywhere, because a link may have led elsewhere.
"""

import posixpath
import re
from collections.abc import Callable, Sequence

from replay.policy.judgement import Open, Problem

Folders = Sequence[str | None]
"""Where relative paths may start; None: the login folder."""

_SECRET = re.compile(
    r"""
    (?: /\.ssh/(?!config$|known_hosts|authorized_keys$|[^/]*\.pub$)[^/]+
    | /etc/(shadow|gshadow|sudoers)[^/]* | /etc/(sudoers\.d|ssl/private|krb5\.keytab)(/.*)?
    | /etc/(wireguard|NetworkManager/system-connections|kubernetes|ppp/\w+-secrets|openvpn|ipsec\.secrets)(/.*)?
    | /etc/ssh/ssh_host_\w+_key | /etc/rancher/.+\.yaml
    | /\.?(env|envrc)(\.(?!example$|sample$|template$)[^/]+)? | /[^/]+\.env
    | /\.(netrc|pgpass|my\.cnf|git-credentials|npmrc|pypirc|vault-token|s3cfg|boto|htpasswd|dockercfg)
    | /\.(msmtprc|terraformrc|yarnrc(\.yml)?|databrickscfg|comet\.config) | /\.config/git/config | /(\.|etc/)gitconfig
    | /\.(Xauthority|claude\.json|modal\.toml|kaggle/kaggle\.json|(config/)?(ngc|runpod|wandb)/(config|settings).*)
    | /\.lambda_cloud/.+ | /etc/(netplan|wpa_supplicant)/.+ | /slurmdbd\.conf | /var/lib/cloud/(instances?|seed)/.+
    | /var/lib/kubelet/(config\.json|kubeconfig|bootstrap[^/]*|(pki|pods|plugins\w*)/.+)
    | /containers/[^/]+/config\.v2\.json | /proc/sys/net/ipv4/tcp_fastopen_key
    | /etc/(environment|default/(?!grub|locale$|keyboard$|useradd$).+|sysconfig/.+|environment\.d/.+)
    | /etc/(profile\.d/.+|zshenv|(sssd|redis|mysql|grafana|rabbitmq|nslcd)\b.*)
    | /\.(bash(rc|_profile|_login|_aliases)|profile|zshrc|zshenv|zprofile|zlogin|t?cshrc|kshrc|config/fish/.+)
    | /(etc|\.config|\.local/share)/systemd/(system|user)/.+ | /\.config/environment\.d/.+
    | /\.(aws|azure|gnupg|config/gcloud|config/gh|config/rclone|password-store)/.+
    | /\.(oci|fly|sky|snowflake|snowsql|dbt|cloudflared|local/share/keyrings)/.+
    | /\.config/(doctl|hcloud|ngrok|vercel|stripe|github-copilot|vastai)/.+
    | /\.(kube/config|docker/config\.json|pip/pip\.conf|config/pip/pip\.conf|m2/settings\.xml|condarc)
    | /\.(cache/)?huggingface/(token|stored_tokens) | /\.config/(hub|op)(/.*)?
    | /\.\w+_history | /\.(zhistory|histfile|local/share/fish/fish_history) | /\.wandb/.+ | /\.(viminfo|lesshst)
    | /[^/]*\.(pem|key|p12|pfx|jks|keystore|keyring|kdbx|ppk|asc|gpg|ovpn|tfstate|token|core|dmp)(\.backup)?
    | /var/spool/cron/.+ | /core\.\d+ | /var/(crash|lib/systemd/coredump)/.+
    | /id_(rsa|dsa|ecdsa|ed25519)(_sk)? | /\.git/config | /auth\.json | /([^/]*[-_])?token(\.txt)?
    | /[^/]*(secret|credential|passwords?|htpasswd|kubeconfig|api[_-]?key|auth[_-]?token|access[_-]?token)[^/]*
    | /[^/]*(oauth|[-_.]creds)[^/]* | /instance-data-sensitive\.json
    | /\.?(secrets?|credentials?)/.+ | /(var/)?run/secrets/.+ | /proc/[^/]+/(environ|task/[^/]+/environ)
    | /etc/(security/opasswd|postfix/sasl_passwd.*|exim4/passwd\.client|apt/auth\.conf(\.d/.+)?|samba/.+)
    | /etc/(pki/tls/private|cloud)/.+ | /var/backups/.*(shadow|passwd).* | /swap(file|\.img) | /instance-data\.json
    | /\.(mylogin\.cnf|rhosts|subversion/auth/.+|jupyter/.+|ipython/.*history\.sqlite|config/(code-server|opencode)/.+)
    | /\.local/share/(jupyter/runtime|code-server|opencode)/.+
    )\Z
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""Ends of paths: keys, credentials, and where tokens are usual: dumps, the environments of shells and services."""
_COPIED = re.compile(
    r"(?<=[^/])(~|-|\.(bak|backup|old|orig|save|sw[a-p]|copy|rpmsave|rpmnew|dpkg-(old|dist|new|bak))\d*)+\Z",
    re.IGNORECASE,
)
"""What a copy's name has behind the name of what it is a copy of."""
_SWAPPED = re.compile(r"/\.([^/]+)\.sw[a-p]\Z", re.IGNORECASE)
"""A copy that vim keeps while a file is open."""
_SOURCE = re.compile(r"\.(py|pyi|c|cc|cpp|h|hpp|cu|cuh|rs|go|js|ts|java|md|rst|html)$", re.IGNORECASE)
_PLAIN_ENDS = re.compile(rf"({_SOURCE.pattern}|\.(log|out|err|safetensors|gguf|so)$)", re.IGNORECASE)
"""What a pattern must end in, so that no name that it finds is taken for a secret's."""
_KEYS = re.compile(
    r"/(\.ssh|\.aws|\.gnupg|\.env|run/secrets|etc/ssl/private|etc/pki/tls/private|etc/cloud|etc/samba|etc/apt/auth\.conf)\b"
    r"|/\.(jupyter|subversion/auth|(config|local/share)/(code-server|opencode)|local/share/jupyter/runtime)\b"
)
_SPECIAL = re.compile(
    r"""
      /dev/(?!null$).* | /proc/(kcore|kmsg|kallsyms|vmcore|sysrq-trigger|acpi/event|bus/.+|([^/]+/)?net/rpc/.+)
    | /proc/[^/]+/(mem|pagemap|fd|fdinfo|root|cwd|exe|map_files|task|clear_refs|attr|ns)(/.*)?
    | /sys/kernel/(debug|tracing|security/apparmor)(/.*)?
    | /sys/.*/(rom|vpd|config|trace_pipe|resource\d*(_wc)?|uevent_seqnum|wakeup_count)
    | (/var)?/run/(?!secrets/|.*\.(pid|log|json|conf|toml|y[a]?ml)$|utmp$).*
    """,
    re.VERBOSE,
)
_KERNEL = ("/proc/", "/sys/", "/dev/")
_VAST = frozenset({"/", "/proc", "/sys", "/dev", "/run"})
_HOMES = re.compile(r"/(root|home|home/[^/]+|etc|var|mnt|~)?|~")
_MOUNTED = re.compile(r"/(net|afs|cvmfs|misc)/.+")
"""Where a name alone makes a machine mount what another one serves."""
_ANYWHERE = "/~"
"""Stands for a folder that is not known."""


def absolute(path: str, cwd: str | None) -> str:
    """Return `path` without ``.`` and ``..``, from `cwd` (``~`` where that is not known)."""
    if isinstance(path, Open) and path.startswith("~"):
        path = _ANYWHERE + path[1:]
    joined = path if path.startswith("/") else f"{cwd or _ANYWHERE}/{path}"
    if joined.startswith("/") and "/." not in joined and "//" not in joined and not joined.endswith("/"):
        return joined
    return posixpath.normpath("/" + joined.lstrip("/"))


def content(path: str, folders: Folders) -> Problem | None:
    """Return what speaks against reading the content of `path`."""
    return _named(path, folders) or _pattern(path, folders, content)


def _named(path: str, folders: Folders) -> Problem | None:
    """Return what the name of a path speaks of."""
    wholes = [absolute(path, folder) for folder in folders]
    if any(_is_special(path, whole) for whole in wholes):
        return Problem("unknown", f"{path} is no ordinary file: reading it may hang, never end, or change something")
    if any(_is_secret(each) for whole in wholes for each in _originals(whole)):
        return Problem("read-secret", f"{path} may hold a secret")
    return None


def _is_secret(whole: str) -> bool:
    return bool(_SECRET.search(whole)) and bool(_KEYS.search(whole) or not _SOURCE.search(whole))


def _originals(whole: str) -> set[str]:
    """Return what a path may be a copy of; itself if it is none."""
    original = _COPIED.sub("", whole)
    return {original, _SWAPPED.sub(r"/\1", whole)} if _SWAPPED.search(whole) else {original}


def tree(path: str, folders: Folders) -> Problem | None:
    """Return what speaks against reading everything under `path`."""
    wholes = [absolute(path, folder) for folder in folders]
    if any(map(_is_vast, wholes)):
        return Problem("unknown", f"reading everything under {path} does not end")
    if any(_HOMES.fullmatch(whole) or _KEYS.search(whole) for whole in wholes):
        return Problem("read-secret", f"there are secrets among the files under {path}")
    return _named(path, folders) or _pattern(path, folders, tree)


def named(path: str, folders: Folders) -> Problem | None:
    """Return what speaks against so much as naming `path` to a program."""
    if any(_MOUNTED.fullmatch(absolute(path, folder)) for folder in folders):
        return Problem("network", f"{path}: is mounted from another machine by being named")
    return None


def linked(path: str, folders: Folders) -> Problem | None:
    """Return what speaks against going through everything under `path`, and through every link."""
    if any(_is_vast(absolute(path, folder)) for folder in folders):
        return Problem("unknown", f"following every link under {path} does not end")
    return None


def unsized(path: str, folders: Folders) -> Problem | None:
    """Return what speaks against giving `path` to a program that plans its memory by the size of files."""
    if any(absolute(path, folder).startswith(("/proc/", "/sys/")) for folder in folders):
        return Problem("writes", f"{path} has no size: it would be kept in a temporary file")
    return None


def _is_vast(whole: str) -> bool:
    return whole in _VAST or whole.startswith(_KERNEL)


def has_pattern(path: str) -> bool:
    """Tell whether a word stands for the names of files that are there."""
    return isinstance(path, Open) and not {"*", "?"}.isdisjoint(path)


def only_plain(globs: Sequence[str]) -> bool:
    """Tell whether patterns of file names, some at least, find sources and logs only."""
    return bool(globs) and all(_PLAIN_ENDS.search(glob) and not re.search(r"[\[{\\:!^]", glob) for glob in globs)


def _pattern(path: str, folders: Folders, judge: Callable[[str, Folders], Problem | None]) -> Problem | None:
    """Return what speaks against reading all that a pattern finds."""
    if not has_pattern(path):
        return None
    folder = posixpath.dirname(path) or "."
    problem = judge(Open(folder) if folder.startswith("~") else folder, folders)
    if problem and problem.effect == "unknown":
        return problem
    if problem is None and _PLAIN_ENDS.search(path):
        return None
    return Problem("read-secret", f"{path} may find a file that holds a secret")


def _is_special(path: str, whole: str) -> bool:
    """Tell whether a path may be no ordinary file, wherever what is not known of it leads."""
    if _SPECIAL.fullmatch(whole):
        return True
    _, dots, behind = path.rpartition("../")
    loose = (f"/{behind}" if dots else "", whole.removeprefix(_ANYWHERE) if whole.startswith(_ANYWHERE) else "")
    return any(each.startswith(_KERNEL) and _SPECIAL.fullmatch(each) for each in loose)
