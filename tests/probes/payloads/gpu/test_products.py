"""Products with quantised weights by stand-ins for vLLM's kernels: sound ones, and ones with faults."""
# ruff: noqa: ARG002 - the stand-ins take what vLLM's kernels take

import argparse
from types import ModuleType
from typing import Any

import pytest

MATMUL, MOE = "matmul/gpu_vs_ref.py", "moe/gguf_vs_ref.py"
FEW = {"types": "Q4_K,Q8_0,IQ4_XS", "seed": 4}


def given(**options: Any) -> argparse.Namespace:
    return argparse.Namespace(**{"rows": 48, "columns": 512, "experts": 4, **FEW, **options})


class Kernels:
    """What vLLM's kernels compute, by the CPU: 8-bit activations times gguf-py's weights; `wrong` spoils some calls."""

    def __init__(self, payload: ModuleType) -> None:
        self.payload = payload
        self.names = {number: kind for kind, (number, *_) in payload.KINDS.items()}

    def wrong(self, kernel: str, kind: str, tokens: int) -> bool:
        return False

    def weights(self, raw: Any, number: int, kernel: str, tokens: int) -> Any:
        kind = self.names[number]
        return self.payload.decoded(kind, self.payload.spoiled(kind, raw) if self.wrong(kernel, kind, tokens) else raw)

    def ggml_mul_mat_vec_a8(self, raw: Any, x: Any, number: int, rows: int) -> Any:
        return (self.payload.in_8_bits(x.float()) @ self.weights(raw, number, "mmvq", len(x)).T).to(x.dtype)

    def ggml_mul_mat_a8(self, raw: Any, x: Any, number: int, rows: int) -> Any:
        return (self.payload.in_8_bits(x.float()) @ self.weights(raw, number, "mmq", len(x)).T).to(x.dtype)

    def ggml_dequantize(self, raw: Any, number: int, rows: int, columns: int, dtype: Any) -> Any:
        return self.weights(raw, number, "dequantize", 0).to(dtype)

    def ggml_moe_get_block_size(self, number: int) -> int:
        return 4

    def ggml_moe_a8_vec(self, x: Any, raw: Any, ids: Any, chosen: int, number: int, rows: int, tokens: int) -> Any:  # noqa: PLR0913, PLR0917
        weights = self.weights(raw, number, "moe_a8_vec", tokens)
        return self.payload.products(self.payload.in_8_bits(x.float()), weights, ids).to(x.dtype)

    def ggml_moe_a8(  # noqa: PLR0913, PLR0917 - vLLM's own arguments
        self, x: Any, raw: Any, places: Any, owners: Any, count: Any, number: int, rows: int, chosen: int, tokens: int
    ) -> Any:
        torch, block = pytest.importorskip("torch"), 4
        assert int(count) == len(places) == block * len(owners)
        weights, rounded = self.weights(raw, number, "moe_a8", tokens), self.payload.in_8_bits(x.float())
        result = torch.zeros(tokens * chosen, rows)
        for n, place in enumerate(places.tolist()):
            if place < tokens * chosen:
                result[place] = weights[owners[n // block]] @ rounded[place // chosen]
        return result.to(x.dtype)


class FaultyAbove64(Kernels):
    def wrong(self, kernel: str, kind: str, tokens: int) -> bool:
        return kernel in {"mmq", "moe_a8"} and kind == "Q4_K" and tokens > 64


class Refusing(Kernels):
    def ggml_mul_mat_vec_a8(self, raw: Any, x: Any, number: int, rows: int) -> Any:
        raise NotImplementedError("no such kernel in this build")


@pytest.fixture(scope="module")
def payloads(load_payload: Any) -> dict[str, ModuleType]:
    pytest.importorskip("gguf")
    return {place: load_payload(place) for place in (MATMUL, MOE)}


def lines(payload: ModuleType, kernels: Kernels) -> list[dict[str, Any]]:
    return [line for kind in FEW["types"].split(",") for line in payload.judge(kernels, kind, given(), "cpu")]  # type: ignore[attr-defined]


@pytest.mark.parametrize("place", [MATMUL, MOE])
def test_sound_kernels_are_cleared(payloads: dict[str, ModuleType], place: str) -> None:
    payload = payloads[place]
    found = lines(payload, Kernels(payload))
    assert {line["verdict"] for line in found} == {"pass"}
    assert payload.answer("x", found)["answer"] == "refuted"
    assert 0.003 < max(line["relL2"] for line in found) < 0.022
    kernels = {(line["type"], line["by"]) for line in found}
    assert ("IQ4_XS", "dequantize + matmul" if place == MATMUL else "moe_a8_vec") in kernels
    assert ("Q4_K", "mmq" if place == MATMUL else "moe_a8") in kernels
    assert ("IQ4_XS", "mmq" if place == MATMUL else "moe_a8") not in kernels


@pytest.mark.parametrize(("place", "kernel"), [(MATMUL, "mmq"), (MOE, "moe_a8")])
def test_a_fault_on_one_side_of_the_switch_is_named(payloads: dict[str, ModuleType], place: str, kernel: str) -> None:
    payload = payloads[place]
    found = lines(payload, FaultyAbove64(payload))
    bad = [line for line in found if line["verdict"] == "fail"]
    assert {(line["type"], line["by"]) for line in bad} == {("Q4_K", kernel)}
    assert min(line["size"] for line in bad) == 65
    told = payload.answer("x", found)
    assert told["answer"] == "confirmed"
    assert told["why"].startswith(f"wrong: {kernel} Q4_K at 65 to ")


def test_every_batch_beside_a_switch_is_multiplied(payloads: dict[str, ModuleType]) -> None:
    payload = payloads[MATMUL]
    found = payload.judge(Kernels(payload), "Q8_0", given(), "cpu")
    assert {line["size"] for line in found if line["by"] == "mmq"} == {1, 2, 3, 6, 7, 8, 16, 17, 64, 65, 512}
    assert {line["size"] for line in found if line["by"] == "mmvq"} == {1, 2, 3, 6, 7, 8, 16}
    assert {(line["activations"], line["outlier"]) for line in found} == {
        ("float16", False), ("float16", True), ("bfloat16", False), ("bfloat16", True)
    }  # fmt: skip


def test_one_bad_expert_is_named(payloads: dict[str, ModuleType]) -> None:
    payload = payloads[MOE]

    class OneBad(Kernels):
        def weights(self, raw: Any, number: int, kernel: str, tokens: int) -> Any:
            right = super().weights(raw, number, kernel, tokens)
            right[2] = right[1]
            return right

    found = payload.judge(OneBad(payload), "Q8_0", given(), "cpu")
    assert {line["expert"] for line in found if line["size"] > 1} == {2}
    assert {line["verdict"] for line in found if line["size"] > 1} == {"fail"}


def test_the_last_expert_gets_no_token(payloads: dict[str, ModuleType]) -> None:
    ids = payloads[MOE].route(256, 4, 1)
    assert set(ids.flatten().tolist()) == {0, 1, 2, 3}
    assert all(one != other for one, other in ids.tolist())


def test_what_a_kernel_refuses_is_no_failure(payloads: dict[str, ModuleType]) -> None:
    payload = payloads[MATMUL]
    found = payload.judge(Refusing(payload), "Q8_0", given(), "cpu")
    assert {line["verdict"] for line in found if line["by"] == "mmvq"} == {"refused"}
    told = payload.answer("x", found)
    assert (told["answer"], "28 refused" in told["why"]) == ("refuted", True)


@pytest.mark.parametrize("place", [MATMUL, MOE])
@pytest.mark.parametrize("kind", ["Q4_0", "Q2_K", "Q3_K", "Q6_K", "IQ1_S", "IQ3_XXS"])
def test_the_controls_hold_for_other_types(payloads: dict[str, ModuleType], place: str, kind: str) -> None:
    checks = payloads[place].controls(kind, given())
    assert {check["kind"] for check in checks} == {"positive", "negative"}
    assert [check for check in checks if not check["passed"]] == []


@pytest.mark.parametrize("place", [MATMUL, MOE])
def test_without_a_gpu_it_is_blocked(payloads: dict[str, ModuleType], place: str) -> None:
    torch = pytest.importorskip("torch")
    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    with pytest.raises(payloads[place].Missing, match="a GPU"):
        payloads[place].measure(given())
