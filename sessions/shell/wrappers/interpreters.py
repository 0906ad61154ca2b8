"""Shells that are given a text to run, and environments that are entered first."""

from dataclasses import replace

from sessions.shell.fields import Field
from sessions.shell.place import Inner, Peeled, Place, Source, Stop
from sessions.shell.wrappers.options import grammar, read

_SHELL = grammar(
    "abefhiklmnprstuvxBCEHPT", "oO", "login norc noprofile posix restricted verbose noediting rcfile= init-file="
)
_CONDA = grammar("v", "np", "name= prefix= no-capture-output live-stream verbose cwd= dev")


def peel_shell(fields: list[Field], place: Place) -> Peeled:
    """``bash -c TEXT``, and ``bash -s`` or plain ``bash`` with its script on standard input; a script file stays."""
    head, text = _split_text(fields)
    options = read(head, _SHELL)
    if options.problem or (options.rest and text is None and not options.has("s")):
        return Stop(place)
    if text is not None:
        return Source(text.value, place if text.exact else _doubted(place))
    if place.stdin is not None and not options.has("n"):
        return Source(place.stdin, place._replace(stdin=None))
    return Stop(place.doubt("its script comes from elsewhere"))


def _split_text(fields: list[Field]) -> tuple[list[Field], Field | None]:
    """The options of a shell, the ``c`` among them taken out, and the text it belongs to."""
    head: list[Field] = []
    for index, each in enumerate(fields[1:], 1):
        value = each.value
        if not value.startswith("-") or value in {"-", "--"}:
            break
        if not value.startswith("--") and "c" in value:
            kept = value.replace("c", "", 1)
            head += [replace(each, value=kept)] if kept != "-" else []
            behind = index + 1 + (value[-1] in "oO")
            return head, fields[behind] if behind < len(fields) else None
        head.append(each)
    return fields[1:], None


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
