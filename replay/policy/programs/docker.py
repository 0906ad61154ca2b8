"""docker, podman, nerdctl, as far as they only list and print."""

from collections.abc import Sequence
from dataclasses import replace

from replay.policy.judgement import Problem, Word
from replay.policy.options import Answer, Program, Understood, understand

_NAME = r"[A-Za-z0-9][\w./:@-]*"
_SETS = Problem("system", "changes what runs on the machine")
_REMOVES = Problem("destructive", "removes or ends containers, images or volumes")
_ENDLESS = Problem("unknown", "does not end by itself")
_SECRET = Problem("read-secret", "prints environments, and with them secrets")
_LAST = "10000"
_FORMAT = {"--format": r"(?!.*(\.Env|\b(define|template|block|range|printf|pad)\b))[^\n]+"}
_TEMPLATE = r"(?s:(?!.*\b(define|template|block|pad)\b|.*%[-+ #0]*\d{4}).+)"
"""One that ends: templates that call each other may not."""
_LISTS = {"-f": r"[\w.=:/-]+", "--filter": r"[\w.=:/-]+", **_FORMAT}


def _list(name: str, flags: str = "-q --quiet --no-trunc -a --all") -> Program:
    return Program(name, flags=flags, valued=_LISTS, operands=(), most=0, dashes=False)


_PS = _list("ps", "-a -q -l -s --all --quiet --no-trunc --latest --size")
_IMAGES = Program("images", flags="-a -q --all --quiet --no-trunc --digests", valued=_LISTS, operands=(_NAME,), most=1,
                  dashes=False)  # fmt: skip
_LOGS = Program(
    "logs",
    flags="-t --timestamps --details",
    valued={"-n": r"\d+|all", "--tail": r"\d+|all", "--since": r"[\w:.+-]+", "--until": r"[\w:.+-]+"},
    operands=(_NAME,),
    least=1,
    most=1,
    dashes=False,
    refused={"-f": _ENDLESS, "--follow": _ENDLESS},
)
_INSPECT = Program("inspect", flags="-s --size", valued={"-f": _TEMPLATE, "--format": _TEMPLATE, "--type": r"\w+"},
                   operands=(_NAME,), least=1, dashes=False, asks=_SECRET)  # fmt: skip
_TOP = Program("top", operands=(_NAME,), least=1, most=1, dashes=False)
_PORT = Program("port", operands=(_NAME,), least=1, most=2, dashes=False)
_CHANGING = dict.fromkeys(
    ("run", "start", "stop", "restart", "create", "pull", "push", "build", "up", "down", "exec", "tag", "load",
     "import", "update", "rename", "pause", "unpause", "login", "swarm", "service", "stack", "buildx", "wait",
     "attach", "cp", "commit"),
     _SETS,
) | dict.fromkeys(("rm", "rmi", "kill", "prune"), _REMOVES)  # fmt: skip
_DOCKER = {
    "ps": _PS,
    "images": _IMAGES,
    "logs": _LOGS,
    "inspect": _INSPECT,
    "top": _TOP,
    "port": _PORT,
    "version": Program("version", operands=(), most=0, dashes=False),
    "--version": Program("--version", operands=(), most=0, dashes=False),
    "info": Program("info", operands=(), most=0, dashes=False,
                    asks=Problem("read-intrusive", "runs the client's own plugins")),
    "stats": Program("stats", flags="--no-stream --no-trunc", valued=_FORMAT, operands=(_NAME,), dashes=False,
                     check=lambda call: None if call.has("--no-stream") else _ENDLESS),
    "history": Program("history", flags="-q --no-trunc", operands=(_NAME,), least=1, most=1, dashes=False,
                       asks=Problem("read-secret", "docker history: prints how an image was built, often secrets too")),
    "diff": Program("diff", operands=(_NAME,), least=1, most=1, dashes=False),
    "container": Program("container", subcommands={"ls": _PS, "list": _PS, "logs": _LOGS, "inspect": _INSPECT,
                                                   "top": _TOP}, refused=_CHANGING),
    "image": Program("image", subcommands={"ls": _IMAGES, "inspect": _INSPECT}, refused=_CHANGING),
    "volume": Program("volume", subcommands={"ls": _list("volume ls"), "inspect": _INSPECT}, refused=_CHANGING),
    "network": Program("network", subcommands={"ls": _list("network ls"), "inspect": _INSPECT}, refused=_CHANGING),
    "system": Program("system", subcommands={"df": _list("system df", "-v")}, refused=_CHANGING),
}  # fmt: skip
_SERVICE = r"[A-Za-z0-9][\w.-]*"
_COMPOSE = Program(
    "docker compose",
    subcommands={
        "ps": Program(
            "docker compose ps",
            flags="-a -q --all --quiet --services",
            valued=_LISTS,
            operands=(_SERVICE,),
            dashes=False,
        ),
        "ls": Program("docker compose ls", flags="-a -q --all --quiet", operands=(), most=0, dashes=False),
        "logs": replace(
            _LOGS,
            name="docker compose logs",
            flags="-t --timestamps --no-color --no-log-prefix",
            operands=(_SERVICE,),
            least=0,
            most=50,
        ),
        "images": Program("docker compose images", flags="-q --quiet", operands=(_SERVICE,), dashes=False),
        "top": Program("docker compose top", operands=(_SERVICE,), dashes=False),
        "version": Program("docker compose version", flags="--short", operands=(), most=0, dashes=False),
        "config": Program(
            "docker compose config",
            flags="-q --quiet --services --volumes --images",
            operands=(_SERVICE,),
            dashes=False,
            asks=_SECRET,
        ),
    },
    refused=_CHANGING,
    asks=Problem("read-intrusive", "docker compose: runs a plugin, and reads what its files name, even elsewhere"),
)
_FILES = frozenset({"-f", "--file", "-p", "--project-name", "--project-directory", "--env-file", "--profile"})
_PROGRAM = Program("docker", subcommands=_DOCKER, refused=_CHANGING)


