"""Shells that are given a text to run, and environments that are entered first."""

from sessions.shell.fields import Field
from sessions.shell.place import Inner, Peeled, Place, Source, Stop
from sessions.shell.wrappers.options import grammar, read

_SHELL_FLAGS = frozenset("abcefhiklmnprstuvxoBCEHPTO")
_SHELL_LONG = frozenset({"login", "norc", "noprofile", "posix", "restricted", "verbose", "noediting"})
_SHELL_VALUED = frozenset({"rcfile", "init-file"})
_CONDA = grammar("v", "np", "name= prefix= no-capture-output live-stream verbose cwd= dev")


def peel_shell(fields: list[Field], place: Place) -> Peeled:
    """``bash -c TEXT``, and ``bash -s`` or plain ``bash`` with its script on standard input; a script file stays."""
    letters, rest = _shell_options(fields[1:])
    if letters is None or (rest and not letters & {"c", "s"}):
        return Stop(place)
    if "c" in letters:
        return _given(rest, place)
    if place.stdin is not None and "n" not in letters:
        return Source(place.stdin, place._replace(stdin=None))
    return Stop(place.doubt("its script comes from elsewhere"))


def _given(rest: list[Field], place: Place) -> Peeled:
    if not rest:
        return Stop(place.doubt("-c without a text"))
    return Source(rest[0].value, place if rest[0].exact else _doubted(place))


def _shell_options(fields: list[Field]) -> tuple[set[str] | None, list[Field]]:
    """The letters of a shell's options, None if one is not known, and what stands behind the options.

    Unlike elsewhere ``-o`` takes the next word and lets its cluster go on: ``-euo pipefail -c``.
    """
    letters: set[str] = set()
    rest = list(fields)
    while rest and rest[0].value[:1] in {"-", "+"} and rest[0].value not in {"-", "--"}:
        text = rest.pop(0).value
        if text.startswith("--"):
            if text[2:] not in _SHELL_LONG | _SHELL_VALUED:
                return None, rest
            del rest[: text[2:] in _SHELL_VALUED]
            continue
        if not _SHELL_FLAGS.issuperset(text[1:]):
            return None, rest
        letters.update(text[1:])
        del rest[: text.count("o") + text.count("O")]
    return letters, rest[1:] if rest and rest[0].value in {"-", "--"} else rest


def _doubted(place: Place) -> Place:
    return place.doubt("part of the text was expanded by the shell outside", exact=False)


def peel_eval(fields: list[Field], place: Place) -> Peeled:
    """``eval WORDS``: the words, joined by blanks, are run as a text."""
    text = " ".join(each.value for each in fields[1:])
    exact = all(each.exact for each in fields)
    return Source(text, place if exact else _doubted(place))


def peel_conda(fields: list[Field], place: Place) -> Peeled:
    """``conda run -n NAME PROGRAM``: the environment is kept as CONDA_DEFAULT_ENV or CONDA_PREFIX."""
    if len(fields) < 3 or fields[1].value != "run":  # noqa: PLR2004 -- conda, run, and something to run
        return Stop(place)
    options = read(fields[2:], _CONDA)
    if options.problem or not options.rest:
        return Stop(place)
    variables = {}
    if name := options.last("n", "name"):
        variables["CONDA_DEFAULT_ENV"] = name
    if prefix := options.last("p", "prefix"):
        variables["CONDA_PREFIX"] = prefix
    if directory := options.last("cwd"):
        place = place.move(directory)
    return Inner(options.rest, place.set_variables(variables))


PEELERS = {
    **dict.fromkeys(("bash", "sh", "dash", "zsh", "ksh", "ash"), peel_shell),
    "eval": peel_eval,
    **dict.fromkeys(("conda", "mamba", "micromamba"), peel_conda),
}
