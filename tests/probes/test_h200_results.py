"""What the GPU probes printed on an NVIDIA H200 with vLLM 0.22.1 (tests/gpu/run.sh): golden input for the parsers."""

import json
from pathlib import Path

import pytest

from probes import catalogue
from sessions.models.probe import ProbeDocument

RESULTS = json.loads((Path(__file__).parents[1] / "data" / "h200" / "probes.json").read_text("utf-8"))


@pytest.mark.parametrize("name", sorted(RESULTS))
def test_each_document_is_read_whole(name: str) -> None:
    document = ProbeDocument.model_validate(RESULTS[name])
    assert document.name == name
    assert document.status == "ok"
    assert document.controls
    assert all(control.passed for control in document.controls)
    assert "sm120" in document.never_run


@pytest.mark.parametrize("name", sorted(RESULTS))
def test_what_it_speaks_of_is_in_the_catalogue(name: str) -> None:
    known = {suspicion.key for suspicion in catalogue.named(name).hypotheses}
    assert {finding["hypothesis"] for finding in RESULTS[name]["findings"]} <= known


def test_the_kernel_of_the_reference_case_is_cleared_on_this_card() -> None:
    document = ProbeDocument.model_validate(RESULTS["dequant.k_quants"])
    answers = {finding.hypothesis: finding.answer for finding in document.findings}
    assert answers == {"kernel-wrong": "refuted", "device-wrong": "refuted"}


@pytest.mark.parametrize("name", ["attn.backend_vs_ref", "attn.prefill_vs_ref", "p2p.pattern"])
def test_attention_and_copies_are_cleared_on_this_card(name: str) -> None:
    document = ProbeDocument.model_validate(RESULTS[name])
    assert [finding.answer for finding in document.findings] == ["refuted"]


def test_decoding_reaches_the_share_of_a_copy_that_it_aims_at() -> None:
    lines = [line for name in ("dequant.k_quants", "dequant.legacy") for line in RESULTS[name]["details"]["bench"]]
    share = {line["type"]: line["of copy"] for line in lines if line["by"] == "triton"}
    assert all(share[kind] >= 0.8 for kind in ("Q4_K", "Q5_K", "Q6_K", "Q8_0"))
    speed = {(line["type"], line["by"]): line["GB/s"] for line in lines}
    assert speed["Q4_K", "triton"] >= 3 * speed["Q4_K", "vllm"]
