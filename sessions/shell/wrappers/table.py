"""All wrappers by the name of the program."""

from collections.abc import Callable

from sessions.shell.fields import Field
from sessions.shell.place import Peeled, Place
from sessions.shell.wrappers import containers, interpreters, process, ssh

PEELERS: dict[str, Callable[[list[Field], Place], Peeled]] = {
    **process.PEELERS,
    **interpreters.PEELERS,
    **ssh.PEELERS,
    **containers.PEELERS,
}
