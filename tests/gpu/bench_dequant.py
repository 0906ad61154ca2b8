#!/usr/bin/env python3
"""Time the Triton kernels of the dequantization payloads over sizes of programs; no vLLM, under a minute.

``python3 tests/gpu/bench_dequant.py [--types Q4_K,Q6_K] [--million 268] [--json FILE]``. Each figure is the median of
CUDA-event timings; bytes are read + written, and the copy bandwidth stands beside them.
"""

import argparse
import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

PAYLOADS = Path(__file__).parents[2] / "probes" / "payloads" / "dequant"
AIMED_AT = "Q4_K,Q6_K,Q8_0,Q5_K"
TILES = {
    False: [(128, 4), (256, 4), (256, 8), (512, 4), (512, 8), (1024, 4), (1024, 8)],
    True: [(512, 4), (1024, 4), (1024, 8), (2048, 4), (2048, 8), (4096, 8)],
}
"""(Chunks a program, warps) by whether the sums of the verifying kernel are wanted."""
COLUMNS = 8192


def payload(path: Path) -> ModuleType:
    """Return a payload file as a module; Triton needs its source on disk."""
    spec = importlib.util.spec_from_file_location("payload_" + path.stem, path)
    if spec is None or spec.loader is None:
        raise ImportError(path)
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def sweep(module: ModuleType, kind: str, million: int, copy: float) -> list[dict[str, Any]]:
    """Return a line for each tile size of one type, after a check that the kernel is right on this GPU."""
    torch = module.load("torch")
    some = module.random_rows(kind, 256, 1, COLUMNS).cuda()
    want, got = module.by_torch(kind, some), module.by_triton(kind, some, torch.float16)
    state = module.verdict(module.compare(got, want, module.KINDS[kind].block), "triton", "float16")
    raw = some.repeat(max(1, million * 10**6 // (256 * COLUMNS)), 1)
    count, out = raw.shape[0] * COLUMNS, torch.empty(len(raw), COLUMNS, dtype=torch.float16, device="cuda")
    lines = []
    for digest, tiles in TILES.items():
        target = out.view(-1).view(torch.float32) if digest else out
        for tile in tiles:
            spent = module.milliseconds(lambda: module.launch(kind, raw, target, digest=digest, tile=tile), 10)  # noqa: B023
            speed = (raw.numel() + (0 if digest else 2 * count)) / spent / 1e6
            line = {"type": kind, "digest": digest, "chunks": tile[0], "warps": tile[1], "check": state, "ms": spent}
            lines.append({**line, "GB/s": speed, "of copy": speed / copy, "G weights/s": count / spent / 1e6})
    return lines


def compile_ahead(kinds: list[str]) -> None:
    """Let each type's kernels be compiled by a process of its own; Triton keeps them on disk."""
    words = [sys.executable, __file__, "--million=2", "--alone", "--types"]
    running = [subprocess.Popen([*words, kind], stdout=subprocess.DEVNULL) for kind in kinds]
    for each in running:
        each.wait()


def table(copy: float, lines: list[dict[str, Any]]) -> list[str]:
    """Return the lines to print: the fastest tile of each type is marked."""
    told = [f"copy {copy:,.0f} GB/s"]
    for line in lines:
        peers = [each["ms"] for each in lines if (each["type"], each["digest"]) == (line["type"], line["digest"])]
        mark, what = "*" if line["ms"] == min(peers) else " ", "digest" if line["digest"] else "fp16"
        told.append(
            f"{mark} {line['type']:8}{what:7}{line['chunks']:5}/{line['warps']}  {line['ms']:8.3f} ms "
            f"{line['GB/s']:7,.0f} GB/s {line['of copy']:6.1%} {line['G weights/s']:7,.0f} G w/s  {line['check']}"
        )
    return told


def main() -> None:
    """Print the table, and write it as JSON where asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--types", default=AIMED_AT, help=f"default {AIMED_AT}; all: every type")
    parser.add_argument("--million", type=int, default=268, help="weights, in millions")
    parser.add_argument("--alone", action="store_true", help="do not compile ahead")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    modules = [payload(path) for path in sorted(PAYLOADS.glob("*.py")) if path.name != "__init__.py"]
    wanted = [(module, kind) for module in modules for kind in module.KINDS if given.types in {"all", kind} or
              kind in given.types.split(",")]  # fmt: skip
    if not given.alone:
        compile_ahead([kind for _, kind in wanted])
    copy = modules[0].copying()
    lines = [line for module, kind in wanted for line in sweep(module, kind, given.million, copy)]
    print("\n".join(table(copy, lines)))  # noqa: T201
    if given.json:
        given.json.write_text(json.dumps({"copy GB/s": copy, "lines": lines}))


if __name__ == "__main__":
    main()
