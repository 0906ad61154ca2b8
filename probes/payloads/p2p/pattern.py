#!/usr/bin/env python3
"""p2p.pattern: copy a known pattern between every two GPUs, each way, and compare every byte.

What a driver says of peer access is shown, not trusted. By hand: ``python3 pattern.py``; needs torch and two GPUs.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import platform
import sys
import time
import traceback
from importlib import import_module, metadata
from itertools import permutations
from typing import Any, Callable

PROBE: dict[str, Any] = {
    "name": "p2p.pattern",
    "summary": "Copy a known pattern between every two GPUs, each way, and compare every byte",
    "needs": ["torch", "gpu", "gpus"],
    "arguments": [
        {"name": "largest", "kind": "int", "default": 256, "help": "MiB of the largest copy"},
        {"name": "repeats", "kind": "int", "default": 20, "help": "copies of each size and pair"},
        {"name": "seed", "kind": "int", "default": 1, "help": "of the pattern"},
    ],
    "hypotheses": {
        "peer-copies-corrupt": {
            "statement": "Copies between two GPUs of this host arrive damaged",
            "terms": ["p2p", "peer to peer", "peer access", "iommu", "acs", "nvlink", "tensor parallel",
                      "nccl", "all-reduce", "allreduce", "custom all reduce", "multi-gpu", "pcie"],
        },
    },
    "architectures": [],
    "never_run": ["sm100", "sm120", "PCIe without NVLink", "IOMMU or ACS on"],
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


Copy = Callable[[Any, str], Any]
KIB = 1024
TINY = 1 << 20
"""Above 1 MiB sizes rise by 16, below by 32: 1 KiB, 32 KiB, 1 MiB, 16 MiB, 256 MiB."""


def load(name: str) -> Any:
    """Return a module. Raises Missing, with the reason, where it cannot be had."""
    try:
        return import_module(name)
    except (ImportError, OSError, RuntimeError) as error:
        raise Missing(f"{name} ({(str(error).splitlines() or ['no reason'])[0]})") from error


def sizes(largest: int) -> list[int]:
    """Return the sizes of copies in bytes: 1 KiB up to `largest` MiB."""
    found, size = [], KIB
    while size <= largest * KIB * KIB:
        found.append(size)
        size *= 32 if size < TINY else 16
    return found


def pattern(size: int, key: int, device: str) -> Any:
    """Return bytes of which each depends on its place and on `key`, so that a shifted or a stale page shows.

    The multiplier is 2^32 divided by the golden ratio (Knuth, The Art of Computer Programming 3, 6.4).
    """
    torch = load("torch")
    place = torch.arange(size, dtype=torch.int64, device=device)
    return (((place + key * 40_503) * 2_654_435_761) >> 15 & 0xFF).to(torch.uint8)


def by_driver(source: Any, target: str) -> Any:
    """Return the copy on the other GPU, into memory that held something else."""
    torch = load("torch")
    room = torch.full(source.shape, 0x55, dtype=torch.uint8, device=target)
    room.copy_(source)
    torch.cuda.synchronize(target)
    return room


def through_host(source: Any, target: str) -> Any:
    """Return the copy by way of the host's memory: what is right wherever the GPUs themselves are."""
    return source.cpu().to(target)


def differing(got: Any, want: Any) -> tuple[int, int]:
    """Return how many bytes differ, and the place of the first, -1 if none does."""
    wrong = got != want
    count = int(wrong.sum())
    return count, int(wrong.to(load("torch").uint8).argmax()) if count else -1


def exchange(pair: tuple[str, str], size: int, copy: Copy, given: argparse.Namespace) -> dict[str, Any]:
    """Return what came of the copies of one size from one GPU to the other, each with a pattern of its own."""
    line: dict[str, Any] = {"from": pair[0], "to": pair[1], "bytes": size, "damaged": 0, "wrong_bytes": 0, "first": -1}
    started = time.perf_counter()
    for repeat in range(given.repeats):
        key = given.seed * 1000 + repeat
        count, first = differing(copy(pattern(size, key, pair[0]), pair[1]), pattern(size, key, pair[1]))
        if count and not line["damaged"]:
            line.update(first=first, wrong_bytes=count)
        line["damaged"] += bool(count)
    return {**line, "seconds": time.perf_counter() - started}


def controls(device: str, given: argparse.Namespace) -> list[dict[str, Any]]:
    """Return whether a right copy passes; and one with a flipped byte, a shifted page, a stale one do not."""
    size = 64 * KIB
    right, stale = pattern(size, given.seed, device), pattern(size, given.seed + 1, device)
    flipped, page, late = right.clone(), right.clone(), right.clone()
    flipped[size // 2] ^= 1
    page[4096:8192] = right[8192:12288]
    late[-4096:] = stale[-4096:]
    cases = (
        ("the same bytes", "positive", through_host(right, device)),
        ("one bit flipped", "negative", flipped),
        ("a page from elsewhere", "negative", page),
        ("the end from an earlier copy", "negative", late),
    )
    checks = []
    for name, kind, got in cases:
        count, _ = differing(got, right)
        checks.append({"name": name, "kind": kind, "passed": bool(count) == (kind == "negative"), "detail": str(count)})
    return checks


def answer(lines: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the finding that the copies support."""
    bad = [each for each in lines if each["damaged"]]
    copies, gpus = sum(each["repeats"] for each in lines), len({each["from"] for each in lines})
    why = f"{copies:,} copies between {gpus} GPUs are exact"
    if bad:
        told = [
            f"{each['from']} to {each['to']}, {each['bytes']:,} bytes: {each['damaged']} of {each['repeats']} damaged, "
            f"{each['wrong_bytes']:,} bytes from {each['first']:,} on"
            for each in bad
        ]
        why = "; ".join(told[:8])
    return {"hypothesis": "peer-copies-corrupt", "answer": "confirmed" if bad else "refuted", "why": why}


def matrix(devices: list[str], copy: Copy, given: argparse.Namespace) -> list[dict[str, Any]]:
    """Return a line for each ordered pair and size."""
    return [
        {**exchange(pair, size, copy, given), "repeats": given.repeats}
        for pair in permutations(devices, 2)
        for size in sizes(given.largest)
    ]


def claims(number: int) -> dict[str, bool]:
    """Return what the driver says of peer access, by ordered pair."""
    torch = load("torch")
    return {f"{a} to {b}": bool(torch.cuda.can_device_access_peer(a, b)) for a, b in permutations(range(number), 2)}


def measure(given: argparse.Namespace) -> dict[str, Any]:
    """Copy between every two GPUs."""
    torch = load("torch")
    number = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if number < 2:  # noqa: PLR2004 - a pair
        raise Missing(f"two GPUs ({number} here)")
    lines = matrix([f"cuda:{index}" for index in range(number)], by_driver, given)
    widest = [each for each in lines if each["bytes"] == lines[-1]["bytes"]]
    return {
        "findings": [answer(lines)],
        "measurements": [
            {"name": f"{each['from']} to {each['to']}, damaged of {each['repeats']}", "value": each["damaged"]}
            for each in widest
        ],
        "thresholds": [{"name": "bytes that differ", "limit": 0}],
        "controls": controls("cuda:0", given),
        "sample": f"seed {given.seed}, {given.repeats} copies of each of {sizes(given.largest)} bytes",
        "worst": max(lines, key=lambda each: (each["damaged"], each["wrong_bytes"])),
        "details": {
            "devices": [torch.cuda.get_device_name(index) for index in range(number)],
            "driver says": claims(number),
            "lines": lines,
        },
    }


if __name__ == "__main__":
    main(measure)
