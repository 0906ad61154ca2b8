#!/usr/bin/env python3
"""fp8.scale_format: whether the scales of an FP8 checkpoint are powers of two, as its config or a kernel takes them.

Reads the headers and the scales of safetensors files, no weight. By hand: ``python3 scale_format.py --model FOLDER``,
any Python from 3.8.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import mmap
import platform
import struct
import sys
import time
import traceback
from importlib import metadata
from pathlib import Path
from typing import Any, Callable, Iterator, NamedTuple

PROBE: dict[str, Any] = {
    "name": "fp8.scale_format",
    "summary": "Tell whether the block scales of an FP8 checkpoint are powers of two, and fit what its config says",
    "needs": ["model"],
    "arguments": [
        {"name": "model", "kind": "path", "help": "a safetensors file, or the folder of a checkpoint"},
        {"name": "format", "kind": "text", "help": "ue8m0 or float, as kernels take it (default: the config's)"},
    ],
    "hypotheses": {
        "scales-of-another-format": {
            "statement": "The FP8 block scales are no powers of two although the kernels take them for such",
            "terms": ["ue8m0", "e8m0", "scale_fmt", "fp8 scale", "fp8 block scale", "scale format", "deepgemm"],
        },
        "scales-broken": {
            "statement": "FP8 block scales are zero, negative or no numbers",
            "terms": ["weight_scale_inv", "weight_scale", "broken fp8 scale", "negative scale"],
        },
    },
    "architectures": ["fp8", "safetensors"],
    "never_run": ["a checkpoint larger than a few megabytes"],
}  # fmt: skip


# >>> frame: the same lines in every payload
class Missing(Exception):
    """What this host, or the call, lacks."""


def main(measure: Callable[[argparse.Namespace], dict[str, Any]]) -> None:
    """Print what `measure` returns as one JSON document between two marks; the exit code is 0 once it is printed."""
    started, parser = time.time(), argparse.ArgumentParser(description=str(PROBE["summary"]))
    for option in PROBE["arguments"]:
        kind = {"int": int, "float": float}.get(option["kind"], str)
        parser.add_argument("--" + option["name"], type=kind, default=option.get("default"), help=option["help"])
    given = parser.parse_args()
    document: dict[str, Any] = {key: PROBE[key] for key in ("name", "needs", "never_run")}
    document.update(schema_version=1, status="ok", arguments=vars(given))
    try:
        document.update(measure(given))
        for finding in document.get("findings", ()):
            finding["statement"] = PROBE["hypotheses"][finding["hypothesis"]]["statement"]
        if not all(control["passed"] for control in document.get("controls", ())):
            document.update(status="failed", findings=[], detail="a control went wrong: the probe itself is in doubt")
    except (Missing, ImportError) as missing:
        document.update(status="blocked", detail="needs " + str(missing))
    except Exception:  # noqa: BLE001 - whatever went wrong, the reader gets a document
        document.update(status="failed", detail=traceback.format_exc())
    document["environment"] = {"python": platform.python_version(), "executable": sys.executable}
    for name in {"gguf", "numpy", "tokenizers", "torch", "triton", "vllm"} & set(sys.modules):
        with contextlib.suppress(metadata.PackageNotFoundError):
            document["environment"][name] = metadata.version(name)
    document["environment"].update(platform=platform.platform(), host=platform.node())
    document["duration"] = time.time() - started
    sys.stdout.write("\n<<<probe document\n" + json.dumps(document, default=str) + "\nprobe document>>>\n")


# <<< frame


ENDINGS = ("_scale_inv", "_scale", ".scale")
"""How the names of scales end in checkpoints."""
NUMBERS = {"F32": ("f", 4), "BF16": ("f", 4), "F16": ("e", 2), "F8_E8M0": ("", 1)}
"""Code and bytes for struct; a BF16 is made an F32."""
EXPONENT = 0xFF
"""All bits of an exponent of eight: no number."""
HALF = 0.5
"""The mantissa of every power of two, as `math.frexp` gives it."""
EMPTY = b"{}"
"""The shortest header there can be."""


class Scales(NamedTuple):
    """What the scales of one tensor are."""

    name: str
    dtype: str
    size: int
    powers: int
    broken: int


def files_of(place: str | None) -> list[Path]:
    """Return the safetensors files of a checkpoint."""
    if not place:
        raise Missing("--model")
    path = Path(place)
    found = sorted(path.glob("*.safetensors")) if path.is_dir() else [path]
    if not found or not found[0].is_file():
        raise Missing(f"safetensors files: {place} has none")
    return found


def tensors(path: Path) -> Iterator[tuple[str, str, bytes]]:
    """Yield name, dtype and bytes of every tensor of scales in a file."""
    with path.open("rb") as file:
        size = struct.unpack("<Q", file.read(8).ljust(8, b"\0"))[0]
        if not len(EMPTY) <= size <= path.stat().st_size - 8:
            raise Missing(f"a safetensors file: {path} is none")
        header = json.loads(file.read(size))
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            for name, told in header.items():
                if name.endswith(ENDINGS) and told["dtype"] in NUMBERS:
                    start, end = told["data_offsets"]
                    yield name, told["dtype"], data[8 + size + start : 8 + size + end]


def values(dtype: str, raw: bytes) -> list[float]:
    """Return scales as numbers."""
    code, width = NUMBERS[dtype]
    if dtype == "F8_E8M0":
        return [math.nan if each == EXPONENT else math.ldexp(1.0, each - 127) for each in raw]
    if dtype == "BF16":
        raw = b"".join(b"\0\0" + raw[at : at + 2] for at in range(0, len(raw), 2))
    return list(struct.unpack(f"<{len(raw) // width}{code}", raw))


def look(name: str, dtype: str, raw: bytes) -> Scales:
    """Return how many of a tensor's scales are powers of two, and how many can be no scale."""
    found = values(dtype, raw)
    good = [each for each in found if math.isfinite(each) and each > 0]
    return Scales(name, dtype, len(found), sum(math.frexp(each)[0] == HALF for each in good), len(found) - len(good))


