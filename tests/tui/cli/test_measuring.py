"""``necropsy gold export`` and ``necropsy score``, one after the other."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

Run = Callable[..., subprocess.CompletedProcess[str]]


def test_the_tree_of_the_store_scores_one_against_its_own_export(bundled: Run, tmp_path: Path) -> None:
    path = tmp_path / "gold" / "bundled.json"
    path.parent.mkdir()
    done = bundled("gold", "export", "latest", "--output", path)
    assert done.returncode == 0
    assert "No person has settled H1" in done.stderr
    told = json.loads(bundled("score", path.parent, "--json").stdout)
    assert (told["total"]["f1"], told["total"]["evidence_f1"], told["total"]["sessions"]) == (1.0, 1.0, 1)
    assert told["total"]["intervals"]["f1"] == [1.0, 1.0]
    assert told["scores"][0]["name"] == "bundled"


def test_reports_are_scored_by_their_names(bundled: Run, tmp_path: Path) -> None:
    reports = tmp_path / "reports"
    reports.mkdir()
    bundled("gold", "export", "latest", "--output", tmp_path / "one.json")
    bundled("report", "latest", "--format", "json", "--output", reports / "one.json")
    table = bundled("score", tmp_path / "one.json", "--reports", reports).stdout
    assert "F1 1.0 micro, 1.0 macro" in table
    assert "8/8" in table
    (reports / "one.json").write_text("[]")
    assert bundled("score", tmp_path / "one.json", "--reports", reports).returncode == 3


def test_logs_are_read_and_scored_without_a_store(run: Run, bundled: Run, tmp_path: Path) -> None:
    logs = Path(__file__).parents[3] / "sessions" / "examples"
    path = tmp_path / "one.json"
    path.write_text(bundled("gold", "export", "latest", "--log", "glm5-blackwell.json").stdout)
    told = json.loads(run("--store", tmp_path / "none.db", "score", path, "--logs", logs, "--json").stdout)
    assert told["total"]["verdict_accuracy"] == 1.0
    assert not (tmp_path / "none.db").exists()


def test_a_log_that_is_not_there_counts_as_found_nothing(bundled: Run, tmp_path: Path) -> None:
    path = tmp_path / "one.json"
    path.write_text(bundled("gold", "export", "latest", "--log", "elsewhere.jsonl").stdout)
    done = bundled("score", path, "--json")
    assert json.loads(done.stdout)["total"]["recall"] == 0
    assert "elsewhere.jsonl" in done.stderr


def test_what_is_no_annotation_is_bad_input(bundled: Run, tmp_path: Path) -> None:
    (tmp_path / "one.json").write_text("{}")
    assert bundled("score", tmp_path / "one.json").returncode == 3
    (tmp_path / "empty").mkdir()
    assert bundled("score", tmp_path / "empty").returncode == 3
