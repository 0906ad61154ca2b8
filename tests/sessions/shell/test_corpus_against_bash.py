"""Every real command, at each level of quoting, against what bash itself makes of it.

Nothing of a command runs: bash is alone in an empty sandbox without network, no program exists in it, and a handler for
programs that are not found writes down the words that each was called with.
"""

import json
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from sessions.models.command import Command
from sessions.shell.parse import parse
from sessions.shell.syntax import Compound, Script, Simple, Stage
from sessions.shell.unwrap import unwrap

pytestmark = pytest.mark.corpus

DRIVER = r"""
enable -n echo kill test '[' ulimit umask exec wait trap logout hash source . suspend disown jobs bg fg times
command_not_found_handle() {
    local ends=''
    [[ -p /dev/stdin ]] && ends+='<'
    [[ -p /dev/stdout ]] && ends+='>'
    printf '%s\0' "$@" "$ends" > "/out/$number/$BASHPID.$SRANDOM"
}
mapfile -d '' -t texts < /texts
PATH=/nowhere HOME=/h
for number in "${!texts[@]}"; do
    ( eval -- "${texts[number]}" ) < /dev/null > /dev/null 2>&1
done
exit 0
"""
BUILTINS = frozenset({
    "export", "printf", "local", "declare", "true", ":", "shift", "eval", "unset", "popd", "builtin", "alias", "shopt",
    "let", "getopts", "mapfile", "break", "continue", "readonly", "typeset", "time", "help", "history", "pwd", "coproc",
})  # fmt: skip
HARMLESS = frozenset({"2>&1", "2>/dev/null", "2> /dev/null", ">/dev/null", "> /dev/null", "&>/dev/null", "|&"})
STOPPING = frozenset({"exit", "cd", "pushd", "return", "false", "exec", "set", "read", "command", "type"})
ENDLESS = frozenset({"while", "until", "loop", "select", "function"})
WITH_VALUE = frozenset({"-o", "-i", "-p", "-F", "-l", "-J"})


@dataclass(frozen=True)
class Call:
    """The words that a program was called with, and which of its ends are pipes: ``<`` and ``>``."""

    words: list[str]
    ends: str


def run_in_bash(texts: list[str], folder: Path) -> list[list[Call]]:
    """For each text the calls that bash made, in no order."""
    out = folder / "out"
    out.mkdir()
    for number in range(len(texts)):
        (out / str(number)).mkdir()
    (folder / "texts").write_bytes(b"".join(text.encode() + b"\0" for text in texts))
    (folder / "driver").write_text(DRIVER)
    bash = Path(shutil.which("bash") or "/bin/bash").resolve()
    libraries = [part for name in ("/lib", "/lib64", "/usr/lib", "/usr/lib64") for part in _bind(name)]
    subprocess.run(
        ["bwrap", "--unshare-all", "--die-with-parent", "--clearenv", *libraries, "--ro-bind", str(bash), "/shell",
         "--ro-bind", str(folder / "texts"), "/texts", "--ro-bind", str(folder / "driver"), "/driver",
         "--bind", str(out), "/out", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--chdir", "/tmp",
         "--setenv", "LC_ALL", "C.UTF-8", "/shell", "--norc", "/driver"],
        check=True, capture_output=True, timeout=120,
    )  # fmt: skip
    return [[_call(each.read_bytes()) for each in (out / str(number)).iterdir()] for number in range(len(texts))]


def _call(content: bytes) -> Call:
    *words, ends, _ = content.decode().split("\0")
    return Call(words, ends)


def _bind(name: str) -> list[str]:
    path = Path(name)
    if path.is_symlink():
        return ["--symlink", str(path.readlink()), name]
    return ["--ro-bind", name, name] if path.is_dir() else []


def simples(script: Script | None) -> Iterator[Simple]:
    for pipeline in script.pipelines if script else ():
        for stage in pipeline.stages:
            if isinstance(stage, Simple):
                yield stage
            else:
                yield from simples(stage.body)


def spelled(simple: Simple) -> list[str] | None:
    """The words of a call, None if one of them, or a value assigned or a file named beside them, needs a shell."""
    around = [each.value for each in simple.assignments] + [each.target for each in simple.redirects]
    everything = [*simple.words, *(word for word in around if word)]
    if any(word.value is None for word in everything):
        return None
    return [word.value or "" for word in simple.words]


def is_harmless(text: str) -> bool:
    """No loop without an end: it would spin, since nothing in the sandbox ever waits."""
    script = parse(text)
    return script.error is None and not ENDLESS & kinds(script)


def kinds(script: Script | None) -> set[str]:
    """Of the compound statements at any depth."""
    stages = [stage for pipeline in (script.pipelines if script else ()) for stage in pipeline.stages]
    compounds = [stage for stage in stages if isinstance(stage, Compound)]
    return {each.kind for each in compounds}.union(*(kinds(each.body) for each in compounds))


