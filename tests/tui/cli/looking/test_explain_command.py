"""``necropsy explain`` on the bundled session."""

import json
import subprocess
from collections.abc import Callable

Run = Callable[..., subprocess.CompletedProcess[str]]


def test_it_names_rules_places_numbers_and_persons(bundled: Run) -> None:
    assert bundled("edit", "latest", "H3", "--verdict", "confirmed", "--author", "ada").returncode == 0
    told = bundled("explain", "latest", "h3").stdout
    score = next(each["score"] for each in json.loads(bundled("show", "latest", "--json").stdout) if each["id"] == "H3")
    assert score > 1.25
    assert f"score {score:g}: a node; 1.25 opens a hypothesis" in told
    assert "+0.35 rule:modal-cause (cause)" in told
    assert "+0.45 rule:modal (hedge)" in told
    assert "message 12: refuted  rule:in-order (refutes)" in told
    assert "step 15: refutes, decides  rule:figures-in-output" in told
    assert "confirmed  person:ada: ada set it" in told
    assert "ada: verdict verdict confirmed" in told


def test_json_has_the_same(bundled: Run) -> None:
    told = json.loads(bundled("explain", "latest", "H3", "--json").stdout)
    assert told["thresholds"] == {"opens": 1.25, "least": 0.8, "keeps": 0.45}
    families = {each["source"]: each["family"] for each in told["raised"]}
    assert {"rule:modal": "hedge", "rule:modal-cause": "cause", "rule:entity": "form"}.items() <= families.items()
    assert told["raised"][0]["weight"] == max(each["weight"] for each in told["raised"])
    assert told["reasons"][0]["step"] == 15
    assert told["corrections"] == []


def test_the_root_and_a_candidate_can_be_explained(bundled: Run) -> None:
    assert "rule:goes-wrong (symptom)" in bundled("explain", "latest", "H0").stdout
    candidate = json.loads(bundled("show", "latest", "--candidates", "--json").stdout)[-1]["id"]
    assert "a candidate" in bundled("explain", "latest", candidate).stdout


def test_an_unknown_hypothesis_is_bad_input(bundled: Run) -> None:
    done = bundled("explain", "latest", "H99")
    assert done.returncode == 3
    assert "H99" in done.stderr
