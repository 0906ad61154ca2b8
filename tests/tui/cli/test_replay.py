"""``necropsy replay`` as a person types it, against a real sshd on loopback."""

import json
import sqlite3
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol
from xml.etree import ElementTree as ET

import pytest

pytestmark = pytest.mark.sshd

Run = Callable[..., subprocess.CompletedProcess[str]]

READ_LOG, READ_MODULE, MISTYPED = "20", "22", "27"
"""Steps of the bundled session that read a file; the first is evidence of H5."""


class Server(Protocol):
    port: int
    user: str
    identity: Path
    known_hosts: Path

    def received(self) -> list[str]: ...


@pytest.fixture
def targets(sshd: Server, tmp_path: Path) -> Path:
    """A targets file with the server as `gpu`, which stands for the recorded host."""
    return write_targets(tmp_path / "targets.toml", sshd)


def write_targets(path: Path, sshd: Server, **other: str | int) -> Path:
    place = path.parent / "site-packages"
    fields: dict[str, object] = {
        "host": "127.0.0.1",
        "port": sshd.port,
        "user": sshd.user,
        "identity": str(sshd.identity),
        "known_hosts": str(sshd.known_hosts),
        "ssh_config": False,
        "recorded": ["192.0.2.174"],
        "paths": [["/root/ml-env/lib/python3.12/site-packages", str(place)]],
        **other,
    }
    path.write_text("[targets.gpu]\n" + "".join(f"{name} = {json.dumps(value)}\n" for name, value in fields.items()))
    return path


def module(tmp_path: Path) -> Path:
    path = tmp_path / "site-packages" / "vllm" / "v1" / "attention" / "backends" / "mla" / "triton_mla.py"
    path.parent.mkdir(parents=True)
    path.write_text("".join(f"line {number}\n" for number in range(1, 101)))
    return path


def read_json(done: subprocess.CompletedProcess[str]) -> Any:
    return json.loads(done.stdout)


def test_a_step_runs_on_the_mapped_host_and_path(bundled: Run, targets: Path, tmp_path: Path) -> None:
    module(tmp_path)
    done = bundled(
        "replay",
        "latest",
        "--on",
        "gpu",
        "--targets",
        targets,
        "--steps",
        READ_MODULE,
        "--yes",
        "--json",
        "--exit-code",
    )
    (step,) = read_json(done)["steps"]
    assert step["outcome"] == "completed"
    assert step["output"].splitlines() == [f"line {number}" for number in range(29, 71)]
    assert step["comparison"] == "not-comparable"
    assert {worth["worth"] for worth in read_json(done)["worths"]} <= {"undetermined"}
    assert done.returncode == 6


def test_the_run_is_kept_and_stands_in_the_report(bundled: Run, targets: Path, tmp_path: Path) -> None:
    module(tmp_path)
    bundled("replay", "latest", "--on", "gpu", "--targets", targets, "--steps", READ_MODULE, "--yes")
    (run,) = read_json(bundled("report", "latest", "--format", "json"))["runs"]
    assert run["target"] == "gpu"
    assert [step["step"] for step in run["steps"]] == [int(READ_MODULE)]


def test_a_build_server_gets_junit(bundled: Run, targets: Path, tmp_path: Path) -> None:
    module(tmp_path)
    told = tmp_path / "told.xml"
    bundled("replay", "latest", "--on", "gpu", "--targets", targets, "--steps", READ_MODULE, "--yes", "--junit", told)
    (suite,) = ET.parse(told).getroot()  # noqa: S314 - our own file
    assert suite.get("name") == "run 1 on gpu"
    assert suite.get("tests") == suite.get("skipped")


def test_a_missing_file_is_a_missing_path(bundled: Run, targets: Path) -> None:
    done = bundled("replay", "latest", "--on", "gpu", "--targets", targets, "--steps", READ_MODULE, "--yes", "--json")
    assert [step["outcome"] for step in read_json(done)["steps"]] == ["path-missing"]


def test_a_dry_run_sends_nothing(bundled: Run, sshd: Server, targets: Path) -> None:
    before = len(sshd.received())
    done = bundled("replay", "latest", "--on", "gpu", "--targets", targets, "--dry-run", "--json")
    plan = read_json(done)
    assert {step["decision"] for step in plan["steps"]} >= {"run", "refuse"}
    assert all((step["sent"] is None) is (step["decision"] == "refuse") for step in plan["steps"])
    assert len(sshd.received()) == before


def test_without_consent_nothing_is_sent(bundled: Run, sshd: Server, targets: Path) -> None:
    before = len(sshd.received())
    done = bundled("replay", "latest", "--on", "gpu", "--targets", targets, "--steps", READ_MODULE)
    assert done.returncode == 2
    assert "--yes" in done.stderr
    assert len(sshd.received()) == before


def test_a_hypothesis_chooses_its_evidence(bundled: Run, targets: Path) -> None:
    plan = read_json(
        bundled("replay", "latest", "--on", "gpu", "--targets", targets, "--hypothesis", "H5", "--dry-run", "--json")
    )
    tree = read_json(bundled("show", "latest", "--json"))
    evidence = next(node["evidence"] for node in tree if node["id"] == "H5")
    assert {step["step"] for step in plan["steps"]} == {piece["step"] for piece in evidence}


