"""Tellers of sockets, addresses and routes."""

import re
from collections.abc import Sequence

from replay.policy.judgement import Problem, Word
from replay.policy.options import NAME, Answer, Call, Program, Understood, understand

_SETS = Problem("system", "changes the network")
_ENDLESS = Problem("unknown", "does not end by itself")
_ADDRESS = r"[\w.:/@-]+"
_OBJECTS = frozenset(["a", "addr", "address", "l", "link", "r", "route", "n", "neigh", "rule", "maddr"])
_INTERFACE = re.compile(
    r"lo|eth\d+|en(o\d+|P?\d*[ps]\d+\w*|x[0-9a-f]{12})|ib(\d+|[ps]\d+\w*)|bond\d+|br(\d{1,2}|-[0-9a-f]{12})|docker\d+"
    r"|veth[0-9a-f]+|virbr\d+|wl(an\d+|p\d+s\d+\w*|o\d+)|tun\d+|tap\d+|tailscale\d+|wg\d+|cni\d+|flannel[.]\d+|cali\w+"
)
"""Names that interfaces have and modules of the kernel have not."""
_NUMBERS = re.compile(r"[0-9a-f.:]*[.:][0-9a-f.:]*(/\d+)?")
_LOADS = Problem("system", "a name that no interface has makes the kernel load a module of that name for root")
_SHOWN = re.compile(rf"((show|list|ls)( dev)?( {_ADDRESS})?|(show|list) (up|type \w+|table \w+))?")


def _resolves(call: Call) -> Problem | None:
    """Without ``-n`` a name server is asked for every address."""
    return None if call.has("-n", "--numeric") else Problem("network", "asks name servers; it would not with -n")


def _parse_ip(words: Sequence[str]) -> Answer:
    rest = list(words)
    found: list[Word] = []
    while rest and re.fullmatch(r"-(4|6|d|s|o|j|p|br|brief|details|c|color=never)", rest[0]):
        found.append(Word(rest.pop(0), "option"))
    if not rest or rest[0] not in _OBJECTS:
        return Problem("unknown", "ip: not one of the forms on the list")
    if not _SHOWN.fullmatch(" ".join(rest[1:])):
        return Problem("system", f"ip {rest[0]}: not one of the forms that only show")
    named = rest[-1] if len(rest) > _BARE and rest[-2] in {"show", "list", "ls", "dev"} else "lo"
    asks = None if _is_known(named) else _LOADS
    return Understood((*found, *(Word(word, "text") for word in rest)), asks)


_BARE = 2


def _is_known(name: str) -> bool:
    """Tell whether a name is one of an interface, or none at all but an address, a route or a state."""
    return bool(_INTERFACE.fullmatch(name) or _NUMBERS.fullmatch(name)) or name in {"default", "up"}


def _weigh_interface(call: Call) -> Problem | None:
    return None if all(_is_known(operand) for operand in call.operands) else _LOADS


def _check_sysctl(call: Call) -> Problem | None:
    changed = any("=" in operand for operand in call.operands)
    return Problem("system", "sysctl: changes the machine") if changed else None


_KEYS = re.compile(r"net([./]ipv4([./]tcp_fastopen_key)?|[./]ipv6([./]conf.*)?)?|.*(secret|fastopen_key).*")
"""Keys of the kernel, and the branches in which they stand."""


def _weigh_sysctl(call: Call) -> Problem | None:
    """What prints all, or a whole branch of it, prints the keys of the network too."""
    if call.has("-N", "--names"):
        return None
    keys = any(_KEYS.fullmatch(operand) or "*" in operand for operand in call.operands) or call.has("-a", "--all")
    return Problem("read-secret", "sysctl: prints keys of the network") if keys else None


_FILTERS = Problem("system", "iptables: changes what the network lets through")


def _weigh_iptables(call: Call) -> Problem | None:
    """Even a list takes a lock, and makes the kernel load what filters, if nothing did before."""
    if not call.has("-n", "--numeric", "-S", "--list-rules"):
        return Problem("network", "asks name servers for every address, takes a lock, may load a module of the kernel")
    return Problem("read-intrusive", "takes a lock, and may load a module of the kernel")


_INTERNET = r"[46]?(tcp|udp|TCP|UDP)?(@\d{1,3}(\.\d{1,3}){3})?(:[\w,-]+)?"


def _check_lsof(call: Call) -> Problem | None:
    """What stands behind ``-i`` is an address to lsof, whatever it looks like."""
    if added := [operand for operand in call.operands if operand.startswith("+")]:
        return Problem("unknown", f"lsof: option {added[0]} is not on the list")
    loose = call.operands and ("-i", None) in call.options
    return Problem("unknown", f"lsof: the address {call.operands[0]!r} is not on the list") if loose else None


