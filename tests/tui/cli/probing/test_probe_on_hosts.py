"""A probe on hosts over ssh: what it tells while it runs, Ctrl-C in the middle of it, several hosts at once."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]

NECROPSY = Path(sys.executable).with_name("necropsy")
SLOW = """
PROBE = {"name": "slow.NAME", "summary": "takes a minute", "needs": NEEDS, "arguments": []}
import os, sys, time
sys.stderr.write("at work as %d in %s\\n" % (os.getpid(), sys.argv[0]))
sys.stderr.flush()
time.sleep(60)
"""
FACT = """
PROBE = {"name": "fact.name", "summary": "what a file says", "needs": [], "arguments": [
    {"name": "file", "kind": "path", "help": "the file, in the home folder"}],
    "hypotheses": {"bad": {"statement": "the file says bad", "terms": []}}}
import json, os, sys
path = os.path.join(os.environ["HOME"], sys.argv[1].partition("=")[2])
sys.stderr.write("\\x1b[31mreading\\n")
text = open(path).read().strip()
answer = "confirmed" if text.startswith("bad") else "refuted"
finding = {"hypothesis": "bad", "statement": "the file says bad", "answer": answer, "why": text}
document = {"schema_version": 1, "name": "fact.name", "status": "ok", "findings": [finding],
            "measurements": [{"name": "length", "value": len(text), "unit": "B"}]}
print("<<<probe document\\n" + json.dumps(document) + "\\nprobe document>>>")
"""


@pytest.fixture
def others(tmp_path: Path) -> dict[str, str]:
    """The environment in which another package offers probes too."""
    site = tmp_path / "site"
    for place, text in {
        "acme/__init__.py": "",
        "acme/slow/streamed.py": SLOW.replace("NAME", "streamed").replace("NEEDS", "[]"),
        "acme/slow/put.py": SLOW.replace("NAME", "put").replace("NEEDS", '["file"]'),
        "acme/fact/name.py": FACT,
        "acme-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n",
        "acme-1.0.dist-info/entry_points.txt": "[necropsy.probes]\nacme = acme\n",
    }.items():
        (site / place).parent.mkdir(parents=True, exist_ok=True)
        (site / place).write_text(text)
    return {"PYTHONPATH": str(site)}


@pytest.fixture
def targets(sshd: Any, tmp_path: Path) -> Path:
    """Three names of one server, each with a home of its own, and one of a host that nobody answers at."""
    lines = []
    for name, port in {"gpu1": sshd.port, "gpu2": sshd.port, "gpu3": sshd.port, "gpu4": 9}.items():
        lines += [f"[targets.{name}]", 'host = "127.0.0.1"', f"port = {port}", f'user = "{sshd.user}"']
        lines += [f'identity = "{sshd.identity}"', f'known_hosts = "{sshd.known_hosts}"', "ssh_config = false", ""]
    file = tmp_path / "targets.toml"
    file.write_text("\n".join(lines))
    return file


def read_json(done: subprocess.CompletedProcess[str]) -> Any:
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def fact(sshd: Any) -> Iterator[Callable[[str], None]]:
    path = sshd.folder / "home" / "fact"
    yield path.write_text
    path.unlink(missing_ok=True)


def test_hosts_that_say_the_same_are_told_as_one(
    run: Run, others: dict[str, str], targets: Path, fact: Callable[[str], None]
) -> None:
    fact("fine")
    words = ("probe", "run", "fact.name", "--targets", targets, "--set", "file=fact")
    done = run(*words, "--on", "gpu[1-4]", env=others)
    assert done.returncode == 6
    heads = [line for line in done.stdout.splitlines() if line.startswith("fact.name on")]
    assert [re.sub(r" in .*", "", head) for head in heads] == [
        "fact.name on gpu1, gpu2, gpu3: ok",
        "fact.name on gpu4: failed",
    ]
    assert "length: 4 B" in done.stdout
    assert {line for line in done.stderr.splitlines() if "reading" in line} == {f"gpu{n}: reading" for n in (1, 2, 3)}
    assert run(*words, "--on", "gpu[1,3]", "--on", "gpu2", env=others).returncode == 0


def test_one_bad_host_is_a_fault_found_and_all_reports_are_kept(
    run: Run, others: dict[str, str], targets: Path, fact: Callable[[str], None]
) -> None:
    fact("bad block")
    words = ("probe", "run", "fact.name", "--targets", targets, "--set", "file=fact", "--json")
    done = run(*words, "--on", "gpu[2-4]", env=others)
    assert done.returncode == 1
    told = [(report["target"], report["outcome"]) for report in read_json(done)]
    assert told == [("gpu2", "completed"), ("gpu3", "completed"), ("gpu4", "unreachable")]
    assert re.findall(r"Kept as probe (\d)", done.stderr) == ["1", "2", "3"]
    assert read_json(run(*words, "--on", "gpu2", env=others))["document"]["findings"][0]["answer"] == "confirmed"


@pytest.mark.parametrize("name", ["slow.streamed", "slow.put"])
@pytest.mark.parametrize("on", ["gpu1", "gpu[1-2]", "local"])
def test_ctrl_c_leaves_no_process_and_no_file(
    name: str, on: str, others: dict[str, str], targets: Path, tmp_path: Path
) -> None:
    words: list[str | Path] = [
        NECROPSY,
        "--store",
        tmp_path / "store.sqlite",
        "probe",
        "run",
        name,
        "--targets",
        targets,
        "--on",
        on,
    ]
    environment = {**os.environ, "HOME": str(tmp_path), **others}
    with subprocess.Popen(words, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment) as process:
        at_work = dict(_heard(process, 2 if "[" in on else 1))
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
    assert len(at_work) == (2 if "[" in on else 1)
    for number, place in at_work.items():
        _await_gone(Path(f"/proc/{number}"))
        assert place == "-" if name == "slow.streamed" else not Path(place).parent.exists()


def _heard(process: subprocess.Popen[str], many: int) -> list[tuple[str, str]]:
    """Return process and file of as many payloads as are to say so."""
    assert process.stderr is not None
    found: list[tuple[str, str]] = []
    for line in process.stderr:
        found += re.findall(r"at work as (\d+) in (\S+)", line)
        if len(found) == many:
            break
    return found


def _await_gone(process: Path) -> None:
    deadline = time.monotonic() + 5
    while process.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not process.exists()
