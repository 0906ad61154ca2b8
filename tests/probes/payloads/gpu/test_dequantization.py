"""Decoding by torch and Triton against gguf-py, and the vote: whoever is broken is named."""

import argparse
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

FAMILIES = {
    "dequant/k_quants.py": ("Q2_K", "Q3_K", "Q4_K", "Q5_K", "Q6_K"),
    "dequant/legacy.py": ("Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0"),
    "dequant/iq1_iq2.py": ("IQ1_S", "IQ1_M", "IQ2_XXS", "IQ2_XS", "IQ2_S"),
    "dequant/iq3_iq4.py": ("IQ3_XXS", "IQ3_S", "IQ4_NL", "IQ4_XS"),
    "dequant/others.py": ("F16", "BF16", "TQ1_0", "TQ2_0", "MXFP4", "NVFP4"),
}
CASES = [(place, kind) for place, kinds in FAMILIES.items() for kind in kinds]
each_type = pytest.mark.parametrize(("place", "kind"), CASES, ids=[kind for _, kind in CASES])


@pytest.fixture(scope="module")
def payloads(load_payload: Any) -> dict[str, ModuleType]:
    return {place: load_payload(place) for place in FAMILIES}


def given(**options: Any) -> argparse.Namespace:
    return argparse.Namespace(**{"model": None, "types": None, "rows": 2, "seed": 3, "bench": 0, **options})


def answers(document: dict[str, Any]) -> dict[str, str]:
    return {finding["hypothesis"]: finding["answer"] for finding in document["findings"]}


@each_type
def test_torch_is_the_reference_to_the_bit(payloads: dict[str, ModuleType], place: str, kind: str) -> None:
    payload = payloads[place]
    raw = payload.random_rows(kind, 4, 7)
    assert (payload.by_torch(kind, raw) == payload.by_gguf(kind, raw)).all()


@each_type
def test_triton_is_the_reference(payloads: dict[str, ModuleType], place: str, kind: str) -> None:
    pytest.importorskip("triton", reason="needs triton: make test-torch")
    torch = pytest.importorskip("torch")
    payload = payloads[place]
    raw = payload.random_rows(kind, 3, 8, columns=2304)
    device = raw.cuda() if torch.cuda.is_available() else raw
    want = payload.by_gguf(kind, raw)
    for asked in ("float16", "float32"):
        found = payload.compare(payload.by_triton(kind, device, getattr(torch, asked)), want, payload.KINDS[kind].block)
        assert payload.verdict(found, "triton", asked) == "pass", found
        assert found["ulps"] <= (1 if asked == "float16" else 64)
    assert payload.digest_error(kind, device) < 1e-6


@pytest.mark.parametrize("kind", FAMILIES["dequant/legacy.py"])
def test_rows_need_not_be_a_multiple_of_256(payloads: dict[str, ModuleType], kind: str) -> None:
    pytest.importorskip("triton", reason="needs triton: make test-torch")
    torch = pytest.importorskip("torch")
    payload = payloads["dequant/legacy.py"]
    raw = payload.random_rows(kind, 3, 8, columns=32 * 7)
    device = raw.cuda() if torch.cuda.is_available() else raw
    found = payload.compare(payload.by_triton(kind, device, torch.float32), payload.by_gguf(kind, raw), 32)
    assert payload.verdict(found, "triton", "float32") == "pass"
    assert payload.digest_error(kind, device) < 1e-6


@each_type
def test_a_verifying_sum_sees_one_wrong_code(payloads: dict[str, ModuleType], place: str, kind: str) -> None:
    payload = payloads[place]
    raw = payload.random_rows(kind, 2, 9)
    whole, spoiled = (payload.sums(kind, payload.by_torch(kind, each), 64) for each in (
        raw, payload.spoil(kind, raw, "one code")))  # fmt: skip
    assert int((whole != spoiled).sum()) == 1


class Faults:
    """Implementations like the payload's own, one of them broken."""

    def __init__(self, payload: ModuleType, broken: str = "", what: str = "scales") -> None:
        self.payload, self.broken, self.what = payload, broken, what

    def sound(self, kind: str, raw: Any, dtype: Any) -> Any:
        return self.payload.by_torch(kind, raw).to(dtype)

    def wrong(self, kind: str, raw: Any, dtype: Any) -> Any:
        return self.sound(kind, self.payload.spoil(kind, raw, self.what), dtype)

    def all(self) -> dict[str, Any]:
        return {name: self.wrong if name == self.broken else self.sound for name in ("torch", "triton", "vllm")}


def sample(payload: ModuleType, kind: str) -> Any:
    return payload.Sample(kind, "random", [0, 1], payload.random_rows(kind, 2, 5))


@each_type
def test_sound_implementations_pass(payloads: dict[str, ModuleType], place: str, kind: str) -> None:
    payload = payloads[place]
    lines, guilty = payload.judge(sample(payload, kind), Faults(payload).all(), "cpu")
    assert guilty == []
    assert {line["verdict"] for line in lines} == {"pass"}
    readers = 3 if payload.number(kind) in payload.VLLM_READS else 2
    assert len(lines) == 3 * readers


