"""Which programs a recorded command line runs, and where: everything around them taken off and kept as context."""

from sessions.models.command import Command
from sessions.shell.parse import parse
from sessions.shell.place import Place, Position, command
from sessions.shell.scene import Scene
from sessions.shell.walk import Task, Walk
from sessions.shell.wrappers.interpreters import peel_shell
from sessions.shell.wrappers.table import PEELERS

_ENTERED = {name: peeler for name, peeler in PEELERS.items() if peeler is not peel_shell}


def unwrap(text: str, cwd: str | None = None, *, into_shells: bool = True) -> tuple[Command, ...]:
    """The calls of `text` in order, recorded in the directory `cwd`; at least one unless the text has no command.

    Unless `into_shells`, a shell that is given a text to run is one call: what it runs is not listed.
    Never raises: what cannot be resolved is there with its text and the reason in `unresolved`.
    """
    script = parse(text)
    place = Place(cwd=cwd)
    if script.error:
        place = place.doubt(script.error, exact=False)
    walk = Walk() if into_shells else Walk(_ENTERED)
    walk.script(Task(script, text, Scene(place)), Position())
    if script.error and not walk.commands:
        return (command([], text, place, Position()),)
    return tuple(walk.commands)
