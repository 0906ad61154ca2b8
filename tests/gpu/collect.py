#!/usr/bin/env python3
"""Run every payload that needs a GPU, timings included; write their documents as one file and print a summary.

``python3 tests/gpu/collect.py OUT [--million 268] [--only dequant,kv]``. Writes OUT/probes.json: name ->
document. A first round without timings runs all at once, so that Triton compiles on every core, and is thrown away.
"""

import argparse
import ast
import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

PAYLOADS = Path(__file__).parents[2] / "probes" / "payloads"
BEGIN, END = "<<<probe document\n", "\nprobe document>>>"
PATIENCE = 300
"""Seconds for one payload."""


def probe(path: Path) -> dict[str, Any]:
    """Return what a payload file says of itself."""
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.AnnAssign) and getattr(node.target, "id", "") == "PROBE" and node.value:
            return dict(ast.literal_eval(node.value))
    return {"name": path.stem, "needs": [], "arguments": []}


def run(path: Path, *options: str) -> dict[str, Any]:
    """Return the document of one payload, run as a person would run it."""
    try:
        done = subprocess.run(
            [sys.executable, str(path), *options], capture_output=True, text=True, timeout=PATIENCE, check=False
        )
    except subprocess.TimeoutExpired:
        return {"status": "failed", "detail": f"not done after {PATIENCE} s"}
    _, mark, rest = done.stdout.rpartition(BEGIN)
    if not mark:
        return {"status": "failed", "detail": done.stderr[-2000:]}
    return dict(json.loads(rest.partition(END)[0]))


def summary(documents: dict[str, dict[str, Any]]) -> list[str]:
    """Return lines for a reader: status, findings, what went wrong, and the timings."""
    lines = []
    for name, document in documents.items():
        tail = (str(document.get("detail", "")).strip().splitlines() or [""])[-1]
        lines.append(f"{name}: {document['status']} in {document.get('duration', 0):.0f} s  {tail}")
        lines += [f"    {each['answer']}: {each['statement']} ({each['why']})" for each in document.get("findings", ())]
        details = document.get("details", {})
        odd = [line for line in details.get("lines", ()) if line.get("verdict") not in {"pass", None}]
        lines += [f"    {json.dumps({k: v for k, v in line.items() if k != 'worst'})}" for line in odd[:12]]
        lines += [timing(line) for line in details.get("bench", ())]
    return lines


def timing(line: dict[str, Any]) -> str:
    """Return one timing as a line."""
    more = f"{line['ms']:8.3f} ms {line['G weights/s']:7,.0f} G weights/s" if "ms" in line else ""
    return f"    {line['type']:8} {line['by']:14} {line['GB/s']:7,.0f} GB/s {line['of copy']:6.1%} of copy {more}"


def main() -> None:
    """Warm up, run, write, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--million", type=int, default=1073, help="million weights of a timing: a large output head")
    parser.add_argument("--only", default="", help="families, e.g. dequant,matmul")
    given = parser.parse_args()
    found = {path: probe(path) for path in sorted(PAYLOADS.glob("*/*.py"))}
    only = set(given.only.split(",")) - {""}
    chosen = {p: about for p, about in found.items() if "gpu" in about["needs"] and (not only or p.parent.name in only)}
    started = time.monotonic()
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(run, chosen))
    documents = {}
    for path, about in chosen.items():
        timed = [f"--bench={given.million}"] if "bench" in {each["name"] for each in about["arguments"]} else []
        documents[about["name"]] = run(path, *timed)
    given.out.mkdir(parents=True, exist_ok=True)
    (given.out / "probes.json").write_text(json.dumps(documents, indent=1))
    lines = [*summary(documents), f"{len(documents)} payloads in {time.monotonic() - started:.0f} s"]
    (given.out / "summary.txt").write_text("\n".join(lines) + "\n")
    print("\n".join(lines))  # noqa: T201


if __name__ == "__main__":
    main()
