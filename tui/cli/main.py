"""The console script: find the subcommand, run it, turn its error into one sentence and an exit code."""

import argparse
import importlib
import importlib.util
import io
import os
import re
import sys
from pathlib import Path
from types import ModuleType

from sessions.errors import EnvironmentProblem, NecropsyError
from tui.cli import diagnostics

MODULES = {
    "analyze": "keeping.analyze",
    "app": "looking.app",
    "closure": "replaying.closure",
    "compare": "replaying.compare",
    "demo": "keeping.demo",
    "edit": "keeping.edit",
    "explain": "looking.explain",
    "fingerprint": "probing.fingerprint",
    "forget": "keeping.forget",
    "gold": "looking.gold",
    "ingest": "keeping.ingest",
    "journal": "looking.journal",
    "list": "looking.listing",
    "mcp": "keeping.mcp",
    "policy": "replaying.policy",
    "probe": "probing.probe",
    "recall": "looking.recall",
    "replay": "replaying.replay",
    "report": "looking.report",
    "review": "keeping.review",
    "score": "looking.score",
    "search": "looking.search",
    "show": "looking.show",
    "steps": "looking.steps",
}
"""Where each subcommand lives below ``tui.cli``; imported only when it is named."""

COMMANDS = {
    "analyze": "let a language model that you name make the tree, held to the log",
    "app": "open the post-mortem in the full-screen app (what `necropsy` alone does)",
    "closure": "list the files that a step needs and its session wrote, rebuilt or named as lost",
    "compare": "compare a recorded output with a new one, token by token",
    "demo": "ingest the bundled session and open its post-mortem",
    "edit": "correct a hypothesis: statement, verdict, parent, evidence; add, merge, remove",
    "explain": "name the rule, model or person behind every mark of a hypothesis",
    "fingerprint": "say what machine a host is, or how it differs from an earlier look",
    "forget": "remove a session with all that hangs on it",
    "gold": "write a settled tree as an annotation, to score engines with",
    "ingest": "read agents' session logs into the store",
    "journal": "check that the journal of replays is as it was written",
    "list": "list the sessions in the store",
    "mcp": "serve recall, the trees and dead ends to agents over the Model Context Protocol",
    "policy": "say what a command could do and whether a replay would run it",
    "probe": "list the diagnostics, or run one on a host",
    "recall": "find earlier hypotheses on the same thing, in any session, and how they ended",
    "replay": "run recorded steps on a host and say whether each verdict still stands",
    "report": "write the post-mortem of a session as Markdown, HTML or JSON",
    "review": "settle what the analysis proposes, one key each",
    "score": "say how far trees agree with annotations of the same logs",
    "search": "find words in messages, commands and outputs",
    "show": "print the hypothesis tree of a session",
    "steps": "list the steps of a session",
}
"""What each subcommand does."""


def run() -> None:
    """Run the command line and exit with its code."""
    _open_streams()
    _forget_odd_sizes()
    sys.exit(main(sys.argv[1:]))


def main(argv: list[str]) -> int:
    """Run one command line and return its exit code (see `sessions.errors`; 130 after Ctrl-C, 70 for a bug)."""
    try:
        return _dispatch(argv)
    except NecropsyError as error:
        diagnostics.report(error)
        return error.exit_code
    except KeyboardInterrupt:
        diagnostics.say("Stopped.")
        return 130
    except BrokenPipeError:
        _drop_output()
        return 0
    except OSError as error:
        _drop_output()
        where = f"{error.filename}: " if error.filename else ""
        diagnostics.report(EnvironmentProblem(f"{where}{error.strerror or error}"))
        return EnvironmentProblem.exit_code
    except Exception as error:
        if os.environ.get("NECROPSY_DEBUG"):
            raise
        diagnostics.report_bug(error)
        return NecropsyError.exit_code


def _open_streams() -> None:
    """Give a stream that was closed when the program started to nobody, and write UTF-8 whatever the locale says."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode, encoding="utf-8"))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def _forget_odd_sizes() -> None:
    """Take a terminal size that is none out of the environment: libraries read ``COLUMNS=²`` as a number and fail."""
    for name in ("COLUMNS", "LINES"):
        if not re.fullmatch("[1-9][0-9]{0,3}", os.environ.get(name, "1")):
            del os.environ[name]


def _drop_output() -> None:
    """Have what is still to be written to standard output go nowhere: it cannot be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _dispatch(argv: list[str]) -> int:
    _refuse_foreign_packages()
    parser, commands = _build_parser()
    name = _command_in(argv)
    if name in COMMANDS:
        _module(name).configure(commands[name])
    arguments = parser.parse_args(argv)
    if arguments.command is None:
        arguments.command, arguments.session = "app", None
    code: int = _module(arguments.command).run(arguments)
    return code


def _command_in(argv: list[str]) -> str:
    """Return the first word that is neither an option nor the value of one; empty if there is none."""
    words = iter(argv)
    for word in words:
        if word == "--store":
            next(words, None)
        elif not word.startswith("-"):
            return word
    return ""


def _module(command: str) -> ModuleType:
    return importlib.import_module(f"tui.cli.{MODULES[command]}")


def _build_parser() -> tuple[argparse.ArgumentParser, dict[str, argparse.ArgumentParser]]:
    parser = argparse.ArgumentParser(
        prog="necropsy",
        allow_abbrev=False,
        description="Post-mortems of LLM agents' debugging sessions: what was suspected, what was ruled out, on what "
        "evidence, and whether it still holds on the next machine.",
        epilog="Without a command the app opens. Nothing is ever sent anywhere but to a host that you name. "
        "Exit codes: 0 fine, 1 the answer is no, 2 usage, 3 bad input, 4 host or environment, 5 refused by policy, "
        "6 undetermined, 70 a bug of ours, 130 after Ctrl-C.",
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")
    parser.add_argument(
        "--store", type=Path, metavar="PATH", help="the database to use (default: NECROPSY_STORE, or your data folder)"
    )
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND")
    commands = {
        name: subparsers.add_parser(name, help=text, description=_sentence(text)) for name, text in COMMANDS.items()
    }
    return parser, commands


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:] + "."


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version  # noqa: PLC0415 - reading metadata costs more than parsing

        from tui.cli import output  # noqa: PLC0415 - `--help` must not pay for it

        output.emit_text(f"necropsy {version('necropsy')}\n")
        parser.exit()


def _refuse_foreign_packages() -> None:
    """Stop if another distribution owns one of our plainly named folders.

    Raises NecropsyError naming the intruder.
    """
    home = Path(__file__).parents[2]
    for name in ("sessions", "probes", "replay", "tui"):
        spec = importlib.util.find_spec(name)
        origin = Path(spec.origin).parents[1] if spec and spec.origin else None
        if origin != home:
            raise NecropsyError(
                f"The package {name!r} is loaded from {origin}, not from necropsy's own {home}.",
                hint="Install necropsy alone: pipx install necropsy.",
            )