def _parse_compose(words: Sequence[str]) -> Answer:
    """Take what chooses a project off the front: ``-f FILE``, ``-p NAME``; bound what a log prints."""
    chosen: list[Word] = []
    rest = list(words)
    while len(rest) > 1 and rest[0].partition("=")[0] in _FILES:
        name, equals, value = rest.pop(0).partition("=")
        chosen += [Word(name, "option"), Word(value if equals else rest.pop(0), "place")]
    if rest[:1] == ["logs"] and not any(word.startswith(("-n", "--tail")) for word in rest):
        rest[1:1] = ["--tail", _LAST]
    found = understand(_COMPOSE, rest)
    return found if isinstance(found, Problem) else Understood((*chosen, *found.words), found.asks, found.note)


def _parse(words: Sequence[str]) -> Answer:
    """Bound what a log prints."""
    if words[:1] == ["compose"]:
        found = _parse_compose(words[1:])
        return found if isinstance(found, Problem) else found._replace(words=(Word("compose", "option"), *found.words))
    place = 2 if list(words[:2]) == ["container", "logs"] else 1
    if words[place - 1 : place] == ["logs"] and not any(word.startswith(("-n", "--tail")) for word in words):
        words = [*words[:place], "--tail", _LAST, *words[place:]]
    return understand(_PROGRAM, words)


_HELPERS = Problem("read-intrusive", "has no daemon: starts helpers, and keeps locks and folders of its own")


def _parse_alone(words: Sequence[str]) -> Answer:
    """Ask first: podman and nerdctl do themselves what docker's daemon does for it, even to list."""
    found = _parse(words)
    return found if isinstance(found, Problem) else Understood(found.words, found.asks or _HELPERS, found.note)


_ALONE = tuple(
    Program(
        name,
        parse=_parse_alone,
        asked=(f"{name} ps -a", f"{name} logs --tail 50 vllm", f"{name} images", f"{name} inspect c",
               f"{name} exec -it c cat /etc/os-release"),
    )
    for name in ("podman", "nerdctl")
)  # fmt: skip
_SPLIT = Program(
    "docker-compose",
    parse=_parse_compose,
    asked=("docker-compose ps", "docker-compose -f f.yml logs vllm", "docker-compose config"),
)
_DOCKER_ITSELF = (
    Program(
        name,
        parse=_parse,
        examples=(f"{name} ps -a", f"{name} logs --tail 50 vllm", f"{name} logs vllm", f"{name} images",
        f"{name} top c",
                  f"{name} stats --no-stream", f"{name} volume ls", f"{name} --version", f"{name} system df",
                  f"{name} ps --filter name=web --format '{{{{.Names}}}}'"),
        asked=(f"{name} inspect c", f"{name} exec -it c cat /etc/os-release", f"{name} exec c sh -c 'ls /x; id'",
               f"{name} exec -u app -w /srv c ls -la", f"{name} info", f"{name} compose ps",
               f"{name} compose -f f.yml logs --tail 20 vllm", f"{name} compose config", f"{name} history c"),
    )
    for name in ("docker",)
)  # fmt: skip
PROGRAMS = (*_ALONE, _SPLIT, *_DOCKER_ITSELF)
"""Askers of container engines."""
