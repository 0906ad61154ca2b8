"""kv.roundtrip: caches written right, and ones shifted, of a wrong scale, cut off, or with other slots touched."""

import argparse
from types import ModuleType
from typing import Any

import pytest


@pytest.fixture(scope="module")
def payload(load_payload: Any) -> ModuleType:
    module: ModuleType = load_payload("kv/roundtrip.py")
    return module


def given(**options: Any) -> argparse.Namespace:
    return argparse.Namespace(
        **{"tokens": 40, "page": 16, "rank": 64, "rope": 16, "seed": 2, "absmax": 0.0, "bench": 0, **options}
    )


def answers(document: dict[str, Any]) -> dict[str, str]:
    return {finding["hypothesis"]: finding["answer"] for finding in document["findings"]}


def test_right_caches_come_back_within_the_rounding_of_their_type(payload: ModuleType) -> None:
    lines = [line for line in payload.judge({"torch": payload.by_torch}, given(), "cpu") if line["fits"]]
    assert {line["verdict"] for line in lines} == {"pass"}
    assert {(line["cache"], line["magnitude"]) for line in lines} == {
        (cache, magnitude) for cache in ("auto", "fp8_e4m3", "fp8_e5m2") for magnitude in (1, 30, 300)
    }
    by_type = {line["cache"]: line["relL2"] for line in lines}
    assert by_type["auto"] == 0
    assert 0.02 < by_type["fp8_e4m3"] < 0.03 < by_type["fp8_e5m2"] < 0.06


def test_a_scale_of_one_cuts_off_what_is_large(payload: ModuleType) -> None:
    lines = payload.judge({"torch": payload.by_torch}, given(), "cpu")
    cut = [(line["cache"], line["magnitude"]) for line in lines if line["cut_off"]]
    assert cut == [("fp8_e4m3", 300)]
    assert [line["verdict"] for line in lines if line["cut_off"]] == ["fail"]


@pytest.mark.parametrize(("absmax", "expected"), [(0.0, "inconclusive"), (400.0, "refuted"), (500.0, "confirmed")])
def test_the_scale_is_judged_by_the_models_largest(payload: ModuleType, absmax: float, expected: str) -> None:
    assert answers(payload.measure(given(absmax=absmax)))["scale-saturates"] == expected


def shifted(payload: ModuleType) -> Any:
    def write(kind: Any, rows: Any, at: Any, scale: float) -> Any:
        return payload.by_torch(kind, rows.roll(1, 0), at, scale)

    return write


def spilling(payload: ModuleType) -> Any:
    def write(kind: Any, rows: Any, at: Any, scale: float) -> Any:
        cache = payload.by_torch(kind, rows, at, scale)
        cache[-1, -1, 0] = 0
        return cache

    return write


def ignoring_the_type(payload: ModuleType) -> Any:
    def write(kind: Any, rows: Any, at: Any, scale: float) -> Any:
        return payload.by_torch(kind, rows, at, 1.0)

    return write


@pytest.mark.parametrize("fault", [shifted, spilling, ignoring_the_type])
def test_a_faulty_writer_is_named(payload: ModuleType, fault: Any) -> None:
    lines = payload.judge({"torch": payload.by_torch, "other": fault(payload)}, given(), "cpu")
    told = payload.answer("cache-wrong", [line for line in lines if line["fits"]], "")
    assert told["answer"] == "confirmed"
    assert {line["by"] for line in lines if line["fits"] and line["verdict"] == "fail"} == {"other"}


def test_a_refused_type_is_no_failure(payload: ModuleType) -> None:
    def refuse(*_: Any) -> Any:
        raise NotImplementedError("fp8_e5m2 is not supported")

    lines = payload.judge({"torch": payload.by_torch, "other": refuse}, given(), "cpu")
    assert {line["verdict"] for line in lines if line["by"] == "other"} == {"refused"}


def test_without_a_gpu_nothing_is_claimed(payload: ModuleType) -> None:
    if pytest.importorskip("torch").cuda.is_available():
        pytest.skip("there is a GPU")
    document = payload.measure(given())
    assert (document["status"], document["detail"]) == ("degraded", "without a GPU")
    assert answers(document) == {"cache-wrong": "inconclusive", "scale-saturates": "inconclusive"}
    assert all(control["passed"] for control in document["controls"])
