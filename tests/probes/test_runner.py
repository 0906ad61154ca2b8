"""Probes run through a real executor: this machine's, and ssh's where there is an sshd."""

from pathlib import Path
from typing import Any

import pytest

from probes import catalogue, runner
from probes.host import local, ssh
from probes.host.targets import Target
from sessions.errors import UsageProblem
from sessions.models.probe import Probe

PROBE = (
    'PROBE = {"name": "a.b", "summary": "s", "needs": [%s], "arguments": [{"name": "n", "kind": "int", "help": "h"}]}\n'
)


def probe(body: str, needs: str = "") -> Probe:
    return catalogue.parse(PROBE % needs + body, "test:a/b.py")


SAY_PATH = """
import json, os, sys
document = {"schema_version": 1, "name": "a.b", "status": "ok", "details": {"argv": sys.argv, "cwd": os.getcwd()}}
print("<<<probe document\\n" + json.dumps(document) + "\\nprobe document>>>")
"""


async def test_a_payload_goes_in_as_standard_input() -> None:
    async with local.connect() as host:
        report = await runner.run(host, probe(SAY_PATH), {"n": "3"})
    assert (report.target, report.outcome, report.document.status) == ("local", "completed", "ok")
    assert report.document.details == {"argv": ["-", "--n=3"], "cwd": "/"}
    assert report.digest == probe(SAY_PATH).digest
    assert report.started.endswith("Z")


async def test_a_payload_that_must_be_a_file_leaves_none() -> None:
    async with local.connect() as host:
        report = await runner.run(host, probe(SAY_PATH, '"file"'), {"n": "3"})
    path = Path(report.document.details["argv"][0])
    assert path.name == "a.b.py"
    assert not path.parent.exists()


async def test_arguments_are_checked_before_anything_is_sent() -> None:
    async with local.connect() as host:
        with pytest.raises(UsageProblem, match=r"a\.b has no argument --m"):
            await runner.run(host, probe(SAY_PATH), {"m": "1"})
        with pytest.raises(UsageProblem, match="--n must be a number"):
            await runner.run(host, probe(SAY_PATH), {"n": "many"})


async def test_no_interpreter_is_blocked() -> None:
    async with local.connect() as host:
        report = await runner.run(host, probe(SAY_PATH), way=runner.Way("/no/such/python3"))
    assert (report.outcome, report.document.status) == ("command-missing", "blocked")
    assert "/no/such/python3" in report.document.detail


async def test_a_payload_that_dies_says_how() -> None:
    async with local.connect() as host:
        report = await runner.run(host, probe("raise SystemError('gone')"))
    assert report.document.status == "failed"
    assert "exit code 1" in report.document.detail
    assert "SystemError: gone" in report.document.detail


async def test_a_payload_that_never_ends_is_ended() -> None:
    async with local.connect() as host:
        report = await runner.run(host, probe("import time; time.sleep(60)"), way=runner.Way(timeout=0.5))
    assert (report.outcome, report.document.status) == ("timed-out", "failed")


async def test_over_ssh_against_a_real_file(sshd: Any, glm: Any, tmp_path: Path) -> None:
    path = glm.write(tmp_path / "it's a model.gguf")
    target = Target(name="gpu", host="127.0.0.1", port=sshd.port, user=sshd.user, ssh_config=False,
                    identity=sshd.identity, known_hosts=sshd.known_hosts)  # fmt: skip
    async with ssh.connect(target) as host:
        report = await runner.run(host, catalogue.named("gguf.counts"), {"model": str(path)})
    assert (report.target, report.document.status) == ("gpu", "ok")
    assert {finding.answer for finding in report.document.findings} == {"refuted"}
    assert report.document.measurements[0].value == 1809