def test_a_host_that_is_mapped_elsewhere_is_not_contacted(bundled: Run, sshd: Server, tmp_path: Path) -> None:
    before = len(sshd.received())
    targets = write_targets(tmp_path / "targets.toml", sshd, recorded="PLACEHOLDER")
    targets.write_text(targets.read_text().replace('"PLACEHOLDER"', '["other.example.org"]'))
    done = bundled("replay", "latest", "--on", "gpu", "--targets", targets, "--steps", READ_MODULE, "--yes", "--json")
    (step,) = read_json(done)["steps"]
    assert step["outcome"] == "refused"
    assert "--map" in " ".join(step["reasons"])
    assert len(sshd.received()) == before


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ({"port": 1}, "127.0.0.1"),
        ({"user": "nobody-of-that-name"}, "key"),
        ({"known_hosts": "/dev/null"}, "host key"),
        ({"known_hosts": "/nope"}, "there is no known_hosts file /nope for gpu"),
        ({"host": "no-such-host.invalid"}, "no-such-host.invalid"),
    ],
    ids=["closed port", "refused key", "unknown host key", "no known_hosts", "unknown host"],
)
def test_a_host_in_disorder_is_one_clear_message(
    bundled: Run, sshd: Server, tmp_path: Path, fault: dict[str, str | int], words: str
) -> None:
    targets = write_targets(tmp_path / "targets.toml", sshd, **fault)
    done = bundled("replay", "latest", "--on", "gpu", "--targets", targets, "--steps", READ_MODULE, "--yes")
    assert done.returncode == 4
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_a_changed_host_key_is_refused(bundled: Run, sshd: Server, tmp_path: Path) -> None:
    other = tmp_path / "other"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", other], check=True)
    known = tmp_path / "known_hosts"
    known.write_text(f"[127.0.0.1]:{sshd.port} {other.with_suffix('.pub').read_text()}")
    targets = write_targets(tmp_path / "targets.toml", sshd, known_hosts=str(known))
    done = bundled("replay", "latest", "--on", "gpu", "--targets", targets, "--steps", READ_MODULE, "--yes")
    assert done.returncode == 4
    assert "host key" in done.stderr


def test_a_targets_file_with_a_mistake_names_line_and_field(bundled: Run, sshd: Server, tmp_path: Path) -> None:
    targets = write_targets(tmp_path / "targets.toml", sshd, port="ssh")
    done = bundled("replay", "latest", "--on", "gpu", "--targets", targets, "--dry-run")
    assert done.returncode == 3
    assert "port" in done.stderr
    assert str(targets) in done.stderr


def test_several_targets_at_once_and_one_that_fails_stops_none(bundled: Run, targets: Path, tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "serve.log").write_text("Using TRITON_MLA attention backend\n")
    one = targets.read_text()
    dead = one.replace("[targets.gpu]", "[targets.dead]").replace("port = ", "port = 1 # ")
    targets.write_text(dead + "".join(one.replace("[targets.gpu]", f"[targets.gpu{n}]") for n in (1, 2)))
    there = f"/root/logs={tmp_path}/logs"
    asked = ("--on", "dead", "--on", "gpu[1-2]", "--targets", targets, "--steps", READ_LOG, "--path", there, "--yes")
    done = bundled("replay", "latest", *asked, "--json", "--exit-code")
    told = read_json(done)
    outcomes = {run["target"]: run["steps"][0]["outcome"] for run in told["runs"]}
    assert outcomes == {"dead": "unreachable", "gpu1": "completed", "gpu2": "completed"}
    assert told["fleet"]["alike"] == [["dead"], ["gpu1", "gpu2"]]
    assert done.returncode == 6
    drawn = bundled("replay", "latest", *asked)
    assert "undetermined (unreachable)" in drawn.stdout
    assert "gpu1," in drawn.stdout
    assert read_json(bundled("report", "latest", "--format", "json"))["fleet"]["alike"] == [["dead"], ["gpu1", "gpu2"]]
    for form in ("md", "html"):
        assert "Evidence by target" in bundled("report", "latest", "--format", form).stdout


def test_the_head_that_a_replay_prints_can_be_verified(
    bundled: Run, targets: Path, store: Path, tmp_path: Path
) -> None:
    module(tmp_path)
    done = bundled("replay", "latest", "--on", "gpu", "--targets", targets, "--steps", READ_MODULE, "--yes")
    head = done.stderr.rpartition("journal head ")[2].strip()
    checked = bundled("journal", "verify", "--head", head, "--json")
    assert (checked.returncode, read_json(checked)["whole"], read_json(checked)["head"]) == (0, True, head)
    with sqlite3.connect(store) as connection:
        connection.execute("UPDATE run_steps SET output = 'line 29'")
    broken = bundled("journal", "verify", "--head", head)
    assert broken.returncode == 1
    assert f"step {READ_MODULE}: the stored result is not the journalled one" in broken.stdout
