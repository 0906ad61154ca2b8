"""The family of ssh: which host, as whom, over which others, and what the login shell there is given."""

from urllib.parse import unquote

from sessions.shell.fields import Field
from sessions.shell.place import Inner, Peeled, Place, Source, Stop
from sessions.shell.wrappers.options import Options, grammar, read

_SSH = grammar("46AaCfGgKkMNnqsTtVvXxYy", "BbcDEeFIiJLlmOoPpQRSWw")
_SSHPASS = grammar("ehVv", "pfdP")
_AUTOSSH = grammar("46AaCfGgKkNnqsTtVvXxYy", "BbcDEeFIiJLlmOoPpQRSWwM")
_SCP = grammar("12346ABCOpqrRsTv", "cDFiJloPSX", permutes=True)
_SFTP = grammar("46AaCfNpqrv", "BbcDFiJloPRSsX", permutes=True)
_QUERIES = ("V", "Q", "G", "O")
_TUNNELS = ("N", "W", "D", "L", "R", "w", "f")


def split_destination(text: str) -> tuple[str, str | None]:
    """Host and user of ``[user@]host`` or ``ssh://[user@]host[:port]``; the port is dropped."""
    address = text.removeprefix("ssh://")
    user, _, host = address.rpartition("@")
    if address != text:
        host, user = host.rstrip("/"), unquote(user)
        if not host.startswith("["):
            host = host.partition(":")[0]
        host = host.partition("]")[0].removeprefix("[")
    return host, user or None


def peel_ssh(fields: list[Field], place: Place) -> Peeled:
    """The remote words joined by single blanks, as a text for the login shell; also a script on standard input."""
    return _peel(place, read(fields[1:], _SSH))


def peel_autossh(fields: list[Field], place: Place) -> Peeled:
    """As ssh; its ``-M`` takes a value."""
    return _peel(place, read(fields[1:], _AUTOSSH))


def _peel(place: Place, options: Options) -> Peeled:
    if options.problem:
        return Stop(place.doubt(f"ssh: {options.problem}"))
    if not options.rest:
        return Stop(place if options.has(*_QUERIES) else place.doubt("ssh: no host"))
    destination = options.rest[0]
    behind = read(options.rest[1:], _SSH)
    if behind.problem:
        return Stop(place.doubt(f"ssh: {behind.problem}"))
    options.found += behind.found
    return _reach(destination, behind.rest, options, place)


def _reach(destination: Field, remote: list[Field], options: Options, place: Place) -> Peeled:
    host, user = split_destination(destination.value)
    jumps = tuple(split_destination(each)[0].partition(":")[0] for each in (options.last("J") or "").split(",") if each)
    there = place.reach(host, user or options.last("l"), jumps)
    if not destination.exact:
        there = there.doubt(f"host {destination.shown} needs a shell")
    if options.has(*_QUERIES):
        return Stop(place._replace(host=host, user=there.user))
    if options.has("t") and not options.has("T"):
        there = there._replace(tty=True)
    return _run(remote, options, place, there)


def _run(remote: list[Field], options: Options, place: Place, there: Place) -> Peeled:
    if remote and not options.has("N"):
        text = " ".join(each.value for each in remote)
        if all(each.exact for each in remote):
            return Source(text, there)
        return Source(text, there.doubt("part of the text was expanded before ssh", exact=False))
    if place.stdin is not None and not options.has("N", "n", "f"):
        return Source(place.stdin, there._replace(stdin=None))
    reason = "a tunnel: nothing runs there" if options.has(*_TUNNELS) else "a login shell, nothing given to it"
    return Stop(place._replace(host=there.host, user=there.user, jumps=there.jumps, tty=there.tty).doubt(reason))


def peel_sshpass(fields: list[Field], place: Place) -> Peeled:
    """``sshpass -p SECRET ssh …``: the secret is dropped with it."""
    options = read(fields[1:], _SSHPASS)
    if options.problem or not options.rest:
        return Stop(place)
    return Inner(options.rest, place)


def name_copy(fields: list[Field], place: Place) -> Peeled:
    """Leave scp and sftp as they are, with the host that the first remote operand names."""
    known = _SCP if fields[0].value.endswith("scp") else _SFTP
    options = read(fields[1:], known)
    remote = [each for each in (*options.operands, *options.rest) if _is_remote(each.value)]
    if not remote and fields[0].value.endswith("sftp"):
        remote = options.operands[:1]
    return _named(remote, place)


def name_rsync(fields: list[Field], place: Place) -> Peeled:
    """Leave rsync as it is, with the host that the first remote operand names."""
    return _named([each for each in fields[1:] if _is_remote(each.value)], place)


def _is_remote(text: str) -> bool:
    """``[user@]host:path``, no option, and no slash before the colon."""
    head, colon, _ = text.partition(":")
    return bool(colon and head) and "/" not in head and not text.startswith("-")


def _named(remote: list[Field], place: Place) -> Peeled:
    if not remote:
        return Stop(place)
    text = remote[0].value
    if not text.startswith("ssh://"):
        text = text.partition(":")[0]
    host, user = split_destination(text)
    named = place._replace(host=host, user=user or place.user)
    if place.host:
        named = named._replace(jumps=(*place.jumps, place.host))
    return Stop(named if remote[0].exact else named.doubt(f"host {remote[0].shown} needs a shell"))


PEELERS = {
    "ssh": peel_ssh,
    "autossh": peel_autossh,
    "sshpass": peel_sshpass,
    "scp": name_copy,
    "sftp": name_copy,
    "rsync": name_rsync,
}
