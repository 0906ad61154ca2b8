"""attn.backend_vs_ref: attention that is right, and each way in which a paged decode kernel goes wrong."""

import argparse
from types import ModuleType
from typing import Any

import pytest


@pytest.fixture(scope="module")
def payload(load_payload: Any) -> ModuleType:
    module: ModuleType = load_payload("attn/backend_vs_ref.py")
    return module


@pytest.fixture(scope="module")
def prefill(load_payload: Any) -> ModuleType:
    module: ModuleType = load_payload("attn/prefill_vs_ref.py")
    return module


GIVEN = argparse.Namespace(heads=4, rank=64, rope=16, nope=32, value=32, page=16, longest=120, seed=5)


def rounded(payload: ModuleType) -> Any:
    """A kernel that is right up to the rounding of its output."""

    def attend(paged: Any, _splits: int) -> tuple[Any, Any]:
        outputs, sums = payload.reference(paged)
        return outputs.to(paged.queries.dtype), sums

    return attend


def other_lengths(payload: ModuleType, change: Any) -> Any:
    def attend(paged: Any, _splits: int) -> Any:
        return payload.reference(paged._replace(lengths=[change(length) for length in paged.lengths]))

    return attend


def without_table(payload: ModuleType) -> Any:
    """A kernel that takes the first pages of the cache, whatever the table says."""

    def attend(paged: Any, _splits: int) -> Any:
        pages = payload.load("torch").arange(paged.table.shape[1]).expand_as(paged.table)
        return payload.reference(paged._replace(table=pages))

    return attend


def wrong_scale(payload: ModuleType) -> Any:
    return lambda paged, _splits: payload.reference(paged._replace(scale=(paged.queries.shape[-1]) ** -0.5))


def test_a_right_kernel_is_cleared_at_every_length(payload: ModuleType) -> None:
    lines = payload.judge({"theirs": rounded(payload)}, GIVEN, "bfloat16", "cpu")
    assert {line["verdict"] for line in lines} == {"pass"}
    assert [line["what"] for line in lines if line["what"].endswith(" 1 splits")] == [
        "1 tokens, 1 splits", "15 tokens, 1 splits", "16 tokens, 1 splits", "17 tokens, 1 splits",
        "64 tokens, 1 splits", "eight tokens, 1 splits",
    ]  # fmt: skip
    assert payload.answer("decode-wrong", lines, "")["answer"] == "refuted"


@pytest.mark.parametrize(
    ("fault", "where"),
    [
        (lambda payload: other_lengths(payload, lambda length: max(length - 1, 1)), "15 tokens"),
        (lambda payload: other_lengths(payload, lambda length: length // 16 * 16 or length), "17 tokens"),
        (without_table, "64 tokens"),
        (wrong_scale, "16 tokens"),
    ],
    ids=["the last token lost", "the last partial page lost", "no table", "scale of the latent"],
)
def test_a_broken_kernel_is_caught(payload: ModuleType, fault: Any, where: str) -> None:
    lines = payload.judge({"theirs": fault(payload)}, GIVEN, "bfloat16", "cpu")
    told = payload.answer("decode-wrong", lines, "")
    assert told["answer"] == "confirmed"
    assert "pass" not in {line["verdict"] for line in lines if line["what"].startswith(where)}


def test_needles_are_found_in_every_awkward_place(payload: ModuleType) -> None:
    lines = payload.needles("theirs", rounded(payload), GIVEN, "bfloat16", "cpu")
    assert [line["what"] for line in lines] == [f"needle at {place} of 100" for place in (0, 15, 16, 95, 99)]
    assert {line["verdict"] for line in lines} == {"pass"}
    assert all(line["needle"] < 0.02 for line in lines)


def test_a_lost_last_page_loses_the_last_needle(payload: ModuleType) -> None:
    fault = other_lengths(payload, lambda length: length // 16 * 16)
    lines = payload.needles("theirs", fault, GIVEN, "bfloat16", "cpu")
    assert [line["verdict"] for line in lines] == ["pass", "pass", "pass", "pass", "fail"]


def test_prefill_is_judged_by_causal_attention(prefill: ModuleType) -> None:
    def acausal(queries: Any, keys: Any, values: Any, scale: float) -> Any:
        whole = prefill.load("torch").nn.functional.scaled_dot_product_attention
        q, k, v = (each.transpose(0, 1)[None] for each in (queries, keys, values))
        return whole(q, k, v, scale=scale)[0].transpose(0, 1)

    found = {"torch": prefill.prefill_torch, "acausal": acausal}
    lines = prefill.judge(found, GIVEN, "bfloat16", "cpu")
    assert {line["verdict"] for line in lines if line["by"] == "torch"} == {"pass"}
    told = prefill.answer("prefill-wrong", [line for line in lines if line["by"] == "acausal"], "")
    assert told["why"] == "acausal bfloat16 prompt of 17; acausal bfloat16 prompt of 64"


def test_numbers_that_are_not_finite_fail(payload: ModuleType) -> None:
    torch = payload.load("torch")
    want = torch.ones(1, 2, 8)
    assert payload.compare(want / 0, want, "bfloat16")["verdict"] == "fail"


def test_a_refusal_is_no_failure(payload: ModuleType) -> None:
    def refusing(_paged: Any, _splits: int) -> Any:
        raise NotImplementedError("no such page size")

    lines = payload.judge({"theirs": refusing}, GIVEN, "float16", "cpu")
    assert {line["verdict"] for line in lines} == {"refused"}
    assert payload.answer("decode-wrong", lines, "")["answer"] == "inconclusive"


def test_without_a_gpu_nothing_is_said_of_vllm(payload: ModuleType, prefill: ModuleType) -> None:
    if payload.load("torch").cuda.is_available():
        pytest.skip("this machine has a GPU")
    for module, controls in ((payload, 6), (prefill, 5)):
        document = module.measure(GIVEN)
        assert document["status"] == "degraded"
        assert [finding["answer"] for finding in document["findings"]] == ["inconclusive"]
        assert [control["passed"] for control in document["controls"]] == controls * [True]
