"""Clients of servers: a person is asked, and only forms that fetch what is there are known at all."""

import re
from collections.abc import Sequence

from replay.policy.jq import check_jq
from replay.policy.judgement import Problem
from replay.policy.options import COUNT, NAME, Answer, Call, Program, understand

_ASKS = Problem("network", "asks a server")
_SENDS = Problem("system", "may change the state of a server")
_WRITES = Problem("writes", "writes a file")
_FOLLOWS = Problem("unknown", "is led to other servers")
_URL = r"(https?://)?(localhost|127\.0\.0\.1|\[::1\]|0\.0\.0\.0|[\w.-]+)(:\d{1,5})?(/[\w./%?&=:,+~@-]*)?"
_HEADER = r"(Accept|Content-Type|User-Agent|Host): [\w./;=, *+-]+"
_BODIES = "-d --data --data-raw --data-binary --data-urlencode --json -F --form -T --upload-file"


_CURL = Program(
    "curl",
    flags="-s -S -f -i -I -v -k -4 -6 --silent --show-error --fail --include --head --verbose --compressed "
    "--no-progress-meter -sS",
    valued={
        "-m": r"\d+(\.\d+)?", "--max-time": r"\d+(\.\d+)?", "--connect-timeout": r"\d+(\.\d+)?", "-H": _HEADER,
        "--header": _HEADER, "-X": "GET|HEAD", "--request": "GET|HEAD", "-o": "/dev/null", "--output": "/dev/null",
        "-w": r"([^@%]|%\{(http_code|time_total|response_code)\})[^%]*(%\{http_code\}[^%]*)?",
        "--retry": r"\d",
    },
    operands=(_URL,),
    least=1,
    most=3,
    dashes=False,
    fixed=("-q", "-g"),
    refused={
        **dict.fromkeys(_BODIES.split(), _SENDS),
        **dict.fromkeys(("-O", "--remote-name", "-J", "-D", "--dump-header", "-c", "--cookie-jar"), _WRITES),
        **dict.fromkeys(("-L", "--location"), _FOLLOWS),
        **dict.fromkeys(("-K", "--config"), Problem("unknown", "takes options from a file")),
        **dict.fromkeys(("-u", "--user", "-b", "--cookie"), Problem("unknown", "holds a secret")),
    },
    asks=_ASKS,
)  # fmt: skip


def _parse_curl(words: Sequence[str]) -> Answer:
    """Name another method than reading by what it does, not by its word alone."""
    found = understand(_CURL, words)
    sent = re.search(r"(^| )(-\w*X|--request[ =]) ?(?!GET|HEAD)[A-Z]+", " ".join(words))
    return Problem("system", f"curl: {_SENDS.reason}") if isinstance(found, Problem) and sent else found


_SCOPE = {"-n": r"[\w-]+", "--namespace": r"[\w-]+", "-l": r"[\w./=,!-]+", "--selector": r"[\w./=,!-]+",
          "--context": r"[\w.@:/-]+"}  # fmt: skip
_THING = r"(?!(?i:.*secret))[\w./-]+(,[\w./-]+)*"
_KUBECTL = {
    "get": Program(
        "kubectl get",
        flags="-A --all-namespaces --no-headers --show-labels --ignore-not-found",
        valued={**_SCOPE, "-o": r"wide|yaml|json|name|jsonpath=.+|custom-columns=.+",
                "--output": r"wide|yaml|json|name|jsonpath=.+|custom-columns=.+",
                "--sort-by": r"[\w.{}\[\]]+", "--field-selector": r"[\w.=,!-]+"},
        operands=(_THING,),
        least=1,
        dashes=False,
    ),
    "describe": Program("kubectl describe", flags="-A", valued=_SCOPE, operands=(_THING,), least=1, dashes=False),
    "logs": Program(
        "kubectl logs",
        flags="-p --previous --timestamps --all-containers",
        valued={**_SCOPE, "-c": r"[\w-]+", "--container": r"[\w-]+", "--tail": r"\d+", "--since": r"\d+[smh]"},
        operands=(r"[\w./-]+",), least=1, most=1, dashes=False,
        refused=dict.fromkeys(("-f", "--follow"), Problem("unknown", "does not end by itself")),
    ),
    "top": Program("kubectl top", flags="-A --containers", valued=_SCOPE, operands=(r"[\w./-]+",), dashes=False),
    "version": Program("kubectl version", flags="--client", operands=(), most=0, dashes=False),
    "api-resources": Program("kubectl api-resources", operands=(), most=0, dashes=False),
    "cluster-info": Program("kubectl cluster-info", operands=(), most=0, dashes=False),
}  # fmt: skip
_CLUSTER = dict.fromkeys(
    (
        "apply",
        "create",
        "edit",
        "patch",
        "scale",
        "rollout",
        "label",
        "taint",
        "cordon",
        "drain",
        "set",
        "run",
        "expose",
    ),
    Problem("system", "changes the cluster"),
) | {"delete": Problem("destructive", "removes from the cluster")}
_KUBE = Program("kubectl", subcommands=_KUBECTL, refused=_CLUSTER, asks=Problem("network", "kubectl: asks the cluster"))


