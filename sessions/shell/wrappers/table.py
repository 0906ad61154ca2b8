"""All wrappers by the name of the program."""

from collections.abc import Callable

from sessions.shell.fields import Field
from sessions.shell.place import Peeled, Place
from sessions.shell.wrappers import containers, interpreters, process, ssh

Peeler = Callable[[list[Field], Place], Peeled]

PEELERS: dict[str, Peeler] = {
    **process.PEELERS,
    **interpreters.PEELERS,
    **ssh.PEELERS,
    **containers.PEELERS,
}
