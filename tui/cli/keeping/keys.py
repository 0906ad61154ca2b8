"""What a person presses and types: single keys on a terminal, else words of standard input."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from tui.cli import diagnostics


def read_key() -> str | None:
    """Return the next key, in lower case; None at the end of input."""
    if not sys.stdin.isatty():
        while (character := sys.stdin.read(1)).isspace():
            pass
        return character.lower() or None
    with _unbuffered():
        character = sys.stdin.read(1)
    return None if character in {"", "\x04"} else character.lower()


def ask(question: str, proposed: str) -> str:
    """Ask for a line and return it; an empty one, or the end of input, is what was proposed."""
    diagnostics.prompt(f"{question} [{proposed}]:" if proposed else question)
    answer = sys.stdin.readline().strip()
    if not answer and not sys.stdin.isatty():
        answer = sys.stdin.readline().strip()  # that was the rest of the key's own line
    return answer or proposed


@contextmanager
def _unbuffered() -> Iterator[None]:
    """Have the terminal give every key at once; Ctrl-C still interrupts."""
    import termios  # noqa: PLC0415 - only a terminal of a Unix has it
    import tty  # noqa: PLC0415 - as above

    before = termios.tcgetattr(sys.stdin)
    tty.setcbreak(sys.stdin, termios.TCSADRAIN)  # what was typed ahead is kept
    try:
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)
