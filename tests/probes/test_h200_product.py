"""What the whole product gave on a host with an H200 over ssh (tests/gpu/product.py): golden output, read again."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from probes import fingerprint

RESULTS = Path(__file__).parents[1] / "data" / "h200" / "product"
TOLD = (RESULTS / "product.txt").read_text("utf-8")
REPORT = (RESULTS / "report.md").read_text("utf-8")


def lines(pattern: str) -> list[Any]:
    return re.findall("^" + pattern, TOLD, re.MULTILINE)


def test_reading_steps_ran_against_the_installed_vllm_and_prove_nothing() -> None:
    ran = re.findall(
        r"^step (\d+): completed, not-comparable \(the recording is a reconstruction\)$", TOLD, re.MULTILINE
    )
    assert set(ran) >= {"17", "18", "21", "22"}
    assert re.findall(r"^  (H\d) (\w+) ", TOLD, re.MULTILINE) == [
        (f"H{number}", "undetermined") for number in range(1, 9)
    ]


def test_each_layer_says_whether_it_is_in_force() -> None:
    layers = {layer: state for state, layer in lines(r"  (in force|not in force) +(\S.*?)  \S")}
    assert layers == {
        "read-only view": "in force",
        "read-only mounts": "in force",
        "no network": "in force",
        "unprivileged account": "not in force",
        "limits": "in force",
        "deadline": "in force",
    }


@pytest.mark.parametrize(
    ("hypothesis", "probe", "answer"),
    [
        ("H2", "dequant.k_quants", "refuted"),
        ("H3", "weights.stats", "refuted"),
        ("H5", "attn.backend_vs_ref", "refuted"),
        ("H5", "backend.choice", "refuted"),
        ("H8", "gguf.namemap", "confirmed"),
    ],
)
def test_the_report_says_what_probes_made_of_the_suspicions(hypothesis: str, probe: str, answer: str) -> None:
    assert f"| {hypothesis} | `{probe}` | h200 | {answer} |" in REPORT


def test_the_fingerprint_names_the_card_and_differs_by_what_matters_first() -> None:
    record = json.loads((RESULTS / "fingerprint.json").read_text("utf-8"))["record"]
    assert (record["gpu.0.name"], record["package.vllm"], record["patched.vllm"]) == ("NVIDIA H200", "0.22.1", "none")
    other = {**record, "package.vllm": "0.33.0", "gpu.0.temperature.gpu": "61"}
    assert [(each.field, each.severity) for each in fingerprint.diff(record, other)] == [
        ("package.vllm", "red"),
        ("gpu.0.temperature.gpu", "grey"),
    ]
