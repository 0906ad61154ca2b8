"""From a recorded step that runs a script to what would run: words, a folder of its own, and the files in it."""

import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from probes.host.script import emit
from replay.policy.judge import judge
from replay.rewrite import PathRules
from replay.scratch import scripts
from replay.scratch.changes import resolve
from replay.scratch.closure import Closure, Files, Rebuilt, digest
from replay.scratch.scripts import Script
from sessions.ingest.secrets import MARK
from sessions.models.command import Pipe, Stage
from sessions.models.replay import Scratch, ScratchFile
from sessions.models.session import Step

_FOLDER = "/var/tmp/necropsy-"  # noqa: S108 - made there for its owner only, and never if it is there already
_BODY = "/.necropsy/body.sh"
"""Where a shell's text is kept that stood behind ``-c``: whatever it runs, its words are then those of one script."""
_ENTERS = re.compile(r"(?<![\w./-])(cd[ \t]+)(/[\w.+@-]+(?:/[\w.+@-]+)*/?)(?=[ \t]*(?:[;&|)\n]|\Z))")
_DROPPED = frozenset({"VIRTUAL_ENV", "VIRTUAL_ENV_PROMPT", "CONDA_PREFIX", "CONDA_DEFAULT_ENV"})
"""Variables of environments: they only choose the interpreter."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """What would run for a step, and the content of every file that it finds."""

    scratch: Scratch
    pipes: tuple[Pipe, ...]
    cwd: str
    merge_stderr: bool
    local_stages: tuple[tuple[str, ...], ...]
    contents: Mapping[str, str]
    """By place in the scratch folder."""
    notes: tuple[str, ...]

    @property
    def sent(self) -> str:
        """The canonical command line."""
        return emit(self.pipes)


def prepare(step: Step, files: Files, rules: PathRules) -> Prepared | str:
    """Return what would run for a step that runs a script of the session, or why nothing can.

    The same step of the same session gives the same answer, the name of the folder included, so that what a person
    consented to can be held against what is about to run.
    """
    harm = scripts.harm(step)
    if harm:
        return harm
    script = scripts.find(step)
    if isinstance(script, str):
        return script
    closure = files.closure(step)
    problem = _problem(script, closure)
    return problem or _laid_out(step, script, closure, rules)


def _problem(script: Script, closure: Closure) -> str:
    place = resolve(script.file, script.command.cwd, script.command.user) if script.file else ""
    lost = next((each for each in closure.absent if each.place.path == place), None)
    if lost:
        return f"{place} cannot be rebuilt: {lost.reason}"
    if place and not any(file.place.path == place for file in closure.files):
        return f"{place} cannot be rebuilt: no earlier step of the session wrote it"
    if any(not file.place.path.startswith("/") for file in closure.files):
        return "a file lies in a home folder that is not known"
    texts = [script.text or "", *script.arguments, *(file.content for file in closure.files)]
    return "held a secret that was not kept" if any(MARK in text for text in texts) else ""


def _laid_out(step: Step, script: Script, closure: Closure, rules: PathRules) -> Prepared | str:
    folder = _FOLDER + _name(step, script, closure.files)
    inside = [(file.place.path, folder + file.place.path) for file in closure.files]
    mapping = PathRules((*inside, *rules.rules))
    contents = {folder + file.place.path: mapping.map_text(file.content) for file in closure.files}
    own = resolve(script.file, script.command.cwd, script.command.user) if script.file else None
    given = script.text or ""
    text = contents[folder + own] if own else mapping.map_text(given if script.python else _entering(given, inside))
    harm = scripts.harm_of_code(text, python=script.python)
    if harm:
        return harm
    if not (own or script.python or script.stdin):
        own = _BODY
        contents[folder + own] = text
    call = (_interpreter(script, rules), *script.flags)
    words = (
        *call,
        *_code(script, folder + own if own else None, text),
        *(mapping.map(word) for word in script.arguments),
    )
    pipes = (Pipe(stages=(Stage(words=words, stderr=_stderr(script)),)),)
    judged = judge(emit(pipes))
    if judged.effect != "code":
        return f"the policy takes what would be sent for more than code: {'; '.join(judged.reasons)}"
    cwd = folder + resolve(script.command.cwd or "/", None)
    return Prepared(
        scratch=Scratch(
            folder=folder,
            script=text,
            files=tuple(_file(file, folder, contents) for file in closure.files),
            stdin=script.stdin,
            env=tuple((name, value) for name, value in script.command.env.items() if name not in _DROPPED),
        ),
        pipes=pipes,
        cwd=folder if cwd.startswith(folder + "/~") else cwd,
        merge_stderr=script.command.merge_stderr,
        local_stages=script.filters,
        contents=contents,
        notes=tuple(f"{each.place.path} is the target's own, if it has one: {each.reason}" for each in closure.absent),
    )


def _code(script: Script, file: str | None, text: str) -> tuple[str, ...]:
    """Return the words that name the code to its interpreter."""
    if file:
        return (file,)
    if not script.stdin:
        return ("-c", text)
    return ("-s", "--") if script.arguments else ()


def _entering(text: str, inside: Sequence[tuple[str, str]]) -> str:
    """Have a shell's text enter the rebuilt folder wherever it enters one that holds a rebuilt file."""

    def there(found: re.Match[str]) -> str:
        held = [place.removesuffix(path) for path, place in inside if path.startswith(found[2].rstrip("/") + "/")]
        return found[1] + (held[0] if held else "") + found[2]

    return _ENTERS.sub(there, text)


def _stderr(script: Script) -> Literal["keep", "drop"]:
    return "drop" if any(redirect.startswith("2>") for redirect in script.command.redirects) else "keep"


def _interpreter(script: Script, rules: PathRules) -> str:
    """Return the interpreter's name or path on the target: that of the environment which was active."""
    name, environment = script.command.argv[0], script.command.env.get("VIRTUAL_ENV")
    if script.python and "/" not in name and environment:
        name = posixpath.join(environment, "bin", name)
    return rules.map(name) if name.startswith("/") else name


def _file(file: Rebuilt, folder: str, contents: Mapping[str, str]) -> ScratchFile:
    place = folder + file.place.path
    return ScratchFile(path=file.place.path, place=place, digest=digest(contents[place]), origins=file.origins)


def _name(step: Step, script: Script, files: Sequence[Rebuilt]) -> str:
    parts = [str(step.ordinal), step.command, script.text or "", *(f"{file.place} {file.digest}" for file in files)]
    return digest("\0".join(parts))[:16]
