"""``tensor(…)`` and ``array(…)``: layout, dtype and device exactly, values within their type's tolerance."""

import re
from collections.abc import Iterator

from replay.output.domains.cells import Cell, Table

_TENSOR = re.compile(r"\b(?:tensor|array)\((?:[^()]|\([^()]*\))*\)")
_DTYPE = re.compile(r"dtype=(?:torch\.)?(\w+)")
_NUMBER = re.compile(r"[-+]?(?:\d+\.\d*|\.\d+|\d+)(?:e[-+]?\d+)?(?![\w.])")
_TOLERANCE = {
    "float64": 1e-7, "float32": 1e-5, "float16": 1e-3, "half": 1e-3, "bfloat16": 1e-2,
    "float8_e4m3fn": 1e-1, "float8_e5m2": 1e-1,
}  # fmt: skip
"""Relative to the largest value of the print; never less than half a unit of the last digit printed."""


def tensors(text: str) -> Table | None:
    """Read an output with tensors in it; None where there is none."""
    found = list(_TENSOR.finditer(text))
    if not found:
        return None
    table = dict(_numbers(found))
    for number, line in enumerate(_TENSOR.sub("⟨tensor⟩", text).split("\n"), 1):
        table[f"line {number}"] = Cell(number, "line", line, "text")
    return table


def _numbers(found: list[re.Match[str]]) -> Iterator[tuple[str, Cell]]:
    for place, match in enumerate(found, 1):
        line = match.string.count("\n", 0, match.start()) + 1
        body, _, about = match[0].partition("dtype")
        kind = _DTYPE.search(match[0])
        values = _NUMBER.findall(re.sub(r"device='[^']*'|size=\([^)]*\)", "", body))
        slack = _slack(values, kind[1] if kind else "float32")
        yield f"tensor {place}", Cell(line, "tensor", _skeleton(body) + about)
        for n, value in enumerate(values):
            exact = "." not in value and "e" not in value
            yield f"tensor {place} [{n}]", Cell(line, "number", value, "exact" if exact else "near", slack)


def _skeleton(body: str) -> str:
    """Return the print without its numbers: brackets, ellipses, nan, inf, device and size."""
    kept = re.findall(r"device='[^']*'|size=\([^)]*\)", body)
    return " ".join(_NUMBER.sub("#", re.sub(r"device='[^']*'|size=\([^)]*\)", "", body)).split()) + " ".join(kept)


def _slack(values: list[str], dtype: str) -> float:
    largest = max((abs(float(value)) for value in values), default=0.0)
    digits = min((len(value.partition("e")[0].partition(".")[2]) for value in values if "." in value), default=0)
    power = max((int(value.partition("e")[2] or 0) for value in values), default=0)
    return max(_TOLERANCE.get(dtype, 1e-5) * largest, 0.5 * 10.0 ** (power - digits) * 1.0001)
