"""Programs that run another one inside a container: docker, podman, nerdctl, compose, kubectl, incus."""

from sessions.shell.fields import Field
from sessions.shell.place import Inner, Peeled, Place, Stop
from sessions.shell.wrappers.options import Options, grammar, read

_DOCKER = grammar("D", "Hlc", "host= context= config= log-level= tls tlsverify debug namespace= address= remote url=")
_EXEC = grammar(
    "ditlqT", "uwe", "detach interactive tty user= workdir= env= env-file= privileged detach-keys= latest cidfile="
)
_COMPOSE = grammar(
    "", "fp", "file= project-name= project-directory= profile= env-file= ansi= progress= compatibility all-resources"
)
_COMPOSE_EXEC = grammar("dTit", "uwe", "detach no-TTY no-tty interactive user= workdir= env= index= privileged")
_KUBECTL = grammar(
    "itqv",
    "nscf",
    "namespace= context= kubeconfig= cluster= server= container= user= stdin tty quiet token= as= request-timeout= "
    "pod-running-timeout= insecure-skip-tls-verify filename= v=",
    permutes=True,
)
_INCUS = grammar(
    "tTnqv", "", "cwd= env= user= group= mode= project= force-interactive force-noninteractive disable-stdin quiet "
    "verbose debug force-local", permutes=True,
)  # fmt: skip


def peel_docker(fields: list[Field], place: Place) -> Peeled:
    """``docker exec [-it -u USER -w DIR -e N=V] NAME PROGRAM``, and the same of ``docker compose``."""
    program = _name(fields)
    options = read(fields[1:], _DOCKER)
    rest = options.rest
    if options.problem or not rest:
        return Stop(place)
    if rest[0].value == "compose":
        return _compose(rest[1:], place)
    if rest[0].value == "container":
        rest = rest[1:]
    if not rest or rest[0].value != "exec":
        return Stop(place)
    return _exec(read(rest[1:], _EXEC), place, program)


def peel_compose(fields: list[Field], place: Place) -> Peeled:
    """``docker-compose exec …``."""
    return _compose(fields[1:], place)


def _compose(fields: list[Field], place: Place) -> Peeled:
    options = read(fields, _COMPOSE)
    if options.problem or not options.rest or options.rest[0].value != "exec":
        return Stop(place)
    return _exec(read(options.rest[1:], _COMPOSE_EXEC), place, "compose")


def _exec(options: Options, place: Place, program: str) -> Peeled:
    if options.problem or not options.rest:
        return Stop(place.doubt(f"{program} exec: {options.problem or 'no container'}"))
    name, inner = options.rest[0], options.rest[1:]
    return _enter(inner, options, place.enter(f"{program}:{name.value}"), name)


def peel_kubectl(fields: list[Field], place: Place) -> Peeled:
    """``kubectl exec [-n NS] POD [-c NAME] -- PROGRAM``."""
    options = read(fields[1:], _KUBECTL)
    operands = options.operands
    if not operands or operands[0].value != "exec":
        return Stop(place)
    if options.problem or len(operands) != 2 or not options.ended:  # noqa: PLR2004 -- exec and the pod
        return Stop(place.doubt(f"kubectl exec: {options.problem or 'no -- in front of the program'}"))
    label = f"kubectl:{options.last('n', 'namespace') or ''}/{operands[1].value}"
    if name := options.last("c", "container"):
        label += f":{name}"
    options.found = [each for each in options.found if each[0] != "user"]  # of the cluster, not of the container
    return _enter(options.rest, options, place.enter(label), operands[1])


def peel_incus(fields: list[Field], place: Place) -> Peeled:
    """``incus exec NAME [options] -- PROGRAM``; the dashes may be left out."""
    options = read(fields[1:], _INCUS)
    operands = options.operands
    if not operands or operands[0].value != "exec":
        return Stop(place)
    if options.problem or len(operands) < 2:  # noqa: PLR2004 -- exec and the name
        return Stop(place.doubt(f"{_name(fields)} exec: {options.problem or 'no container'}"))
    label = f"{_name(fields)}:{operands[1].value}"
    return _enter([*operands[2:], *options.rest], options, place.enter(label), operands[1])


def _name(fields: list[Field]) -> str:
    return fields[0].value.rpartition("/")[2]


def _enter(inner: list[Field], options: Options, place: Place, name: Field) -> Peeled:
    """Inside the container, with the user, directory and variables that the options give."""
    if directory := options.last("w", "workdir", "cwd"):
        place = place.move(directory)
    place = place._replace(user=options.last("u", "user") or place.user, tty=place.tty or options.has("t", "tty"))
    pairs = (each.partition("=") for each in options.every("e", "env"))
    place = place.set_variables({key: value for key, equals, value in pairs if equals})
    if not name.exact:
        place = place.doubt(f"container {name.shown} needs a shell")
    return Inner(inner, place) if inner else Stop(place.doubt("nothing is run in the container"))


PEELERS = {
    **dict.fromkeys(("docker", "podman", "nerdctl"), peel_docker),
    "docker-compose": peel_compose,
    "podman-compose": peel_compose,
    **dict.fromkeys(("kubectl", "oc"), peel_kubectl),
    **dict.fromkeys(("incus", "lxc"), peel_incus),
}
