"""p2p.pattern: copies that arrive whole, and ones with a flipped bit, a stale end or a page from elsewhere."""

import argparse
from types import ModuleType
from typing import Any

import pytest

GIVEN = argparse.Namespace(seed=3, repeats=4, largest=1)
PAIR = ["cpu", "cpu"]


@pytest.fixture(scope="module")
def payload(load_payload: Any) -> ModuleType:
    module: ModuleType = load_payload("p2p/pattern.py")
    return module


def flipping(source: Any, target: str) -> Any:
    got = source.to(target).clone()
    got[len(got) // 3] ^= 4
    return got


def shifting(source: Any, target: str) -> Any:
    return source.to(target).roll(256)


class Stale:
    """Returns what the copy before it should have brought."""

    def __init__(self) -> None:
        self.last: dict[int, Any] = {}

    def __call__(self, source: Any, target: str) -> Any:
        got = self.last.get(len(source), source)
        self.last[len(source)] = source.to(target).clone()
        return got


def test_whole_copies_clear_the_pair(payload: ModuleType) -> None:
    lines = payload.matrix(PAIR, payload.through_host, GIVEN)
    told = payload.answer(lines)
    assert (told["answer"], told["why"]) == ("refuted", "24 copies between 1 GPUs are exact")
    assert [line["bytes"] for line in lines] == 2 * [1024, 32 * 1024, 1024 * 1024]


@pytest.mark.parametrize(("fault", "damaged"), [(flipping, 4), (shifting, 4), (Stale(), 3)])
def test_damaged_copies_are_counted(payload: ModuleType, fault: Any, damaged: int) -> None:
    lines = payload.matrix(["cpu", "cpu"], fault, GIVEN)[:3]
    assert {line["damaged"] for line in lines} == {damaged}
    assert payload.answer(lines)["answer"] == "confirmed"


def test_the_first_damaged_byte_is_named(payload: ModuleType) -> None:
    (line, *_) = payload.matrix(PAIR, flipping, GIVEN)
    assert (line["first"], line["wrong_bytes"]) == (1024 // 3, 1)
    assert "1,024 bytes: 4 of 4 damaged, 1 bytes from 341 on" in payload.answer([line])["why"]


def test_the_controls_hold(payload: ModuleType) -> None:
    assert [(each["kind"], each["passed"]) for each in payload.controls("cpu", GIVEN)] == [
        ("positive", True),
        ("negative", True),
        ("negative", True),
        ("negative", True),
    ]


def test_the_pattern_differs_at_each_place_and_key(payload: ModuleType) -> None:
    first, second = payload.pattern(1 << 16, 1, "cpu"), payload.pattern(1 << 16, 2, "cpu")
    assert float((first == second).float().mean()) < 0.02
    assert float((first == first.roll(4096)).float().mean()) < 0.02
