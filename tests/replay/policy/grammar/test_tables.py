"""What each refused call does, and what is sent for reading ones, with what each word is to its program."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from probes.host.script import quote
from replay.policy.judge import assess
from replay.policy.programs.git import HARDENED

GRAMMAR = Path(__file__).parent


def rows(name: str) -> Iterator[list[Any]]:
    return map(json.loads, (GRAMMAR / f"{name}.jsonl").read_text().splitlines())


def test_what_a_refused_call_does_is_named() -> None:
    wrong = []
    for command, effect, reason in rows("effects"):
        judged = assess(command)
        if (judged.decision, judged.effect, judged.reasons[-1]) != ("refuse", effect, reason):
            wrong.append((command, judged.effect, judged.reasons))
    assert wrong == []


def test_what_is_sent_and_what_each_word_is() -> None:
    hardened = " ".join(map(quote, HARDENED))
    wrong = []
    for command, sent, roles in rows("sent"):
        judged = assess(command)
        letters = [["".join(role[0] for role in stage) for stage in pipe] for pipe in judged.roles]
        if [judged.sent, letters] != [sent.replace("'git' HARD", f"'git' {hardened}"), roles]:
            wrong.append((command, judged.sent, letters))
    assert wrong == []


OFF = """
    core.fsmonitor=false core.hooksPath=/dev/null core.pager=cat core.sshCommand=false diff.external=
    diff.submodule=short diff.ignoreSubmodules=dirty status.submoduleSummary=false submodule.recurse=false
    log.showSignature=false log.diffMerges=separate format.pretty=medium gpg.program=false gpg.ssh.program=false
    gpg.x509.program=false filter.lfs.clean= filter.lfs.process= filter.lfs.required=false protocol.allow=never
    protocol.ext.allow=never protocol.fd.allow=never protocol.file.allow=never protocol.ftp.allow=never
    protocol.ftps.allow=never protocol.git.allow=never protocol.http.allow=never protocol.https.allow=never
    protocol.ssh.allow=never
"""


def test_every_setting_by_which_git_runs_programs_is_off() -> None:
    assert HARDENED[:2] == ("--no-pager", "--no-optional-locks")
    assert set(HARDENED[2::2]) == {"-c"}
    assert set(HARDENED[3::2]) == set(OFF.split())