def must_run(script: Script) -> Iterator[Call]:
    """The calls of a script that nothing can keep from running, and that are no work of the shell itself."""
    for pipeline in script.pipelines:
        for index, stage in enumerate(pipeline.stages):
            words = spelled(stage) if isinstance(stage, Simple) else None
            opens = any(each.text not in HARMLESS for each in stage.redirects)
            if pipeline.after == "||" or pipeline.negated or not words or opens or words[0] in STOPPING:
                return
            if "/" in words[0]:
                return
            if words[0] not in BUILTINS:
                yield Call(words, _ends(index, len(pipeline.stages), stage))


def _ends(index: int, stages: int, simple: Stage) -> str:
    silent = any(each.operator in {">", "&>"} and each.fd in {None, "1"} for each in simple.redirects)
    return ("<" if index else "") + (">" if index < stages - 1 and not silent else "")


def compare(text: str, calls: list[Call]) -> Iterator[str]:
    """What bash called and we did not see, and what we saw and bash did not call."""
    script = parse(text)
    ours = [spelled(each) for each in simples(script)]
    if None not in ours:
        yield from (f"{text}\n  bash alone: {call}" for call in calls if call.words not in ours)
    yield from (f"{text}\n  ours alone: {call}" for call in must_run(script) if call not in calls)


def shell_text(call: list[str]) -> str | None:
    """What a call of ssh or of a shell has the next shell run, read without our own unwrapping."""
    if call[0] == "ssh":
        rest = call[1:]
        while rest and rest[0].startswith("-"):
            rest = rest[2 if rest[0] in WITH_VALUE else 1 :]
        return " ".join(rest[1:]) or None
    if call[0] == "bash" and call[1:2] in (["-c"], ["-lc"]) and len(call) > 2:
        return call[2]
    return None


@pytest.fixture(scope="module")
def commands(corpus: Path) -> list[str]:
    lines = (corpus / "commands" / "remote_commands.jsonl").read_text().splitlines()
    return [json.loads(line)["command"] for line in lines]


@pytest.fixture(scope="module")
def recorded(commands: list[str], tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Call]]:
    bwrap = shutil.which("bwrap")
    trial = bwrap and subprocess.run([bwrap, "--unshare-all", "--ro-bind", "/", "/", "/bin/true"], check=False)
    if not trial or trial.returncode:
        pytest.skip("needs bubblewrap, and leave to use it, to hold the shell")
    texts = [text for text in commands if is_harmless(text)]
    return dict(zip(texts, run_in_bash(texts, tmp_path_factory.mktemp("bash")), strict=True))


def test_at_every_level_bash_makes_the_calls_that_we_see(recorded: dict[str, list[Call]], tmp_path: Path) -> None:
    compared = []
    for level in range(3):
        wrong = [each for text, calls in recorded.items() for each in compare(text, calls)]
        assert wrong == []
        compared.append(sum(len(calls) for calls in recorded.values()))
        inner = (shell_text(call.words) for calls in recorded.values() for call in calls)
        texts = list(dict.fromkeys(text for text in inner if text and is_harmless(text)))
        folder = tmp_path / str(level)
        folder.mkdir()
        recorded = dict(zip(texts, run_in_bash(texts, folder), strict=True))
    assert compared[0] > 3000
    assert compared[1] > 3000


def key(command: Command) -> tuple[object, ...]:
    return (command.argv, command.host, command.user, command.container, command.sudo)


def test_what_ssh_receives_from_bash_unwraps_to_the_calls_that_the_recorded_text_does(
    recorded: dict[str, list[Call]],
) -> None:
    checked = 0
    for text, calls in recorded.items():
        ours = unwrap(text)
        if "<<" in text or any(not each.literal or each.unresolved for each in ours):
            continue
        keys = {key(each) for each in ours}
        for call in calls:
            if call.words[0] == "ssh":
                assert {key(each) for each in unwrap(shlex.join(call.words))} <= keys, text
                checked += 1
    assert checked > 900


def test_nearly_every_ssh_call_is_unwrapped_or_says_why_not(commands: list[str]) -> None:
    reached = [unwrap(text) for text in commands if "ssh " in text]
    left = [
        calls
        for calls in reached
        if any(each.argv[:1] == ("ssh",) and not each.unresolved and "-G" not in each.argv for each in calls)
    ]
    named = [calls for calls in reached if any(each.host and each.argv[:1] != ("ssh",) for each in calls)]
    assert left == []
    assert len(named) / len(reached) >= 0.97
    assert all(each.unresolved or each.argv for calls in reached for each in calls if each.literal)
