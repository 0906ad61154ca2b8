"""What a vLLM 0.22.1 server with a small MLA model on an H200 (TRITON_MLA) let the probes say: tests/gpu/server.py.

The run was broken off after two probes, and the log holds the beginning of each document.
"""

import json
import re
from pathlib import Path
from typing import Any

from probes import catalogue

TOLD = (Path(__file__).parents[1] / "data" / "h200" / "server.txt").read_text("utf-8")
RAN = re.findall(r"^\$ necropsy probe run (\S+) .*\n\[exit (\d+)", TOLD, re.MULTILINE)


def part(probe: str, name: str) -> Any:
    """Return a part of a probe's document."""
    document = TOLD[TOLD.index(f'"name": "{probe}"') :]
    mark = f'"{name}": '
    return json.JSONDecoder().raw_decode(document, document.index(mark) + len(mark))[0]


def test_a_whole_model_is_cleared() -> None:
    assert RAN == [("logprob.sequence", "0"), ("nan.logits", "0")]
    for probe, _ in RAN:
        assert {finding["answer"] for finding in part(probe, "findings")} == {"refuted"}
        assert all(control["passed"] for control in part(probe, "controls"))


def test_what_it_speaks_of_is_in_the_catalogue() -> None:
    for probe, _ in RAN:
        known = {suspicion.key for suspicion in catalogue.named(probe).hypotheses}
        assert {finding["hypothesis"] for finding in part(probe, "findings")} == known


def test_the_model_thinks_on_the_gpu_what_it_thinks_on_the_cpu() -> None:
    """The same weights by vLLM 0.32.0 on the CPU, heads padded or not: medians a hundredth of a nat apart."""
    medians = {each["name"]: each["value"] for each in part("logprob.sequence", "measurements")}
    shown = {name: round(medians[name], 2) for name in ("order", "copy", "text", "own choice")}
    assert shown == {"order": -0.01, "copy": -0.02, "text": -2.5, "own choice": -0.11}
