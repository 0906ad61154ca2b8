"""fp8.scale_format against checkpoints whose scales are powers of two, are not, or can be no scales."""

import json
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

PLACE = "fp8/scale_format.py"
POWERS, OTHERS = (0.25, 2.0**-7, 1.0), (0.25, 0.3, 1.0)


def encode(kind: str, values: Sequence[float]) -> bytes:
    if kind == "BF16":
        return b"".join(struct.pack("<f", each)[2:] for each in values)
    if kind == "F8_E8M0":
        return bytes(int(each) for each in values)
    return struct.pack(f"<{len(values)}{'e' if kind == 'F16' else 'f'}", *values)


def checkpoint(folder: Path, scales: Mapping[str, tuple[str, Sequence[float]]], config: Any = None) -> Path:
    """Write each tensor of scales, with a weight before it, into a file of its own."""
    for number, (name, (kind, values)) in enumerate(scales.items()):
        raw = encode(kind, values)
        header = {
            "__metadata__": {"format": "pt"},
            "layer.weight": {"dtype": "F8_E4M3", "shape": [4], "data_offsets": [0, 4]},
            name: {"dtype": kind, "shape": [len(values)], "data_offsets": [4, 4 + len(raw)]},
        }
        text = json.dumps(header).encode()
        (folder / f"m-{number}.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + b"\1\2\3\4" + raw)
    if config is not None:
        (folder / "config.json").write_text(json.dumps({"quantization_config": config}))
    return folder


def answers(run_payload: Any, model: Path, *words: str) -> tuple[str, str]:
    document = run_payload(PLACE, "--model", str(model), *words)
    assert document.status == "ok", document.detail
    first, second = document.findings
    return first.answer, second.answer


@pytest.mark.parametrize("kind", ["F32", "BF16", "F16"])
def test_powers_of_two_fit_any_kernel(kind: str, run_payload: Any, tmp_path: Path) -> None:
    model = checkpoint(tmp_path, {"a.weight_scale_inv": (kind, POWERS)}, {"scale_fmt": "ue8m0"})
    assert answers(run_payload, model) == ("refuted", "refuted")
    assert answers(run_payload, model, "--format", "float") == ("refuted", "refuted")


@pytest.mark.parametrize("kind", ["F32", "BF16", "F16"])
def test_other_numbers_are_a_fault_where_powers_are_taken(kind: str, run_payload: Any, tmp_path: Path) -> None:
    scales = {"a.weight_scale_inv": (kind, POWERS), "b.weight_scale": (kind, OTHERS)}
    model = checkpoint(tmp_path, scales, {"scale_fmt": "ue8m0"})
    document = run_payload(PLACE, "--model", str(model))
    assert document.findings[0].answer == "confirmed"
    assert document.findings[0].why.endswith("b.weight_scale")
    assert {one.name: one.value for one in document.measurements}["powers of two"] == 5
    assert answers(run_payload, model, "--format", "float") == ("refuted", "refuted")


def test_nobody_says_what_is_taken(run_payload: Any, tmp_path: Path) -> None:
    model = checkpoint(tmp_path, {"a.weight_scale": ("F32", OTHERS)})
    assert answers(run_payload, model) == ("inconclusive", "refuted")


@pytest.mark.parametrize("broken", [0.0, -0.5, float("nan"), float("inf")])
def test_what_can_be_no_scale_is_found(broken: float, run_payload: Any, tmp_path: Path) -> None:
    model = checkpoint(tmp_path, {"a.weight_scale": ("F32", (*POWERS, broken))}, {"scale_fmt": "ue8m0"})
    assert answers(run_payload, model) == ("refuted", "confirmed")


def test_exponents_alone_are_powers_but_for_the_last(run_payload: Any, tmp_path: Path) -> None:
    model = checkpoint(tmp_path, {"a.weight_scale_inv": ("F8_E8M0", (127, 0, 254))})
    assert answers(run_payload, model) == ("refuted", "refuted")
    model = checkpoint(tmp_path, {"a.weight_scale_inv": ("F8_E8M0", (127, 255))})
    assert answers(run_payload, model) == ("refuted", "confirmed")


def test_a_checkpoint_without_scales_is_blocked(run_payload: Any, tmp_path: Path) -> None:
    document = run_payload(PLACE, "--model", str(checkpoint(tmp_path, {"a.bias": ("F32", OTHERS)})))
    assert (document.status, document.findings) == ("blocked", ())
    (tmp_path / "m-0.safetensors").write_bytes(b"no safetensors")
    document = run_payload(PLACE, "--model", str(tmp_path))
    assert document.status == "blocked"
    assert "is none" in document.detail
