"""Probes are found for hypotheses in their own words, and findings become evidence."""

import pytest

from probes import catalogue, findings
from sessions.models.probe import Finding, ProbeDocument, ProbeReport

CONTEXT = "GLM-5 GGUF on 8 Blackwell GPUs answers garbage"


def suggested(statement: str, context: str = CONTEXT) -> list[str]:
    return [each.probe.name for each in findings.suggest(statement, catalogue.probes(), context=context)]


@pytest.mark.parametrize(
    ("statement", "first"),
    [
        ("the chat template or the tokenizer could be wrong for this checkpoint", "tok.diff"),
        ("the weight values in the file may simply be damaged", "weights.stats"),
        (
            "the patch that reassembles kv_b_proj from attn_k_b and attn_v_b gets the order of the heads wrong",
            "mla.kv_b",
        ),
        ("that name map returns nothing for this architecture", "gguf.namemap"),
        ("without manual overrides the expert weights are not mapped at all", "gguf.namemap"),
        ("the output head is tied to the embedding", "gguf.tied_head"),
        ("with tensor parallelism of 16 a rank may cut a quantization block", "gguf.tp_alignment"),
        ("the rope base was left at its default", "gguf.settings"),
        ("somebody patched vllm in site-packages", "host.fingerprint"),
        ("Triton MLA is the wrong attention backend for SM120", "backend.choice"),
        ("the server settled on fp8 for the KV cache dtype and the backend cannot read it", "backend.choice"),
    ],
)
def test_a_hypothesis_finds_its_probe(statement: str, first: str) -> None:
    assert suggested(statement)[0] == first


def test_a_probe_for_ggufs_is_not_offered_elsewhere() -> None:
    statement = "the weight values may be damaged"
    assert "weights.stats" in suggested(statement)
    assert suggested(statement, context="Llama 3 in safetensors") == []


def test_what_nothing_settles_finds_nothing() -> None:
    assert suggested("the power supply of the rack failed") == []


def test_a_suggestion_says_why() -> None:
    (best, *_) = findings.suggest("the name-map drops expert weights", catalogue.probes(), context="gguf")
    assert (best.probe.name, best.suspicion.key) == ("gguf.namemap", "tensors-dropped")
    assert best.terms == ("name map", "expert weight")


def report(*found: Finding, status: str = "ok", detail: str = "") -> ProbeReport:
    document = ProbeDocument.model_validate(
        {"schema_version": 1, "name": "a.b", "status": status, "detail": detail, "findings": found}
    )
    return ProbeReport(probe="a.b", digest="0", target="t", started="", duration=1.0, document=document)


def test_answers_are_stances() -> None:
    answers = ("confirmed", "refuted", "inconclusive")
    made = [
        Finding.model_validate({"hypothesis": "h", "statement": "s", "answer": each, "why": "w"}) for each in answers
    ]
    assert [findings.stance(finding) for finding in made] == ["supports", "refutes", "neutral"]
    assert findings.sentence(report(made[1])) == "refuted: s (w)"


def test_a_report_without_findings_says_what_it_lacks() -> None:
    assert findings.sentence(report(status="blocked", detail="needs gguf")) == "blocked: needs gguf"
