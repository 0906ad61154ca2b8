"""Every option that a program's own help names is either in its grammar or refused."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from replay.policy.judge import assess
from replay.policy.options import Program
from replay.policy.programs import catalogue
from replay.policy.programs.git.commands import COMMANDS

LANGUAGES = {
    "git", "find", "ps", "echo", "printf", "test", "[", "ip", "python", "python3", "sleep", "expr", "jq", "rev",
    "systemctl", "journalctl", "lsof",
}  # fmt: skip
"""Programs whose words are judged by a parser of their own, by other tests, or taken as text."""
HERE = [
    name
    for name, program in sorted(catalogue().items())
    if shutil.which(name) and program.examples and name not in LANGUAGES and not name.startswith("python")
]
OPTION = re.compile(r"(?<![\w-])(--[a-z][a-z0-9-]+|-[A-Za-z0-9])(?![\w-])")


def named(words: list[str]) -> set[str]:
    """Return the options that a program's help names."""
    done = subprocess.run(words, capture_output=True, text=True, timeout=30, stdin=subprocess.DEVNULL, check=False)
    return set(OPTION.findall(done.stdout + done.stderr))


def listed(program: Program) -> set[str]:
    """Return the options of a grammar, those of its subcommands and of ``-5`` with them."""
    found = {*program.flags.split(), *program.valued, *program.optional, *program.fixed}
    for inner in program.subcommands.values():
        found |= {inner.name.split()[-1], *listed(inner)}
    return found


@pytest.mark.parametrize("name", HERE)
def test_no_option_outside_the_grammar_runs(name: str) -> None:
    program = catalogue()[name]
    known = listed(program) | {word for example in program.examples for word in example.split()}
    for option in sorted(named([name, "--help"]) - known):
        if re.fullmatch(r"-\d", option) and program.number:
            continue
        for example in program.examples:
            first, _, rest = example.partition(" ")
            for changed in (f"{first} {option} {rest}", f"{first} {option}=x {rest}", f"{first} {option}x {rest}"):
                judged = assess(changed)
                assert judged.decision != "run" or option not in judged.pipes[0].stages[0].words, changed


@pytest.mark.parametrize("name", sorted(set(COMMANDS) - {"--version", "version"}))
def test_no_option_of_git_outside_the_grammar_runs(name: str) -> None:
    for option in sorted(named(["git", name, "-h"]) - listed(COMMANDS[name]) - {"-1", "-2"}):
        for changed in (f"git {name} {option} HEAD", f"git {name} {option}=x HEAD", f"git {name} HEAD {option}"):
            judged = assess(changed)
            assert judged.decision != "run" or option not in judged.pipes[0].stages[0].words[-4:], changed


SERVED = {
    "git",
    "docker",
    "podman",
    "nerdctl",
    "kubectl",
    "systemctl",
    "journalctl",
    "sleep",
    "[",
    "test",
    "false",
    "swapon",
}
"""Programs that need a daemon, take long, or answer by their exit status alone."""
EXAMPLES = [(name, each) for name, program in sorted(catalogue().items()) for each in program.examples]


@pytest.mark.parametrize(("name", "example"), [pair for pair in EXAMPLES if pair[0] not in SERVED])
def test_the_program_takes_its_canonical_form(name: str, example: str, tmp_path: Path) -> None:
    if shutil.which(name) is None:
        pytest.skip(f"needs {name}")
    sent = assess(example).sent
    done = subprocess.run(
        ["sh", "-c", sent or ""], cwd=tmp_path, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL,
        check=False,
    )  # fmt: skip
    assert not re.search("(?i)(invalid|unrecognized|unknown|illegal|bad) (option|argument)|^usage", done.stderr)