@each_type
@pytest.mark.parametrize("broken", ["torch", "triton", "vllm"])
def test_whoever_is_broken_is_named(payloads: dict[str, ModuleType], place: str, kind: str, broken: str) -> None:
    payload = payloads[place]
    if broken == "vllm" and payload.number(kind) not in payload.VLLM_READS:
        pytest.skip("vLLM has no kernel for it")
    lines, guilty = payload.judge(sample(payload, kind), Faults(payload, broken).all(), "cpu")
    assert guilty == [broken]
    assert {line["by"] for line in lines if line["verdict"] == "fail"} == {broken}
    told = payload.told(lines, [], gpu=True)
    mine, other = ("kernel-wrong", "device-wrong") if broken == "vllm" else ("device-wrong", "kernel-wrong")
    assert answers(told)[mine] == "confirmed"
    assert answers(told)[other] in {"refuted", "inconclusive"}
    assert told["worst"]["by"] == broken


def test_one_wrong_code_in_a_thousand_blocks_is_no_pass(payloads: dict[str, ModuleType]) -> None:
    payload = payloads["dequant/k_quants.py"]
    lines, _ = payload.judge(sample(payload, "Q4_K"), Faults(payload, "vllm", "one code").all(), "cpu")
    seen = [line for line in lines if line["by"] == "vllm"]
    assert {line["verdict"] for line in seen} <= {"fail", "between"}
    assert {line["worst"]["row"] for line in seen} == {1}
    assert all(line["relL2"] < 0.05 for line in seen)


def test_a_wrong_output_type_is_seen(payloads: dict[str, ModuleType]) -> None:
    payload, torch = payloads["dequant/k_quants.py"], pytest.importorskip("torch")

    def always_half(kind: str, raw: Any, dtype: Any) -> Any:
        return payload.by_torch(kind, raw).to(torch.float16)

    lines, _ = payload.judge(sample(payload, "Q4_K"), {"vllm": always_half}, "cpu")
    assert {line["asked"]: line["verdict"] for line in lines} == {
        "bfloat16": "fail", "float16": "pass", "float32": "fail"
    }  # fmt: skip


def test_blocks_of_next_to_nothing_are_no_failure(payloads: dict[str, ModuleType]) -> None:
    payload, torch = payloads["dequant/k_quants.py"], pytest.importorskip("torch")
    want = torch.full((1, 256), 3.3e-7)
    assert payload.verdict(payload.compare(want.half(), want, 256), "triton", "float16") == "pass"
    assert payload.verdict(payload.compare(want.half() * 2, want, 256), "triton", "float16") == "fail"


@pytest.mark.parametrize("place", FAMILIES)
def test_without_a_gpu_nothing_is_claimed(payloads: dict[str, ModuleType], place: str) -> None:
    torch = pytest.importorskip("torch")
    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    document = payloads[place].measure(given())
    assert document["status"] == "degraded"
    assert "a GPU" in document["detail"]
    assert set(answers(document).values()) == {"inconclusive"}
    assert all(control["passed"] for control in document["controls"])
    assert {control["kind"] for control in document["controls"]} == {"positive", "negative"}
    assert document["details"]["guilty"] == {}


def test_rows_of_a_model_are_read_where_they_lie(
    payloads: dict[str, ModuleType], write_gguf: Any, tmp_path: Path
) -> None:
    payload = payloads["dequant/k_quants.py"]
    raw = {f"blk.{n}.ffn_down.weight": payload.random_rows("Q6_K", 5, n, 512).numpy() for n in range(4)}
    path = write_gguf(
        tmp_path / "a.gguf", raw, {"general.architecture": "llama"}, types=dict.fromkeys(raw, "Q6_K")
    )  # fmt: skip
    samples = list(payload.from_model(str(path), 2, 1))
    assert [each.origin for each in samples] == [f"blk.{n}.ffn_down.weight" for n in (0, 2, 3)]
    for each in samples:
        assert each.rows[-1] == 4
        assert (each.raw.numpy() == raw[each.origin][each.rows]).all()
    document = payload.measure(given(model=str(path), types="Q6_K"))
    assert "Q6_K blk.2.ffn_down.weight" in document["sample"]


def test_timings_count_what_is_read_and_written(
    payloads: dict[str, ModuleType], monkeypatch: pytest.MonkeyPatch
) -> None:
    payload = payloads["dequant/legacy.py"]
    called: list[float] = []

    def once(run: Any) -> float:
        run()
        called.append(2.0)
        return 2.0

    monkeypatch.setattr(payload, "milliseconds", once)
    monkeypatch.setattr(payload, "copying", lambda: 10.0)
    monkeypatch.setattr(payload, "launch", lambda *call, digest: call[-1].fill_(digest))
    lines = payload.bench(["Q8_0"], {"vllm": lambda *call: call[1]}, 2, "cpu")
    weights = 256 * 8192
    assert [(line["by"], line.get("ms")) for line in lines] == [
        ("copy", None), ("triton", 2.0), ("triton digest", 2.0), ("vllm", 2.0)
    ]  # fmt: skip
    assert lines[1]["GB/s"] == pytest.approx(weights * (34 / 32 + 2) / 2e6)
    assert lines[2]["GB/s"] == pytest.approx(weights * 34 / 32 / 2e6)
    assert lines[3]["of copy"] == pytest.approx(lines[1]["GB/s"] / 10)
    assert lines[2]["G weights/s"] == pytest.approx(weights / 2e6)
    assert len(called) == 3