def told_format(place: str, given: str | None) -> str:
    """Return what the kernels take the scales for: as asked, or as the config says; empty if neither says."""
    if given:
        return given
    path = Path(place)
    config = (path if path.is_dir() else path.parent) / "config.json"
    with contextlib.suppress(OSError, ValueError):
        return str((json.loads(config.read_text("utf-8")).get("quantization_config") or {}).get("scale_fmt") or "")
    return ""


def findings(found: list[Scales], kind: str) -> list[dict[str, Any]]:
    """Return whether the scales are of the format that is taken, and whether all can be scales."""
    others = [each for each in found if each.powers + each.broken < each.size]
    broken = [each for each in found if each.broken]
    if not others:
        answer, why = "refuted", f"all scales of {len(found)} tensors are powers of two: they fit either format"
    elif kind == "ue8m0":
        answer = "confirmed"
        why = f"{len(others)} of {len(found)} tensors have other scales than powers of two: {others[0].name}"
    elif kind == "float":
        answer, why = "refuted", "the scales are no powers of two, and nobody takes them for such"
    else:
        answer, why = "inconclusive", "the scales are no powers of two; neither config nor --format says what is taken"
    shown = ", ".join(each.name for each in broken[:3])
    return [
        {"hypothesis": "scales-of-another-format", "answer": answer, "why": why},
        {"hypothesis": "scales-broken", "answer": "confirmed" if broken else "refuted",
         "why": f"{sum(e.broken for e in broken)} scales of {len(broken)} tensors: {shown}" if broken
         else f"all {sum(each.size for each in found):,} scales are positive numbers"},
    ]  # fmt: skip


def controls() -> list[dict[str, Any]]:
    """Return the judgement on scales whose state is known."""
    cases = {
        "powers of two": ("positive", (0.5, 2.0**-9), ("refuted", "refuted")),
        "other numbers": ("negative", (0.5, 0.3), ("confirmed", "refuted")),
        "a zero": ("negative", (0.5, 0.0), ("refuted", "confirmed")),
        "no number": ("negative", (0.5, math.nan), ("refuted", "confirmed")),
    }
    checks = []
    for name, (kind, numbers, expected) in cases.items():
        said = findings([look(name, "F32", struct.pack("<2f", *numbers))], "ue8m0")
        checks.append({"name": name, "kind": kind, "passed": tuple(each["answer"] for each in said) == expected})
    return checks


def measure(given: argparse.Namespace) -> dict[str, Any]:
    """Look at every tensor of scales."""
    files = files_of(given.model)
    if given.format not in (None, "ue8m0", "float"):
        raise Missing("--format: ue8m0 or float")
    found = [look(*tensor) for path in files for tensor in tensors(path)]
    if not found:
        raise Missing(f"block scales: no tensor of {given.model} is called like one ({', '.join(ENDINGS)})")
    count, kind = sum(each.size for each in found), told_format(given.model, given.format)
    worst = min(found, key=lambda each: each.powers / max(each.size, 1))
    return {
        "findings": findings(found, kind),
        "measurements": [
            {"name": "tensors of scales", "value": len(found), "unit": "tensors"},
            {"name": "scales", "value": count},
            {"name": "powers of two", "value": sum(each.powers for each in found)},
            {"name": "broken", "value": sum(each.broken for each in found)},
        ],
        "thresholds": [{"name": "broken", "limit": 0, "passes": "equal"}],
        "controls": controls(),
        "sample": f"all scales of {len(files)} files",
        "worst": worst._asdict(),
        "details": {"taken for": kind or "not said", "dtypes": sorted({each.dtype for each in found})},
    }


if __name__ == "__main__":
    main(measure)