def _parse_kubectl(words: Sequence[str]) -> Answer:
    """Put options in front of the subcommand behind it."""
    if words[:1] in (["-n"], ["--namespace"], ["--context"]) and len(words) > 2:  # noqa: PLR2004 -- option, value, more
        return understand(_KUBE, [words[2], *words[:2], *words[3:]])
    return understand(_KUBE, words)


_SHOWN = "view list checks diff status"
_GH_FLAGS = "--comments --name-only --log --log-failed --patch --stat --draft"
_GH_VALUED = {"--json": r"[\w,]+", "-q": "text", "--jq": "text", "-R": r"[\w./-]+", "--repo": r"[\w./-]+", "-L": COUNT,
              "--limit": COUNT, "-s": r"\w+", "--state": r"\w+", "--author": r"[@\w-]+", "--search": "text",
              "--branch": r"[\w./-]+", "-b": r"[\w./-]+", "--head": r"[\w./-]+", "--workflow": r"[\w. /-]+",
              "--job": r"\d+", "--color": "never|auto|always", "-w": r"(?!)"}  # fmt: skip


def _check_gh(call: Call) -> Problem | None:
    """Programs of jq run there too, and see the environment with its tokens."""
    programs = call.values("-q", "--jq")
    if any(re.search(r"\benv\b|\$ENV", program) for program in programs):
        return Problem("unknown", "gh: prints the environment, and with it secrets")
    return next((problem for program in programs if (problem := check_jq(program))), None)


_GH = Program(
    "gh",
    subcommands={
        kind: Program(
            f"gh {kind}",
            subcommands={
                name: Program(
                    f"gh {kind} {name}", _GH_FLAGS, _GH_VALUED, (r"#?[\w./:-]+",), most=1, dashes=False, check=_check_gh
                )
                for name in _SHOWN.split()
            },
            refused=dict.fromkeys(("create", "merge", "close", "edit", "comment", "delete", "rerun", "cancel"), _SENDS),
        )
        for kind in ("pr", "run", "issue", "release", "workflow")
    },
    refused={"api": _SENDS},
    asks=Problem("network", "gh: asks a server"),
)
_SLURM = Problem("network", "asks the scheduler")
_NODES = r"[\w.,\[\]-]+"

PROGRAMS = (
    Program(
        "curl",
        parse=_parse_curl,
        asked=("curl -s http://localhost:8000/v1/models",
        "curl -sf -o /dev/null -w '%{http_code}' localhost:8000/health",
               "curl -I -m 5 http://127.0.0.1:8000/metrics"),
    ),
    Program(
        "kubectl",
        parse=_parse_kubectl,
        asked=("kubectl get pods -A", "kubectl -n ml get pod vllm-0 -o yaml", "kubectl logs vllm-0 --tail 100",
               "kubectl describe node gpu1", "kubectl top nodes"),
    ),
    Program("gh", subcommands=_GH.subcommands, refused=_GH.refused, asks=_GH.asks,
            asked=("gh pr view 142 --json title,state", "gh run view 7 --log-failed", "gh pr checks 142")),
    Program("squeue", flags="-a -l -r -h", valued={"-u": NAME, "-j": r"[\d,_]+", "-p": NAME, "-w": _NODES,
    "-o": "text"},
            operands=(), most=0, dashes=False, asks=_SLURM, asked=("squeue -u ops", "squeue")),
    Program("sinfo", flags="-a -l -N -R -h -s", valued={"-p": NAME, "-n": _NODES, "-o": "text"}, operands=(), most=0,
            dashes=False, asks=_SLURM, asked=("sinfo -N -l",)),
    Program("scontrol", operands=("show", "job|node|partition|config", _NODES), least=2, most=3, dashes=False,
            asks=_SLURM, asked=("scontrol show node gpu1",)),
    Program("sacct", flags="-a -X -l -n", valued={"-j": r"[\d,._]+", "-u": NAME, "-S": r"[\w:-]+",
    "--format": r"[\w,%]+"},
            operands=(), most=0, dashes=False, asks=_SLURM, asked=("sacct -j 4242 --format JobID,State",)),
)  # fmt: skip
"""Askers of servers."""
