"""The only writer to standard error: narration, questions, errors."""

import sys

from sessions.errors import NecropsyError
from sessions.ingest import display


def say(text: str) -> None:
    """Tell the person something that is not data."""
    sys.stderr.write(display.safe(text) + "\n")
    sys.stderr.flush()


def report(error: NecropsyError) -> None:
    """Print an error as one sentence, and the hint below it."""
    say(f"necropsy: {display.line(error.message)}")
    if error.hint:
        say(f"  {display.line(error.hint)}")


def report_bug(error: Exception) -> None:
    """Print an error that is ours."""
    say(f"necropsy: a bug of ours: {type(error).__name__}: {display.line(str(error))}")
    say("  Set NECROPSY_DEBUG=1 to see where; please report it.")


def interactive() -> bool:
    """Whether a person can be asked: standard input and error are terminals."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def confirm(question: str) -> bool:
    """Ask a yes/no question on the terminal and return the answer; an empty answer or end of input is no."""
    sys.stderr.write(f"{display.safe(question)} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


def prompt(question: str) -> None:
    """Ask for a line; the answer is read from standard input."""
    sys.stderr.write(display.safe(question) + " ")
    sys.stderr.flush()
