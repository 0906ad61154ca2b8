"""Probes and fingerprints as a person asks for them, on this machine."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

Run = Callable[..., subprocess.CompletedProcess[str]]


def read_json(done: subprocess.CompletedProcess[str]) -> Any:
    return json.loads(done.stdout)


def test_the_list_names_what_each_needs(run: Run) -> None:
    needs = {probe["name"]: probe["needs"] for probe in read_json(run("probe", "list", "--json"))}
    assert needs["host.fingerprint"] == []
    assert "model" in needs["gguf.counts"]


def test_show_says_what_it_settles(run: Run) -> None:
    shown = run("probe", "show", "gguf.namemap").stdout
    assert "settles:" in shown
    assert "model (path" in shown


def test_a_probe_without_its_model_cannot_tell(run: Run, tmp_path: Path) -> None:
    done = run("probe", "run", "gguf.counts", "--on", "local", "--model", tmp_path / "absent.gguf", "--json")
    assert done.returncode == 6
    assert read_json(done)["document"]["status"] in {"blocked", "failed"}


def test_an_answer_is_attached_to_its_hypothesis(bundled: Run, tmp_path: Path) -> None:
    done = bundled(
        "probe", "run", "gguf.counts", "--on", "local", "--model", tmp_path / "absent.gguf", "--for", "latest:H8"
    )
    assert "for latest:H8" in done.stderr
    (kept,) = read_json(bundled("report", "latest", "--format", "json"))["probes"]
    assert (kept["probe"], kept["hypothesis"], kept["target"]) == ("gguf.counts", "H8", "local")
    assert "| H8 | `gguf.counts` | local | blocked |" in bundled("report", "latest").stdout
    assert "What probes said" in bundled("report", "latest", "--format", "html").stdout


def test_each_suspicion_of_the_bundled_session_gets_a_probe(bundled: Run) -> None:
    suggested: dict[str, list[str]] = {}
    for one in read_json(bundled("probe", "suggest", "latest", "--json")):
        suggested.setdefault(one["hypothesis"], []).append(one["probe"])
    expected = {
        "H1": "tok.diff",
        "H2": "dequant.k_quants",
        "H3": "weights.stats",
        "H4": "mla.kv_b",
        "H5": "backend.choice",
        "H6": "backend.choice",
        "H7": "gguf.namemap",
        "H8": "gguf.namemap",
    }
    assert {name: probe for name, probe in expected.items() if probe not in suggested[name][:2]} == {}


def test_a_report_names_them_beside_the_hypothesis(bundled: Run) -> None:
    assert "Probes that would settle it: `mla.kv_b`" in bundled("report", "latest").stdout
    assert "<code>mla.kv_b</code>" in bundled("report", "latest", "--format", "html").stdout


def test_what_cannot_be_asked_is_refused(run: Run, bundled: Run) -> None:
    assert run("probe", "run", "no.such", "--on", "local").returncode == 2
    assert run("probe", "run", "host.fingerprint", "--on", "local", "--set", "nothing=1").returncode == 3
    assert bundled("probe", "run", "host.fingerprint", "--on", "local", "--for", "latest:H99").returncode == 3
    assert bundled("probe", "run", "host.fingerprint", "--on", "local", "--for", "H8").returncode == 2


def test_a_fingerprint_names_the_machine_and_what_changed_since(run: Run, tmp_path: Path) -> None:
    taken = run("fingerprint", "local", "--json")
    record = read_json(taken)["record"]
    assert (
        record["os.kernel"]
        == subprocess.run(["uname", "-r"], capture_output=True, text=True, check=True).stdout.strip()
    )
    before = tmp_path / "before.json"
    before.write_text(json.dumps(read_json(taken) | {"record": record | {"os.kernel": "5.0.0", "gpu.0.driver": "550"}}))
    changed = run("fingerprint", "local", "--against", before, "--json")
    fields = {difference["field"]: difference for difference in read_json(changed)}
    assert fields["os.kernel"]["before"] == "5.0.0"
    assert fields["gpu.0.driver"]["after"] is None
    assert run("fingerprint", "local", "--against", tmp_path / "absent.json").returncode == 3