_LSOF = Program(
    "lsof",
    flags="-n -P -a -l -t -w -N -U -R",
    valued={"-p": r"[\d,^]+", "-u": r"[\w,^-]+", "-c": NAME, "-s": r"\w+:\w+", "+D": r"(?!)"},
    optional={"-i": _INTERNET},
    operands=("place",),
    refused={"-r": _ENDLESS, "+r": _ENDLESS, "-D": Problem("writes", "writes a cache")},
    check=_check_lsof,
    weigh=lambda call: _resolves(call) if call.has("-i", "-u", "-c", "-p") or not call.operands else None,
)


def _parse_lsof(words: Sequence[str]) -> Answer:
    """Join ``-i`` with the address behind it, which would else be taken for a file."""
    joined: list[str] = []
    for word in words:
        if joined and re.fullmatch(r"-\w*i", joined[-1]) and word and re.fullmatch(_INTERNET, word):
            joined[-1] += word
        else:
            joined.append(word)
    return understand(_LSOF, joined)


PROGRAMS = (
    Program(
        "lsof",
        parse=_parse_lsof,
        asked=("lsof -i :5173", "lsof -i"),
        examples=("lsof -nP -i :8000", "lsof -nPi:8000", "lsof -n -p 4242", "lsof /dev/nvidia0", "lsof -nti tcp:80"),
    ),
    Program(
        "netstat",
        flags="-t -u -l -n -p -a -r -i -s -e -4 -6 -x -W --tcp --udp --listening --numeric --programs --all --route",
        operands=(),
        most=0,
        dashes=False,
        refused={"-c": _ENDLESS, "--continuous": _ENDLESS},
        weigh=_resolves,
        examples=("netstat -tlnp",),
        asked=("netstat -tl",),
    ),
    Program("ip", parse=_parse_ip, examples=("ip addr", "ip -br a", "ip link show eth0", "ip route",
            "ip -d addr show")),
    Program("ifconfig", flags="-a -s", operands=(_ADDRESS,), most=1, dashes=False,
            overflow=_SETS, weigh=_weigh_interface, examples=("ifconfig", "ifconfig eth0")),
    Program("route", flags="-n", operands=(), most=0, dashes=False, overflow=_SETS, weigh=_resolves,
            examples=("route -n",)),
    Program("arp", flags="-n -a -e", operands=(), most=0, dashes=False, weigh=_resolves,
            refused=dict.fromkeys(("-s", "-d", "-f"), _SETS), examples=("arp -n",)),
    Program(
        "sysctl",
        flags="-a -n -N -e --all --values --names",
        operands=(r"(?!.*\.\.)[\w./*=,-]+",),
        refused=dict.fromkeys(("-w", "--write", "-p", "--load", "--system"), _SETS),
        check=_check_sysctl,
        weigh=_weigh_sysctl,
        examples=("sysctl -n vm.swappiness", "sysctl -aN"),
        asked=("sysctl -a", "sysctl net.ipv4.tcp_fastopen_key"),
    ),
    *(
        Program(
            name,
            flags="-L -S -n -v -x --list --list-rules --numeric --verbose --exact --line-numbers",
            valued={"-t": "filter", "--table": "filter"},
            operands=("[A-Za-z][A-Za-z0-9_-]*",),
            most=1,
            dashes=False,
            refused=dict.fromkeys(("-A", "-I", "-D", "-R", "-F", "-X", "-P", "-Z", "-N", "-E", "-C"), _SETS),
            check=lambda call: None if call.has("-L", "-S", "--list", "--list-rules") else _FILTERS,
            weigh=_weigh_iptables,
            asked=(f"{name} -L -n -v --line-numbers", f"{name} -S", f"{name} -L INPUT"),
        )
        for name in ("iptables", "ip6tables")
    ),
    Program("ibstat", flags="-l -s -p", operands=(NAME,), most=2, dashes=False, examples=("ibstat",)),
    Program("ibv_devinfo", flags="-l -v", valued={"-d": NAME}, operands=(), most=0, dashes=False,
            examples=("ibv_devinfo",)),
    Program(
        "vmstat",
        flags="-a -s -d -w -t -m -n",
        operands=(r"[1-5]", r"[1-9]\d?"),
        most=2,
        dashes=False,
        check=lambda call: Problem("unknown", "vmstat: a delay without a count does not end")
        if len(call.operands) == 1 else None,
        examples=("vmstat", "vmstat 1 5"),
    ),
    *(
        Program(
            name,
            flags="-c -d -x -m -k -h -t -y" if name == "iostat" else "-u -A",
            valued={"-P": r"ALL|[\d,]+"} if name == "mpstat" else {},
            operands=(r"[1-5]", r"[1-9]\d?"),
            most=2,
            dashes=False,
            check=lambda call: Problem("unknown", "a delay without a count does not end")
            if len(call.operands) == 1 else None,
            examples=(name, f"{name} 1 3"),
        )
        for name in ("iostat", "mpstat")
    ),
)  # fmt: skip
"""Tellers of what is connected."""
